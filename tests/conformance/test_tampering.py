"""Whatever is edited in the tables that hold the truth is found by verification, or named as not covered."""

from __future__ import annotations

import itertools
import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psycopg
import pytest

import turnledger
from turnledger.clock import SYSTEM, SystemClock
from turnledger.query.verify import verify_ledger
from turnledger.store.sqlite import MEMORY, SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "what-is-proven.md"
UNCOVERED = re.compile(r"^\| `(\w+\.\w+)` \|", re.MULTILINE)
TABLES = ("agents", "conversations", "journals", "events", "bodies", "parts")

DIGEST = "(SELECT x.hash FROM events AS x WHERE x.type = 'OPENED' ORDER BY x.eid LIMIT 1)"
OTHER_ID = "(SELECT x.event_id FROM events AS x WHERE x.type = 'OPENED' ORDER BY x.eid LIMIT 1)"
TALK = "(SELECT j.jid FROM journals AS j WHERE j.kind = 'conversation' ORDER BY j.jid LIMIT 1)"
TURN = "(SELECT j.jid FROM journals AS j WHERE j.kind = 'turn')"

# What each column becomes, and of which row.
EVENTS = {
    "jid": "jid + 1000",
    "seq": "seq + 1000",
    "cid": "cid + 1000",
    "position": "position + 1000",
    "created_ms": "created_ms + 1",
    "event_id": OTHER_ID,
    "payload_hash": DIGEST,
    "hash": DIGEST,
    "type": "'PROGRESS'",
    "tokens": "tokens || ' x=1'",
    "detail": "(SELECT x.detail FROM events AS x WHERE x.type = 'OPENED' ORDER BY x.eid LIMIT 1)",
}
BODIES = {
    "jid": "jid + 1000",
    "seq": "seq + 1000",
    "slot": "'attachment-9'",
    "size": "size + 1",
    "salt": DIGEST,
    "recipe": "salt",
}
JOURNALS = {
    "jid": "jid + 1000",
    "kind": "CASE WHEN kind = 'turn' THEN 'conversation' ELSE 'turn' END",
    "id": OTHER_ID,
    "aid": "aid + 1000",
    "cid": "cid + 1000",
    "ordinal": "ordinal + 1",
    "next_seq": "next_seq + 1",
    "head": DIGEST,
}
CONVERSATIONS = {
    "cid": "cid + 1000",
    "id": OTHER_ID,
    "aid": "aid + 1000",
    "next_position": "next_position + 1",
}
AGENTS = {
    "aid": "aid + 1000",
    "id": OTHER_ID,
    "turns": "turns + 1",
    "conversations": "conversations + 1",
}
UNSEEN = {
    "holder": OTHER_ID,
    "closed": "1 - closed",
    "connector": "'web'",
    "shape": "'dm'",
    "place": OTHER_ID,
    "name": EVENTS["detail"],
}
OF_TURN, OF_TALK = f"jid = {TURN}", f"jid = {TALK}"


UNIQUE = ("events_id", "events_position")


class Edit(NamedTuple):
    """One column of the rows of a table that fit ``where``."""

    table: str
    column: str
    value: str
    where: str

    def __str__(self) -> str:
        return f"UPDATE {self.table} SET {self.column} = {self.value} WHERE {self.where}"

    @property
    def kind(self) -> str:
        """The kind of journal that it is about."""
        return "turn" if TURN in self.where else "conversation" if TALK in self.where else ""

    @property
    def seq(self) -> str:
        """The event that it is about."""
        return self.where.partition(" AND seq = ")[2][:1]

    @property
    def id(self) -> str:
        """A name for the test."""
        return f"{self.table}.{self.column} {self.kind} {self.seq}".strip()


EDITS = [
    *(Edit("events", *edit, f"{OF_TURN} AND seq = 2") for edit in EVENTS.items()),
    *(Edit("events", *edit, f"{OF_TALK} AND seq = 1") for edit in EVENTS.items()),
    *(Edit("bodies", *edit, f"{OF_TURN} AND seq = 3 AND slot = 'supplied'") for edit in BODIES.items()),
    *(Edit("bodies", *edit, f"{OF_TALK} AND seq = 1") for edit in BODIES.items()),
    *(Edit("journals", *edit, where) for edit in JOURNALS.items() for where in (OF_TURN, OF_TALK)),
    *(Edit("conversations", *edit, "next_position > 3") for edit in CONVERSATIONS.items()),
    *(Edit("agents", *edit, "turns > 0") for edit in AGENTS.items()),
    Edit("parts", "pid", "pid + 1000", "pid > 0"),
    Edit("parts", "data", EVENTS["detail"], "pid > 0"),
]


