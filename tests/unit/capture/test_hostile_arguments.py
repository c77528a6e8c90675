"""Every argument of every public method of the recorder, with values that it is not for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import NamedTuple
from uuid import UUID

import pytest

import turnledger
from turnledger.capture.agent import Agent
from turnledger.capture.approval import Approval
from turnledger.capture.conversation import Conversation
from turnledger.capture.ledger import Ledger
from turnledger.capture.message import Message
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.tool_call import ToolCallStep
from turnledger.capture.turn import Turn
from turnledger.engine.reading import open_reading
from turnledger.errors import CaptureRefused, LedgerError, UsageError
from turnledger.query.verify import verify_journal
from turnledger.wire.details import decode_detail


class Rude:
    """An object that answers nothing."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)

    def __bool__(self) -> bool:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


HOSTILE: dict[str, object] = {
    "none": None,
    "five": 5,
    "minus one": -1,
    "huge": 10**30,
    "endless": 10**5000,
    "fraction": 2.5,
    "nan": float("nan"),
    "infinite": float("-inf"),
    "true": True,
    "bytes": b"x",
    "object": object(),
    "rude": Rude(),
    "long": "x" * 10_000,
    "surrogate": "a\ud800b",
    "nul": "a\0b",
    "empty": "",
    "word": "nonsense",
    "list": ["x", 5],
    "dict": {"x": 5},
    "class": int,
}

# What the agent works with is recorded whatever it is, and never a reason to raise.
DATA = {
    "content",
    "request",
    "reply of result",
    "usage",
    "piece",
    "observation",
    "item",
    "supplied of tool_call",  # for a tool to run they have to be an object
    "validated of tool_call",
    "answer",
    "reason of abort",
    "reason of verdict",
    "reason of decide",
    "finding",
    "question",
    "instructions",
    "text",
    "tags",
    "problem",
    "call_id",
    "media_type",
    "http_status",
    "traceparent",
    "tools of prompt",
}


class Stage(NamedTuple):
    """Handles of every kind, in one conversation."""

    ledger: Ledger
    agent: Agent
    talk: Conversation
    message: Message
    turn: Turn
    call: ModelCallStep
    tool: ToolCallStep
    approval: Approval


class Case(NamedTuple):
    """A method by what has to be given to it."""

    owner: type
    name: str
    given: dict[str, object]


def _look(*given: object, **named: object) -> str:
    return f"found {len(given) + len(named)}"


CASES = [
    Case(Ledger, "agent", {"name": "support"}),
    Case(Agent, "conversation", {}),
    Case(Agent, "turn", {}),
    Case(Agent, "resume", {"turn_id": UUID(int=7)}),
    Case(Conversation, "inbound", {"content": "Hello"}),
    Case(Conversation, "outbound", {"content": "Hello"}),
    Case(Conversation, "shed", {"reason": "stale"}),
    Case(Conversation, "turn", {}),
    Case(Conversation, "model_call", {"request": {"model": "m"}}),
    Case(Conversation, "prompt", {"instructions": "Be kind."}),
    Case(Conversation, "guard", {"guard": "pii", "decision": "allow"}),
    Case(Conversation, "memory_write", {"key": "likes", "content": "tea"}),
    Case(Message, "verdict", {"verdict": "engage"}),
    Case(Message, "shed", {"reason": "stale"}),
    Case(Message, "collapsed", {}),
    Case(Message, "delivery", {"status": "sending"}),
    Case(Turn, "tool_call", {"tool": "look"}),
    Case(Turn, "tool", {"tool": "look", "function": _look}),
    Case(Turn, "approval", {}),
    Case(Turn, "progress", {"text": "Looking"}),
    Case(Turn, "verify", {"check": "source", "verdict": "pass"}),
    Case(Turn, "budget", {"budget": "tokens", "limit": 5, "used": 5, "outcome": "warn"}),
    Case(Turn, "commit", {"answer": "Done."}),
    Case(Turn, "abort", {}),
    Case(Turn, "supersede", {}),
    Case(ModelCallStep, "chunk", {"piece": b"data: {}\n\n"}),
    Case(ModelCallStep, "result", {"reply": {"choices": []}}),
    Case(ToolCallStep, "result", {"observation": "found"}),
    Case(ToolCallStep, "observe", {"item": "found"}),
    Case(Approval, "decide", {"decision": "granted"}),
]
NOT_ARGUMENTS = {
    "close",
    "finish_observing",
    "leave",
    "given_up",
    "handoff",
    "on_record",
    "reminder",
    "request",
}


def _parameters() -> Iterator[tuple[Case, str]]:
    for case in CASES:
        for parameter in list(inspect.signature(getattr(case.owner, case.name)).parameters)[1:]:
            yield case, parameter


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    with turnledger.open("memory:") as opened:
        yield opened


