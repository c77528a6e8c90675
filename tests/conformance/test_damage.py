"""A damaged cell in agents, conversations or journals is named, and nothing else is lost with it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

import psycopg
import pytest

import turnledger
from tests.cli.kit import Outcome, run
from turnledger.errors import CaptureRefused
from turnledger.integrity.verdict import Reason, Verdict
from turnledger.query.findings import Finding
from turnledger.query.verify import verify_conversation, verify_journal, verify_ledger

if TYPE_CHECKING:
    from pathlib import Path

    from turnledger.query.verification import Verification

TABLES = ("agents", "conversations", "journals")

TEXT, BYTES, NULL, NO_UTF8 = "'nonsense'", "x'00ff'", "NULL", "CAST(x'ff' AS TEXT)"
NUMBER, REAL, BELOW = "7", "1.5", "-1"

# What an SQLite column of each kind cannot hold; a file can be damaged in every way.
NO_NUMBER, NO_COUNT = (TEXT, BYTES, NULL, REAL), (TEXT, BYTES, NULL, BELOW)
NO_ID = (BYTES, NULL, "'sixteen letters!'", NUMBER)
NO_WORD = (TEXT, BYTES, NULL, NO_UTF8)
IN_A_FILE = {
    "agents.id": NO_ID,
    "agents.name": (TEXT, NULL, "x'ff'"),
    "agents.opened_ms": NO_NUMBER,
    "agents.turns": NO_COUNT,
    "agents.conversations": NO_COUNT,
    "conversations.id": NO_ID,
    "conversations.aid": (TEXT, NULL),
    "conversations.opened_ms": NO_NUMBER,
    "conversations.connector": (BYTES,),
    "conversations.shape": NO_WORD,
    "conversations.place": (BYTES, TEXT),
    "conversations.next_position": NO_COUNT,
    "journals.kind": NO_WORD,
    "journals.id": NO_ID,
    "journals.aid": (TEXT, NULL),
    "journals.cid": (TEXT, BYTES),
    "journals.ordinal": NO_COUNT,
    "journals.next_seq": NO_COUNT,
    "journals.head": (BYTES, NULL, TEXT),
    "journals.last_ms": NO_NUMBER,
    "journals.closed": (TEXT, NULL, NUMBER),
    "journals.holder": (BYTES, TEXT),
    "journals.epoch": NO_COUNT,
    "journals.until_ms": (TEXT, BYTES),
}
# PostgreSQL keeps the type of a column, whoever alters it.
SHORT = r"'\x00ff'::bytea"
ON_A_SERVER = {
    "agents.id": (SHORT, NULL),
    "agents.name": (r"'\xff'::bytea", NULL),
    "agents.turns": (NULL, BELOW),
    "conversations.id": (SHORT, NULL),
    "conversations.shape": (TEXT, NULL),
    "conversations.place": (SHORT,),
    "conversations.next_position": (NULL, BELOW),
    "journals.kind": (TEXT, NULL),
    "journals.id": (SHORT, NULL),
    "journals.ordinal": (NULL, BELOW),
    "journals.next_seq": (NULL, BELOW),
    "journals.head": (SHORT, NULL),
    "journals.closed": (NULL, NUMBER),
    "journals.holder": (SHORT,),
    "journals.epoch": (NULL, BELOW),
}


class Damage(NamedTuple):
    """One cell, what it becomes, and of which journal where there are two kinds."""

    column: str
    value: str
    kind: str = ""

    @property
    def table(self) -> str:
        return self.column.partition(".")[0]

    @property
    def statement(self) -> str:
        table, _, column = self.column.partition(".")
        where = {
            "agents": "aid = 1",
            "conversations": "cid = 1",
            "journals": f"cid = 1 AND kind = '{self.kind}'",
        }[table]
        return f"UPDATE {table} SET {column} = {self.value} WHERE {where}"


def _damages(values: dict[str, tuple[str, ...]]) -> list[Damage]:
    return [
        Damage(column, value, kind)
        for column, bad in values.items()
        for value in bad
        for kind in (("turn", "conversation") if column.startswith("journals") else ("",))
    ]


@dataclass
class Made:
    """A ledger: the agent and conversation that get hurt, and their neighbours."""

    url: str
    agent: UUID
    talk: UUID
    turn: UUID
    near_talk: UUID
    near_turn: UUID
    far_agent: UUID
    far_talk: UUID
    far_turn: UUID


def _look(number: int) -> str:
    return f"found {number}"


def _made(url: str) -> Made:
    ids: list[UUID] = []
    with turnledger.open(url) as ledger:
        for name, key in (("support", "mail:1"), ("support", "mail:2"), ("far", "mail:3")):
            talk = ledger.agent(name).conversation(key, connector="mail", place="inbox")
            with talk.turn(trigger=talk.inbound("Where is my order?")) as turn:
                turn.tool("look", _look, supplied='{"number": 7}')
                turn.commit("It is on its way.")
            ids += [ledger.agent(name).id, talk.id, turn.id]
    return Made(url, ids[0], ids[1], ids[2], ids[4], ids[5], *ids[6:])


def _hurt_file(url: str, damage: Damage) -> None:
    """As a bit that fell over: the schema stays as it is, the cell does not."""
    _sql(url, "PRAGMA foreign_keys = OFF")
    with closing(sqlite3.connect(url)) as file:
        (strict,) = file.execute(
            "SELECT sql FROM sqlite_schema WHERE name = ? AND type = 'table'", (damage.table,)
        ).fetchone()
    loose = strict.replace(" STRICT", "").replace(" NOT NULL", "")
    _write_schema(url, damage.table, loose)
    _sql(url, "PRAGMA ignore_check_constraints = ON", damage.statement)
    _write_schema(url, damage.table, strict)


def _write_schema(url: str, table: str, sql: str) -> None:
    file = sqlite3.connect(url)
    (version,) = file.execute("PRAGMA schema_version").fetchone()
    file.execute("PRAGMA writable_schema = ON")
    file.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ? AND type = 'table'", (sql, table))
    file.commit()
    file.execute(f"PRAGMA schema_version = {version + 1}")
    file.close()


def _sql(url: str, *statements: str) -> None:
    file = sqlite3.connect(url, isolation_level=None)
    for statement in statements:
        file.execute(statement)
    file.close()


def _hurt_server(url: str, damage: Damage) -> None:
    with psycopg.connect(url) as server:
        checks = server.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'",
            (damage.table,),
        ).fetchall()
        for (name,) in checks:
            server.execute(f"ALTER TABLE {damage.table} DROP CONSTRAINT {name}".encode())
        column = damage.column.partition(".")[2]
        server.execute(f"ALTER TABLE {damage.table} ALTER {column} DROP NOT NULL".encode())
        assert server.execute(damage.statement.encode()).rowcount == 1


def _name(damage: Damage) -> str:
    return f"{damage.column}={damage.value} {damage.kind}".strip()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A file that was recorded once for all tests."""
    return _made(str(tmp_path_factory.mktemp("damage") / "template.ledger"))


