"""Actors, memory, dropped triggers, deliveries, and the balance of all inbound messages."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from turnledger.model.vocabulary import DeliveryStatus
from turnledger.query.balance import balance
from turnledger.query.incidents import delivery_page, disposal_page
from turnledger.query.live_cursor import ledger_cursor
from turnledger.query.memory import memory_page, revision_page
from turnledger.query.people import actor_messages, actor_page
from turnledger.query.spans import span_of
from turnledger.server.answers.people import (
    ActorList,
    ActorTimeline,
    Balance,
    DeliveryList,
    DisposalList,
    MemoryEntry,
    MemoryList,
)
from turnledger.server.caller import Viewer
from turnledger.server.render.people import (
    actor_timeline,
    actors_answer,
    balance_answer,
    deliveries_answer,
    disposals_answer,
    memory_answer,
    memory_entry,
)
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import (
    ActorId,
    After,
    AgentId,
    Day,
    EntryId,
    Limit,
    Since,
    Until,
    Zone,
)

__all__ = ["router"]

router = APIRouter(prefix="/api/agents/{agentId}", default_response_class=Reply)


@router.get("/actors", tags=["actors"], responses=answers(ActorList, 400, 404))
def list_actors(asking: Viewer, agent_id: AgentId, limit: Limit = 50, after: After = None) -> Reply:
    """Who writes to the agent, latest message first."""
    return reply(
        actors_answer(asking, actor_page(asking.service.figures, asking.agent(agent_id).id, limit, after))
    )


@router.get("/actors/{actorId}/timeline", tags=["actors"], responses=answers(ActorTimeline, 400, 404))
def get_actor_timeline(
    asking: Viewer, agent_id: AgentId, actor_id: ActorId, limit: Limit = 50, after: After = None
) -> Reply:
    """One actor's messages in all conversations with the agent, newest first."""
    agent = asking.agent(agent_id).id
    page = actor_messages(asking.service.figures, agent, actor_id, limit, after)
    return reply(actor_timeline(asking, actor_id, page))


@router.get("/memory", tags=["memory"], responses=answers(MemoryList, 400, 404))
def list_memory(
    asking: Viewer,
    agent_id: AgentId,
    conversation: Annotated[UUID | None, Query(description="Written in this conversation only.")] = None,
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Revisions of memory entries, newest first; each links to the turn that wrote it."""
    agent = asking.agent(agent_id).id
    return reply(
        memory_answer(asking, memory_page(asking.service.figures, agent, conversation, limit, after))
    )


@router.get("/memory/{entryId}", tags=["memory"], responses=answers(MemoryEntry, 400, 404))
def get_memory(
    asking: Viewer, agent_id: AgentId, entry_id: EntryId, limit: Limit = 50, after: After = None
) -> Reply:
    """One memory entry's revisions, newest first."""
    agent = asking.agent(agent_id).id
    return reply(
        memory_entry(asking, entry_id, revision_page(asking.service.figures, agent, entry_id, limit, after))
    )


@router.get("/disposals", tags=["balance"], responses=answers(DisposalList, 400, 404))
def list_disposals(
    asking: Viewer,
    agent_id: AgentId,
    kind: Annotated[Literal["shed", "collapsed"] | None, Query(description="Left out: both.")] = None,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Triggers that were dropped, or folded into another one, newest first."""
    agent, span = asking.agent(agent_id).id, span_of(since, until, day, zone)
    return reply(
        disposals_answer(asking, disposal_page(asking.service.figures, agent, kind, span, limit, after))
    )


@router.get("/deliveries", tags=["balance"], responses=answers(DeliveryList, 400, 404))
def list_deliveries(
    asking: Viewer,
    agent_id: AgentId,
    status: Annotated[DeliveryStatus | None, Query(description="Left out: all.")] = None,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Reports on the delivery of outbound messages, newest first."""
    agent, span = asking.agent(agent_id).id, span_of(since, until, day, zone)
    return reply(
        deliveries_answer(asking, delivery_page(asking.service.figures, agent, status, span, limit, after))
    )


@router.get("/balance", tags=["balance"], responses=answers(Balance, 400, 404))
def get_balance(
    asking: Viewer,
    agent_id: AgentId,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
) -> Reply:
    """What became of every inbound message (default: of the last 24 hours), and whether it adds up."""
    agent, span = asking.agent(agent_id).id, span_of(since, until, day, zone)
    live = ledger_cursor(asking.reader.head_cursor())
    found = balance(asking.service.figures, agent, span, asking.service.clock.epoch_ms())
    return reply(balance_answer(asking, found, live))
