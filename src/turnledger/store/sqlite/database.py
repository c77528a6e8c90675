"""A ledger's file: made, opened for writing and opened for reading."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Final

from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerUnavailableError, LedgerVersionError
from turnledger.ids import new_id
from turnledger.store.migrate import Migration, load_migrations, migrate, pending
from turnledger.store.sql import load_statements
from turnledger.store.sql_reader import SqlReader
from turnledger.store.sqlite.backup import back_up
from turnledger.store.sqlite.engine import SqliteEngine
from turnledger.store.sqlite.listen import SqliteListener
from turnledger.store.sqlite.memory import private_folder
from turnledger.store.sqlite.opening import check_size, holds_nothing, open_reader
from turnledger.store.sqlite.pragmas import set_writer
from turnledger.store.sqlite.problems import translated, unavailable
from turnledger.store.sqlite.removal import remove_files
from turnledger.store.sqlite.schema import PACKAGE, SqliteTarget, check_file, check_list
from turnledger.store.sqlite.session import SqliteSession
from turnledger.store.sqlite.write_lock import WriteLock

__all__ = ["MEMORY", "SqliteDatabase"]

MEMORY: Final = "memory:"
WAIT_MS: Final = 10_000
OLDEST_SQLITE: Final = (3, 38)

_PRIVATE: Final = 0o600  # a ledger holds what was said; its owner may widen it
_STATEMENTS_KEPT: Final = 256

_text: Final = partial(str, encoding="utf-8", errors="replace")
"""Text that is no UTF-8 is shown as well as can be: the driver would refuse it with all its neighbours."""

_making = threading.Lock()


class SqliteDatabase:
    """One ledger by its path.  Gives write and read connections; holds none itself.

    ``memory:`` is a ledger for tests: private files in the system's memory where it has a place for that,
    deleted with this object.  ``wait_ms`` is how long a writer waits for other writers.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, clock: Clock = SYSTEM, wait_ms: int = WAIT_MS
    ) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            msg = f"This Python brings SQLite {sqlite3.sqlite_version}; the ledger needs 3.38 or newer."
            raise LedgerUnavailableError(msg, next_step="Use a newer Python.")
        self._in_memory = path == MEMORY
        self.path = (
            private_folder(self, clock.epoch_ms()) / "ledger"
            if path == MEMORY
            else Path(os.path.realpath(path))
        )
        self.label = MEMORY if path == MEMORY else str(path)
        self._clock = clock
        self._wait_ms = wait_ms
        self._statements = load_statements("turnledger.store", PACKAGE)
        self._migrations = load_migrations(PACKAGE)

    def engine(self) -> SqliteEngine:
        """Open for writing: make the file and bring its schema up to date where needed.

        Raises LedgerUnavailableError, ForeignFileError, LedgerVersionError, LedgerCorruptError.
        """
        with ExitStack() as undo, translated(self.path):
            self._make_file()
            check_size(self.path)
            connection = self._connect("mode=rw")
            undo.callback(connection.close)
            set_writer(connection, self._wait_ms, durable=not self._in_memory)
            if self.path.stat().st_size:
                check_file(connection, self.path)  # before a lock is made beside a file that is none of ours
            lock = self._lock()
            undo.callback(lock.close)
            self._prepare(connection, lock)
            undo.pop_all()
        return SqliteEngine(
            connection,
            lock,
            self.path,
            clock=self._clock,
            wait_ms=self._wait_ms,
            statements=self._statements,
        )

    def reader(self) -> SqlReader:
        """Open for reading.  Raises as ``engine``; the file has to exist and to be up to date."""
        missing = self.pending()
        if missing:
            first = f"{missing[0].number:04d}_{missing[0].slug}"
            many = f"{len(missing)} migrations, from {first} on" if len(missing) > 1 else f"migration {first}"
            msg = f"{self.path} lacks {many}."
            raise LedgerVersionError(msg, next_step="Run `turnledger migrate`.")
        return SqlReader(SqliteSession(self._open_reader, self.path, self._clock, self._statements))

    def listener(self) -> SqliteListener:
        """Waits for news of any program's appends.  Raises LedgerUnavailableError."""
        with translated(self.path):
            return SqliteListener(self._open_reader())

    def pending(self, *, may_be_empty: bool = False) -> list[Migration]:
        """The migrations that ``engine`` would apply.  Changes nothing; raises as ``engine``.

        Raises LedgerUnavailableError for a file that holds nothing, unless it may be empty.
        """
        with translated(self.path), closing(self._open_reader()) as connection:
            connection.execute("BEGIN")  # the list and the schema as they are at one moment
            if not check_file(connection, self.path) and not may_be_empty:
                raise holds_nothing(self.path)
            missing = pending(self._target(connection, None), self._migrations)
            if missing:
                check_list(connection, missing[0], self._clock, self._statements)
            return missing

    def back_up(self, target: Path, advance: Callable[[int], None]) -> int:
        """Copy the ledger, as it is at this moment, into a new file; see ``backup.back_up``.

        Raises as ``pending`` does.
        """
        self.pending()
        with translated(self.path), closing(self._open_reader()) as connection:
            return back_up(connection, target, advance)

    def remove(self) -> None:
        """Delete the ledger.  Raises LedgerBusyError where any program has it open."""
        remove_files(self.path)

    # --- connections ---------------------------------------------------------------------------

    def _connect(self, options: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{options}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_STATEMENTS_KEPT,
        )
        connection.text_factory = _text
        return connection

    def _open_reader(self) -> sqlite3.Connection:
        return open_reader(self.path, self._connect, self._wait_ms)

    # --- making --------------------------------------------------------------------------------

    def _make_file(self) -> None:
        # SQLite's locks die with any descriptor of the file that is closed: only a new file is opened here.
        try:
            with _making:
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE))
        except FileExistsError:
            return
        except OSError as error:
            raise unavailable(self.path, str(error.strerror)) from error

    def _lock(self) -> WriteLock:
        path = Path(f"{self.path}-lock")
        try:
            return WriteLock(path, stat.S_IMODE(self.path.stat().st_mode))
        except OSError as error:
            raise unavailable(path, str(error.strerror)) from error

    def _prepare(self, connection: sqlite3.Connection, lock: WriteLock) -> None:
        target = self._target(connection, lock)
        migrate(target, self._migrations)
        if connection.execute(self._statements["get_ledger_id"].text).fetchone() is None:
            row = (new_id().bytes, self._clock.epoch_ms())
            connection.execute(self._statements["insert_ledger"].positional(), row)

    def _target(self, connection: sqlite3.Connection, lock: WriteLock | None) -> SqliteTarget:
        return SqliteTarget(connection, lock, self.path, self._wait_ms, self._clock, self._statements)
