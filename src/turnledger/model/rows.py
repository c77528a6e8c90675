"""What the ledger gives back: events with their place, and the read models built from them.

Times are epoch milliseconds by the ledger's clock; token counts are sums over model exchanges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from turnledger.model.draft import Journal
from turnledger.model.vocabulary import Direction, InboundVerdict, MemoryOp, Shape, TurnStatus

__all__ = [
    "AgentRow",
    "BodyRow",
    "ConversationRow",
    "DamagedRow",
    "EventRow",
    "JournalRow",
    "LeaseRow",
    "MemoryRow",
    "MessageRow",
    "Rows",
    "StepEvent",
    "TurnRow",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row with a cell that holds what its column cannot; ``id`` of what it is about, where readable."""

    table: str
    column: str
    id: UUID | None = None

    def __str__(self) -> str:
        whose = "a row whose id cannot be read" if self.id is None else str(self.id)
        return f"column {self.column} of table {self.table}, for {whose}"


class Rows(list[T]):
    """Rows of a list, and those that belong there too and are ``damaged``."""

    __slots__ = ("damaged",)

    def __init__(self, rows: Iterable[T] = (), damaged: Iterable[DamagedRow] = ()) -> None:
        super().__init__(rows)
        self.damaged = list(damaged)


@dataclass(frozen=True, slots=True)
class BodyRow:
    """One slot of an event; ``present`` is False once its bytes and salt were pruned or erased."""

    slot: str
    size: int
    present: bool


@dataclass(frozen=True, slots=True)
class EventRow:
    """One stored event.  ``summary`` is whole (with ``detail=``); ``detail`` its exact bytes.

    ``cursor`` orders all events of the ledger as they came in (opaque; see the store's contract).
    """

    journal: Journal
    agent: UUID
    conversation: UUID | None
    seq: int
    type: str
    payload_hash: bytes
    summary: str
    hash: bytes
    created_ms: int
    event_id: UUID
    position: int | None
    detail: bytes
    cursor: int
    bodies: tuple[BodyRow, ...]


class StepEvent(NamedTuple):
    """A call, an outcome or an approval in short, or another event whose writer noted a cost.

    ``tokens`` is the summary without its ``detail=``; ``detail`` is there for a MODEL_RESULT alone.
    """

    seq: int
    type: str
    tokens: str
    detail: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """Head of a journal: number of events and hash of the last one (64 zeros' bytes if none)."""

    journal: Journal
    agent: UUID
    conversation: UUID | None
    ordinal: int
    events: int
    head: bytes


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent with its counts."""

    id: UUID
    name: str
    opened_ms: int
    conversations: int
    turns: int


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation; ``key`` and ``place`` are outside names, None once erased.

    ``last_ms`` is the time of the last event of its own journal: a message, a verdict, a turn's begin or end.
    ``open_turns`` have not ended, ``waiting_turns`` of them wait for somebody's approval.
    ``owes_reply`` is 1 where ``ConversationFilter.owes_reply`` finds it, else 0.
    ``tokens_in`` is all input, from the cache or not, ``tokens_out`` all output, reasoning too: None where no
    exchange reported any.
    """

    id: UUID
    agent: UUID
    agent_name: str
    key: str | None
    connector: str | None
    shape: Shape
    place: str | None
    opened_ms: int
    last_ms: int
    events: int
    turns: int
    messages: int
    open_turns: int
    waiting_turns: int
    failed_turns: int
    owes_reply: int
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn; ``tokens_*`` are None where no exchange of it reported any."""

    id: UUID
    agent: UUID
    agent_name: str
    conversation: UUID
    ordinal: int
    status: TurnStatus
    error_class: str | None
    trigger: str | None
    opened_ms: int
    closed_ms: int | None
    ms: int | None
    events: int
    head: bytes
    model_calls: int
    tool_calls: int
    open_steps: int
    errors: int
    tokens_in: int | None
    tokens_out: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    parent: UUID | None


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message of a conversation, named by its seq there; ``fate`` tells what became of an inbound one."""

    conversation: UUID
    seq: int
    event_id: UUID
    direction: Direction
    actor: UUID | None
    actor_name: str | None
    chars: int
    created_ms: int
    verdict: InboundVerdict | None
    turn: UUID | None
    fate: str | None


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One revision of a memory entry and the event that wrote it."""

    entry: UUID
    key: str | None
    revision: int
    op: MemoryOp
    created_ms: int
    event_id: UUID
    conversation: UUID | None
    turn: UUID | None


@dataclass(frozen=True, slots=True)
class LostCall:
    """A call outside any turn whose reply arrived when its writer last showed a sign of life."""

    conversation: UUID
    agent: UUID
    seq: int
    event_id: UUID


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A turn's lease; ``until_ms`` by the database's clock, None while the turn is parked (waiting)."""

    turn: UUID
    agent: UUID
    conversation: UUID
    holder: UUID
    epoch: int
    until_ms: int | None
