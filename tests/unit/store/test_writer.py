"""The writer's own behaviour: after a commit whose end is unknown it stops, and says so to everybody."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from turnledger.errors import CommitUnknownError, LedgerClosedError, LedgerUnavailableError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Batch, BatchStatus, Claim
from turnledger.store.contract import Engine
from turnledger.store.sqlite import SqliteDatabase
from turnledger.store.writer import Writer


class Faulty:
    """A cursor whose COMMIT fails as told."""

    def __init__(self, cursor: sqlite3.Cursor, name: str) -> None:
        self._cursor = cursor
        self._name = name
        self.commits = 0

    def execute(self, sql: str, parameters: Sequence[bytes | int | str | None] = ()) -> sqlite3.Cursor:
        if sql == "COMMIT":
            self.commits += 1
            error = sqlite3.OperationalError("injected")
            error.sqlite_errorname = self._name
            raise error
        return self._cursor.execute(sql, parameters)

    def __getattr__(self, name: str) -> object:
        return getattr(self._cursor, name)


def _claim() -> Batch:
    return Batch(claim=Claim(AliasKind.AGENT, NIL, f"agent {new_id()}", new_id()))


def _writer(path: Path, name: str) -> tuple[Writer, list[Faulty]]:
    cursors: list[Faulty] = []

    def opened() -> Engine:
        engine = SqliteDatabase(path).engine()
        cursors.append(Faulty(engine._cursor, name))
        engine._cursor = cursors[-1]  # type: ignore[assignment]
        return engine

    return Writer(opened), cursors


def test_a_failed_flush_stops_the_writer_for_good(ledger_path: Path) -> None:
    writer, cursors = _writer(ledger_path, "SQLITE_IOERR_FSYNC")
    assert isinstance(writer.submit(_claim()).exception(timeout=PATIENCE_S), CommitUnknownError)
    assert cursors[0].commits == 1, "a commit was tried again"
    with pytest.raises(LedgerClosedError, match="Open the ledger again"):
        writer.submit(_claim())
    writer.close()
    again = Writer(SqliteDatabase(ledger_path).engine)
    assert again.submit(_claim()).result(timeout=PATIENCE_S).status is BatchStatus.APPENDED
    again.close()


def test_a_full_disk_refuses_and_the_writer_goes_on(ledger_path: Path) -> None:
    writer, cursors = _writer(ledger_path, "SQLITE_FULL")
    assert isinstance(writer.submit(_claim()).exception(timeout=PATIENCE_S), LedgerUnavailableError)
    cursors[0].__class__ = type("Sound", (Faulty,), {"execute": lambda self, *a: self._cursor.execute(*a)})
    assert writer.submit(_claim()).result(timeout=PATIENCE_S).status is BatchStatus.APPENDED
    writer.close()


def test_a_closed_writer_says_so_and_closing_twice_is_fine(ledger_path: Path) -> None:
    writer = Writer(SqliteDatabase(ledger_path).engine)
    assert writer.submit(_claim()).result(timeout=PATIENCE_S).status is BatchStatus.APPENDED
    writer.close()
    writer.close()
    with pytest.raises(LedgerClosedError, match=r"turnledger\.open"):
        writer.submit(_claim())


def test_a_fault_of_the_engine_reaches_who_waits_instead_of_leaving_them_waiting(ledger_path: Path) -> None:
    def opened() -> Engine:
        msg = "a fault in our own code"
        raise AssertionError(msg)

    writer = Writer(opened)
    with pytest.raises(AssertionError, match="our own code"):
        writer.open()
    with pytest.raises(LedgerClosedError, match="stopped: AssertionError"):
        writer.submit(_claim())
    writer.close()
    assert not ledger_path.exists()


def test_batches_that_came_together_are_not_held_back_for_others(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.store.writer.PATIENCE_S", 1000 * PATIENCE_S)
    writer = Writer(SqliteDatabase(ledger_path).engine)
    for size in (5, 2, 0, 1):  # each fewer than the group before, whose writers are otherwise waited for
        futures = writer.submit_all([_claim() for _ in range(size)])
        assert [future.result(timeout=PATIENCE_S).status for future in futures] == [
            BatchStatus.APPENDED
        ] * size
    writer.close()
    with pytest.raises(LedgerClosedError, match=r"turnledger\.open"):
        writer.submit_all([_claim()])
