"""What only CrewAI has: models and tools of one's own, a cache, calls written as text, threads, flows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import crewai
import openai
import pytest
from crewai.flow.flow import Flow, start
from crewai.hooks import HookAborted
from crewai.tools import BaseTool
from crewai.tools.tool_failure import ToolFailure

import turnledger
from tests.adapters.frameworks_crewai import crew_of
from tests.adapters.playing import QUESTION
from tests.adapters.processes import killed, started
from tests.adapters.stub import Provider, Reply, anthropic_events, anthropic_reply, chat_reply
from tests.adapters.turns import ToolCall, chat_tools, refusing, tool_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.adapters.conftest import Recorder

LOOKUP = ToolCall("call-1", "lookup", '{"id":  7}')
ANSWER = "It is on its way."
TEXT = "Thought: I look it up.\nAction: lookup\nAction Input: {asked}\n"
FINAL = f"Thought: I know.\nFinal Answer: {ANSWER}"


def lookup(id: int) -> str:  # noqa: A002  as the model names it
    """Look an order up."""
    return f"{id} is on its way"


def gpt(provider: Provider) -> crewai.BaseLLM:
    llm = crewai.LLM(model="openai/gpt-asked", base_url=f"{provider.url}/v1", api_key="x")
    provider.closes(llm._client)
    return llm


def kickoff(recorder: Recorder, crew: crewai.Crew) -> turnledger.Turn:
    with recorder.conversation.turn() as turn:
        turn.commit(str(crew.kickoff()))
    return turn


def status(recorder: Recorder) -> str | None:
    with turnledger.read(str(recorder.path)) as reading:
        (turn,) = reading.turns()
    return turn.status


# --- models --------------------------------------------------------------------------------------------


def ask_claude(provider: Provider, way: str) -> str:
    llm = crewai.LLM(
        model="anthropic/claude-asked", base_url=provider.url, api_key="x", stream=way == "stream"
    )
    provider.closes(llm._client)

    async def ask() -> str:
        async with llm._async_client:
            return str(await llm.acall(QUESTION))

    return asyncio.run(ask()) if way == "async" else str(llm.call(QUESTION))


@pytest.mark.parametrize("way", ["sync", "async", "stream"])
def test_a_model_of_anthropic_is_recorded_by_its_client(
    provider: Provider, recorder: Recorder, way: str
) -> None:
    provider.says(anthropic_events("It is ", "on its way.") if way == "stream" else anthropic_reply(ANSWER))
    with recorder.conversation.turn() as turn:
        turn.commit(ask_claude(provider, way))
    (call,) = recorder.steps(turn, "MODEL_CALL")
    assert (call.payload, call.tokens["form"]) == (provider.asked[0].body, "wire")
    with (
        pytest.raises(turnledger.CaptureRefused) as refused,
        refusing(recorder.path, "MODEL_CALL"),
        recorder.conversation.turn(),
    ):
        ask_claude(provider, way)
    assert isinstance(refused.value, HookAborted)
    assert len(provider.asked) == 1


def test_an_error_of_a_provider_is_its_users_and_on_record(provider: Provider, recorder: Recorder) -> None:
    body = json.dumps({"error": {"message": "no such parameter", "type": "invalid_request_error"}})
    provider.otherwise = lambda _: Reply([body.encode()], status=400)
    turn = recorder.conversation.turn()
    with pytest.raises(openai.BadRequestError), turn:
        crew_of(gpt(provider), {}, max_retry_limit=0).kickoff()
    results = recorder.steps(turn, "MODEL_RESULT")
    assert len(results) == len(provider.asked) >= 1
    assert {(result.tokens["status"], result.payload) for result in results} == {("error", body.encode())}


class Scripted(crewai.BaseLLM):
    """A model without HTTP."""

    script: list[str] = []  # noqa: RUF012  as the base has it
    asked: list[Any] = []  # noqa: RUF012

    def call(self, messages: Any, *_: Any, **__: Any) -> str:  # noqa: ANN401  as the base does
        self.asked.append(messages)
        self._track_token_usage_internal({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12})
        return self.script.pop(0)

    async def acall(self, messages: Any, *_: Any, **__: Any) -> str:  # noqa: ANN401
        return self.call(messages)


class Extended(Scripted):
    """One of one's own, which calls what it extends."""

    def call(self, messages: Any, *more: Any, **named: Any) -> str:  # noqa: ANN401
        return super().call(messages, *more, **named)


