"""Agents, and one agent's figures over time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from turnledger.query.live_cursor import ledger_cursor
from turnledger.query.overview import overview
from turnledger.query.spans import Bucket, span_of
from turnledger.server.answers.agents import Agent, AgentList, Overview
from turnledger.server.caller import Viewer
from turnledger.server.render.agents import agent_answer, overview_answer
from turnledger.server.render.left_out import left_out_answer
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import AgentId, Day, Since, Until, Zone

__all__ = ["router"]

router = APIRouter(prefix="/api/agents", tags=["agents"], default_response_class=Reply)


@router.get("", responses=answers(AgentList))
def list_agents(asking: Viewer) -> Reply:
    """All agents that the caller may see, by name."""
    rows = asking.reader.agents()
    return reply(
        AgentList(
            items=[agent_answer(row) for row in rows if asking.caller.grant.covers(row.id)],
            has_more=False,
            damaged=left_out_answer(asking, rows.damaged),
        )
    )


@router.get("/{agentId}", responses=answers(Agent, 404))
def get_agent(asking: Viewer, agent_id: AgentId) -> Reply:
    """One agent."""
    return reply(agent_answer(asking.agent(agent_id)))


@router.get("/{agentId}/overview", responses=answers(Overview, 400, 404))
def get_overview(
    asking: Viewer,
    agent_id: AgentId,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    bucket: Annotated[
        Bucket | None, Query(description="How wide; left out, it fits the stretch of time.")
    ] = None,
) -> Reply:
    """Counts, tokens, latency and failures over time (default: the last 24 hours), and what was used most."""
    agent = asking.agent(agent_id).id
    service = asking.service
    live = ledger_cursor(asking.reader.head_cursor())
    span = span_of(since, until, day, zone)
    found = overview(service.figures, service.costs, agent, span, bucket, zone, service.clock.epoch_ms())
    return reply(overview_answer(asking, found, live))
