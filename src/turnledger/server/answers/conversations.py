"""Conversations and their timelines."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.events import Entry, Preview
from turnledger.server.answers.form import Answer, Cost, Cursor, LeftOut, Moment
from turnledger.server.answers.turns import Turn

__all__ = ["Conversation", "ConversationList", "LastMessage", "Message", "Timeline"]


class LastMessage(Answer):
    """The newest message of a conversation."""

    event_id: UUID
    direction: Literal["inbound", "outbound"]
    created_at: Moment
    fate: str | None
    preview: Preview | None


class Conversation(Answer):
    """A conversation; ``key``, ``place`` are outside names, null once erased.

    Tokens are null where no exchange reported any.
    """

    id: UUID
    agent_id: UUID
    agent_name: str
    key: str | None
    connector: str | None
    shape: Literal["dm", "channel", "thread", "session"]
    place: str | None
    opened_at: Moment
    last_at: Moment
    events: int
    turns: int
    messages: int
    open_turns: Annotated[int, msgspec.Meta(description="Turns that have not ended: they run or wait.")]
    waiting_turns: Annotated[int, msgspec.Meta(description="Those of them that wait for an approval.")]
    failed_turns: int
    owes_reply: Annotated[
        bool,
        msgspec.Meta(
            description="A message was shed, undecided or let down by its turn, and never replied to."
        ),
    ]
    tokens_in: Annotated[
        int | None, msgspec.Meta(description="All input: not cached, read from and written to the cache.")
    ]
    tokens_out: Annotated[int | None, msgspec.Meta(description="All output: visible and reasoning.")]
    cost: Cost
    last_message: LastMessage | None


class ConversationList(Answer):
    """Latest activity first.  A page may hold fewer than asked for and still have more behind it."""

    items: list[Conversation]
    has_more: bool
    next: Cursor | None
    live_cursor: Annotated[Cursor, msgspec.Meta(description="Where to begin the stream without a gap.")]
    damaged: LeftOut | None


class Timeline(Answer):
    """A stretch of a conversation, oldest first: its own journal and those of its turns, interleaved.

    ``hasMore`` is about the direction that was asked for; ``before`` and ``after`` lead on in either one.
    """

    conversation_id: UUID
    agent_id: UUID
    entries: list[Entry]
    has_more: bool
    before: Annotated[Cursor | None, msgspec.Meta(description="For older entries; null at the beginning.")]
    after: Annotated[Cursor, msgspec.Meta(description="For newer entries, and for the stream.")]
    total: Annotated[int, msgspec.Meta(description="Events of the conversation.")]
    turns: Annotated[list[Turn], msgspec.Meta(description="The turns that entries here belong to or name.")]
    names: Annotated[
        dict[str, str], msgspec.Meta(description="Outside names of the ids in tokens, those not erased.")
    ]
    damaged: LeftOut | None


class Message(Answer):
    """A message and what became of it."""

    conversation_id: UUID
    seq: int
    event_id: UUID
    direction: Literal["inbound", "outbound"]
    actor_id: UUID | None
    actor_name: str | None
    chars: int
    created_at: Moment
    verdict: Literal["engage", "observe", "ignore", "defer"] | None
    turn_id: UUID | None
    fate: str | None
    preview: Preview | None
