"""The ledger as a whole: search, integrity, settings, health, metrics."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse

from turnledger.query.search import search
from turnledger.query.verify import verify_conversation
from turnledger.server.answers.findings import (
    FindingList,
    Health,
    Integrity,
    Retention,
    SearchAnswer,
    VerificationJob,
)
from turnledger.server.caller import AnyCaller, BodyViewer, Viewer
from turnledger.server.render.findings import findings_answer, integrity_answer, job_answer, search_answer
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import After, AgentId, ConversationId, Limit

__all__ = ["router"]

router = APIRouter(default_response_class=Reply)


@router.get("/api/search", tags=["search"], responses=answers(SearchAnswer, 400, 404))
def search_bodies(
    asking: BodyViewer,
    q: Annotated[str, Query(min_length=1, max_length=200, description='Words, and "words in a row".')],
    agent: Annotated[UUID | None, Query(description="Of this agent only.")] = None,
    requests: Annotated[
        bool, Query(description="Search requests to models and their prompts too; slower.")
    ] = False,
    limit: Limit = 20,
    after: After = None,
) -> Reply:
    """Bodies that hold all the words, newest first; says where it stopped if that was before the end."""
    agents = asking.caller.grant.agents if agent is None else frozenset([asking.agent(agent).id])
    found = search(asking.reader, q, agents, limit, after, asking.service.clock, requests=requests)
    return reply(search_answer(asking, found))


@router.get(
    "/api/agents/{agentId}/conversations/{conversationId}/verification",
    tags=["integrity"],
    responses=answers(FindingList, 404),
)
def verify_one_conversation(asking: Viewer, agent_id: AgentId, conversation_id: ConversationId) -> Reply:
    """Verify a conversation and all its turns now, bodies included."""
    conversation = asking.conversation(agent_id, conversation_id).id
    return reply(findings_answer(list(verify_conversation(asking.reader, conversation))))


@router.get("/api/integrity", tags=["integrity"], responses=answers(Integrity))
def get_integrity(asking: Viewer) -> Reply:
    """How far the ledger can be trusted; needs a caller who may see all agents."""
    return reply(integrity_answer(asking.everywhere()))


@router.get("/api/integrity/verification", tags=["integrity"], responses=answers(VerificationJob, 404))
def get_verification(asking: Viewer) -> Reply:
    """The verification of the whole ledger that runs, or ran last."""
    return reply(job_answer(asking.everywhere().service.check.last()))


@router.post(
    "/api/integrity/verification",
    tags=["integrity"],
    status_code=202,
    responses=answers(VerificationJob, status=202, about="It runs."),
)
def start_verification(asking: Viewer) -> Reply:
    """Begin to verify the whole ledger, or go on with what runs already."""
    return reply(job_answer(asking.everywhere().service.check.start()), 202)


@router.delete("/api/integrity/verification", tags=["integrity"], responses=answers(VerificationJob, 404))
def cancel_verification(asking: Viewer) -> Reply:
    """Stop the verification that runs."""
    return reply(job_answer(asking.everywhere().service.check.cancel()))


@router.get("/api/settings/retention", tags=["settings"], responses=answers(Retention))
def get_retention(asking: Viewer) -> Reply:
    """How long bodies are kept."""
    asking.everywhere()
    return reply(Retention(mode="keep", window_days=None))


@router.get("/api/health", tags=["server"], responses={code: answers(Health)[code] for code in (200, 422)})
def get_health() -> Reply:
    """Whether the server answers.  Says nothing about the ledger."""
    return reply(Health(status="ok"))


@router.get(
    "/metrics",
    tags=["server"],
    response_class=PlainTextResponse,
    responses=answers(None, about="Counters in the Prometheus text format."),
)
def get_metrics(asking: AnyCaller) -> PlainTextResponse:
    """Counters of this server process."""
    asking.everywhere()
    return PlainTextResponse(
        asking.service.meter.text(), media_type="text/plain; version=0.0.4; charset=utf-8"
    )
