"""What only OpenAI Agents has: hand-offs, tools of one's own, the Responses API, clients made elsewhere."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import agents
import openai
import pytest
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, chat_reply, responses_reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tools, tool_calls
from turnledger.adapters.openai_agents import Recording

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

agents.set_tracing_disabled(disabled=True)


def run(recorder: Recorder, provider: Provider, made: Any, **options: object) -> turnledger.Turn:  # noqa: ANN401
    """Run the agent that ``made`` makes over a client, in a turn."""
    turn = recorder.conversation.turn()

    async def main() -> None:
        client = openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x")
        async with client, turn:
            result: Any = await agents.Runner.run(
                made(client),
                QUESTION,
                **{"hooks": Recording(), **options},  # type: ignore[arg-type]
            )
            await turn.commit(result.final_output)

    asyncio.run(main())
    return turn


def chatting(client: openai.AsyncOpenAI) -> agents.OpenAIChatCompletionsModel:
    return agents.OpenAIChatCompletionsModel("gpt-asked", client)


def test_a_hand_off_is_told(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_tools(ToolCall("call-1", "transfer_to_billing", "{}")), chat_reply("Paid."))

    def made(client: openai.AsyncOpenAI) -> agents.Agent[Any]:
        billing: agents.Agent[Any] = agents.Agent("billing", model=chatting(client))
        return agents.Agent("support", model=chatting(client), handoffs=[billing])

    turn = run(recorder, provider, made)
    (handoff,) = recorder.steps(turn, "PROGRESS")
    assert (handoff.tokens["kind"], handoff.payload) == ("handoff", "support → billing".encode())
    assert len(recorder.steps(turn, "MODEL_CALL")) == 2


def test_a_tool_of_ones_own_that_raises_is_an_error_on_record(provider: Provider, recorder: Recorder) -> None:
    async def fail(_: agents.RunContextWrapper[Any], arguments: str) -> str:
        raise LookupError(arguments)

    def made(client: openai.AsyncOpenAI) -> agents.Agent[Any]:
        schema = {"type": "object", "properties": {}, "additionalProperties": True}
        tool = agents.FunctionTool("lookup", "", schema, fail, strict_json_schema=False)
        return agents.Agent("support", model=chatting(client), tools=[tool])

    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)), chat_reply())
    with pytest.raises(agents.UserError):
        run(recorder, provider, made)
    with turnledger.read(str(recorder.path)) as reading:
        (turn,) = reading.turns()
        (result,) = (entry for entry in reading.events(turn.id) if entry.row.type == "TOOL_RESULT")
        assert dict(result.tokens)["status"] == "error"
        assert b"LookupError" in (reading.body(result.row.event_id) or b"")


def test_the_responses_api_joins_its_tools_too(provider: Provider, recorder: Recorder) -> None:
    provider.says(responses_reply(tool=("c-1", "lookup", SUPPLIED)), responses_reply("On its way."))

    @agents.function_tool
    def lookup(id: int, place: str) -> str:  # noqa: A002
        return f"{id}{place}"

    def made(client: openai.AsyncOpenAI) -> agents.Agent[Any]:
        model = agents.OpenAIResponsesModel("gpt-asked", client)
        return agents.Agent("support", model=model, tools=[lookup])

    turn = run(recorder, provider, made)
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.tokens["from"], call.tokens["ordinal"]) == (SUPPLIED.encode(), "3", "0")
    assert [s.payload for s in recorder.steps(turn, "MODEL_CALL")] == [asked.body for asked in provider.asked]


def test_a_client_that_is_not_recorded_is_told_at_once(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply(), chat_reply())

    class Elsewhere(agents.ModelProvider):
        def __init__(self, client: openai.AsyncOpenAI) -> None:
            self.client = client

        def get_model(self, model_name: str | None) -> agents.Model:
            return agents.OpenAIChatCompletionsModel(model_name or "gpt-asked", self.client)

    async def main() -> None:
        agent: agents.Agent[Any] = agents.Agent("support")
        client = openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x")
        config = agents.RunConfig(model_provider=Elsewhere(client))
        async with client, recorder.conversation.turn() as turn:
            with pytest.raises(turnledger.UsageError, match="'support' asked a model by a client"):
                await agents.Runner.run(agent, QUESTION, hooks=Recording(), run_config=config)
            turnledger.record(client)
            await agents.Runner.run(agent, QUESTION, hooks=Recording(), run_config=config)
            await turn.commit("done")

    asyncio.run(main())


class Scripted(agents.Model):
    """A model without HTTP."""

    async def get_response(self, *_: Any, **__: Any) -> agents.ModelResponse:  # noqa: ANN401  as the base does
        text = ResponseOutputText(type="output_text", text="On its way.", annotations=[])
        message = ResponseOutputMessage(
            id="m-1", type="message", role="assistant", status="completed", content=[text]
        )
        usage = agents.Usage(requests=1, input_tokens=9, output_tokens=3, total_tokens=12)
        return agents.ModelResponse(output=[message], usage=usage, response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        msg = "It does not stream."
        raise agents.UserError(msg)


def test_a_model_without_http_is_recorded_by_what_it_is_asked(provider: Provider, recorder: Recorder) -> None:
    turn = run(recorder, provider, lambda _: agents.Agent("support", model=Scripted()))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "Scripted")
    assert QUESTION.encode() in (call.payload or b"")
    assert (result.tokens["in"], result.tokens["out"]) == ("9", "3")
    assert b"On its way." in (result.payload or b"")


def test_an_agent_is_not_recorded_as_an_object() -> None:
    with pytest.raises(turnledger.UsageError, match=r"openai_agents\.Recording"):
        turnledger.record(agents.Agent("support"))


@pytest.mark.parametrize("hooks", [Recording(), None])
def test_a_recorded_async_function_is_awaited_as_a_tool(
    provider: Provider, recorder: Recorder, hooks: object
) -> None:
    @turnledger.tool
    async def lookup(id: int, place: str) -> str:  # noqa: A002
        await asyncio.sleep(0)
        return f"{id} is on its way to {place}"

    def made(client: openai.AsyncOpenAI) -> agents.Agent[Any]:
        model = chatting(turnledger.record(client))
        return agents.Agent("support", model=model, tools=[agents.function_tool(lookup)])

    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)), chat_reply())
    turn = run(recorder, provider, made, hooks=hooks)
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert (result.tokens["status"], b"is on its way to" in (result.payload or b"")) == ("ok", True)
    assert b"is on its way to" in provider.asked[-1].body
