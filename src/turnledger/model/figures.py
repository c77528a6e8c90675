"""Figures over stretches of time, and rows of lists that go across conversations."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from turnledger.model.rows import MemoryRow, MessageRow

__all__ = [
    "ActorMessage",
    "ActorRow",
    "CallCounts",
    "Latency",
    "MemoryPlace",
    "NoticeRow",
    "SpanFigures",
    "TokenCounts",
    "TopConversation",
    "TopName",
    "TurnLease",
    "UnaccountedRow",
]


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Sums over exchanges in disjoint buckets; None where none reported any."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Calls that ended, how many of them not well, and the tokens they took."""

    calls: int = 0
    failed: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds by nearest rank, over ``count`` measured ones; None where there is none."""

    count: int = 0
    p50: int | None = None
    p95: int | None = None
    p99: int | None = None
    max: int | None = None


@dataclass(slots=True)
class SpanFigures:
    """What one agent did from ``since_ms`` on and short of ``until_ms``."""

    since_ms: int
    until_ms: int
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    shed: dict[str, int] = field(default_factory=dict[str, int])
    failed_deliveries: int = 0
    models: CallCounts = field(default_factory=CallCounts)
    tools: CallCounts = field(default_factory=CallCounts)
    turn_ms: Latency = field(default_factory=Latency)
    model_ms: Latency = field(default_factory=Latency)


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
