"""Read models as a pure function of the events: one code for live appends and rebuilds.

Counters are summed per turn and conversation within a transaction, so that each row is touched once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import ApprovalDecision, Direction, InboundVerdict, MemoryOp, TurnStatus

__all__ = [
    "ActivityChange",
    "CallOutcome",
    "MemoryRevision",
    "MessageChange",
    "Notice",
    "Projected",
    "Projection",
    "TurnChange",
]

_BUCKETS = ("in", "out", "cacheRead", "cacheWrite", "reasoning")
_NO_COUNTS: dict[str, int | None] = dict.fromkeys(_BUCKETS)
_SMALL_INT = re.compile(r"-?[0-9]{1,15}")  # so that sums of thousands of them stay within 64 bits
_DIRECTIONS: frozenset[str] = frozenset(Direction)
_OPERATIONS: frozenset[str] = frozenset(MemoryOp)
_STATUSES: frozenset[str] = frozenset(TurnStatus)
_VERDICTS: frozenset[str] = frozenset(InboundVerdict)
_UNSUCCESSFUL = frozenset(
    {TurnStatus.FAILED, TurnStatus.REFUSED, TurnStatus.INTERRUPTED, TurnStatus.EXHAUSTED}
)


@dataclass(slots=True)
class TurnChange:
    """Change of one row of ``turns``: ``opened_ms`` inserts it, counters are added, None changes nothing."""

    jid: int
    aid: int
    cid: int
    opened_ms: int | None = None
    cause: str | None = None
    parent: UUID | None = None
    status: str | None = None
    error_class: str | None = None
    closed_ms: int | None = None
    ms: int | None = None
    model_calls: int = 0
    tool_calls: int = 0
    open_steps: int = 0
    errors: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(slots=True)
class ActivityChange:
    """Change of one row of ``conversation_activity``: inserted where missing, counters added.

    ``last_ms`` is the time of the last event of the conversation's own journal, None where none was added:
    the steps of a turn, which are most of all events, do not move the conversation in any list.
    """

    cid: int
    aid: int
    last_ms: int | None = None
    turns: int = 0
    open_turns: int = 0
    failed_turns: int = 0
    messages: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(slots=True)
class MessageChange:
    """Insert (``direction`` set) or change of one row of ``messages``; None leaves a column as it is."""

    cid: int
    seq: int
    direction: str | None = None
    actor: UUID | None = None
    chars: int = 0
    created_ms: int = 0
    reply_to: int | None = None
    verdict: str | None = None
    turn: UUID | None = None
    into_seq: int | None = None
    shed: str | None = None
    delivery: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryRevision:
    """A row of ``memory``."""

    aid: int
    entry: UUID
    revision: int
    op: str
    jid: int
    seq: int
    created_ms: int


class CallOutcome(NamedTuple):
    """A row of ``calls``; ``name`` is the model that served, or the tool.

    ``kind`` is model or tool, or late for what a model's came to after its ``turn`` had ended: that has a
    cost, but its counts are in its detail, which no projection reads.
    """

    jid: int
    seq: int
    aid: int
    cid: int
    kind: str
    name: str | None
    failed: int
    ms: int | None
    tokens_in: int | None
    tokens_out: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    created_ms: int
    turn: UUID | None = None


class Notice(NamedTuple):
    """A row of ``notices``; ``word`` is the reason or status, ``message`` the seq of a message."""

    cid: int
    seq: int
    aid: int
    type: str
    word: str | None
    message: int | None
    created_ms: int


class Projected(NamedTuple):
    """The facts of an event that projections use."""

    jid: int
    aid: int
    cid: int | None
    in_turn: bool
    seq: int
    type: str
    tokens: str
    created_ms: int


def _int(tokens: dict[str, str], key: str) -> int | None:
    value = tokens.get(key)
    return int(value) if value is not None and _SMALL_INT.fullmatch(value) else None


def _word(tokens: dict[str, str], key: str, words: frozenset[str]) -> str | None:
    """The token's value where it is a word of the contract: readers know no others."""
    value = tokens.get(key)
    return value if value in words else None


def _uuid(tokens: dict[str, str], key: str) -> UUID | None:
    try:
        return UUID(tokens[key])
    except (KeyError, ValueError):
        return None


