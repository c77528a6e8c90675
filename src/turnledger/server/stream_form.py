"""Server-sent events: what an append and a resync look like on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from turnledger.model.rows import EventRow
from turnledger.model.vocabulary import JournalKind
from turnledger.query.live_cursor import flow_cursor, ledger_cursor
from turnledger.server.answers.form import instant
from turnledger.server.answers.live import Resync, StreamEvent

__all__ = ["EVENT_STREAM", "HEARTBEAT", "OPENING", "Frame", "ResyncReason", "frames_of", "resync_frame"]

EVENT_STREAM: Final = "text/event-stream"
OPENING: Final = b"retry: 2000\n: open\n\n"
HEARTBEAT: Final = b"event: alive\ndata: {}\n\n"
"""An event, since a browser keeps comments from its page, which has to notice that it hears nothing."""

ResyncReason = Literal["too_far_behind", "malformed_cursor", "future_cursor", "slow_reader"]

_encoder = msgspec.json.Encoder()


class Frame:
    """One event, encoded once for all who hear of it."""

    __slots__ = ("_sent", "data", "row")

    def __init__(self, row: EventRow) -> None:
        self.row = row
        self._sent: dict[bool, bytes] = {}
        is_turn = row.journal.kind is JournalKind.TURN
        event = StreamEvent(
            event_id=row.event_id,
            agent_id=row.agent,
            conversation_id=row.conversation,
            journal=row.journal.kind.value,
            journal_id=row.journal.id,
            turn_id=row.journal.id if is_turn else None,
            seq=row.seq,
            position=row.position,
            type=row.type,
            created_at=instant(row.created_ms),
            summary=row.summary,
        )
        self.data = b"event: append\ndata: " + _encoder.encode(event) + b"\n\n"

    def bytes(self, *, by_position: bool) -> bytes:
        """The event with its cursor in the conversation, or in the ledger; the same bytes for all readers."""
        sent = self._sent.get(by_position)
        if sent is None:
            position = self.row.position if by_position else None
            cursor = ledger_cursor(self.row.cursor) if position is None else flow_cursor(position)
            sent = self._sent[by_position] = b"id: " + cursor.encode("ascii") + b"\n" + self.data
        return sent


def frames_of(rows: Sequence[EventRow]) -> list[Frame]:
    """Events ready to be sent."""
    return [Frame(row) for row in rows]


def resync_frame(reason: ResyncReason, cursor: str) -> bytes:
    """Something was passed over; ``cursor`` is where the stream goes on."""
    data = _encoder.encode(Resync(reason=reason))
    return b"id: " + cursor.encode("ascii") + b"\nevent: resync\ndata: " + data + b"\n\n"
