"""Actors, memory, and what became of messages that nobody answered."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.conversations import Message
from turnledger.server.answers.form import Answer, Cursor, LeftOut, Moment

__all__ = [
    "Actor",
    "ActorList",
    "ActorTimeline",
    "Balance",
    "Delivery",
    "DeliveryList",
    "Disposal",
    "DisposalList",
    "MemoryEntry",
    "MemoryList",
    "MemoryRevision",
    "Unaccounted",
]


class Actor(Answer):
    """Somebody who writes to the agent; ``name`` is null once erased."""

    id: UUID
    name: str | None
    messages: int
    conversations: int
    first_at: Moment
    last_at: Moment


class ActorList(Answer):
    """Latest message first."""

    items: list[Actor]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class ActorTimeline(Answer):
    """Messages of one actor in all conversations with the agent, newest first."""

    actor_id: UUID
    name: str | None
    items: list[Message]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class MemoryRevision(Answer):
    """One revision of a memory entry and the event that wrote it; its content is that event's payload."""

    entry_id: UUID
    key: str | None
    revision: int
    op: Literal["create", "update", "delete"]
    created_at: Moment
    event_id: UUID
    conversation_id: UUID | None
    turn_id: UUID | None


class MemoryList(Answer):
    """Revisions of all entries, newest first."""

    items: list[MemoryRevision]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class MemoryEntry(Answer):
    """One entry's revisions, newest first."""

    entry_id: UUID
    key: str | None
    items: list[MemoryRevision]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class Disposal(Answer):
    """A trigger that was dropped, or folded into another one."""

    kind: Literal["shed", "collapsed"]
    conversation_id: UUID
    seq: int
    event_id: UUID
    created_at: Moment
    message_seq: int | None
    into_seq: int | None
    reason: str | None
    age_ms: int | None
    stale_ms: int | None
    depth: int | None
    collapsed: int | None


class DisposalList(Answer):
    """Newest first."""

    items: list[Disposal]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class Delivery(Answer):
    """One report on the delivery of an outbound message."""

    conversation_id: UUID
    seq: int
    event_id: UUID
    created_at: Moment
    message_seq: int
    status: Literal["sending", "delivered", "failed"]
    attempt: int | None


class DeliveryList(Answer):
    """Newest first."""

    items: list[Delivery]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


class Unaccounted(Answer):
    """An inbound message whose fate does not add up."""

    conversation_id: UUID
    seq: int
    event_id: UUID
    created_at: Moment
    reason: Annotated[
        Literal["undecided", "engaged_without_turn", "turn_missing"],
        msgspec.Meta(description="Nothing was decided, no turn followed, or the turn is not on record."),
    ]


class Balance(Answer):
    """Every inbound message's fate; ``balanced`` where they add up and none is unaccounted for."""

    agent_id: UUID
    since: Moment
    until: Moment
    live_cursor: Annotated[Cursor, msgspec.Meta(description="Where to begin the agent's stream.")]
    received: int
    fates: Annotated[
        dict[str, int],
        msgspec.Meta(
            description=(
                "answered, observed, ignored, deferred, collapsed, shed, superseded, failed, waiting, "
                "unaccounted: their sum is `received`."
            )
        ),
    ]
    balanced: bool
    grace_ms: Annotated[
        int, msgspec.Meta(description="How old an undecided message is before it is unaccounted for.")
    ]
    unaccounted: Annotated[list[Unaccounted], msgspec.Meta(description="The newest of them, at most 50.")]
    damaged: LeftOut | None