@pytest.fixture
def recorded(engine: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two conversations, the first with a turn of every kind of slot; no two events in one millisecond."""
    now = itertools.count(SYSTEM.epoch_ms())
    monkeypatch.setattr(SystemClock, "epoch_ms", lambda _self: next(now))
    with turnledger.open(engine) as ledger:
        talk = ledger.agent("support").conversation("mail:1")
        with talk.turn(trigger=talk.inbound("Where is my order? " * 40)) as turn:
            with turn.model_call(role="primary", request={"messages": ["m" * 300]}) as call:
                call.result({"choices": []})
            with turn.tool_call("look", supplied='{"id": "7"}', validated={"id": 7}) as tool:
                tool.result("found " * 50)
            turn.commit("It is on its way.")
        ledger.agent("support").conversation("mail:2").inbound("Hello.")
    return engine


def edit(url: str, *statements: object) -> None:
    """Run statements as the owner of the database can: without its guards."""
    if url.startswith("postgresql://"):
        with psycopg.connect(url) as server:
            server.execute("SET session_replication_role = replica")
            server.execute("ALTER TABLE events DISABLE TRIGGER USER")
            for index in UNIQUE:
                server.execute(f"DROP INDEX IF EXISTS {index}".encode())
            for statement in statements:
                assert server.execute(str(statement).encode()).rowcount > 0
        return
    file = sqlite3.connect(url)
    file.execute("PRAGMA ignore_check_constraints = ON")
    for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        file.execute(f"DROP TRIGGER {name}")
    for index in UNIQUE:
        file.execute(f"DROP INDEX IF EXISTS {index}")
    with file:
        for statement in statements:
            assert file.execute(str(statement)).rowcount > 0
    file.close()


def faults(url: str, *, bodies: bool = True) -> list[tuple[str, int, str]]:
    """Kind of journal, event at fault and reason of all that is found."""
    with turnledger.read(url) as reading:
        return [
            (found.kind, found.broken_at_seq, found.reason)
            for found in verify_ledger(reading.reader, bodies=bodies)
            if not found.sound
        ]


def _columns() -> Iterator[str]:
    engine = SqliteDatabase(MEMORY).engine()
    for table in TABLES:
        for row in engine._connection.execute(f"PRAGMA table_info({table})"):
            yield f"{table}.{row[1]}"
    engine.close()


def test_every_column_is_edited_here_or_named_as_not_covered() -> None:
    edited = [f"{one.table}.{one.column}" for one in EDITS]
    not_covered = UNCOVERED.findall(PAGE.read_text())
    assert not set(edited) & set(not_covered)
    assert sorted({*edited, *not_covered}) == sorted(_columns())


def test_nothing_is_found_where_nothing_was_edited(recorded: str) -> None:
    assert faults(recorded) == []
    assert faults(recorded, bodies=False) == []


@pytest.mark.parametrize("change", EDITS, ids=[one.id for one in EDITS])
def test_an_edit_of_a_column_is_found_at_its_event(recorded: str, change: Edit) -> None:
    edit(recorded, change)
    places = {(kind, at) for kind, at, _ in faults(recorded)}
    assert places
    if change.seq:
        assert (change.kind, int(change.seq)) in places


@pytest.mark.parametrize("name", UNCOVERED.findall(PAGE.read_text()))
def test_what_is_named_as_not_covered_is_not(recorded: str, name: str) -> None:
    """A page that is too modest is wrong as well."""
    table, column = name.split(".")
    value = UNSEEN.get(column, f"COALESCE({column}, 0) + 1000")
    edit(recorded, f"UPDATE {table} SET {column} = {value}")
    assert faults(recorded) == []


@pytest.mark.parametrize("column", sorted(EVENTS.keys() - {"jid", "seq", "cid"}))
@pytest.mark.parametrize(("kind", "journal"), [("turn", TURN), ("conversation", TALK)], ids=["turn", "talk"])
def test_a_column_that_two_events_swap_is_found_at_the_first(
    recorded: str, column: str, kind: str, journal: str
) -> None:
    edit(
        recorded,
        f"UPDATE events SET {column} = x.{column} FROM events AS x WHERE events.jid = {journal}"
        " AND events.seq IN (1, 2) AND x.jid = events.jid AND x.seq = 3 - events.seq",
    )
    first = 2 if column == "position" else 1  # a place may be anywhere behind the one before
    assert (kind, first) in {(found, at) for found, at, _ in faults(recorded)}


def test_an_id_that_only_stands_elsewhere_in_the_detail_is_found(recorded: str) -> None:
    with turnledger.read(recorded) as reading:
        [turn] = reading.turns()
        [*_, call] = next(reading.reader.recorded_events(turn.id))[:4]
    other = re.findall(rb'"commitment":"([0-9a-f]{32})', call[4])[0].decode()
    value = f"'\\x{other}'" if recorded.startswith("postgresql://") else f"x'{other}'"
    edit(recorded, Edit("events", "event_id", value, f"{OF_TURN} AND seq = 3"))
    assert faults(recorded) == [("turn", 3, "event-id")]


def test_a_body_of_an_event_that_is_not_there_is_found(recorded: str) -> None:
    copy = "INSERT INTO bodies (jid, seq, slot, size, salt, recipe) SELECT {}, {}, {}, size, salt, recipe"
    of = f" FROM bodies WHERE {OF_TURN} AND seq = 0"
    edit(recorded, copy.format("jid", "seq + 5000", "slot") + of)
    assert faults(recorded) == [("turn", 5000, "payload")]
    edit(recorded, "DELETE FROM bodies WHERE seq = 5000")
    edit(recorded, copy.format("jid", "seq", "'attachment-1'") + of)
    assert faults(recorded) == [("turn", 0, "payload")]
    edit(recorded, "DELETE FROM bodies WHERE slot = 'attachment-1'")
    edit(recorded, copy.format("jid + 5000", "seq", "slot") + of)
    assert faults(recorded) == [("ledger", -1, "unlisted-journal")]


def test_an_event_of_no_journal_is_found(recorded: str) -> None:
    same = "seq, cid, position, created_ms, event_id, payload_hash, hash, type, tokens, detail"
    edit(
        recorded,
        f"INSERT INTO events (eid, jid, {same}) SELECT eid + 5000, jid + 5000, {same} FROM events"
        " WHERE type = 'COMMIT'",
    )
    assert faults(recorded) == [("ledger", -1, "unlisted-journal")]


@pytest.mark.parametrize("count", ["turns", "conversations"])
def test_a_journal_that_is_gone_with_all_that_names_it_is_missed_by_its_agent(
    recorded: str, count: str
) -> None:
    edit(recorded, f"UPDATE agents SET {count} = {count} + 1")
    assert faults(recorded) == [("ledger", -1, "missing-journal")]
