"""What only Strands has: clients of one's own, models without HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
import pytest
import strands
from strands.models.model import Model
from strands.models.openai import OpenAIModel

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, chat_events
from tests.adapters.turns import refusing
from turnledger.adapters.strands import Recording

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.adapters.conftest import Recorder


def test_a_client_of_ones_own_is_recorded(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_events("It is ", "on its way."))

    async def main() -> turnledger.Turn:
        async with openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x") as client:
            model = OpenAIModel(client=client, model_id="gpt-asked")
            agent = strands.Agent(model=model, plugins=[Recording()], callback_handler=None)
            async with recorder.conversation.turn() as turn:
                await turn.commit(str(await agent.invoke_async(QUESTION)))
        return turn

    turn = asyncio.run(main())
    (call,) = recorder.steps(turn, "MODEL_CALL")
    assert (call.payload, call.tokens["form"]) == (provider.asked[0].body, "wire")


class Scripted(Model):
    """A model without HTTP."""

    asked = 0

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "scripted"}

    def update_config(self, **_: Any) -> None:  # noqa: ANN401  as the base does
        """It has none."""

    def structured_output(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        """It has none."""

    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        self.asked += 1
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "On its way."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
        counts = {"inputTokens": 9, "outputTokens": 3, "totalTokens": 12}
        yield {"metadata": {"usage": counts, "metrics": {"latencyMs": 1}}}


def test_a_model_without_http_is_recorded_by_what_it_is_asked(recorder: Recorder) -> None:
    agent = strands.Agent(model=Scripted(), plugins=[Recording()], callback_handler=None)
    with recorder.conversation.turn() as turn:
        turn.commit(str(agent(QUESTION)))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "scripted")
    assert QUESTION.encode() in (call.payload or b"")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["status"]) == ("9", "3", "ok")
    assert b"On its way." in (result.payload or b"")


def test_a_model_without_http_is_not_asked_where_nothing_can_be_recorded(recorder: Recorder) -> None:
    model = Scripted()
    agent = strands.Agent(model=model, plugins=[Recording()], callback_handler=None)
    with (
        pytest.raises(turnledger.CaptureRefused),
        refusing(recorder.path, "MODEL_CALL"),
        recorder.conversation.turn(),
    ):
        agent(QUESTION)
    assert model.asked == 0
