"""Events made readable: tokens and detail parsed, gaps between them, in pages of a conversation's flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.model.rows import DamagedRow, EventRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.store.contract import Reader
from turnledger.wire.details import decode_detail

__all__ = ["Entry", "TimelinePage", "entries_of", "journal_entries", "timeline"]

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """One event with its summary and detail parsed; ``gap_ms`` is the time since the entry before it.

    ``assurance`` is None where a foreign writer named none, ``detail`` empty where it cannot be read.
    """

    row: EventRow
    tokens: Mapping[str, str]
    assurance: Assurance | None
    detail: Mapping[str, object]
    gap_ms: int | None

    @property
    def turn(self) -> UUID | None:
        """The turn whose journal the event stands in."""
        return self.row.journal.id if self.row.journal.kind is JournalKind.TURN else None

    def number(self, token: str) -> int | None:
        """A token as an integer; None where it is missing or no number."""
        value = self.tokens.get(token, "")
        return int(value) if value.lstrip("-").isdigit() else None


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """A stretch of a conversation's flow, oldest first; ``has_more`` in the direction it was asked for.

    ``damaged`` are rows that were met on the way and left out.
    """

    entries: tuple[Entry, ...]
    has_more: bool
    damaged: tuple[DamagedRow, ...] = ()


def entries_of(rows: Iterable[EventRow], before_ms: int | None = None) -> list[Entry]:
    """Rows as entries; ``before_ms`` is the time of the event before the first of them."""
    found: list[Entry] = []
    for row in rows:
        tokens = parse_summary(row.summary)
        letter = tokens.get("assurance")
        found.append(
            Entry(
                row,
                tokens,
                Assurance(letter) if letter in set(Assurance) else None,
                _detail(row),
                None if before_ms is None else row.created_ms - before_ms,
            )
        )
        before_ms = row.created_ms
    return found


def _detail(row: EventRow) -> Mapping[str, object]:
    try:
        return decode_detail(row.detail)
    except GrammarError:
        return {}


def timeline(
    reader: Reader,
    conversation: UUID,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 100,
) -> TimelinePage:
    """A page of a conversation's flow: both kinds of journal, interleaved by position.

    From beyond position ``after``; with ``before`` the last ``limit`` events short of it; with neither
    from the start.
    """
    rows = reader.flow(conversation, after=after, before=before, limit=limit + 1)
    has_more = len(rows) > limit
    if has_more:
        del rows[slice(1) if before is not None else slice(limit, None)]
    return TimelinePage(tuple(entries_of(rows)), has_more, tuple(rows.damaged))


def journal_entries(reader: Reader, journal_id: UUID) -> list[Entry]:
    """All events of one journal.  For turns, which are short; conversations are paged."""
    rows: list[EventRow] = []
    while page := reader.events(journal_id, len(rows), _PAGE):
        rows += page
    return entries_of(rows)