class Routing(Scripted):
    """One that has another model answer."""

    inner: Any = None

    def call(self, messages: Any, *more: Any, **named: Any) -> str:  # noqa: ANN401
        return str(self.inner.call(messages, *more, **named))


def scripted(*script: str, kind: type[Scripted] = Scripted) -> Scripted:
    return kind(model="scripted", script=list(script), asked=[])


@pytest.mark.parametrize("kind", [Scripted, Extended])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_model_without_http_is_recorded_once_by_what_it_is_asked(
    recorder: Recorder, kind: type[Scripted], *, is_async: bool
) -> None:
    model = scripted(FINAL, kind=kind)
    with recorder.conversation.turn() as turn:
        turn.commit(asyncio.run(model.acall(QUESTION)) if is_async else str(crew_of(model, {}).kickoff()))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "scripted")
    assert QUESTION.encode() in (call.payload or b"")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["status"]) == ("9", "3", "ok")
    assert result.payload == FINAL.encode()


def test_a_model_without_http_is_not_asked_where_nothing_can_be_recorded(recorder: Recorder) -> None:
    model = scripted(FINAL)
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        kickoff(recorder, crew_of(model, {}))
    with pytest.raises(turnledger.CaptureRefused, match="No turn"):
        crew_of(model, {}).kickoff()
    assert model.asked == []


def test_usage_is_that_of_the_model_that_answered(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply(FINAL))
    model = scripted(kind=Routing)
    model.inner = gpt(provider)
    turn = kickoff(recorder, crew_of(model, {}))
    inner, outer = recorder.steps(turn, "MODEL_RESULT")
    assert (inner.tokens["in"], outer.tokens.get("in")) == ("9", None)


# --- tools ---------------------------------------------------------------------------------------------


def test_a_call_that_is_written_as_text_is_kept_as_it_was(recorder: Recorder) -> None:
    model = scripted(TEXT.format(asked='{"id":  "7"}'), FINAL)
    turn = kickoff(recorder, crew_of(model, {"lookup": lookup}))
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.payload, call.supplied) == (b'{"id":7}', b'{"id":  "7"}')
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert (result.payload, result.tokens["status"]) == (b"7 is on its way", "ok")


def test_a_tool_that_a_tool_calls_was_not_asked_for(recorder: Recorder) -> None:
    def outer(id: int) -> str:  # noqa: A002
        return str(Lookup().run(id=id + 1))

    turn = kickoff(recorder, crew_of(scripted(TEXT.format(asked='{"id": 7}'), FINAL), {"lookup": outer}))
    calls = [(call.payload, call.supplied) for call in tool_calls(recorder.path, turn.id)]
    assert calls == [(b'{"id":7}', b'{"id": 7}'), (b'{"id":8}', None)]


def test_a_tool_that_was_refused_ends_a_crew_that_writes_calls_as_text(recorder: Recorder) -> None:
    ran: list[int] = []
    model = scripted(TEXT.format(asked='{"id": 7}'), FINAL)
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "TOOL_CALL"):
        kickoff(recorder, crew_of(model, {"lookup": _counting(ran)}))
    assert (ran, len(model.asked), status(recorder)) == ([], 1, "refused")


def _counting(ran: list[int]) -> Callable[[int], str]:
    def count(id: int) -> str:  # noqa: A002
        ran.append(id)
        return f"{id} is on its way"

    return count