@pytest.fixture
def file(template: Made, ledger_path: Path) -> Made:
    """A copy of it."""
    with closing(sqlite3.connect(template.url)) as source, closing(sqlite3.connect(ledger_path)) as target:
        source.backup(target)
    return replace(template, url=str(ledger_path))


def _expect_all_told(made: Made, damage: Damage) -> None:
    _expect_verdicts(made, damage)
    _expect_commands(made, damage)
    _expect_recorder(made)


def _expect_verdicts(made: Made, damage: Damage) -> None:
    with turnledger.read(made.url) as reading:
        found = list(verify_ledger(reading.reader))
        alone = {one: verify_journal(reading.reader, one) for one in (made.near_turn, made.far_turn)}
        far = list(verify_conversation(reading.reader, made.far_talk))
    table, _, column = damage.column.partition(".")
    named = [one for one in found if one.damage is not None]
    assert [(one.damage.table, one.damage.column) for one in named if one.damage] == [(table, column)]
    assert {one.verdict for one in named} == {Verdict.MALFORMED}
    assert all(damage.column.split(".")[1] in Finding.of_journal(one).explanation for one in named)
    assert [one.id for one in named] == [_hurt_id(made, damage)]
    others = {one.id: one for one in found if one.damage is None}
    assert others.keys() | {one.id for one in named} >= {made.far_talk, made.far_turn}
    assert all(others[one].verdict is Verdict.INTACT for one in (made.far_talk, made.far_turn))
    _expect_near(damage, others, made)
    assert alone[made.far_turn].verdict is Verdict.INTACT
    assert {one.verdict for one in far} == {Verdict.INTACT}
    if damage.column == "journals.id" and damage.kind == "turn":
        hurt = [one for one in _of_conversation(made) if not one.sound]
        assert [(one.kind, one.id, one.reason) for one in hurt] == [("turn", made.turn, Reason.ROW_GRAMMAR)]
        assert "column id of table journals" in Finding.of_journal(hurt[0]).explanation


