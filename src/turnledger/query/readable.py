"""Journals' rows from a database of which a page may be damaged: what can be read of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from turnledger.errors import LedgerCorruptError
from turnledger.ids import NIL
from turnledger.store.contract import Reader, RecordedJournal
from turnledger.store.damage import damage_of

__all__ = ["listed_ids", "readable_rows", "unsound_records"]

_PAGE: Final = 200
_STEP: Final = 16  # a page of the database holds more rows than that
_KEY: Final = 7


def readable_rows(
    reader: Reader, journals: Sequence[UUID]
) -> tuple[dict[bytes, RecordedJournal], frozenset[UUID]]:
    """The rows of those that there are, by id, and which of them the database cannot read."""
    try:
        return {row.id: row for row in reader.recorded_journals(journals)}, frozenset()
    except LedgerCorruptError:
        rows: dict[bytes, RecordedJournal] = {}
        lost: set[UUID] = set()
        for journal in journals:
            try:
                rows.update((row.id, row) for row in reader.recorded_journals([journal]))
            except LedgerCorruptError:
                lost.add(journal)
        return rows, frozenset(lost)


def unsound_records(reader: Reader, journals: Sequence[UUID]) -> dict[UUID, str]:
    """Which of these journals are not there to be read as they must be, and what is wrong, in words."""
    rows, lost = readable_rows(reader, journals)
    found: dict[UUID, str] = {}
    for journal in journals:
        row = rows.get(journal.bytes)
        if journal in lost:
            found[journal] = "in a part of the database's file that cannot be read"
        elif row is None:
            found[journal] = "which cannot be found in the database"
        elif (damage := damage_of(row)) is not None:
            found[journal] = f"in column {damage.column} of table {damage.table}"
    return found


def listed_ids(reader: Reader, kind: str) -> Iterator[list[UUID] | None]:
    """The ids of all journals of a kind, some at a time; None for a part of the list that cannot be read."""
    after, limit, last = -(2**63), _PAGE, 0
    while True:
        try:
            rows = reader.ask("list_journals", after_jid=after, kind=kind, limit=limit)
        except LedgerCorruptError:
            if limit > 1:
                limit = 1  # as far as it goes
                continue
            yield None
            last = last or _last_key(reader)
            after = _next_readable(reader, kind, max(after, 0), last)
            if after >= last:
                return
            limit = _PAGE
            continue
        if not rows:
            return
        yield [UUID(bytes=row[1]) for row in rows if type(row[1]) is bytes and len(row[1]) == len(NIL.bytes)]
        after = rows[-1][_KEY]


def _next_readable(reader: Reader, kind: str, after: int, last: int) -> int:
    """A key from which the list can be read on; ``last`` where there is none."""
    for key in range(after + _STEP, last, _STEP):
        if _is_readable(reader, kind, key):
            return next(near for near in range(key - _STEP + 1, key + 1) if _is_readable(reader, kind, near))
    return last


def _is_readable(reader: Reader, kind: str, after: int) -> bool:
    try:
        reader.ask("list_journals", after_jid=after, kind=kind, limit=1)
    except LedgerCorruptError:
        return False
    return True


def _last_key(reader: Reader) -> int:
    """About the greatest key of a journal: they are given out in order, from one on."""
    try:
        return sum(agent.conversations + agent.turns for agent in reader.agents()) + _PAGE
    except LedgerCorruptError:
        return 0
