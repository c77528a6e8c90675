"""One agent over a stretch of time: figures by bucket, in all, and what was used most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from uuid import UUID

from turnledger.model.costs import CostSums
from turnledger.model.figures import SpanFigures, TopConversation, TopName
from turnledger.model.rows import DamagedRow
from turnledger.query.spans import Bucket, Span, bucket_edges, fitting_bucket, zone_named
from turnledger.store.costs import CostReader
from turnledger.store.figures import FiguresReader

__all__ = ["AgentOverview", "OverviewCosts", "closed_span", "overview"]

_DAY_MS: Final = 86_400_000
_TOP: Final = 10


@dataclass(frozen=True, slots=True)
class OverviewCosts:
    """What calls cost: in all, by bucket (its beginning), by conversation, by model that served."""

    total: CostSums
    buckets: Mapping[int, CostSums]
    conversations: Mapping[UUID, CostSums]
    models: Mapping[str, CostSums]


@dataclass(frozen=True, slots=True)
class AgentOverview:
    """Buckets without gaps, oldest first; the first and last may reach beyond what was asked for.

    ``damaged`` are conversations that belong among the top ones and cannot be shown.
    """

    agent: UUID
    zone: str
    bucket: Bucket
    total: SpanFigures
    buckets: tuple[SpanFigures, ...]
    conversations: tuple[TopConversation, ...]
    models: tuple[TopName, ...]
    tools: tuple[TopName, ...]
    costs: OverviewCosts
    damaged: tuple[DamagedRow, ...] = ()


def closed_span(span: Span, now_ms: int) -> tuple[int, int]:
    """The stretch with both ends: an open end is now, an open beginning a day before the end."""
    until_ms = now_ms + 1 if span.until_ms is None else span.until_ms
    return (until_ms - _DAY_MS if span.since_ms is None else span.since_ms), until_ms


def overview(
    figures: FiguresReader,
    costs: CostReader,
    agent: UUID,
    span: Span,
    bucket: Bucket | None,
    zone: str,
    now_ms: int,
) -> AgentOverview:
    """The overview of a stretch (default: the last 24 hours).

    Raises GrammarError for a zone that is none, and for more than 400 buckets.
    """
    since_ms, until_ms = closed_span(span, now_ms)
    chosen = bucket or fitting_bucket(until_ms - since_ms)
    edges = bucket_edges(since_ms, until_ms, chosen, zone_named(zone))
    whole = edges[0], edges[-1]
    buckets = figures.spans(agent, list(pairwise(edges)))
    total = SpanFigures(*whole)
    for one in buckets:
        total.add(one)
    tops = figures.top_conversations(agent, whole, _TOP)
    conversations = tuple(tops)
    return AgentOverview(
        agent,
        zone,
        chosen,
        total,
        tuple(buckets),
        conversations,
        tuple(figures.top_names(agent, "model", whole, _TOP)),
        tuple(figures.top_names(agent, "tool", whole, _TOP)),
        _costs(costs, agent, list(pairwise(edges)), conversations),
        tuple(tops.damaged),
    )


def _costs(
    costs: CostReader,
    agent: UUID,
    spans: Sequence[tuple[int, int]],
    conversations: Sequence[TopConversation],
) -> OverviewCosts:
    whole = spans[0][0], spans[-1][1]
    buckets, total = costs.of_spans(agent, spans), CostSums()
    for one in buckets.values():
        total.add(one)
    by_conversation = costs.of_conversations([top.conversation for top in conversations], whole)
    return OverviewCosts(total, buckets, by_conversation, costs.of_models(agent, whole))
