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

_cursor_numbers = count(1)


class _Snapshot(threading.local):
    """The link whose state this thread sees, and what closes the cursors that are done with there."""

    link: Link | None = None

    def __init__(self) -> None:
        self.done: list[Call] = []


class PostgresReadSession:
    """See ``sql_reader.ReadSession``."""

    def __init__(self, pool: LinkPool) -> None:
        self._pool = pool
        self._snapshot = _Snapshot()

    def rows(self, statement: str, params: Mapping[str, object]) -> Iterator[Row]:
        """See ``ReadSession``."""
        found = STATEMENTS[statement]
        return iter(self._run([(found, found.values(params))])[0])

    def portions(self, statement: str, params: Mapping[str, object]) -> Iterator[list[Row]]:
        """See ``ReadSession``."""
        found = STATEMENTS[statement]
        mine = self._snapshot
        return self._stream(mine.link, mine.done, found, found.values(params))

    def each(self, statement: str, keys: Sequence[Values]) -> Iterator[Row]:
        """See ``ReadSession``.  One round trip for all keys."""
        found = STATEMENTS[statement]
        return (row for rows in self._run([(found, key) for key in keys]) for row in rows)

    def parts(self, ids: Sequence[int]) -> Iterator[Row]:
        """See ``ReadSession``."""
        return iter(self._run([call("list_parts", list(ids))])[0])

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
                    mine.done = []
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

    def _stream(
        self, link: Link | None, done: list[Call], statement: Statement, values: Values
    ) -> Iterator[list[Row]]:
        """Rows of a statement in portions, on the snapshot's link or on one of its own.

        Closing a cursor waits for the next time that the server is asked something.
        """
        if link is None:
            with self._pool.transaction() as own:
                yield from self._stream(own, [], statement, values)
            return
        name = f"rows_{next(_cursor_numbers)}"
        fetch: Call = (_unnamed(f"FETCH {FETCH_ROWS} FROM {name}"), ())
        declare = _unnamed(f"DECLARE {name} NO SCROLL CURSOR FOR {statement.text}", statement.params)
        *_, rows = self._pool.run(link, [*done, (declare, values), fetch])
        done.clear()
        while len(rows) == FETCH_ROWS:
            yield rows
            [rows] = self._pool.run(link, [fetch])
        done.append((_unnamed(f"CLOSE {name}"), ()))
        if rows:
            yield rows


def _unnamed(text: str, params: tuple[str, ...] = ()) -> Statement:
    """A statement that is prepared each time: its text is not the same twice."""
    return Statement("", text, params)
