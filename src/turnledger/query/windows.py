"""A window on a conversation's timeline: a page in either direction, from an end, or around one event."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from turnledger.errors import NotFoundError, UsageError
from turnledger.model.rows import ConversationRow, DamagedRow
from turnledger.query.live_cursor import flow_cursor, read_flow_cursor
from turnledger.query.timeline import Entry, timeline
from turnledger.store.contract import Reader

__all__ = ["Anchor", "Window", "place_around", "timeline_window"]


class Anchor(StrEnum):
    """Where to begin without a cursor."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Window:
    """Entries, oldest first; ``has_more`` in the direction asked for.

    ``before`` leads to older ones (None at the beginning), ``after`` to newer ones and to the stream.
    ``damaged`` are rows that were met on the way and left out.
    """

    entries: tuple[Entry, ...]
    has_more: bool
    before: str | None
    after: str
    damaged: tuple[DamagedRow, ...] = ()


def timeline_window(
    reader: Reader,
    row: ConversationRow,
    before: str | None,
    after: str | None,
    around: int | None,
    anchor: Anchor,
    limit: int,
) -> Window:
    """The window asked for; ``around`` is a position.  Raises UsageError for two directions, GrammarError."""
    if sum(one is not None for one in (before, after, around)) > 1:
        msg = "A timeline goes before a cursor, after one, or around an event: not two of these at once."
        raise UsageError(msg, next_step="Give one of before, after and around.")
    if around is not None:
        return _window(reader, row, after=max(around - limit // 2, 0) - 1, before=None, limit=limit)
    if after is not None:
        return _window(reader, row, after=read_flow_cursor(after), before=None, limit=limit)
    if before is not None:
        # A cursor stands behind its event; what is older begins with that event's own place.
        return _window(reader, row, after=None, before=read_flow_cursor(before), limit=limit)
    if anchor is Anchor.START:
        return _window(reader, row, after=-1, before=None, limit=limit)
    return _window(reader, row, after=None, before=2**62, limit=limit)


def place_around(
    reader: Reader, row: ConversationRow, event: UUID | None, position: int | None, seq: int | None
) -> int | None:
    """Where in the conversation's timeline the event stands that one of these names; None where none does.

    ``seq`` is a place in the conversation's own journal, as messages are referred to.  Raises UsageError for
    more than one, NotFoundError.
    """
    if sum(one is not None for one in (event, position, seq)) > 1:
        msg = "A timeline is shown around one event."
        raise UsageError(msg, next_step="Give one of around, position and seq.")
    if event is None and position is None and seq is None:
        return None
    if position is not None and position < row.events:
        return position
    if event is not None:
        found = reader.event(event)
    else:
        found = next(iter(reader.events(row.id, seq, 1)), None) if seq is not None else None
        found = found if found is not None and found.seq == seq else None
    if found is not None and found.conversation == row.id:
        return found.position
    msg = f"Conversation {row.id} has no such event."
    raise NotFoundError(msg, next_step="Check the event's id or place.")


def _window(
    reader: Reader, row: ConversationRow, *, after: int | None, before: int | None, limit: int
) -> Window:
    page = timeline(reader, row.id, after=after, before=before, limit=limit)
    positions = [entry.row.position for entry in page.entries if entry.row.position is not None]
    if positions:
        first, last = positions[0], positions[-1]
    else:
        first, last = (0, (after if after is not None else -1)) if before is None else (before, before - 1)
    older = flow_cursor(first) if first > 0 else None
    return Window(page.entries, page.has_more, older, flow_cursor(last), page.damaged)
