"""Conversations and their timelines."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.responses import StreamingResponse

from turnledger.model.vocabulary import Shape
from turnledger.query.conversation_list import ConversationQuestion, conversation_page
from turnledger.query.spans import span_of
from turnledger.query.windows import Anchor, place_around, timeline_window
from turnledger.server.answers.conversations import Conversation, ConversationList, Timeline
from turnledger.server.caller import Asking, Viewer
from turnledger.server.export import EXPORT_ANSWERS, export_response
from turnledger.server.render.conversations import conversation_answer, conversations_answer, timeline_answer
from turnledger.server.reply import Reply, answers, reply
from turnledger.server.routes.parameters import (
    Actor,
    After,
    AgentId,
    ConversationId,
    Day,
    Limit,
    Since,
    Until,
    Zone,
)

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["conversations"], default_response_class=Reply)

Connector = Annotated[str | None, Query(max_length=200, description="Such as slack, email, api.")]
Place = Annotated[str | None, Query(max_length=1000, description="Outside name of a channel or room.")]
Status = Annotated[
    Literal["open", "waiting", "failed", "owes"] | None,
    Query(
        description="With a turn that runs or waits; that waits for an approval; that failed; or with a "
        "message that nothing answers."
    ),
]
Words = Annotated[
    str | None, Query(max_length=200, description="Text in the conversation's key or place, in any case.")
]
Previews = Annotated[bool, Query(description="Add the first words of bodies, for callers who may read them.")]


@router.get("/conversations", responses=answers(ConversationList, 400))
def list_all_conversations(
    asking: Viewer,
    actor: Actor = None,
    connector: Connector = None,
    shape: Shape | None = None,
    place: Place = None,
    status: Status = None,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    q: Words = None,
    previews: Previews = False,
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Conversations of all agents that the caller may see, latest activity first."""
    span = span_of(since, until, day, zone)
    question = ConversationQuestion(actor, connector, shape, place, status, span, q)
    return _listed(asking, None, question, limit, after, previews)


@router.get("/agents/{agentId}/conversations", responses=answers(ConversationList, 400, 404))
def list_conversations(
    asking: Viewer,
    agent_id: AgentId,
    actor: Actor = None,
    connector: Connector = None,
    shape: Shape | None = None,
    place: Place = None,
    status: Status = None,
    since: Since = None,
    until: Until = None,
    day: Day = None,
    zone: Zone = "UTC",
    q: Words = None,
    previews: Previews = False,
    limit: Limit = 50,
    after: After = None,
) -> Reply:
    """Conversations of one agent, latest activity first."""
    span = span_of(since, until, day, zone)
    question = ConversationQuestion(actor, connector, shape, place, status, span, q)
    return _listed(asking, asking.agent(agent_id).id, question, limit, after, previews)


def _listed(
    asking: Asking,
    agent: UUID | None,
    question: ConversationQuestion,
    limit: int,
    after: str | None,
    previews: bool,
) -> Reply:
    agents = asking.caller.grant.agents if agent is None else frozenset([agent])
    page = conversation_page(asking.reader, agents, question, limit, after)
    return reply(conversations_answer(asking, page, previews=previews))


@router.get("/agents/{agentId}/conversations/{conversationId}", responses=answers(Conversation, 404))
def get_conversation(asking: Viewer, agent_id: AgentId, conversation_id: ConversationId) -> Reply:
    """One conversation."""
    row = asking.conversation(agent_id, conversation_id)
    return reply(conversation_answer(asking, row, previews=True))


@router.get(
    "/agents/{agentId}/conversations/{conversationId}/timeline", responses=answers(Timeline, 400, 404)
)
def get_timeline(
    asking: Viewer,
    agent_id: AgentId,
    conversation_id: ConversationId,
    before: Annotated[
        str | None, Query(max_length=200, description="Entries older than this cursor.")
    ] = None,
    after: Annotated[str | None, Query(max_length=200, description="Entries newer than this cursor.")] = None,
    around: Annotated[UUID | None, Query(description="Entries on both sides of this event.")] = None,
    position: Annotated[
        int | None, Query(ge=0, le=2**62, description="The same for the event at this place of the timeline.")
    ] = None,
    seq: Annotated[
        int | None,
        Query(ge=0, le=2**31 - 1, description="The same for this event of the conversation's own journal."),
    ] = None,
    anchor: Annotated[Anchor, Query(description="Where to begin without a cursor.")] = Anchor.END,
    previews: Previews = True,
    limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 100,
) -> Reply:
    """The interleaved flow of a conversation and its turns, in both directions from a cursor."""
    row = asking.conversation(agent_id, conversation_id)
    place = place_around(asking.reader, row, around, position, seq)
    window = timeline_window(asking.reader, row, before, after, place, anchor, limit)
    return reply(timeline_answer(asking, row, window, previews=previews))


@router.get(
    "/agents/{agentId}/conversations/{conversationId}/export",
    response_class=StreamingResponse,
    responses=EXPORT_ANSWERS,
)
def export_conversation(
    asking: Viewer,
    agent_id: AgentId,
    conversation_id: ConversationId,
    bodies: Annotated[
        bool, Query(description="Add bodies and salts, for callers who may read them.")
    ] = False,
) -> StreamingResponse:
    """The conversation and its turns as a journal file, which verifies without the server."""
    row = asking.conversation(agent_id, conversation_id)
    return export_response(asking, row, bodies=bodies)
