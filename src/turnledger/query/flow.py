"""A conversation's whole timeline, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from turnledger.model.rows import ConversationRow, DamagedRow
from turnledger.query.timeline import Entry, entries_of
from turnledger.store.contract import Reader

__all__ = ["first_position", "flow"]

_PAGE = 500


def flow(reader: Reader, conversation: UUID, left_out: list[DamagedRow], after: int = -1) -> Iterator[Entry]:
    """Events of the conversation and its turns from beyond position ``after`` on, to the end.

    Damaged ones go into ``left_out``.
    """
    before_ms: int | None = None
    while True:
        rows = reader.flow(conversation, after=after, before=None, limit=_PAGE)
        left_out += rows.damaged
        if not rows:
            return
        yield from entries_of(rows, before_ms)
        before_ms, position = rows[-1].created_ms, rows[-1].position
        after = after + len(rows) if position is None else position


def first_position(row: ConversationRow | None, last: int | None) -> int:
    """Where a timeline begins that shows the ``last`` events only (None: all)."""
    return 0 if row is None or last is None else max(row.events - last, 0)
