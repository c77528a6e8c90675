"""What an append reads under lock and what it writes back: the vocabulary between planner and engine.

``aid``, ``cid`` and ``jid`` are the database's own small keys of agents, conversations and journals.
States are mutable within one transaction and belong to the writer thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, NamedTuple
from uuid import UUID

from turnledger.model.draft import AliasKind
from turnledger.model.vocabulary import JournalKind

__all__ = [
    "ZERO_HASH",
    "AgentState",
    "AliasKey",
    "Changes",
    "Conflict",
    "ConversationState",
    "Found",
    "IdKind",
    "JournalState",
    "Leaf",
    "LiveCall",
    "NewArrival",
    "NewBody",
    "NewEvent",
    "SeenEvent",
    "Wants",
]

ZERO_HASH = bytes(32)

AliasKey = tuple[AliasKind, UUID, str]


class IdKind(StrEnum):
    """Which small key to hand out."""

    AGENT = "agent"
    CONVERSATION = "conversation"
    JOURNAL = "journal"


@dataclass(slots=True)
class AgentState:
    """An agent and its gap-free counts of journals, which are the next ordinals."""

    aid: int
    id: UUID
    name: str
    opened_ms: int
    turns: int = 0
    conversations: int = 0
    new: bool = False

    CHANGING: ClassVar = ("turns", "conversations")


@dataclass(slots=True)
class ConversationState:
    """A conversation and the next place in its timeline; what is not the position never changes."""

    cid: int
    id: UUID
    aid: int
    opened_ms: int
    connector: str | None
    shape: str
    place: UUID | None
    next_position: int = 0
    new: bool = False

    CHANGING: ClassVar = ("next_position",)


@dataclass(slots=True)
class JournalState:
    """Head of a journal, and its lease where it is a turn's (``until_ms`` None: parked or none)."""

    jid: int
    kind: JournalKind
    id: UUID
    aid: int
    agent: UUID
    cid: int | None
    conversation: UUID | None
    ordinal: int
    next_seq: int = 0
    head: bytes = ZERO_HASH
    last_ms: int = 0
    closed: bool = False
    holder: UUID | None = None
    epoch: int = 0
    until_ms: int | None = None
    new: bool = False

    CHANGING: ClassVar = ("next_seq", "head", "last_ms", "closed", "holder", "epoch", "until_ms")


class SeenEvent(NamedTuple):
    """A stored event with an id that is being sent again."""

    event_id: UUID
    jid: int
    seq: int
    type: str
    tokens: str
    payload_hash: bytes
    hash: bytes
    created_ms: int
    position: int | None


@dataclass(slots=True)
class Wants:
    """What a group of batches needs to read; ids of things that may not exist yet are fine."""

    agents: set[UUID] = field(default_factory=set)
    conversations: set[UUID] = field(default_factory=set)
    journals: set[UUID] = field(default_factory=set)
    events: set[UUID] = field(default_factory=set)
    aliases: set[AliasKey] = field(default_factory=set)


@dataclass(slots=True)
class Found:
    """What there is of it, by id, locked until the transaction ends.

    ``now_ms`` is the ledger's clock (the database's own on PostgreSQL); ``prunes`` counts the prunes
    of bodies so far, so that a writer's memory of stored parts can be dropped when it moved.
    """

    now_ms: int
    prunes: int
    agents: dict[UUID, AgentState] = field(default_factory=dict)
    conversations: dict[UUID, ConversationState] = field(default_factory=dict)
    journals: dict[UUID, JournalState] = field(default_factory=dict)
    events: dict[UUID, SeenEvent] = field(default_factory=dict)
    aliases: dict[AliasKey, UUID] = field(default_factory=dict)


class NewEvent(NamedTuple):
    """An event row; ``tokens`` is the summary without ``detail=``, which follows from ``detail``."""

    jid: int
    seq: int
    cid: int | None
    position: int | None
    event_id: UUID
    type: str
    payload_hash: bytes
    tokens: str
    detail: bytes
    hash: bytes
    created_ms: int


class NewBody(NamedTuple):
    """A slot to be stored: ``aid`` scopes its parts, ``lane`` names the earlier body it may extend."""

    jid: int
    seq: int
    slot: str
    aid: int
    lane: object | None
    salt: bytes
    data: bytes


class NewArrival(NamedTuple):
    """Packed bytes of a reply that still arrives, behind its first ``start`` ones; ``call`` is an event id.

    Left out where that call has its result, or these are there already.
    """

    jid: int
    call: UUID
    start: int
    data: bytes


class LiveCall(NamedTuple):
    """Until when a call outside any turn is taken to live; ``call`` is an event id."""

    jid: int
    call: UUID
    until_ms: int


class Leaf(NamedTuple):
    """A leaf for the seal's outbox, in the columns of its text form (contract, section 7)."""

    kind: str
    jid: int
    events: int
    head: bytes
    status: str
    created_ms: int


class Conflict(NamedTuple):
    """An event id that came again with other content; the second content's hashes are kept."""

    event_id: UUID
    seen_ms: int
    type: str
    tokens: str
    payload_hash: bytes


@dataclass(slots=True)
class Changes:
    """Everything one transaction writes.  States listed here with ``new`` are inserted, else updated.

    ``settled`` are calls ``(jid, seq)`` whose arrivals go, because they have their result, and ``ended``
    those outside any turn that need no sign of life any more.
    """

    agents: dict[int, AgentState] = field(default_factory=dict)
    conversations: dict[int, ConversationState] = field(default_factory=dict)
    journals: dict[int, JournalState] = field(default_factory=dict)
    aliases: list[tuple[AliasKey, UUID]] = field(default_factory=list)
    events: list[NewEvent] = field(default_factory=list)
    bodies: list[NewBody] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    arrivals: list[NewArrival] = field(default_factory=list)
    settled: list[tuple[int, int]] = field(default_factory=list)
    live: list[LiveCall] = field(default_factory=list)
    ended: list[tuple[int, int]] = field(default_factory=list)
