"""``turnledger backup``: a copy that is whole, of a ledger that somebody records into."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.kit import Recorded, run
from turnledger.errors import LedgerUnavailableError
from turnledger.store.sqlite import SqliteDatabase


def test_a_backup_is_one_private_file_that_holds_everything(support: Recorded, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "one.db"
    target.parent.mkdir()
    assert Path(f"{support.path}-wal").stat().st_size > 0
    outcome = support.run("backup", target)
    assert outcome.status == 0
    assert outcome.out.startswith(f"{target} holds {support.path} (")
    assert f"turnledger verify --all --ledger {target}" in outcome.err
    assert [one.name for one in target.parent.iterdir()] == ["one.db"]
    assert target.stat().st_mode & 0o777 == 0o600
    ours, theirs = (json.loads(run("list", "--json", "--ledger", one).out) for one in (support.path, target))
    assert theirs == ours
    assert run("doctor", "--ledger", target).status == 0


def test_what_is_recorded_meanwhile_neither_disturbs_nor_comes_into_it(
    support: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.store.sqlite.backup._PAGES", 4)
    convo = support.ledger.agent("late").conversation("x:2")
    told: list[int] = []

    def advance(more: int) -> None:
        told.append(more)
        if len(told) < 20:
            convo.inbound("meanwhile")

    target = tmp_path / "copy.db"
    size = SqliteDatabase(support.path).back_up(target, advance)
    assert size == target.stat().st_size == sum(told)
    assert "late" not in run("list", "--ledger", target).out
    assert "late" in support.run("list").out


@pytest.mark.parametrize("taken", ["copy.db", "copy.db-wal"])
def test_a_backup_replaces_nothing(support: Recorded, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_bytes(b"mine")
    outcome = support.run("backup", tmp_path / "copy.db")
    assert outcome.status == 3
    assert "replaces nothing" in outcome.err
    assert (tmp_path / taken).read_bytes() == b"mine"


def test_what_comes_there_meanwhile_stays(support: Recorded, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"

    def come(_more: int) -> None:
        target.write_bytes(b"mine")

    with pytest.raises(LedgerUnavailableError, match="replaces nothing"):
        SqliteDatabase(support.path).back_up(target, come)
    assert target.read_bytes() == b"mine"
    assert list(tmp_path.glob(".copy*")) == []


def test_a_backup_that_is_broken_off_leaves_nothing(support: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()

    def interrupt(_more: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SqliteDatabase(support.path).back_up(folder / "copy.db", interrupt)
    assert list(folder.iterdir()) == []


def test_json_and_what_cannot_be_backed_up(support: Recorded, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    told = json.loads(support.run("backup", target, "--json").out)
    assert told == {"ledger": str(support.path), "file": str(target), "bytes": target.stat().st_size}
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert "cannot be written" in support.run("backup", tmp_path / "no" / "copy.db").err
    empty = tmp_path / "empty.db"
    empty.touch()
    assert "holds nothing" in run("backup", tmp_path / "new.db", "--ledger", empty).err
    assert not (tmp_path / "new.db").exists()


def test_a_full_disk_is_that_of_the_copy(
    support: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger's own disk may have all the room there is."""

    def small(path: Path, *, isolation_level: None) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=isolation_level)
        connection.execute("PRAGMA max_page_count = 4")
        return connection

    names = SimpleNamespace(connect=small, OperationalError=sqlite3.OperationalError)
    monkeypatch.setattr("turnledger.store.sqlite.backup.sqlite3", names)
    target = tmp_path / "other" / "copy.db"
    target.parent.mkdir()
    refused = support.run("backup", target)
    assert refused.status == 3
    assert f"The disk of {target} is full" in " ".join(refused.err.split())
    assert list(target.parent.iterdir()) == []
