"""Migrations: once, in order, whole or not at all; an edited past and a newer database are refused."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.patience import PROGRAM_S
from turnledger.errors import LedgerUnavailableError, LedgerVersionError
from turnledger.store.migrate import Applied, Migration, load_migrations, migrate, pending
from turnledger.store.sqlite import SqliteDatabase
from turnledger.store.sqlite.schema import PACKAGE, split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _migration(number: int, text: str = "") -> Migration:
    return Migration(number, f"step_{number}", text, hashlib.sha256(text.encode()).digest())


class Target:
    """A database that remembers what was done to it."""

    def __init__(self, *applied: Migration) -> None:
        self.rows = [Applied(one.number, one.slug, one.digest) for one in applied]
        self.log: list[str] = []
        self.others: list[Migration] = []
        self.fails_at = 0

    def applied(self) -> list[Applied]:
        return list(self.rows)

    @contextmanager
    def alone(self) -> Iterator[None]:
        self.log.append("alone")
        self.rows += [Applied(one.number, one.slug, one.digest) for one in self.others]
        yield
        self.log.append("together")

    def apply(self, migration: Migration) -> None:
        if migration.number == self.fails_at:
            msg = "killed"
            raise KeyboardInterrupt(msg)
        self.log.append(migration.slug)
        self.rows.append(Applied(migration.number, migration.slug, migration.digest))


ALL = [_migration(1), _migration(2), _migration(3)]


def test_all_are_applied_in_order_while_alone() -> None:
    target = Target()
    assert migrate(target, ALL) == ALL
    assert target.log == ["alone", "step_1", "step_2", "step_3", "together"]
    assert migrate(target, ALL) == pending(target, ALL) == []
    assert len(target.log) == 5


def test_m04_a_killed_migrator_is_gone_on_from() -> None:
    target = Target()
    target.fails_at = 2
    with pytest.raises(KeyboardInterrupt):
        migrate(target, ALL)
    assert pending(target, ALL) == ALL[1:]
    target.fails_at = 0
    assert migrate(target, ALL) == ALL[1:]


def test_m04_what_another_migrator_did_meanwhile_is_not_done_again() -> None:
    target = Target()
    target.others = ALL[:2]
    assert migrate(target, ALL) == ALL[2:]
    assert target.log == ["alone", "step_3", "together"]


def test_m04_a_newer_database_is_refused_by_its_versions() -> None:
    target = Target(*ALL)
    with pytest.raises(
        LedgerVersionError, match=r"version 3; this Turnledger knows versions up to 2.*Upgrade"
    ):
        migrate(target, ALL[:2])
    assert target.log == []


def test_an_edited_past_is_refused() -> None:
    target = Target(ALL[0], _migration(2, "edited"))
    with pytest.raises(LedgerVersionError, match="0002_step_2 was applied with other content"):
        migrate(target, ALL)
    assert target.log == []


# --- SQLite's files --------------------------------------------------------------------------------


def test_statements_end_where_sqlite_says() -> None:
    script = """
    -- A comment; with a semicolon.
    CREATE TABLE a (b TEXT DEFAULT 'x;y');
    CREATE TRIGGER t BEFORE UPDATE ON a
    BEGIN
        SELECT raise(ABORT, 'no; never');
        SELECT 1;
    END;

    INSERT INTO a VALUES ('c');
    """
    statements = list(split(script))
    assert [statement.rstrip(";").split()[-1] for statement in statements] == ["'x;y')", "END", "('c')"]


def test_a_torn_file_is_refused() -> None:
    with pytest.raises(LedgerVersionError, match="middle of a statement"):
        list(split("CREATE TABLE a (b);\nCREATE TABLE c (d"))


def test_the_files_are_numbered_without_a_gap() -> None:
    migrations = load_migrations(PACKAGE)
    assert [one.number for one in migrations] == list(range(1, len(migrations) + 1))
    assert all(len(one.digest) == 32 for one in migrations)


def _objects(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    connection.close()
    return names


def test_m04_a_kill_in_the_middle_leaves_whole_migrations(ledger_path: Path) -> None:
    database = SqliteDatabase(ledger_path)
    broken = "CREATE TABLE half (a);\nCREATE TABLE half (a);\n"
    whole = database._migrations
    database._migrations = [*whole[:1], Migration(2, "broken", broken, bytes(32)), *whole[2:]]
    with pytest.raises(Exception, match="half"):
        database.engine()
    assert "half" not in _objects(ledger_path)
    assert {"migrations", "events"} <= _objects(ledger_path)
    assert "turns" not in _objects(ledger_path)
    repaired = SqliteDatabase(ledger_path)
    assert [one.number for one in repaired.pending()] == [one.number for one in whole[1:]]
    repaired.engine().close()
    assert repaired.pending() == []
    reader = repaired.reader()
    assert reader.faults() == []
    reader.close()


def test_m04_a_newer_file_is_refused_for_writing_and_reading(ledger_path: Path) -> None:
    SqliteDatabase(ledger_path).engine().close()
    file = sqlite3.connect(ledger_path)
    with file:
        file.execute("INSERT INTO migrations VALUES (99, 'future', zeroblob(32), 0)")
    file.close()
    database = SqliteDatabase(ledger_path)
    for use in (database.engine, database.reader, database.pending):
        with pytest.raises(LedgerVersionError, match="version 99"):
            use()


def test_checking_changes_nothing(ledger_path: Path) -> None:
    ledger_path.touch()
    database = SqliteDatabase(ledger_path)
    assert len(database.pending(may_be_empty=True)) == len(load_migrations(PACKAGE))
    assert ledger_path.stat().st_size == 0
    assert os.listdir(ledger_path.parent) == [ledger_path.name]  # noqa: PTH208  names only
    with pytest.raises(LedgerUnavailableError, match="holds nothing"):
        database.reader()


_OPEN = """
import sys
from turnledger.store.sqlite import SqliteDatabase
sys.stdin.readline()
database = SqliteDatabase(sys.argv[1])
engine, reader = database.engine(), database.reader()
print(reader.ledger_id(), reader.faults())
reader.close()
engine.close()
"""


@pytest.mark.slow
def test_m04_four_programs_make_one_new_ledger(ledger_path: Path) -> None:
    for _ in range(3):
        programs = [
            subprocess.Popen(
                [sys.executable, "-W", "error", "-c", _OPEN, str(ledger_path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(4)
        ]
        for program in programs:  # all of them are there before the first one begins
            assert program.stdin is not None
            program.stdin.write("go\n")
            program.stdin.flush()
        said = {program.communicate(timeout=PROGRAM_S)[0] for program in programs}
        assert [program.returncode for program in programs] == [0, 0, 0, 0]
        assert len(said) == 1
        assert "[]" in next(iter(said))
        file = sqlite3.connect(ledger_path)
        numbers = [number for (number,) in file.execute("SELECT number FROM migrations ORDER BY number")]
        file.close()
        assert numbers == list(range(1, len(numbers) + 1))
        for leftover in ledger_path.parent.iterdir():
            leftover.unlink()
