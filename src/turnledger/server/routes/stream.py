"""The live stream."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from turnledger.server.answers.live import Resync, StreamEvent
from turnledger.server.caller import Viewer
from turnledger.server.reply import answers, schema_of
from turnledger.server.stream_answer import stream_answer
from turnledger.server.stream_form import EVENT_STREAM

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["live"])

_ABOUT: Final = (
    "Server-sent events.  `event: append` carries a StreamEvent, its `id:` is the cursor to resume from; "
    "`event: resync` carries a Resync.  Where nothing else was sent for 15 seconds, `event: alive` is."
)
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = answers(None, 400, 404, about=_ABOUT)
_ANSWERS[200]["content"] = {
    EVENT_STREAM: {
        "schema": {"type": "string", "x-data": [schema_of(StreamEvent), schema_of(Resync)]},
        "example": 'id: AbCdAAAAAAAAAAc\nevent: append\ndata: {"seq":7,"type":"MODEL_RESULT"}\n\n',
    }
}


@router.get("/stream", responses=_ANSWERS, response_class=Response)
def get_stream(
    asking: Viewer,
    conversation: Annotated[UUID | None, Query(description="One conversation and its turns.")] = None,
    agent: Annotated[UUID | None, Query(description="One agent.")] = None,
    scope: Annotated[Literal["install"] | None, Query(description="All that the caller may see.")] = None,
    after: Annotated[
        str | None,
        Query(max_length=200, description="Begin behind this cursor: `after` or `liveCursor` of an answer."),
    ] = None,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", max_length=200, description="Goes before `after`.")
    ] = None,
) -> Response:
    """What is recorded from now on, or from a cursor on: identifiers and places, never content."""
    return stream_answer(
        asking, conversation, agent, scope, after if last_event_id is None else last_event_id
    )
