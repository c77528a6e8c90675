"""The real smolagents against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from smolagents import ChatMessage, CodeAgent, LogLevel, Model, OpenAIModel, Tool, ToolCallingAgent

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.processes import killed, started
from tests.adapters.stub import Provider, Reply, chat_reply
from tests.adapters.turns import ToolCall, chat_tool_events, chat_tools, refusing, tool_calls

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

LOOKUP = ToolCall("call-1", "lookup", '{"id":  7}')
ANSWER = ToolCall("call-2", "final_answer", '{"answer": "It is on its way."}')
WAYS = ("sync", "async", "stream")


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

    def count(id: int) -> str:  # noqa: A002
        ran.append(id)
        return ""

    provider.says(*replies(way))
    asked = agent(provider.url, count, stream=way == "stream")
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, lost):
        play(recorder, asked, way)
    asked.model.client.close()
    assert (ran, len(provider.asked)) == ([], 0 if lost == "MODEL_CALL" else 1)
    with turnledger.read(str(recorder.path)) as reading:
        (turn,) = reading.turns()
        assert turn.status == "refused"


def test_a_tool_that_raises_is_an_error_on_record(provider: Provider, recorder: Recorder) -> None:
    def fail(id: int) -> str:  # noqa: A002
        msg = f"no order {id}"
        raise LookupError(msg)

    provider.says(*replies("sync"))
    turn = play(recorder, agent(provider.url, fail), "sync")
    failed, _ = recorder.steps(turn, "TOOL_RESULT")
    assert failed.tokens["status"] == "error"
    assert failed.payload == b'{"message":"no order 7","type":"LookupError"}'


def test_tools_that_code_calls_are_recorded(provider: Provider, recorder: Recorder) -> None:
    code = '<code>\nstate = lookup(7)\nfinal_answer(state + " to " + lookup(id=8))\n</code>'
    provider.says(chat_reply(code))
    model = OpenAIModel("gpt-asked", api_base=f"{provider.url}/v1", api_key="x")
    asked = turnledger.record(CodeAgent([Lookup(on_its_way)], model, verbosity_level=LogLevel.OFF))
    turn = play(recorder, asked, "sync")
    payloads = [call.payload for call in tool_calls(recorder.path, turn.id)]
    assert payloads[:2] == [b'{"id":7}', b'{"id":8}']


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


KILLED = """
import sys, time
import turnledger
from tests.adapters.test_smolagents import agent, ask

def lookup(id):
    print("running", flush=True)
    time.sleep(600)

with turnledger.open(sys.argv[1]).agent("support").conversation("chat:1").turn():
    ask(agent(sys.argv[2], lookup), "sync")
"""


@pytest.mark.crash
def test_a_tool_that_was_running_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    provider.says(*replies("sync"))
    process = started(KILLED, ledger_path, provider.url)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        types = [entry.row.type for entry in reading.events(turn.id)]
    assert types[-3:] == ["MODEL_CALL", "MODEL_RESULT", "TOOL_CALL"]