def test_a_cached_answer_is_no_run(provider: Provider, recorder: Recorder) -> None:
    ran: list[int] = []
    again = ToolCall("call-2", "lookup", '{"id":7}')
    provider.says(chat_tools(LOOKUP), chat_tools(again), chat_reply(ANSWER))
    turn = kickoff(recorder, crew_of(gpt(provider), {"lookup": _counting(ran)}, cache=True))
    assert (ran, len(provider.asked)) == ([7], 3)
    assert len(tool_calls(recorder.path, turn.id)) == 1


def test_arguments_that_do_not_fit_are_on_record_as_such(provider: Provider, recorder: Recorder) -> None:
    ran: list[int] = []
    provider.says(chat_tools(ToolCall("call-1", "lookup", '{"id": "x"}')), chat_reply("Sorry."))
    turn = kickoff(recorder, crew_of(gpt(provider), {"lookup": _counting(ran)}))
    (call,), (result,) = tool_calls(recorder.path, turn.id), recorder.steps(turn, "TOOL_RESULT")
    assert (ran, call.tokens["validated"], call.supplied) == ([], "0", b'{"id": "x"}')
    assert result.tokens["status"] == "invalid"


class Lookup(BaseTool):
    """Looks an order up."""

    name: str = "lookup"
    description: str = "Looks an order up."

    def _run(self, id: int) -> Any:  # noqa: A002, ANN401
        return f"{id} is on its way"


class Careful(Lookup):
    """One that calls what it extends, and says where that fails."""

    def _run(self, id: int) -> Any:  # noqa: A002, ANN401
        return ToolFailure(message=super()._run(id) + ", perhaps", code="unsure")


def test_a_tool_that_is_a_class_is_recorded_once_with_what_it_says_of_itself(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_tools(LOOKUP), chat_reply(ANSWER))
    crew = crew_of(gpt(provider), {})
    crew.agents[0].tools = [Careful()]
    turn = kickoff(recorder, crew)
    (call,), (result,) = tool_calls(recorder.path, turn.id), recorder.steps(turn, "TOOL_RESULT")
    assert (call.tokens["tool"], call.payload, call.supplied) == ("lookup", b'{"id":7}', b'{"id":  7}')
    assert (result.tokens["status"], json.loads(result.payload or b"")["code"]) == ("error", "unsure")


def test_a_copied_tool_runs_as_itself(recorder: Recorder) -> None:
    class Prefixed(BaseTool):
        name: str = "prefixed"
        description: str = "Puts something before."
        before: str

        def _run(self, text: str) -> str:
            return self.before + text

    tool = Prefixed(before="a")
    with recorder.conversation.turn() as turn:
        assert tool.run(text="x") == "ax"
        assert tool.model_copy(update={"before": "b"}).run(text="x") == "bx"
        turn.commit("done")
    assert [result.payload for result in recorder.steps(turn, "TOOL_RESULT")] == [b"ax", b"bx"]


def test_work_that_is_handed_on_is_a_tool_with_what_comes_of_it(
    provider: Provider, recorder: Recorder
) -> None:
    asked = {"question": "where?", "context": "none", "coworker": "worker"}
    ask = ToolCall("call-0", "ask_question_to_coworker", json.dumps(asked))
    provider.says(chat_tools(ask), chat_tools(LOOKUP), chat_reply("inside"), chat_reply(ANSWER))
    boss = crew_of(gpt(provider), {}, allow_delegation=True)
    worker = crew_of(gpt(provider), {"lookup": lookup}).agents[0]
    worker.role = "worker"
    boss.agents.append(worker)
    turn = kickoff(recorder, boss)
    outer, inner = tool_calls(recorder.path, turn.id)
    assert (outer.tokens["tool"], outer.supplied) == (ask.name, ask.arguments.encode())
    assert (inner.tokens["tool"], inner.supplied) == ("lookup", LOOKUP.arguments.encode())
    results = [result.payload for result in recorder.steps(turn, "TOOL_RESULT")]
    assert results == [b"7 is on its way", b"inside"]


