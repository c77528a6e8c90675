"""Events as people read them, in a timeline or a turn, and the journal as it is hashed."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.form import Answer, Cursor, Hash, Moment

__all__ = ["BodySlot", "Entry", "Journal", "JournalEvent", "Preview"]


class BodySlot(Answer):
    """A body of an event; its bytes are at ``…/events/{eventId}/body/{slot}``."""

    slot: str
    size: Annotated[int, msgspec.Meta(description="Bytes.")]
    state: Literal["present", "pruned"]
    media_type: str


class Preview(Answer):
    """The first words of one body, at most 200 characters; only for callers who may read bodies."""

    slot: str
    state: Literal["text", "binary", "pruned", "damaged", "none"]
    text: str
    more: Annotated[bool, msgspec.Meta(description="There is more than this.")]


class Entry(Answer):
    """One event with its summary taken apart.  Bodies are fetched apart."""

    event_id: UUID
    journal: Literal["turn", "conversation", "ledger"]
    journal_id: UUID
    agent_id: UUID
    conversation_id: UUID | None
    turn_id: UUID | None
    seq: int
    position: Annotated[int | None, msgspec.Meta(description="Gap-free place in the conversation.")]
    cursor: Cursor
    type: str
    created_at: Moment
    gap_ms: Annotated[int | None, msgspec.Meta(description="Since the entry before it in this answer.")]
    summary: str
    tokens: Annotated[dict[str, str], msgspec.Meta(description="The summary's tokens, decoded.")]
    assurance: Literal["write_ahead", "spooled", "observed", "imported"] | None
    payload_hash: Hash
    hash: Hash
    detail: Annotated[
        msgspec.Raw,
        msgspec.Meta(
            description=(
                "The detail record, exactly the bytes that the summary's token `detail` is the SHA-256 of; "
                "integers may be of any size."
            ),
            extra_json_schema={"type": "object", "additionalProperties": True},
        ),
    ]
    bodies: list[BodySlot]
    preview: Preview | None


class JournalEvent(Answer):
    """The seven fields of an event, and no others."""

    seq: int
    type: str
    payload_hash: str
    summary: str
    prev_hash: str
    hash: str
    created_at: str


class Journal(Answer):
    """A turn's journal with the server's verdict; recompute it yourself."""

    agent_id: UUID
    turn_id: UUID
    chain_intact: bool
    broken_at_seq: Annotated[int, msgspec.Meta(description="-1 where no single event is to blame.")]
    verification: Annotated[str, msgspec.Meta(description="`ok`, or the word for what was found.")]
    commitment: Literal["hmac-sha256", "sha256"]
    events: list[JournalEvent]
