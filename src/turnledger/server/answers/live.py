"""What the stream says: identifiers and places, never content."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from turnledger.server.answers.form import Answer, Moment

__all__ = ["Resync", "StreamEvent"]


class StreamEvent(Answer):
    """``event: append``: an event is on record; its ``id:`` is the cursor to resume from."""

    event_id: UUID
    agent_id: UUID
    conversation_id: UUID | None
    journal: Literal["turn", "conversation", "ledger"]
    journal_id: UUID
    turn_id: UUID | None
    seq: int
    position: int | None
    type: str
    created_at: Moment
    summary: str


class Resync(Answer):
    """``event: resync``: something was passed over, so ask the API anew; live events follow."""

    reason: Literal["too_far_behind", "malformed_cursor", "future_cursor", "slow_reader"]
