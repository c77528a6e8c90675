"""The real smolagents against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from smolagents import (
    AgentGenerationError,
    ChatMessage,
    ChatMessageStreamDelta,
    CodeAgent,
    LogLevel,
    Model,
    OpenAIModel,
    TokenUsage,
    Tool,
    ToolCallingAgent,
)
from smolagents.local_python_executor import CodeOutput, PythonExecutor
from smolagents.models import ChatMessageToolCallFunction, ChatMessageToolCallStreamDelta

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply, chat_reply
from tests.adapters.turns import ToolCall, chat_tool_events, chat_tools, refusing, tool_calls
from tests.patience import PATIENCE_S, eventually

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

LOOKUP = ToolCall("call-1", "lookup", '{"id":  7}')
ANSWER = ToolCall("call-2", "final_answer", '{"answer": "It is on its way."}')
WAYS = ("sync", "async", "stream")


def counting(ran: list[int]) -> Callable[[int], str]:
    def count(id: int) -> str:  # noqa: A002
        ran.append(id)
        return ""

    return count


class Lookup(Tool):
    """Looks an order up."""

    name = "lookup"
    description = "Looks an order up."
    inputs = {"id": {"type": "integer", "description": "its number"}}  # noqa: RUF012  as the base has it
    output_type = "string"

    def __init__(self, function: Callable[[int], str]) -> None:
        super().__init__()
        self.function = function

    def forward(self, id: int) -> str:  # noqa: A002  as the model names it
        return self.function(id)


def agent(url: str, function: Callable[[int], str], *, stream: bool = False) -> ToolCallingAgent:
    model = OpenAIModel("gpt-asked", api_base=f"{url}/v1", api_key="sk-secret")
    made = ToolCallingAgent(
        [Lookup(function)], model, verbosity_level=LogLevel.OFF, stream_outputs=stream, max_steps=3
    )
    return turnledger.record(made)


def replies(way: str) -> list[Reply]:
    events = chat_tool_events if way == "stream" else chat_tools
    return [events(LOOKUP), events(ANSWER)]


def ask(asked: ToolCallingAgent, way: str) -> str:
    if way == "stream":
        return str(list(asked.run(QUESTION, stream=True))[-1].output)
    return str(asked.run(QUESTION))


def play(recorder: Recorder, asked: ToolCallingAgent, way: str) -> turnledger.Turn:
    turn = recorder.conversation.turn()

    async def in_a_thread() -> None:
        async with turn:
            await turn.commit(await asyncio.to_thread(ask, asked, way))

    if way == "async":
        asyncio.run(in_a_thread())
    else:
        with turn:
            turn.commit(ask(asked, way))
    asked.model.client.close()
    return turn


def on_its_way(id: int) -> str:  # noqa: A002
    return f"{id} is on its way"


@pytest.mark.parametrize("way", WAYS)
def test_a_turn_is_recorded_as_it_was(provider: Provider, recorder: Recorder, way: str) -> None:
    provider.says(*replies(way))
    turn = play(recorder, agent(provider.url, on_its_way, stream=way == "stream"), way)
    steps = recorder.steps(turn)
    pair, tool = ["MODEL_CALL", "MODEL_RESULT"], ["TOOL_CALL", "TOOL_RESULT"]
    assert [step.type for step in steps if step.type != "PROMPT"] == (pair + tool) * 2
    assert [s.payload for s in steps if s.type == "MODEL_CALL"] == [asked.body for asked in provider.asked]
    lookup, answer = tool_calls(recorder.path, turn.id)
    assert (lookup.tokens["tool"], lookup.payload) == ("lookup", b'{"id":7}')
    assert (lookup.supplied, lookup.tokens["ordinal"]) == (LOOKUP.arguments.encode(), "0")
    assert (answer.tokens["tool"], json.loads(answer.payload or b"")) == (
        "final_answer",
        {"answer": "It is on its way."},
    )
    assert recorder.steps(turn, "TOOL_RESULT")[0].payload == b"7 is on its way"
    assert recorder.body(turn, -1, "payload") == b"It is on its way."


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lost", ["MODEL_CALL", "TOOL_CALL"])
def test_what_cannot_be_recorded_is_not_done(
    provider: Provider, recorder: Recorder, way: str, lost: str
) -> None:
    ran: list[int] = []
    provider.says(*replies(way))
    asked = agent(provider.url, counting(ran), stream=way == "stream")
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, lost):
        play(recorder, asked, way)
    asked.model.client.close()
    assert (ran, len(provider.asked)) == ([], 0 if lost == "MODEL_CALL" else 1)
    with turnledger.read(str(recorder.path)) as reading:
        (turn,) = reading.turns()
        assert turn.status == "refused"


def test_an_answer_that_is_made_of_a_refusal_is_not_committed(provider: Provider, recorder: Recorder) -> None:
    with ExitStack() as stack:

        def close_ledger(_: int) -> str:
            stack.enter_context(refusing(recorder.path, "MODEL_CALL"))
            return ""

        provider.says(*replies("sync"))
        asked = agent(provider.url, close_ledger)
        asked.max_steps = 1  # the framework asks for an answer after it, and takes what is raised for one
        with pytest.raises(turnledger.CaptureRefused):
            play(recorder, asked, "sync")
    asked.model.client.close()
    assert len(provider.asked) == 1


@pytest.mark.parametrize("way", WAYS)
def test_without_a_turn_nothing_is_asked(provider: Provider, way: str) -> None:
    asked = agent(provider.url, on_its_way, stream=way == "stream")
    with pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
        ask(asked, way)
    asked.model.client.close()
    assert provider.asked == []


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_that_raises_is_an_error_on_record(provider: Provider, recorder: Recorder, way: str) -> None:
    def fail(id: int) -> str:  # noqa: A002
        msg = f"no order {id}"
        raise LookupError(msg)

    provider.says(*replies(way))
    turn = play(recorder, agent(provider.url, fail, stream=way == "stream"), way)
    failed, _ = recorder.steps(turn, "TOOL_RESULT")
    assert failed.tokens["status"] == "error"
    assert failed.payload == b'{"message":"no order 7","type":"LookupError"}'


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_that_is_cancelled_is_so_on_record(provider: Provider, recorder: Recorder, way: str) -> None:
    def stop(_: int) -> str:
        raise KeyboardInterrupt

    provider.says(*replies(way))
    asked = agent(provider.url, stop, stream=way == "stream")
    with recorder.conversation.turn() as turn:
        with pytest.raises(KeyboardInterrupt):
            ask(asked, way)
        turn.abort(status="cancelled")
    asked.model.client.close()
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "cancelled"


@pytest.mark.parametrize("way", WAYS)
def test_x03_s04_parallel_tools_keep_their_place(provider: Provider, recorder: Recorder, way: str) -> None:
    events = chat_tool_events if way == "stream" else chat_tools
    calls = [ToolCall(f"call-{number}", "lookup", f'{{"id":  {number}}}') for number in range(3)]
    provider.says(events(*calls), events(ANSWER))
    finished: list[int] = []

    def last_first(id: int) -> str:  # noqa: A002
        eventually(lambda: len(finished) == 2 - id)
        finished.append(id)
        return f"{id}x"

    turn = play(recorder, agent(provider.url, last_first, stream=way == "stream"), way)
    assert finished == [2, 1, 0]
    *asked, _ = tool_calls(recorder.path, turn.id)
    assert {call.tokens["ordinal"]: (call.supplied, call.payload) for call in asked} == {
        str(number): (call.arguments.encode(), b'{"id":%d}' % number) for number, call in enumerate(calls)
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lookup", '{"id": 7, "pla'),
        ("lookup", '{"id": "seven"}'),
        ("lookup", '{"no": 7}'),
        ("look_down", "{}"),
    ],
)
def test_s06_what_no_tool_takes_is_kept_and_none_runs(
    provider: Provider, recorder: Recorder, way: str, name: str, arguments: str
) -> None:
    events = chat_tool_events if way == "stream" else chat_tools
    provider.says(events(ToolCall("call-1", name, arguments)), events(ANSWER))
    ran: list[int] = []
    turn = play(recorder, agent(provider.url, counting(ran), stream=way == "stream"), way)
    call, _ = tool_calls(recorder.path, turn.id)
    assert ran == []
    assert (call.tokens["tool"], call.tokens["validated"]) == (name, "0")
    assert arguments == "{}" or call.supplied == arguments.encode()
    assert recorder.steps(turn, "TOOL_RESULT")[0].tokens["status"] == "invalid"


def test_a_tool_that_it_gets_later_is_recorded(provider: Provider, recorder: Recorder) -> None:
    provider.says(*replies("sync"))
    asked = agent(provider.url, on_its_way)
    asked.tools["lookup"] = Lookup(on_its_way)
    turn = play(recorder, asked, "sync")
    assert [call.tokens["tool"] for call in tool_calls(recorder.path, turn.id)] == ["lookup", "final_answer"]


def member(url: str) -> ToolCallingAgent:
    model = OpenAIModel("gpt-asked", api_base=f"{url}/v1", api_key="x")
    return ToolCallingAgent(
        [Lookup(on_its_way)],
        model,
        name="member",
        description="Knows orders.",
        verbosity_level=LogLevel.OFF,
        max_steps=2,
    )


@pytest.mark.parametrize("by", ["call", "code"])
def test_what_a_managed_agent_does_is_in_the_same_turn(
    provider: Provider, recorder: Recorder, by: str
) -> None:
    managed = member(provider.url)
    if by == "code":
        provider.says(chat_reply('<code>\nfinal_answer(member("Where is 7?"))\n</code>'), *replies("sync"))
        asked: Any = coding(provider.url, on_its_way, managed)
        tools = ["lookup", "final_answer", "final_answer"]
    else:
        delegated = chat_tools(ToolCall("call-0", "member", '{"task":  "Where is 7?"}'))
        provider.says(delegated, *replies("sync"), chat_tools(ANSWER))
        model = OpenAIModel("gpt-asked", api_base=f"{provider.url}/v1", api_key="x")
        asked = ToolCallingAgent(
            [], model, managed_agents=[managed], verbosity_level=LogLevel.OFF, max_steps=2
        )
        turnledger.record(asked)
        tools = ["member", "lookup", "final_answer", "final_answer"]
    turn = play(recorder, asked, "sync")
    managed.model.client.close()
    calls = tool_calls(recorder.path, turn.id)
    assert [call.tokens["tool"] for call in calls] == tools
    assert [call.payload for call in calls if call.tokens["tool"] == "lookup"] == [b'{"id":7}']
    sent = [step.payload for step in recorder.steps(turn, "MODEL_CALL")]
    assert sent == [asked.body for asked in provider.asked]
    if by == "call":
        assert calls[0].supplied == b'{"task":  "Where is 7?"}'


def coding(url: str, function: Callable[[int], str], *members: ToolCallingAgent) -> CodeAgent:
    model = OpenAIModel("gpt-asked", api_base=f"{url}/v1", api_key="x")
    tools: list[Tool] = [Lookup(function)]
    made = CodeAgent(tools, model, managed_agents=list(members), verbosity_level=LogLevel.OFF, max_steps=2)
    return turnledger.record(made)


def test_tools_that_code_calls_are_recorded(provider: Provider, recorder: Recorder) -> None:
    code = '<code>\nstate = lookup(7)\nfinal_answer(state + " to " + lookup(id=8))\n</code>'
    provider.says(chat_reply(code))
    turn = play(recorder, coding(provider.url, on_its_way), "sync")
    payloads = [call.payload for call in tool_calls(recorder.path, turn.id)]
    assert payloads[:2] == [b'{"id":7}', b'{"id":8}']


def test_two_runs_of_one_agent_at_once_keep_their_tools_apart(provider: Provider, recorder: Recorder) -> None:
    both_asked = threading.Barrier(2)

    def answer(_: Asked) -> Reply:
        both_asked.wait(PATIENCE_S)  # so that each has begun when the tools run
        return chat_reply("<code>\nfinal_answer(lookup(7))\n</code>")

    provider.otherwise = answer
    asked = coding(provider.url, on_its_way)

    def run(_: int) -> turnledger.Turn:
        turn = recorder.conversation.turn()
        with turn:
            turn.commit(ask(asked, "sync"))
        return turn

    with ThreadPoolExecutor(2) as threads:
        turns = list(threads.map(run, range(2)))
    asked.model.client.close()
    for turn in turns:
        tools = [call.tokens["tool"] for call in tool_calls(recorder.path, turn.id)]
        assert tools == ["lookup", "final_answer"]


def test_a_function_of_an_earlier_run_works_in_the_next_one(provider: Provider, recorder: Recorder) -> None:
    define = "<code>\ndef ask(id):\n    return lookup(id)\nfinal_answer(ask(7))\n</code>"
    provider.says(chat_reply(define), chat_reply("<code>\nfinal_answer(ask(8))\n</code>"))
    asked = coding(provider.url, on_its_way)
    for number in (7, 8):
        with recorder.conversation.turn() as turn:
            turn.commit(str(asked.run(QUESTION, reset=False)))
        call, _ = tool_calls(recorder.path, turn.id)
        assert call.payload == b'{"id":%d}' % number
    asked.model.client.close()


def test_a_tool_that_code_calls_in_another_thread_is_refused(provider: Provider, recorder: Recorder) -> None:
    code = "<code>\nfinal_answer(lookup(7))\n</code>"
    provider.says(chat_reply(code), chat_reply(code), chat_reply("Sorry."))
    ran: list[int] = []
    asked = coding(provider.url, counting(ran))
    asked.python_executor = Elsewhere(asked.python_executor)
    turn = play(recorder, asked, "sync")
    assert ran == []
    assert tool_calls(recorder.path, turn.id) == []
    assert b"No turn is open in this thread" in provider.asked[-1].body


class Elsewhere(PythonExecutor):
    """Runs code in a thread of its own."""

    def __init__(self, local: PythonExecutor) -> None:
        self.local = local

    def send_tools(self, tools: dict[str, Tool]) -> None:
        self.local.send_tools(tools)

    def send_variables(self, variables: dict[str, Any]) -> None:
        self.local.send_variables(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(self.local, code_action).result()


class Scripted(Model):
    """A model without HTTP."""

    def __init__(self) -> None:
        super().__init__(model_id="scripted")
        self.asked = 0

    def generate(self, *_: Any, **__: Any) -> ChatMessage:  # noqa: ANN401  as the base does
        self.asked += 1
        call = {
            "id": "c",
            "type": "function",
            "function": {"name": "final_answer", "arguments": {"answer": "x"}},
        }
        return ChatMessage.from_dict({"role": "assistant", "content": "So it is.", "tool_calls": [call]})


def test_a_model_without_http_is_recorded_by_what_it_is_asked(recorder: Recorder) -> None:
    model = Scripted()
    asked = turnledger.record(ToolCallingAgent([], model, verbosity_level=LogLevel.OFF))
    with recorder.conversation.turn() as turn:
        turn.commit(str(asked.run(QUESTION)))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "scripted")
    assert QUESTION.encode() in (call.payload or b"")
    assert result.payload == b"So it is."
    with pytest.raises(turnledger.CaptureRefused):
        asked.run(QUESTION)
    assert model.asked == 1


def test_a_model_over_litellm_needs_litellm_recorded() -> None:
    model = Scripted()
    model.client = ModuleType("litellm")
    with pytest.raises(turnledger.UsageError, match=r"turnledger\.install\(\)"):
        turnledger.record(model)


class Streaming(Scripted):
    """Another one, whose reply comes in pieces, the last of which may never come."""

    breaks = False

    def generate_stream(self, *_: Any, **__: Any) -> Iterator[ChatMessageStreamDelta]:  # noqa: ANN401
        self.asked += 1
        yield ChatMessageStreamDelta("So ")
        if self.breaks:
            msg = "lost"
            raise OSError(msg)
        call = ChatMessageToolCallStreamDelta(
            0, "c", "function", ChatMessageToolCallFunction(name="final_answer", arguments='{"answer": "x"}')
        )
        yield ChatMessageStreamDelta("it is.", [call], TokenUsage(9, 3))


def test_a_stream_without_http_is_recorded_as_it_came(recorder: Recorder) -> None:
    asked = ToolCallingAgent([], Streaming(), verbosity_level=LogLevel.OFF, stream_outputs=True)
    turnledger.record(asked)
    with recorder.conversation.turn() as turn:
        turn.commit(str(asked.run(QUESTION)))
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.payload, result.tokens["status"]) == (b"So it is.", "ok")
    assert (result.tokens["in"], result.tokens["out"]) == ("9", "3")


def test_of_a_stream_that_breaks_it_is_kept_what_came(recorder: Recorder) -> None:
    model = Streaming()
    model.breaks = True
    asked = ToolCallingAgent([], model, verbosity_level=LogLevel.OFF, stream_outputs=True)
    turnledger.record(asked)
    with recorder.conversation.turn() as turn, pytest.raises(AgentGenerationError):
        asked.run(QUESTION)
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.payload, result.tokens["status"]) == (b"So ", "error")


KILLED = """
import sys, time
import turnledger
from tests.adapters.test_smolagents import agent, ask

