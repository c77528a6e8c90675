"""What every framework's adapter does, shown with the real framework against a provider on this machine."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.openai_alone import with_openai
from tests.adapters.playing import ASYNC_MODES, MODES, Play, play
from tests.adapters.stub import Provider, chat_events, chat_reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tool_events, chat_tools, refusing, tool_calls
from tests.patience import becomes, eventually

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder, Step

CALL = ToolCall("call-1", "lookup", SUPPLIED)
TWO_CALLS = [
    "PROMPT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL", "TOOL_RESULT", "MODEL_CALL", "MODEL_RESULT",
]  # fmt: skip


TELLING = {
    FRAMEWORKS[name]
    for name in ("agent-framework", "crewai", "openai-agents", "strands")
    if name in FRAMEWORKS
}
"""They tell the model what a tool raised."""

MENDED = {"google-adk": b"{}", "langchain": b'{"id":7}', "strands": b"{}"}
MENDING = {FRAMEWORKS[name]: payload for name, payload in MENDED.items() if name in FRAMEWORKS}
"""They validate something else where arguments are no JSON: with what is open in them closed, or none."""


@pytest.fixture(params=FRAMEWORKS)
def run(request: pytest.FixtureRequest) -> Play:
    return FRAMEWORKS[request.param]


def replies(mode: str, *calls: ToolCall, answer: str = "It is on its way.") -> list[Any]:
    """The model asks for tools, then answers."""
    if mode == "stream":
        return [chat_tool_events(*calls), chat_events(answer)]
    return [chat_tools(*calls), chat_reply(answer)]


def lookup(id: int, place: str) -> dict[str, str]:  # noqa: A002  as the model names it
    """Look an order up."""
    return {"state": f"{id} is on its way to {place}"}


def status(recorder: Recorder, turn: turnledger.Turn) -> str | None:
    with turnledger.read(str(recorder.path)) as reading:
        return reading.turn(turn.id).turn.status


@pytest.mark.parametrize("mode", MODES)
def test_a_turn_is_recorded_as_it_was(provider: Provider, recorder: Recorder, run: Play, mode: str) -> None:
    provider.says(*replies(mode, CALL))
    turn = recorder.conversation.turn()
    assert play(run, mode, turn, provider.url, {"lookup": lookup}) == "It is on its way."
    steps = recorder.steps(turn)
    assert [step.type for step in steps] == TWO_CALLS
    sent = [step.payload for step in steps if step.type == "MODEL_CALL"]
    assert sent == [asked.body for asked in provider.asked]
    assert {step.tokens["form"] for step in steps if step.type == "MODEL_CALL"} == {"wire"}
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.tokens["tool"], call.tokens["from"], call.tokens["ordinal"]) == ("lookup", "3", "0")
    assert (call.payload, call.supplied) == ('{"id":7,"place":"Köln"}'.encode(), SUPPLIED.encode())
    result = steps[4]
    assert result.tokens["status"] == "ok"
    said = (result.payload or b"").decode().replace("\\u00f6", "ö")  # as one of them writes it to the model
    assert "7 is on its way to Köln" in said
    assert {step.tokens["assurance"] for step in steps} == {"w"}


@pytest.mark.parametrize("mode", MODES)
def test_where_nothing_can_be_recorded_nothing_is_asked(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    turn = recorder.conversation.turn()
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        play(run, mode, turn, provider.url, {"lookup": lookup})
    assert provider.asked == []
    assert status(recorder, turn) == "refused"


@pytest.mark.parametrize("mode", MODES)
def test_a_tool_that_cannot_be_recorded_does_not_run(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    ran: list[int] = []

    def count(id: int, place: str) -> str:  # noqa: A002
        ran.append(id)
        return place

    provider.says(*replies(mode, CALL))
    turn = recorder.conversation.turn()
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "TOOL_CALL"):
        play(run, mode, turn, provider.url, {"lookup": count})
    assert (ran, len(provider.asked)) == ([], 1)
    assert status(recorder, turn) == "refused"


async def _asked(run: Play, provider: Provider) -> None:
    await run(f"{provider.url}/v1", {"lookup": lookup}, "async")


def test_without_a_turn_nothing_is_asked(provider: Provider, run: Play) -> None:
    with pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
        asyncio.run(_asked(run, provider))
    assert provider.asked == []


@pytest.mark.parametrize("mode", MODES)
def test_a_tool_that_raises_is_an_error_on_record(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    def fail(id: int, place: str) -> str:  # noqa: A002, ARG001
        msg = "no such order"
        raise LookupError(msg)

    provider.says(*replies(mode, CALL))
    turn = recorder.conversation.turn()
    if run in TELLING:
        play(run, mode, turn, provider.url, {"lookup": fail})
    else:
        with pytest.raises(LookupError, match="no such order"):
            play(run, mode, turn, provider.url, {"lookup": fail})
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "error"
    assert result.payload == b'{"message":"no such order","type":"LookupError"}'


@pytest.mark.parametrize("mode", ASYNC_MODES)
def test_a_tool_that_is_cancelled_is_so_on_record(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    running: list[asyncio.Task[None]] = []
    is_cancelled = threading.Event()

    async def hang(id: int, place: str) -> str:  # noqa: A002
        running[0].get_loop().call_soon_threadsafe(running[0].cancel)
        await becomes(is_cancelled.is_set)
        return f"{id}{place}"

    async def main() -> None:
        async with turn:
            await run(f"{provider.url}/v1", {"lookup": hang}, mode)

    provider.says(*replies(mode, CALL))
    turn = recorder.conversation.turn()

    async def cancelled() -> None:
        running.append(asyncio.create_task(main()))
        with pytest.raises(asyncio.CancelledError):
            await running[0]
        is_cancelled.set()

    asyncio.run(cancelled())
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    by_a_task_of_its_own = run is FRAMEWORKS.get("openai-agents") and mode == "stream"
    left_running = by_a_task_of_its_own or run is FRAMEWORKS.get("crewai")  # in a thread
    assert result.tokens["status"] == ("unknown" if left_running else "cancelled")
    assert status(recorder, turn) == "cancelled"


@pytest.mark.parametrize("mode", MODES)
def test_x03_s04_parallel_tools_keep_their_place(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    calls = [ToolCall(f"call-{number}", "lookup", f'{{"id": {number}, "place": "x"}}') for number in range(3)]
    finished: list[int] = []

    async def last_first(id: int, place: str) -> str:  # noqa: A002
        await becomes(lambda: len(finished) == 2 - id)
        finished.append(id)
        return f"{id}{place}"

    def last_first_in_threads(id: int, place: str) -> str:  # noqa: A002
        eventually(lambda: len(finished) == 2 - id)
        finished.append(id)
        return f"{id}{place}"

    provider.says(*replies(mode, *calls))
    turn = recorder.conversation.turn()
    tool: Any = last_first_in_threads if mode == "sync" else last_first
    play(run, mode, turn, provider.url, {"lookup": tool})
    assert finished == [2, 1, 0]
    asked = {step.tokens["ordinal"]: step for step in tool_calls(recorder.path, turn.id)}
    assert {ordinal: step.supplied for ordinal, step in asked.items()} == {
        str(number): call.arguments.encode() for number, call in enumerate(calls)
    }
    assert {step.tokens["from"] for step in asked.values()} == {"3"}
    answered = {step.tokens["call"]: step.payload for step in recorder.steps(turn, "TOOL_RESULT")}
    assert sorted(payload or b"" for payload in answered.values()) == [b"0x", b"1x", b"2x"]


@pytest.mark.parametrize("mode", MODES)
def test_s06_arguments_that_are_no_json_are_kept_and_no_tool_runs(
    provider: Provider, recorder: Recorder, run: Play, mode: str
) -> None:
    broken = ToolCall("call-1", "lookup", '{"id": 7, "pla')
    ran: list[int] = []

    def count(id: int, place: str) -> str:  # noqa: A002
        ran.append(id)
        return place

    provider.says(*replies(mode, broken, answer="Sorry."))
    turn = recorder.conversation.turn()
    play(run, mode, turn, provider.url, {"lookup": count})
    assert ran == []
    results = recorder.steps(turn, "TOOL_RESULT")
    if run is FRAMEWORKS.get("langchain") and mode != "stream":  # which calls no tool at all
        assert results == []
        return
    (call,), (result,) = tool_calls(recorder.path, turn.id), results
    assert call.supplied == broken.arguments.encode()
    if run in MENDING:
        assert (call.payload, result.tokens["status"]) == (MENDING[run], "error")
        return
    assert (call.tokens["validated"], call.payload) == ("0", broken.arguments.encode())
    assert result.tokens["status"] == "invalid"


VARYING = {"detail", "bytes", "chars", "ms", "ttftMs"}


def comparable(steps: list[Step]) -> list[tuple[str, dict[str, str]]]:
    """Types and tokens without what stands for bytes and times; what a prompt says is the framework's."""
    return [
        (step.type, {name: text for name, text in step.tokens.items() if name not in VARYING})
        for step in steps
    ]


def test_the_same_turn_is_the_same_journal_in_every_framework(provider: Provider, recorder: Recorder) -> None:
    journals = []
    for run in (with_openai, *FRAMEWORKS.values()):
        provider.says(*replies("sync", CALL))
        turn = recorder.conversation.turn()
        play(run, "sync", turn, provider.url, {"lookup": lookup})
        journals.append(comparable(recorder.steps(turn)))
    first, *others = journals
    assert [kind for kind, _ in first] == TWO_CALLS
    for other in others:
        assert other == first
