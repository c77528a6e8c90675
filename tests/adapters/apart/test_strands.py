"""What only Strands has: clients of one's own, models without HTTP."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

import openai
import pytest
import strands
from pydantic import BaseModel
from strands.models.model import Model
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder, Swarm

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, chat_events, chat_reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tools, refusing, tool_calls
from turnledger.adapters.strands import Recording

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

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

    async def structured_output(self, kind: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        self.asked += 1
        yield {"output": kind(city="Köln")}

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


class Place(BaseModel):
    """Where something is."""

    city: str


PLACE = ToolCall("call-1", "Place", '{"city":  "Köln"}')


def agent(provider: Provider, *tools: Any, name: str = "support") -> strands.Agent:  # noqa: ANN401
    model = OpenAIModel(
        client_args={"base_url": f"{provider.url}/v1", "api_key": "x"}, model_id="gpt-asked", stream=False
    )
    return strands.Agent(model=model, tools=[*tools], name=name, plugins=[Recording()], callback_handler=None)


@strands.tool
def lookup(id: int, place: str) -> str:  # noqa: A002
    """Look an order up."""
    return f"{id} is on its way to {place}"


def test_structured_output_is_a_tool_on_record(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_tools(PLACE))
    with recorder.conversation.turn() as turn:
        found = agent(provider)(QUESTION, structured_output_model=Place).structured_output
        turn.commit(str(found))
    assert found == Place(city="Köln")
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.tokens["tool"], call.supplied) == ("Place", PLACE.arguments.encode())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_passes_no_middleware_is_recorded_from_the_first_request(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_reply('{"city": "Köln"}'))
    with recorder.conversation.turn() as turn:
        turn.commit(str(agent(provider).structured_output(Place, QUESTION)))
    (call,) = recorder.steps(turn, "MODEL_CALL")
    assert call.payload == provider.asked[0].body


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_nor_does_it_where_there_is_no_http(recorder: Recorder) -> None:
    model = Scripted()
    asked = strands.Agent(model=model, plugins=[Recording()], callback_handler=None)
    with recorder.conversation.turn() as turn:
        turn.commit(str(asked.structured_output(Place, QUESTION)))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert QUESTION.encode() in (call.payload or b"")
    assert (result.payload, result.tokens["status"]) == ('{"city":"Köln"}'.encode(), "ok")
    with pytest.raises(turnledger.CaptureRefused):
        asked.structured_output(Place, QUESTION)
    assert model.asked == 1


class Breaking(Scripted):
    """A model whose reply breaks off."""

    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "On its "}}}
        msg = "lost"
        raise OSError(msg)


def test_of_a_reply_that_breaks_off_it_is_kept_what_came(recorder: Recorder) -> None:
    asked = strands.Agent(model=Breaking(), plugins=[Recording()], callback_handler=None)
    with pytest.raises(OSError, match="lost"), recorder.conversation.turn() as turn:
        asked(QUESTION)
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.payload, result.tokens["status"]) == (b"On its ", "error")


def by_graph(first: strands.Agent, second: strands.Agent) -> Any:  # noqa: ANN401
    builder = GraphBuilder()
    builder.add_node(first, "first")
    builder.add_node(second, "second")
    builder.add_edge("first", "second")
    builder.set_max_node_executions(2)
    return builder.build()


def by_swarm(first: strands.Agent, second: strands.Agent) -> Any:  # noqa: ANN401
    return Swarm([first, second])


@pytest.mark.parametrize("mode", ["sync", "async", "stream"])
@pytest.mark.parametrize("make", [by_graph, by_swarm])
def test_several_agents_are_in_one_turn(
    provider: Provider, recorder: Recorder, make: Callable[..., Any], mode: str
) -> None:
    handoff = ToolCall("call-0", "handoff_to_agent", '{"agent_name": "second", "message": "Look it up"}')
    call = ToolCall("call-1", "lookup", SUPPLIED)
    first = [chat_tools(handoff), chat_reply("Done.")] if make is by_swarm else [chat_reply("You do it.")]
    provider.says(*first, chat_tools(call), chat_reply("It is on its way."))
    team = make(agent(provider, name="first"), agent(provider, lookup, name="second"))

    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            if mode == "async":
                await team.invoke_async(QUESTION)
            elif mode == "stream":
                async for _ in team.stream_async(QUESTION):
                    pass
            else:
                await asyncio.to_thread(team, QUESTION)
            await turn.commit("done")
        return turn

    turn = asyncio.run(main())
    assert provider.script == deque()
    assert [step.payload for step in recorder.steps(turn, "MODEL_CALL")] == [a.body for a in provider.asked]
    calls = {call.tokens["tool"]: call.supplied for call in tool_calls(recorder.path, turn.id)}
    assert calls["lookup"] == SUPPLIED.encode()
    assert len(calls) == (2 if make is by_swarm else 1)


@pytest.mark.parametrize("make", [by_graph, by_swarm])
def test_a_team_asks_nothing_that_cannot_be_recorded(
    provider: Provider, recorder: Recorder, make: Callable[..., Any]
) -> None:
    team = make(agent(provider, name="first"), agent(provider, lookup, name="second"))

    def run() -> None:
        with recorder.conversation.turn() as turn:
            team(QUESTION)
            turn.commit("done")  # which says it, where the team made a result of it

    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        run()
    assert provider.asked == []


def test_a_tool_that_is_called_directly_is_recorded(provider: Provider, recorder: Recorder) -> None:
    made = agent(provider, lookup)
    with recorder.conversation.turn() as turn:
        made.tool.lookup(id=7, place="Köln")
        turn.commit("done")
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.tokens["tool"], call.payload) == ("lookup", '{"id":7,"place":"Köln"}'.encode())
    assert made.tool.lookup(id=7, place="Köln")["status"] == "error"  # as any that raises: it did not run
    assert len(tool_calls(recorder.path, turn.id)) == 1


def test_a_tool_that_stops_to_ask_somebody_has_not_failed(provider: Provider, recorder: Recorder) -> None:
    @strands.tool(context=True)
    def refund(id: int, tool_context: strands.ToolContext) -> str:  # noqa: A002
        """Give the money back."""
        return f"{id}: {tool_context.interrupt('may I', reason='it is much')}"

    provider.says(chat_tools(ToolCall("call-1", "refund", '{"id":  7}')), chat_reply("Given back."))
    made = agent(provider, refund)
    with recorder.conversation.turn() as turn:
        (asked,) = made(QUESTION).interrupts
        made([{"interruptResponse": {"interruptId": asked.id, "response": "yes"}}])
        turn.commit("done")
    assert [call.supplied for call in tool_calls(recorder.path, turn.id)] == [b'{"id":  7}'] * 2
    first, second = recorder.steps(turn, "TOOL_RESULT")
    assert (first.tokens["status"], second.tokens["status"]) == ("cancelled", "ok")
    assert b"it is much" in (first.payload or b"")
    assert second.payload == b"7: yes"