def _plus(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more


@dataclass(slots=True)
class Projection:
    """Collects the changes of many events.  ``jid_of`` finds the journal key of a turn by its id."""

    jid_of: Callable[[UUID], int | None]
    turns: dict[int, TurnChange] = field(default_factory=dict)
    activity: dict[int, ActivityChange] = field(default_factory=dict)
    messages: dict[tuple[int, int], MessageChange] = field(default_factory=dict)
    memory: list[MemoryRevision] = field(default_factory=list)
    calls: list[CallOutcome] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def add(self, event: Projected) -> None:
        """Take one event in; events of one journal must come in order."""
        if event.cid is None:
            return
        if not event.in_turn:
            activity = self._activity(event.cid, event)
            activity.last_ms = max(activity.last_ms or event.created_ms, event.created_ms)
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            handler(self, event, {} if event.type in _COUNTED else parse_summary(event.tokens))

    def _activity(self, cid: int, event: Projected) -> ActivityChange:
        change = self.activity.get(cid)
        if change is None:
            change = self.activity[cid] = ActivityChange(cid, event.aid)
        return change

    def _turn(self, jid: int, event: Projected) -> TurnChange:
        change = self.turns.get(jid)
        if change is None:
            change = self.turns[jid] = TurnChange(jid, event.aid, event.cid or 0)
        return change

    def _message(self, event: Projected, seq: int) -> MessageChange:
        key = (event.cid or 0, seq)
        change = self.messages.get(key)
        if change is None:
            change = self.messages[key] = MessageChange(*key)
        return change

    def _turn_opened(self, event: Projected, tokens: dict[str, str]) -> None:
        turn = _uuid(tokens, "turn")
        jid = None if turn is None else self.jid_of(turn)
        if jid is None:
            return
        change = self._turn(jid, event)
        change.opened_ms, change.status = event.created_ms, TurnStatus.RUNNING
        change.cause = tokens.get("trigger")
        activity = self._activity(event.cid or 0, event)
        activity.turns += 1
        activity.open_turns += 1
        trigger = _int(tokens, "trigger")
        if trigger is not None:
            self._message(event, trigger).turn = turn

    def _turn_closed(self, event: Projected, tokens: dict[str, str]) -> None:
        turn = _uuid(tokens, "turn")
        jid = None if turn is None else self.jid_of(turn)
        if jid is None:
            return
        change = self._turn(jid, event)
        change.status, change.closed_ms = _word(tokens, "status", _STATUSES), event.created_ms
        change.error_class, change.ms = tokens.get("class"), _int(tokens, "ms")
        activity = self._activity(event.cid or 0, event)
        activity.open_turns -= 1
        activity.failed_turns += tokens.get("status") in _UNSUCCESSFUL

    def _intake(self, event: Projected, tokens: dict[str, str]) -> None:
        self._turn(event.jid, event).parent = _uuid(tokens, "parentTurn")

    def _intent(self, event: Projected, _tokens: dict[str, str]) -> None:
        if event.in_turn:
            change = self._turn(event.jid, event)
            change.open_steps += 1
            change.model_calls += event.type == "MODEL_CALL"
            change.tool_calls += event.type == "TOOL_CALL"

    def _outcome(self, event: Projected, tokens: dict[str, str]) -> None:
        is_model = event.type == "MODEL_RESULT"
        read = {key: _int(tokens, key) for key in _BUCKETS} if is_model else _NO_COUNTS
        if is_model:
            activity = self._activity(event.cid or 0, event)
            for key in ("in", "cacheRead", "cacheWrite"):
                activity.tokens_in = _plus(activity.tokens_in, read[key])
            for key in ("out", "reasoning"):
                activity.tokens_out = _plus(activity.tokens_out, read[key])
        failed = tokens.get("status") not in {None, "ok"}
        self.calls.append(
            CallOutcome(
                event.jid,
                event.seq,
                event.aid,
                event.cid or 0,
                "model" if is_model else "tool",
                tokens.get("model" if is_model else "tool"),
                int(failed),
                _int(tokens, "ms"),
                read["in"],
                read["out"],
                read["cacheRead"],
                read["cacheWrite"],
                read["reasoning"],
                event.created_ms,
            )
        )
        if not event.in_turn:
            return
        change = self._turn(event.jid, event)
        change.open_steps -= 1
        change.errors += failed
        change.tokens_in = _plus(change.tokens_in, read["in"])
        change.tokens_out = _plus(change.tokens_out, read["out"])
        change.cache_read = _plus(change.cache_read, read["cacheRead"])
        change.cache_write = _plus(change.cache_write, read["cacheWrite"])
        change.reasoning = _plus(change.reasoning, read["reasoning"])

    def _late(self, event: Projected, tokens: dict[str, str]) -> None:
        if tokens.get("type") != "MODEL_RESULT":
            return
        place, turn = (event.jid, event.seq, event.aid, event.cid or 0), _uuid(tokens, "turn")
        self.calls.append(
            CallOutcome(*place, "late", None, 0, None, None, None, None, None, None, event.created_ms, turn)
        )

    def _error(self, event: Projected, _tokens: dict[str, str]) -> None:
        if event.in_turn:
            self._turn(event.jid, event).errors += 1

    def _approval(self, event: Projected, tokens: dict[str, str]) -> None:
        waiting = tokens.get("decision") == ApprovalDecision.REQUESTED
        self._turn(event.jid, event).status = TurnStatus.WAITING if waiting else TurnStatus.RUNNING

    def _message_event(self, event: Projected, tokens: dict[str, str]) -> None:
        direction = _word(tokens, "direction", _DIRECTIONS)
        if direction is None:
            return
        change = self._message(event, event.seq)
        change.direction, change.created_ms = direction, event.created_ms
        change.actor, change.chars = _uuid(tokens, "actor"), _int(tokens, "chars") or 0
        change.turn, change.reply_to = _uuid(tokens, "turn"), _int(tokens, "replyTo")
        self._activity(event.cid or 0, event).messages += 1

    def _verdict(self, event: Projected, tokens: dict[str, str]) -> None:
        message = _int(tokens, "message")
        if message is not None:
            self._message(event, message).verdict = _word(tokens, "verdict", _VERDICTS)

    def _collapsed(self, event: Projected, tokens: dict[str, str]) -> None:
        message = _int(tokens, "message")
        if message is not None:
            self._message(event, message).into_seq = _int(tokens, "into")
        self._notice(event, None, message)

    def _shed(self, event: Projected, tokens: dict[str, str]) -> None:
        message = _int(tokens, "message")
        if message is not None:
            self._message(event, message).shed = tokens.get("reason")
        self._notice(event, tokens.get("reason"), message)

    def _delivery(self, event: Projected, tokens: dict[str, str]) -> None:
        message = _int(tokens, "message")
        if message is not None:
            self._message(event, message).delivery = tokens.get("status")
        self._notice(event, tokens.get("status"), message)

    def _notice(self, event: Projected, word: str | None, message: int | None) -> None:
        self.notices.append(
            Notice(event.cid or 0, event.seq, event.aid, event.type, word, message, event.created_ms)
        )

    def _memory(self, event: Projected, tokens: dict[str, str]) -> None:
        entry, revision = _uuid(tokens, "entry"), _int(tokens, "revision")
        op = _word(tokens, "op", _OPERATIONS)
        if entry is not None and revision is not None and op is not None:
            self.memory.append(
                MemoryRevision(event.aid, entry, revision, op, event.jid, event.seq, event.created_ms)
            )


_COUNTED = frozenset({"MODEL_CALL", "TOOL_CALL", "ERROR"})
"""Types whose tokens no projection reads."""

_HANDLERS: dict[str, Callable[[Projection, Projected, dict[str, str]], None]] = {
    "TURN_OPENED": Projection._turn_opened,  # noqa: SLF001  this module's own table
    "TURN_CLOSED": Projection._turn_closed,  # noqa: SLF001
    "INTAKE": Projection._intake,  # noqa: SLF001
    "MODEL_CALL": Projection._intent,  # noqa: SLF001
    "TOOL_CALL": Projection._intent,  # noqa: SLF001
    "MODEL_RESULT": Projection._outcome,  # noqa: SLF001
    "TOOL_RESULT": Projection._outcome,  # noqa: SLF001
    "LATE": Projection._late,  # noqa: SLF001
    "ERROR": Projection._error,  # noqa: SLF001
    "APPROVAL": Projection._approval,  # noqa: SLF001
    "MESSAGE": Projection._message_event,  # noqa: SLF001
    "VERDICT": Projection._verdict,  # noqa: SLF001
    "COLLAPSED": Projection._collapsed,  # noqa: SLF001
    "SHED": Projection._shed,  # noqa: SLF001
    "DELIVERY": Projection._delivery,  # noqa: SLF001
    "MEMORY_WRITE": Projection._memory,  # noqa: SLF001
}
