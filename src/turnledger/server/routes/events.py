"""One event, and its bodies byte for byte."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from turnledger.server.answers.events import Entry
from turnledger.server.bodies import BODY_ANSWERS, body_response
from turnledger.server.caller import BodyViewer, Viewer
from turnledger.server.render.events import event_entries, one_entry
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import AgentId, EventId

__all__ = ["router"]

router = APIRouter(prefix="/api/agents/{agentId}/events/{eventId}", tags=["events"])

Slot = Annotated[str, Path(max_length=64, description="payload, supplied, attachment-0 …")]


@router.get("", responses=answers(Entry, 404), response_class=Reply)
def get_event(asking: Viewer, agent_id: AgentId, event_id: EventId) -> Reply:
    """One event."""
    return reply(one_entry(asking, asking.event(agent_id, event_id)))


@router.get("/body/{slot}", responses=BODY_ANSWERS, response_class=Response)
def get_body(
    request: Request, asking: BodyViewer, agent_id: AgentId, event_id: EventId, slot: Slot
) -> Response:
    """One body, or a range of it, exactly as it was stored."""
    (entry,) = event_entries([asking.event(agent_id, event_id)])
    return body_response(asking.reader, entry, slot, request.headers.get("Range"))
