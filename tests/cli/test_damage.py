"""A database of which a part is gone or cannot be read: what holds is said, and each next step leads on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.kit import open_ledger, run
from turnledger.store.migrate import load_migrations
from turnledger.store.sqlite import SqliteDatabase

CONVERSATIONS = 30


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A ledger of many pages, closed."""
    path = tmp_path_factory.mktemp("large") / "large.db"
    made = open_ledger(path)
    agent = made.ledger.agent("support")
    for place in range(CONVERSATIONS):
        convo = agent.conversation(f"room:{place}")
        with convo.turn(trigger=convo.inbound(f"hello {place} " * 150)) as turn:
            with turn.tool_call("lookup", supplied="{}") as step:
                step.result({"found": "x" * 500 + str(place)})
            turn.commit(f"It is {place}.")
    made.ledger.close()
    return path.read_bytes()


@pytest.fixture
def path(large: bytes, ledger_path: Path) -> Path:
    ledger_path.write_bytes(large)
    return ledger_path


def ruin(path: Path, btree: str, *, leaf: int) -> None:
    """Overwrite one leaf page of a table or an index with what no page is."""
    with closing(sqlite3.connect(path)) as connection:
        root, size = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?",
            (btree,),
        ).fetchone()
    data = bytearray(path.read_bytes())
    page = leaf_of(data, size, root, leaf)
    data[(page - 1) * size : page * size] = b"\x99" * size
    path.write_bytes(data)


def leaf_of(data: bytearray, size: int, root: int, place: int) -> int:
    """The number of a b-tree's leaf; see https://www.sqlite.org/fileformat2.html#b_tree_pages."""
    start = (root - 1) * size
    cells = int.from_bytes(data[start + 3 : start + 5])
    if data[start] in {0x0D, 0x0A}:
        return root
    assert place < cells
    pointer = start + 12 + 2 * place
    cell = start + int.from_bytes(data[pointer : pointer + 2])
    return int.from_bytes(data[cell : cell + 4])


def forget(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_page_that_cannot_be_read_does_not_keep_the_others_from_being_verified(path: Path) -> None:
    ruin(path, "events", leaf=3)
    told = run("verify", "--all", "--ledger", path, "--json")
    assert told.status == 1
    results = json.loads(told.out)["results"]
    assert len(results) == 2 * CONVERSATIONS
    bad = [one for one in results if one["verdict"] != "intact"]
    assert bad
    assert {(one["verdict"], one["reason"]) for one in bad} == {("malformed", "unreadable")}
    assert len(bad) < CONVERSATIONS / 2
    shown = run("verify", "--all", "--ledger", path)
    assert "turnledger export --all" in shown.out
    assert all(one["id"] in shown.out for one in bad)


def test_a_hole_in_the_list_of_journals_is_told_and_gone_round(path: Path) -> None:
    ruin(path, "journals", leaf=0)
    told = json.loads(run("verify", "--all", "--ledger", path, "--json").out)
    assert (told["verdict"], told["results"][-1]["kind"] in {"database", "turn"}) == ("malformed", True)
    lists = [one for one in told["results"] if one["kind"] == "database"]
    assert [(one["id"], one["reason"]) for one in lists] == [(None, "unreadable")]
    assert any(one["verdict"] == "intact" for one in told["results"])
    assert not any(one["verdict"] == "broken" for one in told["results"])


@pytest.mark.parametrize("table", ["agents", "conversations"])
def test_a_list_that_is_gone_as_a_whole_is_a_finding(path: Path, table: str) -> None:
    ruin(path, table, leaf=0)
    shown = run("verify", "--all", "--ledger", path)
    assert shown.status == 1
    assert "lists of agents, conversations and journals" in shown.out


def test_what_can_be_read_is_exported(path: Path, tmp_path: Path) -> None:
    ruin(path, "events", leaf=3)
    file = tmp_path / "saved.jsonl"
    saved = run("export", "--all", "--bodies", "-o", file, "--ledger", path)
    assert saved.status == 1
    assert "Cut short" in saved.err
    told = json.loads(run("verify", file, "--json").out)["results"]
    assert len(told) == 2 * CONVERSATIONS
    bad = [one for one in told if one["verdict"] != "intact"]
    assert 0 < len(bad) < CONVERSATIONS / 2


@pytest.mark.parametrize("table", ["events", "agents", "parts"])
def test_the_doctor_of_a_damaged_file_says_what_to_do_and_does_not_send_to_itself(
    path: Path, table: str
) -> None:
    ruin(path, table, leaf=0)
    shown = run("doctor", "--ledger", path)
    assert (shown.status, shown.lines[-1]) == (1, "not well")
    assert "turnledger export --all" in shown.out
    assert "turnledger doctor" not in shown.out


def test_a_table_that_is_gone_is_damage_and_no_matter_of_migrations(path: Path) -> None:
    forget(path, "DROP TABLE events")
    ill = run("doctor", "--ledger", path)
    assert ill.status == 1
    assert "The table events is missing." in ill.out
    for command in ("verify --all", "doctor", "export --all", "tail", "show 0"):
        told = run(*command.split(), "--ledger", path)
        assert told.status in {1, 2, 3}
        assert "migrate" not in told.out + told.err, command
    assert run("verify", "--all", "--ledger", path).status == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM migrations",
        "DELETE FROM migrations WHERE number = 3",
        "DELETE FROM migrations WHERE number > 6",
        "DROP TABLE migrations",
    ],
)
def test_a_list_of_migrations_that_is_not_whole_is_damage(path: Path, statement: str) -> None:
    forget(path, statement)
    before = path.read_bytes()
    for command in ("doctor", "migrate", "migrate --check", "verify --all", "list"):
        told = run(*command.split(), "--ledger", path)
        said = told.out + told.err
        assert told.status == (1 if command == "doctor" else 3)
        assert "list of migrations lacks" in said
        assert "backup" in said
        assert "turnledger migrate" not in said
        assert "turnledger doctor" not in said
    assert path.read_bytes() == before


def test_a_ledger_of_an_older_version_is_still_migrated(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No honest older schema is taken for a damaged one."""
    database = SqliteDatabase(ledger_path)
    monkeypatch.setattr(database, "_migrations", load_migrations("turnledger.store.sqlite")[:6])
    database.engine().close()
    assert run("migrate", "--check", "--ledger", ledger_path).status == 1
    assert run("migrate", "--ledger", ledger_path).status == 0
    assert run("doctor", "--ledger", ledger_path).status == 0
