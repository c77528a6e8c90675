"""The schema of a ledger's file: bringing it up to date, and telling what is missing from it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnledger.clock import Clock
from turnledger.errors import LedgerVersionError
from turnledger.store.migrate import Applied, Migration, damaged_list, load_migrations
from turnledger.store.sql import Statement
from turnledger.store.sqlite.pragmas import APPLICATION_ID, set_file
from turnledger.store.sqlite.problems import busy, foreign
from turnledger.store.sqlite.write_lock import WriteLock

__all__ = ["SqliteTarget", "check_file", "check_list", "schema_faults", "split"]

PACKAGE: Final = "turnledger.store.sqlite"


def split(script: str) -> Iterator[str]:
    """The statements of a script.  SQLite itself says where one ends: triggers hold semicolons."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
    if statement.strip():
        msg = f"A migration ends in the middle of a statement: {statement.strip()[:80]!r}."
        raise LedgerVersionError(msg)


def check_file(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file holds a ledger already; False where it is empty.

    Raises ForeignFileError where it is another program's, sqlite3.DatabaseError where it is no database.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application not in {0, APPLICATION_ID} or (tables and application != APPLICATION_ID):
        raise foreign(path)
    return bool(tables)


class SqliteTarget:
    """See ``migrate.MigrationTarget``."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: WriteLock | None,
        path: Path,
        wait_ms: int,
        clock: Clock,
        statements: Mapping[str, Statement],
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._path = path
        self._wait_ms = wait_ms
        self._clock = clock
        self._statements = statements

    def applied(self) -> Sequence[Applied]:
        """See ``MigrationTarget``."""
        known = self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchone()
        if known is None:
            return []
        return [Applied(*row) for row in self._connection.execute(self._statements["list_migrations"].text)]

    @contextmanager
    def alone(self) -> Generator[None]:
        """See ``MigrationTarget``.  Makes an empty file a ledger's."""
        if self._lock is not None and not self._lock.acquire(self._wait_ms / 1000):
            raise busy(self._path, self._wait_ms)
        try:
            if not check_file(self._connection, self._path):
                set_file(self._connection)
            yield
        finally:
            if self._lock is not None:
                self._lock.release()

    def apply(self, migration: Migration) -> None:
        """See ``MigrationTarget``."""
        connection = self._connection
        row = (migration.number, migration.slug, migration.digest, self._clock.epoch_ms())
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(self._statements["create_migrations"].text)
            for statement in split(migration.text):
                connection.execute(statement)
            connection.execute(self._statements["insert_migration"].positional(), row)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def check_list(
    connection: sqlite3.Connection, missing: Migration, clock: Clock, statements: Mapping[str, Statement]
) -> None:
    """Raise LedgerCorruptError where the file has what a migration makes that is not on its list."""
    before = _expected(clock, statements, missing.number - 1)
    made = _expected(clock, statements, missing.number).keys() - before.keys()
    if made & _schema(connection, statements).keys():
        raise damaged_list(missing)


def schema_faults(
    connection: sqlite3.Connection, clock: Clock, statements: Mapping[str, Statement]
) -> list[str]:
    """Differences between the file and what the migrations make, and what SQLite's own check finds."""
    expected = _expected(clock, statements)
    actual = _schema(connection, statements)
    found: list[str] = []
    for (kind, name), sql in expected.items():
        if (kind, name) not in actual:
            found.append(f"The {kind} {name} is missing.")
        elif actual[kind, name] != sql:
            found.append(f"The {kind} {name} is not as Turnledger made it.")
    found += [
        f"The {kind} {name} was not made by Turnledger." for kind, name in actual.keys() - expected.keys()
    ]
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal" and _may_be_written(connection):
        found.append(f"The journal mode is {mode}, not wal: a reader can hold up the writer.")
    found += [f"SQLite: {line}." for (line,) in connection.execute("PRAGMA quick_check(20)") if line != "ok"]
    return found


def _may_be_written(connection: sqlite3.Connection) -> bool:
    """Whether a writer can be there: of a file that nobody here may write to, SQLite tells another mode."""
    [(path,)] = connection.execute("SELECT file FROM pragma_database_list WHERE name = 'main'")
    return not path or os.access(Path(path).parent, os.W_OK)


def _schema(
    connection: sqlite3.Connection, statements: Mapping[str, Statement]
) -> dict[tuple[str, str], str]:
    rows = connection.execute(statements["list_schema"].text)
    return {(kind, name): sql for kind, name, sql in rows}


def _expected(
    clock: Clock, statements: Mapping[str, Statement], last: int | None = None
) -> dict[tuple[str, str], str]:
    """What the migrations make, up to number ``last``."""
    with _scratch() as scratch:
        target = SqliteTarget(scratch, None, Path(":memory:"), 0, clock, statements)
        for migration in load_migrations(PACKAGE)[:last]:
            target.apply(migration)
        return _schema(scratch, statements)


@contextmanager
def _scratch() -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()