def _try(ledger: Ledger, case: Case, given: dict[str, object]) -> tuple[LedgerError | None, UUID]:
    """Call the method in a turn of its own; then the turn must still be able to end, and its steps too."""
    agent = ledger.agent("support")
    talk = agent.conversation()
    message = talk.inbound("Where is it?")
    problem: LedgerError | None = None
    with talk.turn(trigger=message) as turn:
        with (
            turn.model_call(request={"model": "m"}) as call,
            turn.tool_call("look", supplied='{"id": 7}') as tool,
        ):
            approval = turn.approval(tool)
            stage = Stage(ledger, agent, talk, message, turn, call, tool, approval)
            handle = next(one for one in stage if type(one) is case.owner)
            if (case.owner, case.name) == (Message, "collapsed") and "into" not in given:
                given = {"into": talk.inbound("And this?")}
            try:
                _enter(getattr(handle, case.name)(**given))
            except LedgerError as error:
                problem = error
        if turn.is_open:
            turn.commit("Done.")
    return problem, turn.id


def _enter(made: object) -> None:
    """What is made to be entered is entered: its record is written then."""
    kind = type(made)
    if kind is Rude:
        return
    if isinstance(made, Turn):
        with made:
            made.commit("Done.")
    elif isinstance(made, (ModelCallStep, ToolCallStep)):
        with made:
            pass
    elif isinstance(made, (Message, Conversation)):
        assert made.seq if isinstance(made, Message) else made.id


@pytest.mark.parametrize(
    ("case", "parameter"),
    list(_parameters()),
    ids=[f"{case.owner.__name__}.{case.name} {p}" for case, p in _parameters()],
)
def test_an_argument_is_recorded_or_refused_in_words(ledger: Ledger, case: Case, parameter: str) -> None:
    names = {parameter, f"{parameter} of {case.name}"}
    turns: dict[UUID, str] = {}
    for label, value in HOSTILE.items():
        problem, turn = _try(ledger, case, {**case.given, parameter: value})
        turns[turn] = label
        if problem is not None:
            assert not names & DATA, label
            assert isinstance(problem, UsageError) or _has_no_such_turn(case), (label, problem)
            assert problem.next_step, label
            assert len(str(problem)) < 500, label
    with open_reading(ledger) as reading:
        assert not [label for turn, label in turns.items() if not verify_journal(reading.reader, turn).sound]


def _has_no_such_turn(case: Case) -> bool:
    return case.name == "resume"


def test_every_public_method_with_arguments_is_tried() -> None:
    tried = {(case.owner, case.name) for case in CASES}
    for owner in {case.owner for case in CASES}:
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            if name.startswith("_") or name in NOT_ARGUMENTS:
                continue
            if len(inspect.signature(method).parameters) > 1:
                known = (owner, name) in tried or (owner is Turn and hasattr(Conversation, name))
                assert known, (owner, name)


@pytest.mark.parametrize("label", HOSTILE)
@pytest.mark.parametrize("parameter", ["url", "token", "policy", "spool_bytes", "lease_s"])
def test_what_opens_a_ledger_is_refused_in_words(
    parameter: str, label: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    arguments = {"url": "memory:", parameter: HOSTILE[label]}
    opened: Callable[..., Ledger] = turnledger.open
    said = ""
    try:
        opened(**arguments).close()
    except LedgerError as error:
        said = error.next_step
    else:
        said = "it is good for one"
    assert said


@pytest.mark.parametrize("name", ["a\ud800b", "x" * 300 + "\ud800", "é" * 200])
def test_a_name_that_a_token_cannot_hold_is_whole_in_the_detail(ledger: Ledger, name: str) -> None:
    talk = ledger.agent("support").conversation()
    with talk.turn() as turn:
        receipt = turn.guard(name, "allow")
        turn.commit("Done.")
    with open_reading(ledger) as reading:
        event = reading.reader.event(receipt.event_id)
    assert event is not None
    assert decode_detail(event.detail)["guard"] == name


def test_amounts_with_a_fraction_are_whole_in_the_summary_and_exact_in_the_detail(ledger: Ledger) -> None:
    talk = ledger.agent("support").conversation()
    with talk.turn() as turn:
        receipt = turn.budget("cost", limit=2.5, used=2, outcome="warn")
        turn.commit("Done.")
    with open_reading(ledger) as reading:
        event = reading.reader.event(receipt.event_id)
    assert event is not None
    assert "limit=2 used=2 " in event.summary
    assert decode_detail(event.detail)["limit"] == 2.5


def test_a_wrong_status_does_not_lose_what_the_tool_found(ledger: Ledger) -> None:
    talk = ledger.agent("support").conversation()
    with talk.turn() as turn:
        with pytest.raises(UsageError), turn.tool_call("look") as step:
            step.result("found", status="splendid")
        turn.commit("Done.")
    with open_reading(ledger) as reading:
        assert b"found" in [
            reading.body(entry.row.event_id, "payload")
            for entry in reading.events(turn.id)
            if entry.row.type == "TOOL_RESULT"
        ]


def test_a_refusal_is_no_usage_error() -> None:
    assert not issubclass(CaptureRefused, UsageError)
