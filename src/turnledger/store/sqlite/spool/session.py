"""One connection to a spool's file for all threads of a process, opened at first use.

A forked child opens its own, and leaves what it inherited untouched.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from turnledger.errors import LedgerClosedError
from turnledger.store.sql import load_statements
from turnledger.store.sqlite.prepared import PreparedStatements
from turnledger.store.sqlite.problems import explain_commit, translated, unavailable
from turnledger.store.sqlite.spool.opening import PACKAGE, Lock, open_file

__all__ = ["SpoolSession"]

Row = tuple[Any, ...]

_PRESENCE: Final = "-open"
_LEAD: Final = "-forward"

_living: weakref.WeakSet[SpoolSession] = weakref.WeakSet()
_inherited: list[object] = []
_held: list[SpoolSession] = []


class SpoolSession:
    """Runs named statements, one thread at a time."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self._label = label
        self._statements = load_statements(PACKAGE)
        self._sql = PreparedStatements(self._statements)
        self._closed = False
        self._start_afresh()
        _living.add(self)

    def _start_afresh(self) -> None:
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._presence: Lock | None = None
        self._lead: Lock | None = None

    def is_there(self) -> bool:
        """Whether the file was made, by whomever."""
        return self._connection is not None or self.path.exists()

    def run(self, statement: str, **params: object) -> list[Row]:
        """All rows of a statement.  Raises LedgerError."""
        with self.lock, translated(self.path):
            one = self._sql[statement]
            return self._open().execute(one.text, one.named(params)).fetchall()

    def some(self, statement: str, limit: int, size: int) -> list[Row]:
        """The first rows, until the last column adds up to ``size``."""
        rows: list[Row] = []
        with self.lock, translated(self.path):
            cursor = self._open().execute(self._sql[statement].text, (limit,))
            for row in cursor:
                rows.append(row)
                size -= row[-1]
                if size <= 0:
                    break
            cursor.close()
        return rows

    def number(self, pragma: str) -> int:
        """A setting or measure of the file that is a number."""
        with self.lock, translated(self.path):
            (value,) = self._open().execute(f"PRAGMA {pragma}").fetchone()
            return int(value)

    def give_room_back(self) -> None:
        """Shrink the file by what is free in it."""
        with self.lock, translated(self.path):
            self._open().execute("PRAGMA incremental_vacuum").fetchall()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All or nothing, durable at the end.  Raises LedgerError."""
        with self.lock:
            with translated(self.path):
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._commit(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _commit(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise explain_commit(error, self.path) from error

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            msg = f"The spool {self.path} was closed."
            raise LedgerClosedError(msg, next_step="Open the ledger again.")
        if self._connection is None:
            connection = open_file(self.path, self._label, self._statements)
            self._presence = self._lock(_PRESENCE)
            is_alone = self._presence.take()
            self._connection = connection
            if is_alone:
                self._forget()
            self._presence.take(shared=True)
        return self._connection

    def _forget(self) -> None:
        """Stand-ins and ids that nobody can hold any more: no process has the spool open, and it is empty."""
        if not self.run("is_waiting")[0][0]:
            for statement in ("forget_places", "forget_ids"):
                self.run(statement)

    def _lock(self, ending: str) -> Lock:
        path = Path(f"{self.path}{ending}")
        try:
            return Lock(path)
        except OSError as error:
            raise unavailable(path, str(error.strerror)) from error

    def lead(self) -> bool:
        """See ``Spool``."""
        with self.lock:
            if self._lead is None:
                self._lead = self._lock(_LEAD)
            return self._lead.take()

    def follow(self) -> None:
        """See ``Spool``."""
        with self.lock:
            if self._lead is not None:
                self._lead.release()

    def close(self) -> None:
        """Give the file back.  Idempotent."""
        with self.lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
            self._close_locks()
            self._connection = None

    def _close_locks(self) -> None:
        for lock in (self._presence, self._lead):
            if lock is not None:
                lock.close()
        self._presence = self._lead = None

    def _leave_to_parent(self) -> None:
        _inherited.append(self._connection)  # closing it would disturb the parent
        self._close_locks()
        self._start_afresh()


def _before_fork() -> None:
    # SQLite counts its locks per process: a child forked inside a transaction would wait for it for ever.
    for session in list(_living):
        session.lock.acquire()
        _held.append(session)


def _after_in_parent() -> None:
    while _held:
        _held.pop().lock.release()


def _after_in_child() -> None:
    _held.clear()
    for session in list(_living):
        session._leave_to_parent()  # noqa: SLF001  the module's own class


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
