"""Agents and their figures as answers."""

from __future__ import annotations

from turnledger.model.costs import CostSums
from turnledger.model.figures import Durations, SpanFigures, TokenCounts, TopConversation, TopName
from turnledger.model.rows import AgentRow
from turnledger.query.overview import AgentOverview
from turnledger.server.answers import agents
from turnledger.server.answers.form import Tokens, instant
from turnledger.server.caller import Asking
from turnledger.server.render.costs import cost_answer
from turnledger.server.render.left_out import left_out_answer

__all__ = ["agent_answer", "overview_answer", "tokens_answer"]


def agent_answer(row: AgentRow) -> agents.Agent:
    """One agent."""
    return agents.Agent(
        id=row.id,
        name=row.name,
        opened_at=instant(row.opened_ms),
        conversations=row.conversations,
        turns=row.turns,
    )


def tokens_answer(counts: TokenCounts) -> Tokens:
    """Sums of tokens."""
    return Tokens(
        in_=counts.tokens_in,
        out=counts.tokens_out,
        cache_read=counts.cache_read,
        cache_write=counts.cache_write,
        reasoning=counts.reasoning,
    )


def overview_answer(asking: Asking, found: AgentOverview, live_cursor: str) -> agents.Overview:
    """An agent over time, as it was no earlier than at ``live_cursor``."""
    costs = found.costs
    return agents.Overview(
        agent_id=found.agent,
        since=instant(found.total.since_ms),
        until=instant(found.total.until_ms),
        live_cursor=live_cursor,
        time_zone=found.zone,
        bucket=found.bucket.value,
        buckets=[
            agents.BucketFigures(
                since=instant(bucket.since_ms),
                until=instant(bucket.until_ms),
                figures=_figures(bucket, costs.buckets.get(bucket.since_ms)),
            )
            for bucket in found.buckets
        ],
        total=_figures(found.total, costs.total),
        top_conversations=[
            _conversation(top, costs.conversations.get(top.conversation)) for top in found.conversations
        ],
        top_models=[_calls(top, costs.models.get(top.name)) for top in found.models],
        top_tools=[_calls(top, None) for top in found.tools],
        damaged=left_out_answer(asking, found.damaged),
    )


def _figures(found: SpanFigures, cost: CostSums | None) -> agents.Figures:
    return agents.Figures(
        turns=sum(found.statuses.values()),
        statuses=found.statuses,
        shed=found.shed,
        failed_deliveries=found.failed_deliveries,
        model_calls=found.models.calls,
        model_errors=found.models.failed,
        tool_calls=found.tools.calls,
        tool_errors=found.tools.failed,
        tokens=tokens_answer(found.models.tokens),
        cost=cost_answer(cost),
        turn_ms=_percentiles(found.turn_ms),
        model_ms=_percentiles(found.model_ms),
    )


def _percentiles(found: Durations) -> agents.Percentiles:
    return agents.Percentiles(
        count=found.count,
        p50=found.percentile(50),
        p95=found.percentile(95),
        p99=found.percentile(99),
        max=found.longest,
    )


def _conversation(top: TopConversation, cost: CostSums | None) -> agents.ConversationFigures:
    return agents.ConversationFigures(
        conversation_id=top.conversation,
        key=top.key,
        model_calls=top.counts.calls,
        tokens=tokens_answer(top.counts.tokens),
        cost=cost_answer(cost),
    )


def _calls(top: TopName, cost: CostSums | None) -> agents.CallFigures:
    return agents.CallFigures(
        name=top.name,
        calls=top.counts.calls,
        errors=top.counts.failed,
        tokens=tokens_answer(top.counts.tokens),
        cost=cost_answer(cost),
        total_ms=top.total_ms,
        max_ms=top.max_ms,
    )
