"""Turns: lists, one turn taken apart, its journal, its fixture, and two turns compared."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.responses import Response

from turnledger.errors import NotAllowedError
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.exporting import turn_fixture
from turnledger.query.spans import span_of
from turnledger.query.turn_diff import turn_diff
from turnledger.query.turn_list import find_session, turn_page
from turnledger.query.verify import verify_journal
from turnledger.server.answers.events import Journal
from turnledger.server.answers.findings import FindingList
from turnledger.server.answers.turns import TurnDiff, TurnEntries, TurnJournalIndex, TurnList, TurnReport
from turnledger.server.caller import Viewer
from turnledger.server.render.findings import findings_answer
from turnledger.server.render.turns import (
    diff_answer,
    entries_answer,
    journal_answer,
    report_answer,
    turn_index,
    turns_answer,
)
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import (
    After,
    AgentId,
    Day,
    Limit,
    OtherTurnId,
    Since,
    TurnId,
    Until,
    Zone,
)
from turnledger.store.contract import TurnFilter
from turnledger.wire.fixture import file_name, fixture_bytes

__all__ = ["router"]

router = APIRouter(prefix="/api/agents/{agentId}", tags=["turns"], default_response_class=Reply)


@router.get("/turns", responses=answers(TurnList, 400, 404))
def list_turns(
    asking: Viewer,
    agent_id: AgentId,
    conversation: Annotated[UUID | None, Query(description="Of this conversation only.")] = None,
    status: Annotated[list[TurnStatus] | None, Query(description="Any of these.")] = None,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Turns of one agent, latest opening first."""
    span = span_of(since, until, day, zone)
    where = TurnFilter(
        agent=asking.agent(agent_id).id,
        conversation=conversation,
        statuses=frozenset(status or ()),
        since_ms=span.since_ms,
        until_ms=span.until_ms,
    )
    return reply(turns_answer(asking, turn_page(asking.reader, where, limit, after)))


@router.get("/turn-journal", responses=answers(TurnJournalIndex, 400, 404))
def get_turn_index(
    asking: Viewer,
    agent_id: AgentId,
    session_id: Annotated[
        str,
        Query(alias="sessionId", max_length=1000, description="Id of a conversation, or its outside key."),
    ],
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """The turns of a conversation."""
    conversation = find_session(asking.reader, asking.agent(agent_id).id, session_id)
    where = TurnFilter(agent=agent_id, conversation=conversation)
    page = turn_page(asking.reader, where, limit, after)
    return reply(turn_index(asking, agent_id, session_id, conversation, page))


@router.get("/turns/{turnId}", responses=answers(TurnReport, 400, 404))
def get_turn(
    asking: Viewer,
    agent_id: AgentId,
    turn_id: TurnId,
    previews: Annotated[bool, Query(description="Add the first words of bodies.")] = True,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many entries at most.")] = 500,
    after: After = None,
) -> Reply:
    """One turn: what it took, what is in doubt, what nobody ran; its entries and steps page by page."""
    return reply(report_answer(asking, asking.turn(agent_id, turn_id), limit, after, previews=previews))


@router.get("/turns/{turnId}/entries", responses=answers(TurnEntries, 404))
def get_turn_entries(
    asking: Viewer,
    agent_id: AgentId,
    turn_id: TurnId,
    start: Annotated[int, Query(alias="from", ge=0, le=2**31 - 1, description="The first one's seq.")] = 0,
    previews: Annotated[bool, Query(description="Add the first words of bodies.")] = True,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 200,
) -> Reply:
    """Some of a turn's events with what stands beside them and their steps, from any place on."""
    turn = asking.turn(agent_id, turn_id)
    return reply(entries_answer(asking, turn, start, limit, previews=previews))


@router.get("/turns/{turnId}/journal", responses=answers(Journal, 404))
def get_journal(asking: Viewer, agent_id: AgentId, turn_id: TurnId) -> Reply:
    """The turn's journal as it is hashed, whole, with the server's verdict."""
    return reply(journal_answer(asking, asking.turn(agent_id, turn_id)))


@router.get("/turns/{turnId}/verification", responses=answers(FindingList, 404))
def verify_turn(asking: Viewer, agent_id: AgentId, turn_id: TurnId) -> Reply:
    """Verify the turn now, bodies included."""
    turn = asking.turn(agent_id, turn_id).id
    return reply(findings_answer([verify_journal(asking.reader, turn)]))


@router.get(
    "/turns/{turnId}/fixture",
    responses=answers(None, 404, about="A fixture file, schema vegaduta.turn-fixture/1."),
)
def get_fixture(
    asking: Viewer,
    agent_id: AgentId,
    turn_id: TurnId,
    salts: Annotated[bool, Query(description="Add the salts, for callers who may read bodies.")] = False,
    bodies: Annotated[bool, Query(description="Add bodies, their secrets masked; the same callers.")] = False,
) -> Response:
    """The turn as a fixture, to be replayed in a test."""
    turn = asking.turn(agent_id, turn_id).id
    if (salts or bodies) and not asking.sees_bodies:
        msg = "Salts and bodies in a fixture need the scope view_bodies."
        raise NotAllowedError(msg, next_step="Ask for the fixture without them.")
    fixture = turn_fixture(asking.reader, turn, asking.service.clock.epoch_ms(), salts=salts, bodies=bodies)
    return Reply(
        fixture_bytes(fixture),
        headers={"Content-Disposition": f'attachment; filename="{file_name(turn)}"'},
    )


@router.get("/turns/{turnId}/diff/{otherTurnId}", responses=answers(TurnDiff, 404))
def get_diff(asking: Viewer, agent_id: AgentId, turn_id: TurnId, other_turn_id: OtherTurnId) -> Reply:
    """This turn and another one of the agent, step by step."""
    left, right = asking.turn(agent_id, turn_id), asking.turn(agent_id, other_turn_id)
    return reply(diff_answer(asking, turn_diff(asking.reader, left, right, bodies=asking.sees_bodies)))
