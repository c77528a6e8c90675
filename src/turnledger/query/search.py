"""Text in bodies, newest first: a bounded look through what is stored, not an index that erasure would miss.

A search stops at a page of hits, or when its time or bytes are used up; then it says so, and goes on from
its cursor.  Both what is stored and, where that is JSON, its texts without escapes are looked through.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from turnledger.clock import Clock
from turnledger.errors import LedgerCorruptError, UsageError
from turnledger.model.rows import BodyRow, DamagedRow, EventRow, Rows
from turnledger.query.paging import ListKind
from turnledger.query.words import Excerpt, excerpts, readable
from turnledger.store.contract import Reader
from turnledger.store.figures import LAST, FiguresReader

__all__ = ["Found", "Hit", "search", "terms_of"]

TIME_US: Final = 1_500_000
BYTES: Final = 256 << 20
BODY_BYTES: Final = 8 << 20
"""How much of one body is looked through."""

_KIND: Final = ListKind("search", 1)
_AT_ONCE: Final = 200
_TERMS: Final = 8
_TERM: Final = re.compile(r'"([^"]+)"|(\S+)')
# Said again and again: history in requests, instructions in prompts, a message in the turn that answers it.
_REQUESTS: Final = frozenset({"MODEL_CALL", "PROMPT"})
_COPIES: Final = frozenset({"INTAKE", "COMMIT", "OPENED"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A body that holds all the words, with a few of their places."""

    row: EventRow
    slot: str
    excerpts: tuple[Excerpt, ...]


@dataclass(slots=True)
class Found:
    """Hits, newest first, and how far the search came; ``complete`` where that is the beginning.

    ``requests`` says whether what models were sent was looked through too.  ``damaged`` are events that were
    passed over, ``unreadable`` counts bodies whose stored bytes are damaged.
    """

    hits: list[Hit] = field(default_factory=list[Hit])
    next: str | None = None
    complete: bool = True
    requests: bool = False
    events: int = 0
    bytes: int = 0
    back_to_ms: int | None = None
    damaged: list[DamagedRow] = field(default_factory=list[DamagedRow])
    unreadable: int = 0


def terms_of(text: str) -> list[str]:
    """The words and quoted phrases to look for, without case.  Raises UsageError for none or too many."""
    terms = [(phrase or word).casefold() for phrase, word in _TERM.findall(text)]
    if not terms or len(terms) > _TERMS:
        msg = f"A search has 1 to {_TERMS} words, this one has {len(terms)}."
        raise UsageError(msg, next_step='Give fewer words, or put some "in quotes".')
    return terms


def search(
    reader: Reader,
    text: str,
    agents: Collection[UUID] | None,
    limit: int,
    after: str | None,
    clock: Clock,
    *,
    requests: bool = False,
) -> Found:
    """Bodies of these agents (None: all) that hold every word of ``text``.

    ``requests`` adds what models were sent, prompts too: most of it was said before.  Raises UsageError,
    GrammarError.
    """
    terms = terms_of(text)
    key = _KIND.key(after)
    left_out = _COPIES if requests else _COPIES | _REQUESTS
    deadline = clock.monotonic_us() + TIME_US
    found = Found(requests=requests)
    start = LAST if key is None else key[0]
    for row in _events(FiguresReader(lambda: reader), start, found.damaged):
        found.events += 1
        if row.bodies and row.type not in left_out and (agents is None or row.agent in agents):
            found.hits += _hits(reader, row, terms, found)
        found.back_to_ms = row.created_ms
        if len(found.hits) >= limit or found.bytes > BYTES or clock.monotonic_us() > deadline:
            found.next, found.complete = _KIND.page(Rows([row, row]), 1, _cursor).next, False
            break
    return found


def _cursor(row: EventRow) -> tuple[int, ...]:
    return (row.cursor,)


def _events(figures: FiguresReader, cursor: int, damaged: list[DamagedRow]) -> Iterator[EventRow]:
    rows = figures.events_back(cursor, _AT_ONCE)
    damaged += rows.damaged
    while rows:
        yield from rows
        rows = figures.events_back(rows[-1].cursor, _AT_ONCE)
        damaged += rows.damaged


def _hits(reader: Reader, row: EventRow, terms: list[str], found: Found) -> Iterator[Hit]:
    for body in row.bodies:
        if not body.present:
            continue
        try:
            data = _head(reader, row, body.slot)
        except LedgerCorruptError:
            found.unreadable += 1
            continue
        found.bytes += len(data)
        places = excerpts(readable(data), terms)
        if places:
            yield Hit(row, body.slot, tuple(places))


def _head(reader: Reader, row: EventRow, slot: str) -> bytes:
    content = reader.body(row.event_id, slot)
    if content is None or isinstance(content, BodyRow):
        return b""
    return b"".join(content.read(0, min(content.size, BODY_BYTES)))
