"""Named statements: how files become statements, and that parameters and values agree."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from uuid import UUID

import pytest

from turnledger.ids import new_id
from turnledger.model.draft import AliasKind
from turnledger.model.vocabulary import JournalKind
from turnledger.store.contract import StoredBody
from turnledger.store.projection import (
    ActivityChange,
    MemoryRevision,
    MessageChange,
    Projection,
    TurnChange,
)
from turnledger.store.sql import Statement, load_statements, parse_statement
from turnledger.store.sql_mapping import Write, changed_rows, lookups, projected_rows
from turnledger.store.sqlite.prepared import Prepared
from turnledger.store.state import (
    AgentState,
    Changes,
    Conflict,
    ConversationState,
    JournalState,
    Leaf,
    NewEvent,
    Wants,
)

SHARED = load_statements("turnledger.store")

# --- files -----------------------------------------------------------------------------------------


def test_a_header_comment_and_the_semicolon_are_no_part_of_the_statement() -> None:
    statement = parse_statement("get_one", "-- only: sqlite  because\n-- of this.\n\nSELECT 1 -- one\n;\n")
    assert statement == Statement("get_one", "SELECT 1 -- one", ())


def test_parameters_are_counted_by_their_first_appearance() -> None:
    statement = parse_statement("x", "SELECT :b, :a, :b, :c_1")
    assert statement.params == ("b", "a", "c_1")
    assert statement.numbered() == "SELECT $1, $2, $1, $3"
    assert statement.positional() == "SELECT ?, ?, ?, ?"
    assert statement.names() == ("b", "a", "b", "c_1")
    assert statement.pyformat() == "SELECT %(b)s, %(a)s, %(b)s, %(c_1)s"
    assert statement.values({"a": 1, "b": 2, "c_1": 3, "unused": 4}) == (2, 1, 3)


def test_a_value_that_occurs_twice_is_given_twice() -> None:
    twice, once = (Prepared(parse_statement("x", text)) for text in ("SELECT :b, :a, :b", "SELECT :b, :a"))
    with closing(sqlite3.connect(":memory:")) as file:
        for one, expected in ((twice, (2, 1, 2)), (once, (2, 1))):
            assert file.execute(one.text, one.named({"a": 1, "b": 2, "unused": 4})).fetchone() == expected
            assert file.execute(one.text, one.row((2, 1))).fetchone() == expected
            assert [file.execute(one.text, row).fetchone() for row in one.rows([(2, 1)])] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ':no' || 'it''s :no'",
        'SELECT ":no"',
        "SELECT 1::bigint",
        "SELECT 1 -- :no\n",
        "SELECT 1 /* :no\n:no */",
        "SELECT a[1:2]",
    ],
)
def test_what_only_looks_like_a_parameter_is_left_alone(text: str) -> None:
    statement = parse_statement("x", text)
    assert statement.params == ()
    assert statement.numbered() == statement.positional() == statement.pyformat() == text.strip()


def test_a_cast_may_follow_a_parameter() -> None:
    statement = parse_statement("x", "SELECT :a::bytea, CAST(:b AS text) WHERE c % 2 = 1")
    assert statement.params == ("a", "b")
    assert statement.pyformat() == "SELECT %(a)s::bytea, CAST(%(b)s AS text) WHERE c %% 2 = 1"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="limit"):
        parse_statement("x", "SELECT :limit").values({"start": 1})


def test_an_engines_own_statement_takes_the_place_of_the_shared_one() -> None:
    both = load_statements("turnledger.store", "turnledger.store.postgres")
    own = load_statements("turnledger.store.postgres")
    assert both["renew_lease"] == own["renew_lease"] != SHARED["renew_lease"]
    assert both["insert_body"] == SHARED["insert_body"]


# --- values ----------------------------------------------------------------------------------------


def _changes(*, new: bool) -> Changes:
    one = new_id()
    return Changes(
        agents={1: AgentState(1, one, "a", 0, new=new)},
        conversations={2: ConversationState(2, one, 1, 0, "slack", "dm", one, new=new)},
        journals={
            3: JournalState(3, JournalKind.TURN, one, 1, one, 2, one, 0, new=new),
            4: JournalState(4, JournalKind.TURN, one, 1, one, 2, one, 0, closed=True, holder=one, new=new),
        },
        aliases=[((AliasKind.ACTOR, one, "U7"), one)],
        events=[NewEvent(3, 0, 2, 0, one, "GUARD", bytes(32), "a=b", b"{}", bytes(32), 0)],
        leaves=[Leaf("open", 3, 1, bytes(32), "running", 0)],
        conflicts=[Conflict(one, 0, "GUARD", "a=b", bytes(32))],
    )


def _projection() -> Projection:
    one = new_id()
    projection = Projection(lambda _: None)
    projection.turns = {
        1: TurnChange(1, 1, 1, opened_ms=5),
        2: TurnChange(2, 1, 1, model_calls=1),
        3: TurnChange(3, 1, 1, status="failed", parent=one),
    }
    projection.activity = {
        1: ActivityChange(1, 1, 5),
        2: ActivityChange(2, 1, tokens_in=4),
        3: ActivityChange(3, 1),
    }
    projection.messages = {
        (1, 1): MessageChange(1, 1, direction="inbound", actor=one),
        (1, 2): MessageChange(1, 2, verdict="engage", turn=one),
    }
    projection.memory = [MemoryRevision(1, one, 1, "create", 3, 0, 5)]
    return projection


def _writes() -> list[Write]:
    bodies = [StoredBody(3, 0, "payload", 5, bytes(32), b"r")]
    return [
        *changed_rows(_changes(new=True), bodies, [(1, 1, 5, 2, b"ab")]),
        *changed_rows(_changes(new=False), [], []),
        *projected_rows(_projection()),
    ]


def test_every_row_has_a_value_for_each_parameter_and_no_other() -> None:
    lengths = {(name, len(row)) for name, rows in _writes() for row in rows}
    assert lengths == {(name, len(SHARED[name].params)) for name, _ in lengths}


def test_every_kind_of_row_is_written() -> None:
    tables = {"agent", "conversation", "journal", "turn", "message"}
    assert {name for name, _ in _writes()} == {
        *(f"insert_{table}" for table in tables),
        *(f"update_{table}" for table in tables),
        *(f"insert_{row}" for row in ("alias", "part", "event", "body", "leaf", "conflict", "memory")),
        "close_journal",
        "count_turn",
        "upsert_activity",
        "count_activity",
    }


def test_values_are_of_types_that_every_driver_takes() -> None:
    kinds = {type(value) for _, rows in _writes() for row in rows for value in row}
    assert kinds == {int, str, bytes, type(None)}


def test_counters_that_did_not_change_touch_no_index() -> None:
    names = {name for name, rows in projected_rows(_projection()) for row in rows if row[-1] == 2}
    assert names >= {"count_turn"}
    assert "update_turn" not in names


def test_nothing_to_write_is_no_statement() -> None:
    assert list(changed_rows(Changes(), [], [])) == []
    assert list(projected_rows(Projection(lambda _: None))) == []


def test_keys_are_looked_up_in_the_order_of_their_locks() -> None:
    ids = {UUID(int=number) for number in range(20)}
    reads = lookups(Wants(agents=ids, conversations=ids))
    assert [name for name, _ in reads] == [
        "lock_agents",
        "lock_conversations",
        "lock_journals",
        "find_events",
        "find_aliases",
    ]
    assert [len(keys) for _, keys in reads] == [20, 20, 20, 0, 0]
    assert all(keys == sorted(keys) for _, keys in reads)
