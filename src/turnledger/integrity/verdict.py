"""What a check found: one scale of verdicts, the words for reasons and warnings, and the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import total_ordering

__all__ = ["Caveat", "ChainReport", "Reason", "Verdict", "worst"]


@total_ordering
class Verdict(Enum):
    """How far something can be trusted, from worst to best.

    ``empty`` and ``not_checked`` are verdicts of their own: no fault was found and nothing was shown,
    so they stand below ``intact`` and are never green.
    """

    MALFORMED = "malformed"
    BROKEN = "broken"
    NOT_CHECKED = "not_checked"
    EMPTY = "empty"
    INTACT = "intact"
    SEALED = "sealed"
    WITNESSED = "witnessed"

    @property
    def rank(self) -> int:
        """Place on the scale, 0 is worst."""
        return _RANKS[self]

    @property
    def green(self) -> bool:
        """Whether the check was made and found no fault."""
        return self >= Verdict.INTACT

    def __lt__(self, other: object) -> bool:
        return self.rank < other.rank if isinstance(other, Verdict) else NotImplemented


_RANKS = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The lowest of ``verdicts``; ``not_checked`` if there are none."""
    return min(verdicts, default=Verdict.NOT_CHECKED)


class Reason(StrEnum):
    """Why a verdict is what it is; the words of the contract's vectors."""

    OK = "ok"
    NO_EVENTS = "no-events"
    SOURCE_TURN_ID = "source-turnId"
    SOURCE_AGENT_ID = "source-agentId"
    EVENT_GRAMMAR = "event-grammar"
    ROW_GRAMMAR = "row-grammar"
    UNREADABLE = "unreadable"
    SEQ_GRAMMAR = "seq-grammar"
    TYPE_GRAMMAR = "type-grammar"
    PAYLOAD_HASH_GRAMMAR = "payload-hash-grammar"
    SUMMARY_GRAMMAR = "summary-grammar"
    PREV_HASH_GRAMMAR = "prev-hash-grammar"
    HASH_GRAMMAR = "hash-grammar"
    CREATED_AT_GRAMMAR = "created-at-grammar"
    COMMITMENT = "commitment"
    BODIES_GRAMMAR = "bodies-grammar"
    SEQ = "seq"
    PREV_HASH = "prev-hash"
    HASH = "hash"
    DETAIL = "detail"
    PAYLOAD = "payload"
    ASSURANCE = "assurance"
    EXPECTED = "expected-block"
    TORN = "torn-record"
    TRUNCATED = "truncated"
    EVENT_ID = "event-id"
    POSITION = "position"
    HEAD = "head"
    TURN_CLOSED = "turn-closed"
    MISSING_JOURNAL = "missing-journal"
    MISSING_CONVERSATION = "missing-conversation"
    UNLISTED_JOURNAL = "unlisted-journal"
    ORDINAL = "ordinal"

    @property
    def malformed(self) -> bool:
        """Whether it is a fault of form (verdict malformed) or of content (verdict broken)."""
        return self.endswith("-grammar") or self in {
            Reason.SOURCE_TURN_ID,
            Reason.SOURCE_AGENT_ID,
            Reason.COMMITMENT,
            Reason.UNREADABLE,
        }


class Caveat(StrEnum):
    """What a verdict does not cover; a warning is no failure."""

    NO_FINAL_EVENT = "no-final-event"
    SUB_MILLISECOND = "sub-millisecond-not-covered"
    UNKNOWN_TYPE = "unknown-type"
    UNHASHED_FIELDS = "unhashed-fields-present"
    BODIES_UNCHECKED = "bodies-not-checked"
    DETAIL_UNCHECKED = "detail-not-checked"
    TORN = "torn-record"
    UNREADABLE = "unreadable-lines"


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Finding about one journal.

    ``broken_at_seq`` is the zero-based position of the first event that fails, -1 where no single event
    is at fault; ``events`` counts the events that were read; ``head`` is the hex hash of the last event
    that held (64 zeros if none); ``final_type`` the COMMIT or ABORT it ends with; ``clock_steps_back``
    counts events whose time is before their predecessor's (order is ``seq``, so this is no fault).
    """

    verdict: Verdict
    broken_at_seq: int
    reason: Reason
    warnings: tuple[Caveat, ...]
    events: int
    head: str
    final_type: str | None
    clock_steps_back: int = 0

    def with_fault(self, reason: Reason, at: int) -> ChainReport:
        """The same with a fault of content that another check found; one that is there already stays."""
        if self.verdict in {Verdict.BROKEN, Verdict.MALFORMED}:
            return self
        return replace(self, verdict=Verdict.BROKEN, broken_at_seq=at, reason=reason, final_type=None)
