"""What only Pydantic AI has: models without HTTP, several models, other capabilities, runs that are turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import openai
import pytest
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    ModelResponse,
    RunContext,
    TextPart,
    ToolCallPart,
    ToolDefinition,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, Reply, chat_reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tools, refusing, tool_calls
from turnledger.adapters.pydantic_ai import Recording

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder


def lookup(id: int, place: str) -> str:  # noqa: A002
    return f"{id} is on its way to {place}"


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    if len(messages) > 1:
        return ModelResponse([TextPart("It is on its way.")])
    return ModelResponse([ToolCallPart("lookup", SUPPLIED, "call-1")])


async def streamed(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
    for word in ("It ", "is ", "on its way."):
        yield word * len(messages)


def on_http(provider: Provider) -> tuple[openai.AsyncOpenAI, OpenAIChatModel]:
    client = openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x", max_retries=0)
    return client, OpenAIChatModel("gpt-asked", provider=OpenAIProvider(openai_client=client))


def in_turn(recorder: Recorder, agent: Agent[None, str]) -> turnledger.Turn:
    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            result = await agent.run(QUESTION)
            await turn.commit(result.output)
        return turn

    return asyncio.run(main())


def test_a_model_without_http_is_recorded_by_its_messages(recorder: Recorder) -> None:
    agent = Agent(FunctionModel(scripted), tools=[lookup], capabilities=[Recording()])
    turn = in_turn(recorder, agent)
    steps = recorder.steps(turn)
    kinds = ["MODEL_CALL", "MODEL_RESULT", "TOOL_CALL", "TOOL_RESULT", "MODEL_CALL", "MODEL_RESULT"]
    assert [step.type for step in steps if step.type != "PROMPT"] == kinds
    first, last = (step for step in steps if step.type == "MODEL_CALL")
    assert first.tokens["form"] == last.tokens["form"] == "encoded"
    assert QUESTION.encode() in (first.payload or b"")
    assert b"7 is on its way" in (last.payload or b"")
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.payload) == (SUPPLIED.encode(), '{"id":7,"place":"Köln"}'.encode())


def test_what_a_test_model_estimates_is_no_usage(recorder: Recorder) -> None:
    turn = in_turn(recorder, Agent(TestModel(), capabilities=[Recording()]))
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert not {"in", "out"} & result.tokens.keys()


@pytest.mark.parametrize(("left", "status"), [(False, "ok"), (True, "aborted")])
def test_s03_a_stream_without_http_is_recorded_when_it_is_left(
    recorder: Recorder, status: str, *, left: bool
) -> None:
    agent = Agent(FunctionModel(stream_function=streamed), capabilities=[Recording()])

    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            async with agent.run_stream(QUESTION) as result:
                async for _ in result.stream_text(debounce_by=None):
                    if left:
                        break
            await turn.commit("done")
        return turn

    call, result = recorder.steps(asyncio.run(main()), "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["stream"], result.tokens["status"]) == ("1", status)
    assert (b"on its way." in (result.payload or b"")) is not left


def test_a_model_without_http_is_not_asked_where_nothing_can_be_recorded(recorder: Recorder) -> None:
    asked: list[str] = []

    def count(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(str(messages))
        return scripted(messages, info)

    agent = Agent(FunctionModel(count), tools=[lookup], capabilities=[Recording()])
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        in_turn(recorder, agent)
    assert asked == []


def test_each_of_several_models_is_recorded_once(provider: Provider, recorder: Recorder) -> None:
    provider.says(Reply([b'{"error": {"message": "overloaded"}}'], status=500))
    client, first = on_http(provider)

    async def main() -> turnledger.Turn:
        async with client, recorder.conversation.turn() as turn:
            await turn.commit((await agent.run(QUESTION)).output)
        return turn

    agent = Agent(FallbackModel(first, TestModel()), capabilities=[Recording()])
    turn = asyncio.run(main())
    calls = recorder.steps(turn, "MODEL_CALL")
    assert [step.tokens["form"] for step in calls] == ["wire", "encoded"]
    assert [step.tokens["status"] for step in recorder.steps(turn, "MODEL_RESULT")] == ["error", "ok"]


class Moving(AbstractCapability[None]):
    """Sends everything somewhere else."""

    async def before_tool_execute(
        self,
        ctx: RunContext[None],  # noqa: ARG002
        *,
        call: ToolCallPart,  # noqa: ARG002
        tool_def: ToolDefinition,  # noqa: ARG002
        args: dict[str, Any],
    ) -> dict[str, Any]:
        return {**args, "place": "Bonn"}


def test_what_other_capabilities_make_of_arguments_is_what_is_recorded(recorder: Recorder) -> None:
    agent = Agent(FunctionModel(scripted), tools=[lookup], capabilities=[Recording(), Moving()])
    turn = in_turn(recorder, agent)
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.payload) == (SUPPLIED.encode(), b'{"id":7,"place":"Bonn"}')
    assert b"to Bonn" in (recorder.steps(turn, "TOOL_RESULT")[0].payload or b"")


def test_arguments_that_do_not_fit_are_refused_on_record(provider: Provider, recorder: Recorder) -> None:
    wrong = '{"id": "seven", "place": "x"}'
    provider.says(chat_tools(ToolCall("call-1", "lookup", wrong)), chat_reply("Sorry."))
    client, model = on_http(provider)

    async def main() -> turnledger.Turn:
        async with client, recorder.conversation.turn() as turn:
            await turn.commit((await agent.run(QUESTION)).output)
        return turn

    agent = Agent(model, tools=[lookup], capabilities=[Recording()])
    turn = asyncio.run(main())
    (call,), (result,) = tool_calls(recorder.path, turn.id), recorder.steps(turn, "TOOL_RESULT")
    assert (call.supplied, call.payload, call.tokens["validated"]) == (*[wrong.encode()] * 2, "0")
    assert (result.tokens["status"], call.tokens["from"], call.tokens["ordinal"]) == ("invalid", "3", "0")


def test_a_function_that_records_itself_is_recorded_once(recorder: Recorder) -> None:
    agent = Agent(FunctionModel(scripted), capabilities=[Recording()])

    @agent.tool_plain(name="lookup")
    @turnledger.tool(name="lookup")
    def lookup_recorded(id: int, place: str) -> str:  # noqa: A002
        return lookup(id, place)

    turn = in_turn(recorder, agent)
    assert len(tool_calls(recorder.path, turn.id)) == 1


def test_a_run_outside_of_any_turn_is_one(recorder: Recorder) -> None:
    agent = Agent(TestModel(), capabilities=[Recording(conversation=recorder.conversation)])
    assert asyncio.run(agent.run(QUESTION)).output == "success (no tool calls)"
    with turnledger.read(str(recorder.path)) as reading:
        (turn,) = reading.turns()
        assert turn.status == "completed"
        intake, *_, commit = reading.events(turn.id)
        assert (reading.body(intake.row.event_id), reading.body(commit.row.event_id)) == (
            QUESTION.encode(),
            b"success (no tool calls)",
        )


@pytest.mark.parametrize("decided", ["by the agent", "by somebody"])
def test_a_tool_that_waits_for_approval_is_one_call(recorder: Recorder, decided: str) -> None:
    agent: Agent[None, str | DeferredToolRequests] = Agent(
        FunctionModel(scripted), output_type=[str, DeferredToolRequests], capabilities=[Recording()]
    )
    agent.tool_plain(requires_approval=True)(lookup)
    with recorder.conversation.turn() as turn:
        asked = asyncio.run(agent.run(QUESTION))
        assert isinstance(asked.output, DeferredToolRequests)
    assert [step.type for step in recorder.steps(turn)][-2:] == ["TOOL_CALL", "APPROVAL"]
    with recorder.ledger.agent("support").resume(turn.id) as resumed:
        if decided == "by somebody":
            resumed.approvals[0].decide("granted", by="slack:U1")
        granted = DeferredToolResults(approvals={"call-1": True})
        answer = asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=granted))
        assert answer.output == "It is on its way."
        resumed.commit(answer.output)
    steps = recorder.steps(turn, "TOOL_CALL", "APPROVAL", "TOOL_RESULT")
    assert [step.type for step in steps] == ["TOOL_CALL", "APPROVAL", "APPROVAL", "TOOL_RESULT"]
    assert [step.tokens.get("decision") for step in steps] == [None, "requested", "granted", None]
    assert (steps[-1].tokens["status"], steps[-1].payload) == ("ok", "7 is on its way to Köln".encode())


def test_a_tool_that_was_denied_is_so_on_record(recorder: Recorder) -> None:
    agent: Agent[None, str | DeferredToolRequests] = Agent(
        FunctionModel(scripted), output_type=[str, DeferredToolRequests], capabilities=[Recording()]
    )
    agent.tool_plain(requires_approval=True)(lookup)
    with recorder.conversation.turn() as turn:
        asked = asyncio.run(agent.run(QUESTION))
        turn.approvals[0].decide("denied", by="slack:U1")
        denied = DeferredToolResults(approvals={"call-1": False})
        asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=denied))
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "denied"


def test_a_model_that_is_recorded_stays_so_on_another_event_loop(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_reply(), chat_reply())
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=f"{provider.url}/v1", api_key="x"))
    agent = Agent(turnledger.record(model))

    async def ask() -> None:
        async with agent:
            await agent.run(QUESTION)

    with recorder.conversation.turn() as turn:
        asyncio.run(ask())
        asyncio.run(ask())
        turn.commit("done")
    assert len(recorder.steps(turn, "MODEL_CALL")) == len(provider.asked) == 2
