"""Recording through the server: what a recorder appends, and the few things it has to look up."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from turnledger.server.caller import OftenRecorder, Recorder
from turnledger.server.capture_lookups import acquire, last_revision, place_of, renew, turn_events
from turnledger.server.capture_openapi import CAPTURE_ANSWERS, CAPTURE_BODY
from turnledger.server.question import question
from turnledger.server.reply import Reply, answers, in_body, reply
from turnledger.server.routes.parameters import AgentId, EntryId, EventId, TurnId
from turnledger.wire.capture_lookups import (
    LastRevision,
    LeaseAnswer,
    LostTurns,
    MessagePlace,
    RenewalRequest,
    TakeoverRequest,
    TurnEvents,
)

__all__ = ["router"]

router = APIRouter(prefix="/api/capture", tags=["capture"], default_response_class=Reply)

_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


@router.post("/events", responses=CAPTURE_ANSWERS, openapi_extra=CAPTURE_BODY, response_class=Response)
async def append_events(request: Request, asking: OftenRecorder) -> Response:
    """Append batches of events; answers once they are durable.  Sent again, they are the same events."""
    return await asking.service.intake.answer(request, asking.caller)


@router.post(
    "/renewals",
    responses=answers(LostTurns, 400, 415),
    openapi_extra=in_body(
        RenewalRequest, {"holder": _ID, "turns": [{"turnId": _ID, "epoch": 0}], "ttlMs": 30000}
    ),
)
def renew_leases(
    asking: Recorder, asked: Annotated[RenewalRequest, Depends(question(RenewalRequest))]
) -> Reply:
    """Extend the leases of turns."""
    return reply(renew(asking, asked))


@router.post(
    "/takeovers",
    responses=answers(LeaseAnswer, 400, 404, 415),
    openapi_extra=in_body(TakeoverRequest, {"turnId": _ID, "holder": _ID, "ttlMs": 30000}),
)
def take_over(
    asking: Recorder, asked: Annotated[TakeoverRequest, Depends(question(TakeoverRequest))]
) -> Reply:
    """Take over a turn that waits, or whose writer is gone."""
    return reply(acquire(asking, asked))


@router.get("/turns/{turnId}/events", responses=answers(TurnEvents, 404, 409))
def get_turn_events(
    asking: Recorder,
    turn_id: TurnId,
    holder: Annotated[UUID | None, Query(description="Who holds the turn; left out, nobody may.")] = None,
    start: Annotated[int, Query(ge=0, le=2**31 - 1, description="The first seq.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 500,
) -> Reply:
    """What a turn that is taken over has done so far, without bodies."""
    return reply(turn_events(asking, turn_id, holder, start, limit))


@router.get("/places/{eventId}", responses=answers(MessagePlace, 404))
def get_place(asking: Recorder, event_id: EventId) -> Reply:
    """Where a message that was recorded before stands."""
    return reply(place_of(asking, event_id))


@router.get("/memory/{agentId}/{entryId}", responses=answers(LastRevision, 404))
def get_last_revision(asking: Recorder, agent_id: AgentId, entry_id: EntryId) -> Reply:
    """How many revisions a memory entry has."""
    return reply(last_revision(asking, agent_id, entry_id))
