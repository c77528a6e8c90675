"""What a recorder is told: places and leases, nothing that was said."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import msgspec

from turnledger.server.answers.form import Answer

__all__ = ["Lease", "LeaseAnswer", "LostTurns", "Place", "Revision", "TurnEvent", "TurnEvents"]


class LostTurns(Answer):
    """Turns that another writer holds, or that have ended."""

    lost: list[UUID]


class Lease(Answer):
    """A hold on a turn."""

    turn_id: UUID
    agent_id: UUID
    conversation_id: UUID
    holder: UUID
    epoch: int
    until_ms: int | None


class LeaseAnswer(Answer):
    """The lease, or null where somebody holds the turn or it has ended."""

    lease: Lease | None


class Place(Answer):
    """Where an event of a conversation's journal stands."""

    event_id: UUID
    agent_id: UUID
    conversation_id: UUID | None
    journal_id: UUID
    seq: int


class Revision(Answer):
    """Number of a memory entry's newest revision; 0 where there is none."""

    revision: int


class TurnEvent(Answer):
    """An event of a turn that is being taken over."""

    event_id: UUID
    seq: int
    type: str
    summary: str
    detail: Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema={"type": "object"})]


class TurnEvents(Answer):
    """Events of a turn that is being taken over, in order."""

    agent_id: UUID
    conversation_id: UUID | None
    events: list[TurnEvent]
    has_more: bool
