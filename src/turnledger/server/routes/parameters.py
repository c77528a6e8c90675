"""Parameters that several routes have, with what they mean."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from uuid import UUID

from fastapi import Path, Query

__all__ = [
    "Actor",
    "ActorId",
    "After",
    "AgentId",
    "ConversationId",
    "Day",
    "EntryId",
    "EventId",
    "Limit",
    "OperatorId",
    "OtherTurnId",
    "Since",
    "TokenId",
    "TurnId",
    "Until",
    "Zone",
]

AgentId: TypeAlias = Annotated[UUID, Path(alias="agentId", description="Id of the agent.")]
ConversationId: TypeAlias = Annotated[UUID, Path(alias="conversationId", description="One of the agent's.")]
TurnId: TypeAlias = Annotated[UUID, Path(alias="turnId", description="One of the agent's.")]
OtherTurnId: TypeAlias = Annotated[UUID, Path(alias="otherTurnId", description="One of the same agent's.")]
EventId: TypeAlias = Annotated[UUID, Path(alias="eventId", description="One of the agent's.")]
ActorId: TypeAlias = Annotated[UUID, Path(alias="actorId", description="Who writes to the agent.")]
EntryId: TypeAlias = Annotated[UUID, Path(alias="entryId", description="One of the agent's memory.")]
OperatorId: TypeAlias = Annotated[UUID, Path(alias="operatorId", description="Of anybody who may log in.")]
TokenId: TypeAlias = Annotated[UUID, Path(alias="tokenId", description="Of any token.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
After: TypeAlias = Annotated[
    str | None, Query(max_length=200, description="The cursor `next` of the page before.")
]
Since: TypeAlias = Annotated[
    str | None, Query(max_length=40, description="From this time on: ISO 8601 with a zone.")
]
Until: TypeAlias = Annotated[
    str | None, Query(max_length=40, description="Short of this time: ISO 8601 with a zone.")
]
Day: TypeAlias = Annotated[
    str | None,
    Query(max_length=10, description="One calendar day of `tz`, instead of `since` and `until`: 2026-11-30."),
]
Zone: TypeAlias = Annotated[
    str, Query(alias="tz", max_length=64, description="Time zone of days and buckets: UTC, Europe/Berlin.")
]
Actor: TypeAlias = Annotated[
    str | None, Query(max_length=1000, description="Id of an actor, or an actor's outside name.")
]
