"""Lists and look-ups go by an index, whatever the size of the ledger."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from turnledger.store.sql import Statement, load_statements
from turnledger.store.sqlite import MEMORY, SqliteDatabase

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

STATEMENTS = {
    name: statement
    for name, statement in load_statements("turnledger.store", "turnledger.store.sqlite").items()
    if name != "create_migrations"
}
LARGE = re.compile(
    r"SCAN (events|e|bodies|b|parts|p|turns|t|journals|j|conversations|c|x|conversation_activity"
    r"|messages|m|memory|calls|notices|aliases|n|costs|k)$"
)
# Conversations of one actor or place, and at most four times `limit` ids: few rows, sorted in memory.
SORTED = {"list_conversations_of_actor", "list_conversations_in_place", "find_ids"}
# Sums over one agent's rows: few groups, sorted in memory.
SUMMED = {"list_actors", "list_top_conversations", "list_top_names"}


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    engine = SqliteDatabase(MEMORY).engine()
    yield engine._connection
    engine.close()


def _plan(connection: sqlite3.Connection, statement: Statement) -> list[str]:
    rows = connection.execute(
        f"EXPLAIN QUERY PLAN {statement.positional()}", (None,) * len(statement.names())
    )
    return [detail for *_, detail in rows]


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_no_statement_walks_a_large_table(connection: sqlite3.Connection, name: str) -> None:
    if name.startswith("delete_"):  # empties a read model
        assert STATEMENTS[name].params == ()
        return
    plan = _plan(connection, STATEMENTS[name])
    assert not [step for step in plan if LARGE.match(step)]


@pytest.mark.parametrize(
    "name",
    sorted(name for name in STATEMENTS.keys() - SUMMED if "limit" in STATEMENTS[name].params),
)
def test_r03_pages_come_in_the_order_of_an_index(connection: sqlite3.Connection, name: str) -> None:
    sorts = [step for step in _plan(connection, STATEMENTS[name]) if "TEMP B-TREE" in step]
    assert bool(sorts) == (name in SORTED)


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("list_turns", "turns_recent"),
        ("list_turns_of_agent", "turns_agent"),
        ("list_turns_of_conversation", "turns_conversation"),
        ("list_turns_with_status", "turns_status"),
        ("list_conversations", "activity_recent"),
        ("list_conversations_of_agent", "activity_agent"),
        ("list_conversations_of_actor", "messages_actor"),
        ("list_conversations", "messages_unmet"),
        ("get_conversation", "turns_unsuccessful"),
        ("list_memory", "memory_recent"),
        ("list_leases", "journals_open"),
        ("list_flow_after", "events_position"),
        ("list_flow_before", "events_position"),
        ("list_events", "events_journal"),
        ("list_recorded_events", "events_journal"),
        ("get_event", "events_id"),
        ("find_events", "events_id"),
        ("find_parts", "parts_key"),
        ("list_names", "aliases_target"),
        ("count_fates", "messages_recent"),
        ("count_notices", "notices_agent"),
        ("count_turns", "turns_agent"),
        ("list_messages_of_actor", "messages_actor"),
        ("list_notices", "notices_agent"),
        ("list_turns_of_parent", "turns_parent"),
        ("list_costs_of_journal", "costs_journal"),
        ("sum_costs_of_turn", "costs_journal"),
        ("sum_costs_of_turn", "calls_late"),
        ("sum_costs_of_conversation", "costs_conversation"),
        ("list_answers", "costs_conversation"),
        ("list_calls_to_price", "c USING PRIMARY KEY"),
        ("sum_costs_of_models", "c USING PRIMARY KEY"),
    ],
)
def test_a_list_uses_the_index_made_for_it(connection: sqlite3.Connection, name: str, index: str) -> None:
    assert index in " ".join(_plan(connection, STATEMENTS[name]))


def test_renewing_leases_and_counting_touch_no_index() -> None:
    """An index whose columns a statement sets is rewritten, changed or not."""
    indexed = {
        "journals": {"jid", "id", "cid", "closed", "kind"},
        "turns": {"jid", "opened_ms", "aid", "cid", "status"},
        "conversations": {"cid", "id"},
        "conversation_activity": {"cid", "aid", "last_ms"},
    }
    for name in ("update_journal", "renew_lease", "count_turn", "count_activity", "update_conversation"):
        text = STATEMENTS[name].text
        table = text.split()[text.split().index("UPDATE") + 1]
        assignments = text[text.index("SET") : text.rindex("WHERE")]
        written = set(re.findall(r"(\w+) = ", assignments))
        assert written
        assert not written & indexed[table], name
