"""The write connection of a ledger's file: the engine contract over SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from uuid import UUID

from turnledger.clock import Clock
from turnledger.errors import LedgerClosedError, LedgerUnavailableError
from turnledger.model.rows import LeaseRow
from turnledger.store.contract import StoredBody
from turnledger.store.heads import Heads
from turnledger.store.projection import Projection
from turnledger.store.sql import Statement
from turnledger.store.sql_mapping import (
    EMPTYING,
    Row,
    Values,
    Write,
    changed_rows,
    found_states,
    lease_row,
    lookups,
    projected_rows,
)
from turnledger.store.sqlite.prepared import PreparedStatements
from turnledger.store.sqlite.problems import busy, explain, explain_commit, translated
from turnledger.store.sqlite.write_lock import WriteLock
from turnledger.store.state import Changes, Found, IdKind, Wants

__all__ = ["SqliteEngine"]

_BEGIN: Final = "BEGIN IMMEDIATE"
_VERSION: Final = "PRAGMA data_version"


class SqliteEngine:
    """See ``contract.Engine``.

    What was read or written before is remembered for as long as ``PRAGMA data_version`` proves that no
    other connection has committed meanwhile.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: WriteLock,
        path: Path,
        *,
        clock: Clock,
        wait_ms: int,
        statements: Mapping[str, Statement],
    ) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._lock = lock
        self._locked = False
        self._path = path
        self._place = _place(path)
        self._clock = clock
        self._wait_ms = wait_ms
        self._sql = PreparedStatements(statements)
        self._heads = Heads()
        self._version = -1
        self._parts: list[Values] = []
        self._saved: Changes | None = None
        self._closed = False

    # --- a transaction -------------------------------------------------------------------------

    def begin(self) -> None:
        """See ``contract.Engine``."""
        if self._closed:
            msg = f"The connection to {self._path} was closed."
            raise LedgerClosedError(msg, next_step="Open the ledger again.")
        self._acquire()
        try:
            self._check_place()
            self._cursor.execute(_BEGIN)
            (version,) = self._cursor.execute(_VERSION).fetchone()
        except sqlite3.Error as error:
            self.rollback()
            raise explain(error, self._path) from error
        except LedgerUnavailableError:
            self.rollback()
            raise
        if version != self._version:
            self._heads.forget()
            self._version = version

    def _acquire(self) -> None:
        try:
            self._locked = self._lock.acquire(self._wait_ms / 1000)
        except OSError as error:
            msg = f"The lock beside {self._path} cannot be taken: {error.strerror}."
            raise LedgerUnavailableError(msg, next_step="Put the ledger on a local file system.") from error
        if not self._locked:
            raise busy(self._path, self._wait_ms)

    def _check_place(self) -> None:
        """SQLite would go on writing into a file that was deleted or replaced, where nobody finds it."""
        if _place(self._path) != self._place:
            msg = f"{self._path} was removed or replaced while it was open."
            raise LedgerUnavailableError(msg, next_step="Put it back or open the ledger again.")

    def load(self, wants: Wants) -> Found:
        """See ``contract.Engine``.  The write lock covers all rows."""
        heads = self._heads
        with translated(self._path):
            if heads.prunes < 0:
                (heads.prunes,) = self._cursor.execute(self._sql["get_prunes"].text).fetchone()
            missing, found = heads.take(wants)
            rows = [self._found(statement, keys) for statement, keys in lookups(missing)]
            read = found_states(missing, self._clock.epoch_ms(), heads.prunes, rows)
        heads.add(read, found)
        found.now_ms, found.events, found.aliases = read.now_ms, read.events, read.aliases
        return found

    def _found(self, statement: str, keys: Sequence[Row]) -> list[Row]:
        if not keys:
            return []
        if statement == "find_aliases":
            one = self._sql[statement]
            return [row for key in one.rows(keys) for row in self._cursor.execute(one.text, key)]
        return self._rows(statement, {"ids": b"".join(key for (key,) in keys)})

    def next_id(self, kind: IdKind) -> int:
        """See ``contract.Engine``."""
        keys = self._last_keys()
        keys[kind] += 1
        return keys[kind]

    def _last_keys(self) -> dict[IdKind, int]:
        heads = self._heads
        if not heads.last_keys:
            with translated(self._path):
                (last,) = self._rows("get_last_keys", {})
                aid, cid, jid, heads.last_part = last
            heads.last_keys = {IdKind.AGENT: aid, IdKind.CONVERSATION: cid, IdKind.JOURNAL: jid}
        return heads.last_keys

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """See ``contract.Engine``."""
        with translated(self._path):
            return self._rows("find_parts", {"aid": aid, "keys": f"[{','.join(map(str, keys))}]"})

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        """See ``contract.Engine``."""
        self._last_keys()
        self._heads.last_part += 1
        self._parts.append((self._heads.last_part, aid, key, size, data))
        return self._heads.last_part

    def save(self, changes: Changes, bodies: Sequence[StoredBody], projection: Projection) -> None:
        """See ``contract.Engine``."""
        parts, self._parts = self._parts, []
        with translated(self._path):
            self._write(changed_rows(changes, bodies, parts))
            self._write(projected_rows(projection))
        self._saved = changes

    def _write(self, writes: Iterable[Write]) -> None:
        for statement, rows in writes:
            one = self._sql[statement]
            self._cursor.executemany(one.text, one.rows(rows))

    def commit(self) -> None:
        """See ``contract.Engine``."""
        try:
            self._cursor.execute("COMMIT")
        except sqlite3.Error as error:
            raise explain_commit(error, self._path) from error
        if self._saved is not None:
            self._heads.keep(self._saved)
            self._saved = None
        self._release()

    def rollback(self) -> None:
        """See ``contract.Engine``."""
        self._heads.forget()
        self._parts, self._saved = [], None
        with suppress(sqlite3.Error):  # of a dead connection: whoever opens the file next rolls back
            if self._connection.in_transaction:
                self._cursor.execute("ROLLBACK")
        self._release()

    def _release(self) -> None:
        if self._locked:
            self._locked = False
            self._lock.release()

    # --- leases --------------------------------------------------------------------------------

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """See ``contract.Engine``."""
        lost: set[UUID] = set()
        with self._transaction():
            for turn, epoch in turns:
                params = {
                    "turn": turn.bytes,
                    "holder": holder.bytes,
                    "epoch": epoch,
                    "ttl_ms": ttl_ms,
                    "now_ms": self._clock.epoch_ms(),
                }
                if not self._rows("renew_lease", params):
                    lost.add(turn)
                self._heads.journals.pop(turn.int, None)
        return lost

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """See ``contract.Engine``."""
        params = {
            "turn": turn.bytes,
            "holder": holder.bytes,
            "ttl_ms": ttl_ms,
            "now_ms": self._clock.epoch_ms(),
        }
        with self._transaction():
            rows = self._rows("acquire_lease", params)
            self._heads.journals.pop(turn.int, None)
        return lease_row(rows[0]) if rows else None

    def change(self, statement: str, params: Mapping[str, object]) -> list[Row]:
        """See ``contract.Engine``."""
        with self._transaction():
            self._heads.forget()  # the statement may have changed what is remembered
            return self._rows(statement, params)

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> list[list[Row]]:
        """See ``contract.Engine``."""
        with self._transaction():
            self._heads.forget()
            one = self._sql[statement]
            return [self._cursor.execute(one.text, row).fetchall() for row in one.rows(rows)]

    def _rows(self, statement: str, params: Mapping[str, object]) -> list[Row]:
        one = self._sql[statement]
        return self._cursor.execute(one.text, one.named(params)).fetchall()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self.begin()
        try:
            with translated(self._path):
                yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    # --- the rest ------------------------------------------------------------------------------

    def notify(self) -> None:
        """See ``contract.Engine``.  Other processes watch ``PRAGMA data_version``."""

    @contextmanager
    def rebuilding(self) -> Generator[Callable[[Projection], None]]:
        """See ``contract.Engine``."""
        with self._transaction():
            for statement in EMPTYING:
                self._cursor.execute(self._sql[statement].text)
            yield lambda projection: self._write(projected_rows(projection))

    def close(self) -> None:
        """See ``contract.Engine``."""
        if self._closed:
            return
        self._closed = True
        self.rollback()
        with translated(self._path):
            self._connection.close()
        self._lock.close()


def _place(path: Path) -> tuple[int, int] | None:
    """Which file the path names; None where it names none."""
    try:
        found = os.stat(path)  # noqa: PTH116  a microsecond less on every append
    except OSError:
        return None
    return found.st_dev, found.st_ino
