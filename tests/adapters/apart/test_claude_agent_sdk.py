"""The real Claude Agent SDK and the program that it brings, against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultError,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

import turnledger
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply, anthropic_events, anthropic_tool_events
from tests.adapters.turns import refusing, tool_calls
from turnledger.adapters.claude_agent_sdk import Recording
from turnledger.gateway.run import RunningGateway
from turnledger.gateway.upstreams import parse_upstreams

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

NAME = "mcp__shop__lookup"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program writes into a home of its own, and asks nobody but the model."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")


def asks_for_a_tool(asked: Asked) -> Reply:
    """The model asks for the tool, and answers once it has been told what came of it."""
    if b'"tool_result"' in asked.body:
        return anthropic_events("On its ", "way.")
    return anthropic_tool_events("call-1", NAME, '{"id": 7}')


async def ask(url: str, function: Callable[[int], str], recording: Recording) -> str:
    """Run the agent, and give its answer."""

    @tool("lookup", "Looks an order up", {"id": int})
    async def looked_up(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": function(given["id"])}]}

    options = ClaudeAgentOptions(
        model="claude-asked",
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[looked_up])},
        allowed_tools=[NAME],
        setting_sources=[],
        env={"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-secret"},
    )
    messages = query(prompt="Where is my order?", options=recording.options(options))
    async with aclosing(messages):
        return [message.result or "" async for message in messages if isinstance(message, ResultMessage)][-1]


def lookup(id: int) -> str:  # noqa: A002
    return f"{id} is on its way"


def run(recorder: Recorder, url: str, function: Callable[[int], str], gateway: str | None = None) -> Any:  # noqa: ANN401
    turn = recorder.conversation.turn()

    async def main() -> str:
        async with turn:
            answer = await ask(url, function, Recording(gateway=gateway))
            await turn.commit(answer)
        return answer

    return turn, lambda: asyncio.run(main())


def test_a_tool_is_recorded_with_what_came_of_it(provider: Provider, recorder: Recorder) -> None:
    provider.otherwise = asks_for_a_tool
    turn, main = run(recorder, provider.url, lookup)
    main()
    call, result = recorder.steps(turn)
    assert (call.type, call.tokens["tool"], call.payload) == ("TOOL_CALL", NAME, b'{"id":7}')
    assert (result.type, result.tokens["status"]) == ("TOOL_RESULT", "ok")
    assert b"7 is on its way" in (result.payload or b"")
    assert recorder.body(turn, -1, "payload") == b"On its way."


def test_a_tool_that_raises_is_an_error_on_record(provider: Provider, recorder: Recorder) -> None:
    def fail(id: int) -> str:  # noqa: A002
        msg = f"no order {id}"
        raise LookupError(msg)

    provider.otherwise = asks_for_a_tool
    turn, main = run(recorder, provider.url, fail)
    main()
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "error"
    assert b"no order 7" in (result.payload or b"")


def test_a_tool_that_cannot_be_recorded_does_not_run(provider: Provider, recorder: Recorder) -> None:
    ran: list[int] = []

    def count(id: int) -> str:  # noqa: A002
        ran.append(id)
        return ""

    provider.otherwise = asks_for_a_tool
    turn, main = run(recorder, provider.url, count)
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "TOOL_CALL"):
        main()
    assert (ran, len(provider.asked)) == ([], 1)
    with turnledger.read(str(recorder.path)) as reading:
        assert reading.turn(turn.id).turn.status == "refused"


@pytest.fixture
def gateway(provider: Provider, recorder: Recorder) -> Iterator[str]:
    upstreams = parse_upstreams([f"anthropic={provider.url}"])
    running = RunningGateway(recorder.ledger, upstreams, agent="gateway", host="127.0.0.1", port=0)
    thread = threading.Thread(target=running.run)
    thread.start()
    yield f"{running.url}/anthropic"
    running.stop()
    thread.join()


def test_what_the_model_is_asked_is_a_part_of_the_turn(
    provider: Provider, recorder: Recorder, gateway: str
) -> None:
    provider.otherwise = asks_for_a_tool
    turn, main = run(recorder, "http://127.0.0.1:9", lookup, gateway)
    main()
    with turnledger.read(str(recorder.path)) as reading:
        parts = [part for part in reading.turns()[::-1] if part.parent == turn.id]
        calls = [
            reading.body(entry.row.event_id)
            for part in parts
            for entry in reading.events(part.id)
            if entry.row.type == "MODEL_CALL"
        ]
    assert calls == [asked.body for asked in provider.asked]


def test_where_nothing_can_be_recorded_the_model_is_not_asked(
    provider: Provider, recorder: Recorder, gateway: str
) -> None:
    _, main = run(recorder, "http://127.0.0.1:9", str, gateway)
    with (
        refusing(recorder.path, "MODEL_CALL"),
        pytest.raises(ResultError, match=r"403 The model call .* could not be recorded"),
    ):
        main()
    assert provider.asked == []


KILLED = """
import asyncio, sys, time
import turnledger
from tests.adapters.apart.test_claude_agent_sdk import Recording, ask

def lookup(id):
    print("running", flush=True)
    time.sleep(600)

async def main():
    async with turnledger.open(sys.argv[1]).agent("support").conversation("chat:1").turn():
        await ask(sys.argv[2], lookup, Recording())

asyncio.run(main())
"""


@pytest.mark.crash
def test_a_tool_that_was_running_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    provider.otherwise = asks_for_a_tool
    process = started(KILLED, ledger_path, provider.url)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        assert [entry.row.type for entry in reading.events(turn.id)] == ["INTAKE", "TOOL_CALL"]
    (call,) = tool_calls(ledger_path, turn.id)
    assert json.loads(call.payload or b"") == {"id": 7}