def _of_conversation(made: Made) -> list[Verification]:
    with turnledger.read(made.url) as reading:
        return list(verify_conversation(reading.reader, made.talk))


def _expect_near(damage: Damage, others: dict[UUID, Verification], made: Made) -> None:
    """The agent's other conversation; and the turn of the conversation, and the other way round."""
    near = [others[one] for one in (made.near_talk, made.near_turn)]
    if damage.column == "agents.id":
        assert {(one.verdict, one.reason) for one in near} == {(Verdict.MALFORMED, Reason.SOURCE_AGENT_ID)}
    elif damage.column != "journals.aid":
        assert {one.verdict for one in near} == {Verdict.INTACT}
        rest = [one for one in (made.talk, made.turn) if one in others]
        # A row that names no conversation, or another, is not believed about it.
        if damage.column not in {"journals.cid", "conversations.aid"}:
            assert {others[one].verdict for one in rest} <= {Verdict.INTACT}


def _hurt_id(made: Made, damage: Damage) -> UUID:
    if damage.table == "agents":
        return made.agent if damage.column != "agents.id" else UUID(int=0)
    if damage.table == "conversations" or damage.kind == "conversation":
        return made.talk
    return made.turn if damage.column != "journals.id" else UUID(int=0)


def _expect_commands(made: Made, damage: Damage) -> None:
    verified = _run(made, "verify", "--all")
    assert verified.status == 1
    assert "malformed" in verified.out
    listed, turns = _run(made, "list"), _run(made, "list", "--turns")
    assert "mail:3" in listed.out
    assert "far" in turns.out
    for one in (listed, turns):
        assert one.status == (1 if "Left out" in one.err or "Damaged:" in one.err else 0)
        assert "Left out" not in one.err or damage.column.split(".")[1] in one.err
    json_listed = json.loads(_run(made, "list", "--json").out)
    near = 0 if damage.column == "agents.id" else 1
    left_out = 0 if json_listed["damaged"] is None else json_listed["damaged"]["count"]
    assert len(json_listed["conversations"]) + left_out >= 1 + near
    doctor = _run(made, "doctor")
    assert doctor.status == 1
    assert f"column {damage.column.split('.')[1]} of table {damage.table}" in " ".join(doctor.out.split())
    for target in (made.talk, made.turn):
        _run(made, "show", target)
        _run(made, "show", target, "--json")
    assert _run(made, "show", made.near_turn).status == (3 if damage.column == "agents.id" else 0)
    assert _run(made, "show", made.far_talk).status == 0
    assert _run(made, "tail", "--no-follow", "--after", 0, "--json").status in {0, 1}
    _run(made, "export", "--all")


def _run(made: Made, *arguments: object) -> Outcome:
    done = run(*arguments, "--ledger", made.url)
    assert "fault" not in done.err.lower()
    assert "Traceback" not in done.err
    assert done.status in {0, 1, 3}
    assert done.status != 3 or len(done.err.splitlines()) >= 1
    return done


def _expect_recorder(made: Made) -> None:
    """Recording goes on beside it; what cannot go on is refused."""
    with turnledger.open(made.url) as ledger:
        with suppress(CaptureRefused):
            ledger.agent("support").conversation("mail:1").inbound("And now?").seq  # noqa: B018
        talk = ledger.agent("far").conversation("mail:3")
        with talk.turn(trigger=talk.inbound("Hello?")) as turn:
            turn.commit("Hello.")


@pytest.mark.parametrize("damage", _damages(IN_A_FILE), ids=_name)
def test_a_damaged_cell_of_a_file_is_named_and_its_neighbours_are_read(file: Made, damage: Damage) -> None:
    _hurt_file(file.url, damage)
    _expect_all_told(file, damage)


@pytest.mark.postgres
@pytest.mark.parametrize("damage", _damages(ON_A_SERVER), ids=_name)
def test_a_damaged_cell_on_a_server_is_named_and_its_neighbours_are_read(
    postgres_url: str, damage: Damage
) -> None:
    made = _made(postgres_url)
    _hurt_server(postgres_url, damage)
    _expect_all_told(made, damage)


def test_every_column_of_the_three_tables_is_damaged_here(file: Made) -> None:
    with closing(sqlite3.connect(file.url)) as connection:
        columns = {
            f"{table}.{row[1]}"
            for table in TABLES
            for row in connection.execute(f"PRAGMA table_info({table})")
        }
    keys = {"agents.aid", "conversations.cid", "journals.jid"}  # the file's own row numbers: always integers
    assert columns - keys == IN_A_FILE.keys()
