"""A ledger's file: how it is made, what is said when it cannot be used, and who may touch it."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import Hand
from tests.patience import PATIENCE_S
from turnledger.errors import (
    ForeignFileError,
    LedgerBusyError,
    LedgerClosedError,
    LedgerCorruptError,
    LedgerError,
    LedgerUnavailableError,
)
from turnledger.store.contract import RecordedEvent
from turnledger.store.ledger_store import Store
from turnledger.store.sqlite import MEMORY, SqliteDatabase
from turnledger.store.sqlite.problems import explain
from turnledger.store.state import Wants

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def hand(ledger_path: Path) -> Iterator[Hand]:
    writer = Hand(str(ledger_path))
    yield writer
    writer.close()


# --- making ----------------------------------------------------------------------------------------


def test_a_new_file_is_its_owners_alone(hand: Hand, ledger_path: Path) -> None:
    hand.opened()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in ledger_path.parent.iterdir()}
    assert modes == {0o600}
    names = {path.name.removeprefix(ledger_path.name) for path in ledger_path.parent.iterdir()}
    assert names == {"", "-wal", "-shm", "-lock"}


def test_a_mode_that_the_owner_chose_is_kept(ledger_path: Path) -> None:
    ledger_path.touch()
    ledger_path.chmod(0o640)
    SqliteDatabase(ledger_path).engine().close()
    assert stat.S_IMODE(ledger_path.stat().st_mode) == 0o640
    assert stat.S_IMODE((ledger_path.parent / f"{ledger_path.name}-lock").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("page_size", 4096),
        ("auto_vacuum", 2),
        ("journal_mode", "wal"),
        ("application_id", 0x544C4752),
        ("secure_delete", 1),
        ("foreign_keys", 1),
        ("synchronous", 2),
        ("recursive_triggers", 1),
        ("trusted_schema", 0),
    ],
)
def test_settings_of_the_write_connection(ledger_path: Path, setting: str, value: object) -> None:
    engine = SqliteDatabase(ledger_path).engine()
    assert engine._connection.execute(f"PRAGMA {setting}").fetchone() == (value,)
    engine.close()


@pytest.mark.parametrize("name", ["with space.ledger", "per%20cent?.ledger", "näme#1", "q?mode=ro", "a'b\"c"])
def test_names_of_any_kind(tmp_path: Path, name: str) -> None:
    database = SqliteDatabase(tmp_path / name)
    engine, reader = database.engine(), database.reader()
    assert reader.agents() == []
    reader.close()
    engine.close()
    assert (tmp_path / name).is_file()


def test_a_link_leads_to_the_ledger_itself(ledger_path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ledger_path)
    Hand(str(link)).close()
    assert SqliteDatabase(link).path == SqliteDatabase(ledger_path).path
    assert SqliteDatabase(link).pending() == []


def test_closing_leaves_one_file_behind_and_its_lock(hand: Hand, ledger_path: Path) -> None:
    hand.opened()
    hand.close()
    assert {path.name for path in ledger_path.parent.iterdir()} == {
        ledger_path.name,
        f"{ledger_path.name}-lock",
    }
    with pytest.raises(LedgerClosedError):
        hand.engine.begin()


# --- what cannot be opened -------------------------------------------------------------------------


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "no" / "such" / "ledger")
    for use in (database.engine, database.reader):
        with pytest.raises(LedgerUnavailableError, match=r"There is no folder .*such\. .*mkdir"):
            use()
    assert list(tmp_path.iterdir()) == []


def test_a_missing_ledger_cannot_be_read(ledger_path: Path) -> None:
    with pytest.raises(LedgerUnavailableError, match="There is no ledger"):
        SqliteDatabase(ledger_path).reader()
    assert not ledger_path.exists()


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    for use in (SqliteDatabase(tmp_path).engine, SqliteDatabase(tmp_path).reader):
        with pytest.raises(LedgerUnavailableError, match="is a folder"):
            use()


@pytest.mark.parametrize("content", [b"# Notes\n\nnothing here\n" * 50, b"SQLite format 3\x00" + bytes(5000)])
def test_another_kind_of_file_is_left_alone(ledger_path: Path, content: bytes) -> None:
    ledger_path.write_bytes(content)
    for use in (SqliteDatabase(ledger_path).engine, SqliteDatabase(ledger_path).reader):
        with pytest.raises(ForeignFileError, match="not a ledger"):
            use()
    assert ledger_path.read_bytes() == content
    assert list(ledger_path.parent.iterdir()) == [ledger_path]


def test_another_programs_database_is_left_alone(ledger_path: Path) -> None:
    file = sqlite3.connect(ledger_path)
    file.execute("CREATE TABLE events (name TEXT)")
    file.close()
    before = ledger_path.read_bytes()
    for use in (SqliteDatabase(ledger_path).engine, SqliteDatabase(ledger_path).reader):
        with pytest.raises(ForeignFileError, match="not a ledger"):
            use()
    assert ledger_path.read_bytes() == before


def test_damage_is_told_apart_and_leaves_no_connection_behind(
    hand: Hand, ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, turn = hand.opened()
    hand.close()
    content = bytearray(ledger_path.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 64] = os.urandom(64)
    ledger_path.write_bytes(content)
    database, opened = SqliteDatabase(ledger_path), list[sqlite3.Connection]()
    connect = database._connect

    def noted(mode: str) -> sqlite3.Connection:
        opened.append(connect(mode))
        return opened[-1]

    monkeypatch.setattr(database, "_connect", noted)
    with pytest.raises(LedgerCorruptError, match=r"damaged.*backup"):
        database.reader().events(turn, 0, 10)
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_text_that_is_no_utf8_is_damage_but_can_be_verified(hand: Hand, ledger_path: Path) -> None:
    _, _, turn = hand.opened()
    file = sqlite3.connect(ledger_path)
    with file:
        file.execute("PRAGMA ignore_check_constraints = ON")
        file.execute("DROP TRIGGER events_refuse_update")
        file.execute("UPDATE events SET tokens = CAST(x'61ff' AS TEXT)")
    file.close()
    with pytest.raises(LedgerCorruptError, match="column tokens of table events"):
        hand.reader.events(turn, 0, 10)
    [rows] = hand.reader.recorded_events(turn)
    assert [RecordedEvent(*row).tokens for row in rows] == [b"a\xff"]


def _raised(path: Path, statement: str, *, mode: str = "rw") -> sqlite3.Error:
    file = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None)
    with pytest.raises(sqlite3.Error) as caught:
        file.execute(statement)
    file.close()
    return caught.value


def test_a_file_that_may_not_be_written(hand: Hand, ledger_path: Path) -> None:
    hand.opened()
    error = explain(_raised(ledger_path, "DELETE FROM bodies", mode="ro"), ledger_path)
    assert isinstance(error, LedgerUnavailableError)
    assert "right to read and write" in error.next_step


def test_a_table_that_is_missing_is_damage(hand: Hand, ledger_path: Path) -> None:
    hand.opened()
    error = explain(_raised(ledger_path, "SELECT * FROM absent"), ledger_path)
    assert isinstance(error, LedgerCorruptError)
    assert "backup" in error.next_step


# --- a full disk -----------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_nothing_is_half_written(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    engine = hand.engine
    (pages,) = engine._connection.execute("PRAGMA page_count").fetchone()  # type: ignore[attr-defined]
    engine._connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # type: ignore[attr-defined]
    with (
        pytest.raises(LedgerUnavailableError, match=r"The disk of .* is full"),
        hand.change(agent, conversation, turn) as change,
    ):
        change.event(turn, "MODEL_CALL", "form=wire", {"payload": os.urandom(200_000)})
    engine.rollback()
    assert len(hand.reader.events(turn, 0, 10)) == 1
    engine._connection.execute("PRAGMA max_page_count = 1000000")  # type: ignore[attr-defined]
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "MODEL_CALL", "form=wire", {"payload": os.urandom(200_000)})
    assert len(hand.reader.events(turn, 0, 10)) == 2


def test_a_file_that_was_taken_away_is_not_written_to(hand: Hand, ledger_path: Path) -> None:
    agent, conversation, turn = hand.opened()
    elsewhere = ledger_path.with_name("elsewhere")
    ledger_path.rename(elsewhere)
    for _ in range(2):
        with (
            pytest.raises(LedgerUnavailableError, match="removed or replaced"),
            hand.change(agent, conversation, turn) as change,
        ):
            change.event(turn, "PROGRESS")
        ledger_path.touch()
    ledger_path.unlink()
    elsewhere.rename(ledger_path)
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
    assert len(hand.reader.events(turn, 0, 10)) == 2


# --- other writers ---------------------------------------------------------------------------------


def test_a_foreign_program_that_keeps_the_lock_is_waited_for_and_then_named(ledger_path: Path) -> None:
    engine = SqliteDatabase(ledger_path, wait_ms=150).engine()
    foreign = sqlite3.connect(ledger_path, isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusyError, match="lsof"):
        engine.begin()
    engine.rollback()
    foreign.execute("ROLLBACK")
    engine.begin()
    engine.load(Wants())
    engine.commit()
    foreign.close()
    engine.close()


def test_another_writer_is_waited_for_and_then_named(ledger_path: Path) -> None:
    first = SqliteDatabase(ledger_path).engine()
    second = SqliteDatabase(ledger_path, wait_ms=150).engine()
    first.begin()
    for _ in range(2):
        with pytest.raises(LedgerBusyError, match=r"more than 0\.15 s"):
            second.begin()
        second.rollback()
    first.rollback()
    second._wait_ms = 60_000  # the lock may be on its way through a wait that was given up
    second.begin()
    second.load(Wants())
    second.commit()
    second.close()
    first.close()


def test_a_wait_that_was_given_up_gives_the_lock_back(ledger_path: Path) -> None:
    first = SqliteDatabase(ledger_path).engine()
    second = SqliteDatabase(ledger_path, wait_ms=50).engine()
    first.begin()
    with pytest.raises(LedgerBusyError):
        second.begin()
    first.rollback()  # the kernel gives the lock to the wait that nobody wants any more
    for _ in range(5):
        first.begin()
        first.rollback()
    second.close()
    first.close()


def test_a_writer_that_waits_goes_on_when_its_turn_comes(ledger_path: Path) -> None:
    first, second = (SqliteDatabase(ledger_path, wait_ms=60_000).engine() for _ in range(2))
    first.begin()
    started = threading.Event()

    def write() -> None:
        started.set()
        second.begin()
        second.commit()

    thread = threading.Thread(target=write)
    thread.start()
    started.wait()
    thread.join(0.1)
    assert thread.is_alive()
    first.commit()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    second.close()
    first.close()


def test_a_forked_child_does_not_keep_the_parents_lock(ledger_path: Path) -> None:
    engine = SqliteDatabase(ledger_path).engine()
    beside = SqliteDatabase(ledger_path).engine()
    read_end, write_end = os.pipe()
    engine.begin()
    child = os.fork()
    if child == 0:
        os.close(write_end)
        os.read(read_end, 1)  # until the parent is done
        os._exit(0)
    os.close(read_end)
    engine._lock.close()  # as the parent's death would
    engine._lock._fd = -1
    beside._lock.acquire(PATIENCE_S)
    beside._lock.release()
    os.close(write_end)
    os.waitpid(child, 0)
    engine._locked = False
    engine.close()
    beside.close()


# --- readers and memory ----------------------------------------------------------------------------


def test_readers_cannot_write(hand: Hand) -> None:
    hand.opened()
    session = hand.reader._session  # type: ignore[attr-defined]
    with pytest.raises(LedgerUnavailableError):
        list(session.rows("delete_turns", {}))
    assert hand.reader.agents() != []


def test_an_unfinished_walk_holds_nobody_up(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    portions = hand.reader.recorded_events(turn)
    next(portions)
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
    assert list(portions) == []
    assert list(map(len, hand.reader.recorded_events(turn))) == [2]


def test_a_closed_ledger_leaves_no_log_behind(ledger_path: Path) -> None:
    database = SqliteDatabase(ledger_path)
    store = Store("ledger", database.engine, database.reader).open()
    assert store.reader.agents() == []
    assert Path(f"{ledger_path}-wal").stat().st_size > 0
    store.close()
    assert not Path(f"{ledger_path}-wal").exists()


def test_memory_is_a_ledger_that_goes_away() -> None:
    hand = Hand(MEMORY)
    agent, conversation, turn = hand.opened()
    folder = hand.database.path.parent  # type: ignore[union-attr]
    with hand.reader.snapshot(), hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
    assert len(hand.reader.events(turn, 0, 10)) == 2
    assert hand.reader.faults() == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    other = SqliteDatabase(MEMORY)
    assert other.path != hand.database.path  # type: ignore[union-attr]
    hand.close()
    del hand, change
    gc.collect()
    assert not folder.exists()


def test_what_a_killed_process_left_in_memory_is_removed() -> None:
    alive = SqliteDatabase(MEMORY)
    orphan = alive.path.parent.with_name(f"{alive.path.parent.name}x")
    orphan.mkdir()
    for folder in (orphan, alive.path.parent):
        os.utime(folder, (1, 1))
    SqliteDatabase(MEMORY)
    assert not orphan.exists()
    assert alive.path.parent.exists()


def test_a_changed_view_an_extra_trigger_and_another_journal_mode_are_faults(
    hand: Hand, ledger_path: Path
) -> None:
    hand.opened()
    hand.close()
    file = sqlite3.connect(ledger_path)
    with file:
        file.execute("DROP VIEW turn_rows")
        file.execute("CREATE VIEW turn_rows AS SELECT 1")
        file.execute("CREATE TRIGGER silent AFTER INSERT ON bodies BEGIN DELETE FROM parts; END")
    file.execute("PRAGMA journal_mode = DELETE")
    file.close()
    reader = SqliteDatabase(ledger_path).reader()
    assert sorted(reader.faults()) == [
        "The journal mode is delete, not wal: a reader can hold up the writer.",
        "The trigger silent was not made by Turnledger.",
        "The view turn_rows is not as Turnledger made it.",
    ]
    reader.close()


def test_errors_hold_no_content(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with (
        pytest.raises(LedgerError) as caught,
        hand.change(agent, conversation, turn) as change,
    ):
        change.event(turn, "GUARD", "secret=\x1f")
    assert "secret" not in str(caught.value)