# --- where it runs ---------------------------------------------------------------------------------------


def test_tasks_in_threads_are_recorded_in_the_turn(provider: Provider, recorder: Recorder) -> None:
    provider.otherwise = lambda _: chat_reply(ANSWER)
    one, two, last = (crew_of(gpt(provider), {}).tasks[0] for _ in range(3))
    one.async_execution = two.async_execution = True
    tasks = [one, two, last]
    turn = kickoff(recorder, crewai.Crew(agents=[task.agent for task in tasks], tasks=tasks))
    calls = recorder.steps(turn, "MODEL_CALL")
    assert {call.payload for call in calls} == {asked.body for asked in provider.asked}
    assert len(calls) == 3


class Asking(Flow[Any]):
    """A flow that asks an agent, and a model beside it."""

    @start()
    def ask(self) -> str:
        agent, llm = self.agent, self.llm
        return f"{agent.kickoff(QUESTION).raw} {llm.call(QUESTION)}"


def test_what_a_flow_and_an_agent_alone_do_is_recorded(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_tools(LOOKUP), chat_reply(ANSWER), chat_reply(ANSWER))
    flow = Asking(suppress_flow_events=True)
    flow.llm = gpt(provider)
    flow.agent = crewai.Agent(role="r", goal="g", backstory="b", llm=flow.llm, tools=[Lookup()])
    with recorder.conversation.turn() as turn:
        turn.commit(str(flow.kickoff()))
    assert len(recorder.steps(turn, "MODEL_CALL")) == 3
    assert len(tool_calls(recorder.path, turn.id)) == 1
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path), recorder.conversation.turn():
        flow.kickoff()
    assert len(provider.asked) == 3


def test_an_object_of_it_needs_install() -> None:
    with pytest.raises(turnledger.UsageError, match=r"turnledger\.install\(\)"):
        turnledger.record(crew_of(scripted(), {}))


LATE = """
import sys
import warnings
from pathlib import Path
import turnledger

warnings.simplefilter("ignore")
import crewai
from crewai.tools import BaseTool, tool

class Count(BaseTool):
    name: str = "count"
    description: str = "Counts one further."

    def _run(self, id: int) -> int:
        return id + 1

count = Count().to_structured_tool()

@tool("lookup")
def lookup(id: int) -> str:
    "Look an order up."
    return f"{id} is on its way"

llm = crewai.LLM(model="openai/gpt-asked", base_url=sys.argv[2] + "/v1", api_key="x")
agent = crewai.Agent(role="r", goal="g", backstory="b", llm=llm, tools=[lookup])
crew = crewai.Crew(agents=[agent], tasks=[crewai.Task(description="x", expected_output="y", agent=agent)])
turnledger.install()
with turnledger.open(sys.argv[1]).agent("support").conversation("chat:1").turn() as turn:
    crew.kickoff()
    turn.commit(str(count.invoke({"id": 7})))
    print("done", flush=True)
"""


@pytest.mark.crash
def test_what_was_made_before_install_is_recorded_too(provider: Provider, ledger_path: Path) -> None:
    provider.says(chat_tools(LOOKUP), chat_reply(ANSWER))
    process = started(LATE, ledger_path, provider.url)
    try:
        assert process.stdout is not None
        assert "done\n" in list(process.stdout)
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        bodies = [reading.body(e.row.event_id) for e in reading.events(turn.id) if e.row.type == "MODEL_CALL"]
    assert bodies == [asked.body for asked in provider.asked]
    call, counted = tool_calls(ledger_path, turn.id)
    assert (call.payload, call.supplied) == (b'{"id":7}', LOOKUP.arguments.encode())
    assert (counted.tokens["tool"], counted.payload) == ("count", b'{"id":7}')