def lookup(id):
    print("running", flush=True)
    time.sleep(600)

with turnledger.open(sys.argv[1]).agent("support").conversation("chat:1").turn():
    ask(agent(sys.argv[2], lookup, stream=sys.argv[3] == "stream"), sys.argv[3])
"""


def killed_in(ledger_path: Path, url: str, way: str, until: Callable[[Popen[str]], None]) -> list[str]:
    """Types of the events that there are of a turn, killed when ``until`` returns."""
    process = started(KILLED, ledger_path, url, way)
    try:
        until(process)
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        return [entry.row.type for entry in reading.events(turn.id)]


@pytest.mark.crash
@pytest.mark.parametrize("way", ["sync", "stream"])
def test_a_tool_that_was_running_is_in_doubt(provider: Provider, ledger_path: Path, way: str) -> None:
    def running(process: Popen[str]) -> None:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("running\n")

    provider.says(*replies(way))
    types = killed_in(ledger_path, provider.url, way, running)
    assert types[-3:] == ["MODEL_CALL", "MODEL_RESULT", "TOOL_CALL"]


@pytest.mark.crash
@pytest.mark.parametrize("way", ["sync", "stream"])
def test_a_request_that_was_under_way_is_in_doubt(provider: Provider, ledger_path: Path, way: str) -> None:
    never = threading.Event()
    provider.otherwise = lambda _: Reply([b" "], hold=never)
    try:
        types = killed_in(ledger_path, provider.url, way, lambda _: eventually(lambda: bool(provider.asked)))
    finally:
        never.set()
    assert types[-1] == "MODEL_CALL"
