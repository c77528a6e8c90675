"""Figures over stretches of time, and rows of lists that go across conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from turnledger.model.rows import MemoryRow, MessageRow
from turnledger.model.vocabulary import InboundVerdict, TurnStatus

__all__ = [
    "ActorMessage",
    "ActorRow",
    "CallCounts",
    "Durations",
    "MemoryPlace",
    "NoticeRow",
    "SpanFigures",
    "TokenCounts",
    "TopConversation",
    "TopName",
    "TurnLease",
    "UnaccountedRow",
    "UnansweredRow",
]


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Sums over exchanges in disjoint buckets; None where none reported any."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None

    def plus(self, other: TokenCounts) -> TokenCounts:
        """Both together."""
        return TokenCounts(
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            _sum(self.cache_read, other.cache_read),
            _sum(self.cache_write, other.cache_write),
            _sum(self.reasoning, other.reasoning),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other + (one or 0)


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Calls that ended, how many of them not well, and the tokens they took."""

    calls: int = 0
    failed: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)

    def plus(self, other: CallCounts) -> CallCounts:
        """Both together."""
        return CallCounts(
            self.calls + other.calls, self.failed + other.failed, self.tokens.plus(other.tokens)
        )


@dataclass(slots=True)
class Durations:
    """How many durations fell into which bin; a bin is milliseconds rounded down by less than 1/64.

    ``longest`` is exact; None where nothing was measured.
    """

    bins: Counter[int] = field(default_factory=Counter[int])
    longest: int | None = None

    def add(self, bins: Mapping[int, int], longest: int | None) -> None:
        """Take more in."""
        self.bins.update(bins)
        if longest is not None:
            self.longest = max(longest, self.longest or 0)

    @property
    def count(self) -> int:
        """How many were measured."""
        return self.bins.total()

    def percentile(self, percent: int) -> int | None:
        """The bin of the nearest rank; None where nothing was measured."""
        rank = (self.count * percent + 99) // 100
        for bin_ms in sorted(self.bins):
            rank -= self.bins[bin_ms]
            if rank <= 0:
                return bin_ms
        return None


@dataclass(slots=True)
class SpanFigures:
    """What one agent did from ``since_ms`` on and short of ``until_ms``."""

    since_ms: int
    until_ms: int
    statuses: Counter[str] = field(default_factory=Counter[str])
    shed: Counter[str] = field(default_factory=Counter[str])
    failed_deliveries: int = 0
    models: CallCounts = field(default_factory=CallCounts)
    tools: CallCounts = field(default_factory=CallCounts)
    turn_ms: Durations = field(default_factory=Durations)
    model_ms: Durations = field(default_factory=Durations)

    def add(self, other: SpanFigures) -> None:
        """Take the figures of another stretch in."""
        self.statuses.update(other.statuses)
        self.shed.update(other.shed)
        self.failed_deliveries += other.failed_deliveries
        self.models = self.models.plus(other.models)
        self.tools = self.tools.plus(other.tools)
        self.turn_ms.add(other.turn_ms.bins, other.turn_ms.longest)
        self.model_ms.add(other.model_ms.bins, other.model_ms.longest)


@dataclass(frozen=True, slots=True)
class TopName:
    """A model or tool by how often it was called."""

    name: str
    counts: CallCounts
    total_ms: int
    max_ms: int | None


@dataclass(frozen=True, slots=True)
class TopConversation:
    """A conversation by the tokens it took."""

    conversation: UUID
    key: str | None
    counts: CallCounts


@dataclass(frozen=True, slots=True)
class ActorRow:
    """Somebody who writes to an agent."""

    id: UUID
    name: str | None
    messages: int
    conversations: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True, slots=True)
class ActorMessage:
    """A message with the key of its page."""

    message: MessageRow
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A memory revision with the key of its page."""

    row: MemoryRow
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """A SHED, COLLAPSED or DELIVERY event; ``tokens`` is its summary without ``detail=``."""

    conversation: UUID
    seq: int
    event_id: UUID
    type: str
    word: str | None
    message: int | None
    created_ms: int
    tokens: str
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnansweredRow:
    """An inbound message without a reply, and what is on record of why.

    ``turn`` is the turn that it set off, with its status and error class; None where it set off none.
    ``shed`` says why it was dropped, ``verdict`` what the agent decided about it.
    """

    conversation: UUID
    seq: int
    agent_name: str
    actor: UUID | None
    created_ms: int
    verdict: InboundVerdict | None
    shed: str | None
    turn: UUID | None
    turn_status: TurnStatus | None
    error_class: str | None
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnLease:
    """A turn's lease as it stands; ``until_ms`` is None while the turn waits, or has ended."""

    agent: UUID
    conversation: UUID
    holder: UUID | None
    epoch: int
    until_ms: int | None
    closed: bool


@dataclass(frozen=True, slots=True)
class UnaccountedRow:
    """An inbound message whose fate does not add up."""

    conversation: UUID
    seq: int
    event_id: UUID
    created_ms: int
    reason: str
