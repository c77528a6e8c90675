"""What a writer hands to the ledger: events without a place yet, and the names they rely on.

A draft is complete except for what only the ledger can give it: ``seq``, ``prevHash``, ``hash``,
``createdAt`` and ``position``.  It can be sent again as it is: its id makes it one event.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

from turnledger.model.vocabulary import JournalKind, TurnStatus

__all__ = [
    "ARRIVED_AT_MOST",
    "AliasKind",
    "Arrived",
    "Batch",
    "BatchResult",
    "BatchStatus",
    "Body",
    "Claim",
    "Closing",
    "Draft",
    "Journal",
    "Lease",
    "Placed",
    "Refusal",
]

ARRIVED_AT_MOST: Final = 4 << 20
"""Bytes of a reply that are kept at once while it arrives."""


class Journal(NamedTuple):
    """Which journal: its kind and id."""

    kind: JournalKind
    id: UUID


class Body(NamedTuple):
    """The bytes of one slot with the 32-byte salt of their commitment."""

    slot: str
    data: bytes
    salt: bytes


class Closing(NamedTuple):
    """What TURN_CLOSED will say, known to the writer of COMMIT or ABORT; ``ms`` is the turn's duration."""

    status: TurnStatus
    error_class: str | None = None
    ms: int | None = None


class Lease(NamedTuple):
    """A writer's hold on a turn: appends carry the epoch, ``ttl_ms`` is asked for at opening and renewal."""

    holder: UUID
    epoch: int
    ttl_ms: int


class Draft(NamedTuple):
    """One event as its writer made it.

    ``tokens`` is the summary up to and without ``detail=``; ``detail`` the exact bytes of the detail
    record (its ``id`` equals ``event_id``); ``payload_hash`` the 32-byte commitment of the payload, or
    SHA-256 of nothing.  ``place`` is the seq that the writer counts on, if it refers to it elsewhere.
    ``lease`` is needed in turn journals: on INTAKE it opens the turn, elsewhere its epoch is checked.
    ``closing`` is needed on COMMIT and ABORT.  ``takeover`` lets an ABORT end a turn whose lease ran out.
    ``arrived``, on a MODEL_RESULT, says that bytes of its reply were kept as they arrived: they go with it.
    """

    journal: Journal
    agent: UUID
    conversation: UUID | None
    event_id: UUID
    type: str
    tokens: str
    detail: bytes
    payload_hash: bytes
    bodies: tuple[Body, ...] = ()
    place: int | None = None
    lease: Lease | None = None
    closing: Closing | None = None
    takeover: bool = False
    lane: str = ""
    arrived: bool = False


class Arrived(NamedTuple):
    """Bytes of a reply that still arrives: no event, kept beside the journal until its call has a result.

    ``call`` is the event id of its MODEL_CALL in ``journal``, which is a turn's or the conversation's own;
    ``start`` counts the bytes of the reply before these, ``data`` is what ``wire.compression`` packed: empty
    where a call outside any turn only shows a sign of life.  Sent again, they are the same bytes.
    """

    journal: UUID
    agent: UUID
    conversation: UUID
    call: UUID
    start: int
    data: bytes
    lease: Lease


class AliasKind(StrEnum):
    """What an outside name stands for."""

    AGENT = "agent"
    CONVERSATION = "conversation"
    ACTOR = "actor"
    PLACE = "place"
    MESSAGE = "message"
    MEMORY = "memory"


class Claim(NamedTuple):
    """An outside name and the id it shall have, unless it has one already.

    ``scope`` is the agent (nil for agents themselves; the conversation for messages).
    """

    kind: AliasKind
    scope: UUID
    name: str
    target: UUID


class Batch(NamedTuple):
    """All or nothing: the claim first, then the drafts in order; or ``arrived`` alone.

    Where the claim's name is taken already nothing is appended and the result names its owner.
    """

    drafts: tuple[Draft, ...] = ()
    claim: Claim | None = None
    arrived: Arrived | None = None


class BatchStatus(StrEnum):
    """What became of a batch."""

    APPENDED = "appended"
    DUPLICATE = "duplicate"
    EXISTING = "existing"
    CONFLICT = "conflict"
    REFUSED = "refused"


class Refusal(StrEnum):
    """Why the ledger answered no."""

    TURN_CLOSED = "turn_closed"
    TURN_LOST = "turn_lost"
    TURN_EXISTS = "turn_exists"
    NOT_EXPIRED = "not_expired"
    UNKNOWN_JOURNAL = "unknown_journal"
    FOREIGN_AGENT = "foreign_agent"
    OUT_OF_PLACE = "out_of_place"
    GRAMMAR = "grammar"
    NOT_ALLOWED = "not_allowed"
    TOO_LARGE = "too_large"
    UNKNOWN_BASE = "unknown_base"


class Placed(NamedTuple):
    """The place that the ledger gave an event; ``created_ms`` is its clock at the append."""

    event_id: UUID
    seq: int
    hash: bytes
    created_ms: int
    position: int | None


class BatchResult(NamedTuple):
    """``placed`` matches the drafts one by one (also for duplicates); ``target`` the owner of the claim."""

    status: BatchStatus
    placed: tuple[Placed, ...] = ()
    target: UUID | None = None
    refusal: Refusal | None = None
    reason: str = ""
