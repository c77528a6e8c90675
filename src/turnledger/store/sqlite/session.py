"""Read connections of a ledger's file: a small pool, opened read-only, never writing."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnledger.clock import Clock
from turnledger.errors import LedgerClosedError
from turnledger.store.sql import Statement
from turnledger.store.sql_mapping import Row, Values
from turnledger.store.sqlite.prepared import PreparedStatements
from turnledger.store.sqlite.problems import translated
from turnledger.store.sqlite.schema import schema_faults

__all__ = ["SqliteSession"]

_KEPT: Final = 8  # idle connections; more are opened while more are in use at once

_PORTION: Final = 256

_inherited: list[object] = []


class _Pool:
    """Idle connections of one process, and the one that a snapshot holds in each thread."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.pinned = threading.local()
        self.closed = False
        self._idle: deque[sqlite3.Connection] = deque()

    def take(self) -> sqlite3.Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def give_back(self, connection: sqlite3.Connection) -> None:
        if self.closed or len(self._idle) >= _KEPT:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        self.closed = True
        while (connection := self.take()) is not None:
            connection.close()


class SqliteSession:
    """See ``sql_reader.ReadSession``."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        path: Path,
        clock: Clock,
        statements: Mapping[str, Statement],
    ) -> None:
        self._connect = connect
        self._path = path
        self._clock = clock
        self._statements = statements
        self._sql = PreparedStatements(statements)
        self._pool = _Pool()

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        """The snapshot's connection in this thread, else one that nobody else uses meanwhile."""
        pool = self._own_pool()
        if pool.closed:
            msg = f"The reader of {self._path} was closed."
            raise LedgerClosedError(msg, next_step="Open the ledger again.")
        pinned: sqlite3.Connection | None = getattr(pool.pinned, "connection", None)
        with translated(self._path):
            if pinned is not None:
                yield pinned
                return
            connection = pool.take()
            if connection is None:
                connection = self._connect()
            try:
                yield connection
            finally:
                pool.give_back(connection)

    def _own_pool(self) -> _Pool:
        pool = self._pool
        if pool.process != os.getpid():
            _inherited.append(pool)  # a forked child must not close what its parent uses
            closed = pool.closed
            pool = self._pool = _Pool()
            pool.closed = closed
        return pool

    def rows(self, statement: str, params: Mapping[str, object]) -> Iterator[Row]:
        """See ``ReadSession``."""
        one = self._sql[statement]
        with self._connection() as connection:
            yield from connection.execute(one.text, one.named(params))

    def portions(self, statement: str, params: Mapping[str, object]) -> Iterator[list[Row]]:
        """See ``ReadSession``."""
        one = self._sql[statement]
        with self._connection() as connection:
            cursor = connection.execute(one.text, one.named(params))
            rows = cursor.fetchmany(_PORTION)
            while len(rows) == _PORTION:
                yield rows
                rows = cursor.fetchmany(_PORTION)
            if rows:
                yield rows

    def each(self, statement: str, keys: Sequence[Values]) -> Iterator[Row]:
        """See ``ReadSession``."""
        one = self._sql[statement]
        with self._connection() as connection:
            for key in one.rows(keys):
                yield from connection.execute(one.text, key).fetchall()

    def parts(self, ids: Sequence[int]) -> Iterator[Row]:
        """See ``ReadSession``."""
        return self.rows("list_parts", {"parts": f"[{','.join(map(str, ids))}]"})

    def now_ms(self) -> int:
        """See ``ReadSession``."""
        return self._clock.epoch_ms()

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """See ``ReadSession``."""
        with self._connection() as connection:
            pinned = self._pool.pinned
            if getattr(pinned, "connection", None) is connection:
                yield
                return
            connection.execute("BEGIN")
            pinned.connection = connection
            try:
                yield
            finally:
                pinned.connection = None
                connection.execute("ROLLBACK")

    def faults(self) -> list[str]:
        """See ``ReadSession``."""
        with self._connection() as connection:
            return schema_faults(connection, self._clock, self._statements)

    def close(self) -> None:
        """See ``ReadSession``."""
        self._own_pool().close()
