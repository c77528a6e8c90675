"""What a recorder asks a server beside appending, and what it is told: places and leases, no content."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

import msgspec

__all__ = [
    "LastRevision",
    "LeaseAnswer",
    "LostTurns",
    "MessagePlace",
    "RenewalRequest",
    "TakeoverRequest",
    "TurnEvent",
    "TurnEvents",
    "TurnHold",
    "TurnLease",
]

LONGEST_TTL_MS: Final = 86_400_000

_Ttl = Annotated[int, msgspec.Meta(ge=100, le=LONGEST_TTL_MS, description="How long the lease lasts.")]
_Small = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _Form(msgspec.Struct, rename="camel"):
    """An object of the protocol."""


class TurnHold(_Form):
    """A turn and the epoch of the lease on it."""

    turn_id: UUID
    epoch: _Small


class RenewalRequest(_Form):
    """Leases to extend."""

    holder: UUID
    turns: Annotated[list[TurnHold], msgspec.Meta(max_length=1000)]
    ttl_ms: _Ttl


class LostTurns(_Form):
    """Turns that another writer holds, or that have ended."""

    lost: list[UUID]


class TakeoverRequest(_Form):
    """A turn to be taken over."""

    turn_id: UUID
    holder: UUID
    ttl_ms: _Ttl


class TurnLease(_Form):
    """A hold on a turn, until ``untilMs`` of the ledger's clock."""

    turn_id: UUID
    agent_id: UUID
    conversation_id: UUID
    holder: UUID
    epoch: int
    until_ms: int | None


class LeaseAnswer(_Form):
    """The lease, or null where somebody holds the turn or it has ended."""

    lease: TurnLease | None


class MessagePlace(_Form):
    """Where a message stands."""

    event_id: UUID
    agent_id: UUID
    conversation_id: UUID | None
    journal_id: UUID
    seq: int


class LastRevision(_Form):
    """Number of a memory entry's newest revision; 0 where there is none."""

    revision: int


class TurnEvent(_Form):
    """An event of a turn that is being taken over."""

    event_id: UUID
    seq: int
    type: str
    summary: str
    detail: Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema={"type": "object"})]


class TurnEvents(_Form):
    """Events of a turn that is being taken over, in order."""

    agent_id: UUID
    conversation_id: UUID | None
    events: list[TurnEvent]
    has_more: bool
