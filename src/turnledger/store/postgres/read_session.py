"""How the shared reader reads here: statements on pooled links, whole journals through cursors."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Final

from turnledger.store.postgres.link import Call, Link, Row
from turnledger.store.postgres.pool import LinkPool
from turnledger.store.postgres.statements import STATEMENTS, call
from turnledger.store.sql import Statement
from turnledger.store.sql_mapping import Values

__all__ = ["PostgresReadSession"]

FETCH_ROWS: Final = 200

# Memory must not grow with a journal.
_STREAMED: Final = frozenset({"list_recorded_events", "list_recorded_bodies"})

_cursor_numbers = count(1)


class _Snapshot(threading.local):
    """The link whose state this thread sees."""

    link: Link | None = None


class PostgresReadSession:
    """See ``sql_reader.ReadSession``."""

    def __init__(self, pool: LinkPool) -> None:
        self._pool = pool
        self._snapshot = _Snapshot()

    def rows(self, statement: str, params: Mapping[str, object]) -> Iterator[Row]:
        """See ``ReadSession``."""
        found = STATEMENTS[statement]
        values = found.values(params)
        if statement in _STREAMED:
            return self._stream(self._snapshot.link, found, values)
        return iter(self._run([(found, values)])[0])

    def each(self, statement: str, keys: Sequence[Values]) -> Iterator[Row]:
        """See ``ReadSession``.  One round trip for all keys."""
        found = STATEMENTS[statement]
        return (row for rows in self._run([(found, key) for key in keys]) for row in rows)

    def now_ms(self) -> int:
        """See ``ReadSession``: statements ask the database's clock themselves."""
        return 0

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """See ``ReadSession``."""
        mine = self._snapshot
        if mine.link is None:
            with self._pool.transaction() as link:
                mine.link = link
                try:
                    yield
                finally:
                    mine.link = None
        else:
            yield

    def faults(self) -> list[str]:
        """See ``ReadSession``."""
        return [sentence for (sentence,) in self._run([call("list_faults")])[0]]

    def close(self) -> None:
        """See ``ReadSession``."""
        self._pool.close()

    def _run(self, calls: Sequence[Call]) -> list[list[Row]]:
        link = self._snapshot.link
        return self._pool.read(calls) if link is None else self._pool.run(link, calls)

    def _stream(self, link: Link | None, statement: Statement, values: Values) -> Iterator[Row]:
        """Rows of a statement in portions, on the snapshot's link or on one of its own."""
        if link is None:
            with self._pool.transaction() as own:
                yield from self._stream(own, statement, values)
            return
        name = f"rows_{next(_cursor_numbers)}"
        fetch: Call = (_unnamed(f"FETCH {FETCH_ROWS} FROM {name}"), ())
        declare = _unnamed(f"DECLARE {name} NO SCROLL CURSOR FOR {statement.text}", statement.params)
        _, rows = self._pool.run(link, [(declare, values), fetch])
        while rows:
            yield from rows
            [rows] = self._pool.run(link, [fetch])
        self._pool.run(link, [(_unnamed(f"CLOSE {name}"), ())])


def _unnamed(text: str, params: tuple[str, ...] = ()) -> Statement:
    """A statement that is prepared each time: its text is not the same twice."""
    return Statement("", text, params)
