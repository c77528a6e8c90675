"""Agents, and one agent's figures over time."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.form import Answer, Cost, Cursor, LeftOut, Moment, Tokens

__all__ = [
    "Agent",
    "AgentList",
    "BucketFigures",
    "CallFigures",
    "ConversationFigures",
    "Figures",
    "Overview",
    "Percentiles",
]


class Agent(Answer):
    """One runtime perspective; everything else belongs to exactly one."""

    id: UUID
    name: str
    opened_at: Moment
    conversations: int
    turns: int


class AgentList(Answer):
    """All agents that the caller may see, by name."""

    items: list[Agent]
    has_more: bool
    damaged: LeftOut | None


class Percentiles(Answer):
    """Milliseconds by nearest rank, rounded down by less than 1/64; null where nothing was measured."""

    count: int
    p50: int | None
    p95: int | None
    p99: int | None
    max: int | None


class Figures(Answer):
    """What happened in a stretch of time; turns count where they were opened, calls where they ended."""

    turns: int
    statuses: Annotated[dict[str, int], msgspec.Meta(description="Turns by their present status.")]
    shed: Annotated[dict[str, int], msgspec.Meta(description="Dropped triggers by reason.")]
    failed_deliveries: int
    model_calls: int
    model_errors: int
    tool_calls: int
    tool_errors: int
    tokens: Tokens
    cost: Cost
    turn_ms: Percentiles
    model_ms: Percentiles


class BucketFigures(Answer):
    """Figures of one bucket, from ``since`` on and short of ``until``."""

    since: Moment
    until: Moment
    figures: Figures


class ConversationFigures(Answer):
    """A conversation among those that used most tokens."""

    conversation_id: UUID
    key: str | None
    model_calls: int
    tokens: Tokens
    cost: Cost


class CallFigures(Answer):
    """One model or tool and how its calls went."""

    name: str
    calls: int
    errors: int
    tokens: Tokens
    cost: Cost
    total_ms: int
    max_ms: int | None


class Overview(Answer):
    """One agent over a stretch of time; buckets are half-open, without gaps, in the time zone asked for."""

    agent_id: UUID
    since: Moment
    until: Moment
    live_cursor: Annotated[Cursor, msgspec.Meta(description="Where to begin the agent's stream.")]
    time_zone: str
    bucket: Literal["minute", "quarter", "hour", "day", "week"]
    buckets: list[BucketFigures]
    total: Figures
    top_conversations: list[ConversationFigures]
    top_models: list[CallFigures]
    top_tools: list[CallFigures]
    damaged: LeftOut | None
