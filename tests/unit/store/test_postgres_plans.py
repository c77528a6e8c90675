"""Every list and every look-up goes through an index: no page of a big ledger costs the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.unit.store.postgres_kit import Scribe, execute
from turnledger.store.postgres.statements import STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.postgres

BIG = {
    "events",
    "journals",
    "turns",
    "conversations",
    "conversation_activity",
    "messages",
    "parts",
    "aliases",
    "costs",
}

# A ledger of 5,000 conversations, each with a turn of four events, a message and a body.
FILL = """
CREATE VIEW many AS SELECT n, decode(md5('c' || n), 'hex') AS conversation FROM generate_series(1, 5000) AS n;
INSERT INTO conversations
SELECT 1000 + n, conversation, 1, n, 'slack', 'thread', decode(md5('p' || n % 500), 'hex'), 4 FROM many;
INSERT INTO journals
SELECT 1000 + n, 'turn', decode(md5('t' || n), 'hex'), 1, 1000 + n, n, 4, sha256('h'), n, 1, NULL, 1, NULL
FROM many;
INSERT INTO events
SELECT n * 4 + s, 1000 + n, s, 1000 + n, s, n, decode(md5(n || ' ' || s), 'hex'), sha256('p'), sha256('h'),
    'GUARD', 'guard=size decision=allow assurance=w', repeat('{"a":1}', 40)::bytea
FROM many, generate_series(0, 3) AS s;
INSERT INTO bodies SELECT 1000 + n, 0, 'payload', 100, sha256('s'), sha256('r') FROM many;
INSERT INTO parts SELECT 100000 + n, 1, n, 100, sha256(n::text::bytea) FROM many;
INSERT INTO aliases SELECT 'conversation', conversation, conversation, conversation, 'name' FROM many;
INSERT INTO turns (jid, aid, cid, status, opened_ms)
SELECT 1000 + n, 1, 1000 + n, CASE WHEN n % 4 = 0 THEN 'failed' ELSE 'completed' END, n FROM many;
INSERT INTO conversation_activity (cid, aid, last_ms) SELECT 1000 + n, 1, n FROM many;
INSERT INTO messages (cid, seq, direction, actor, chars, created_ms)
SELECT 1000 + n, 0, 'inbound', decode(md5('u' || n % 500), 'hex'), 1, n FROM many;
INSERT INTO costs
SELECT 1, n, 1000 + n, 2, 0, 1000 + n, 'priced', n, 'USD', NULL, 'o', 'm', 'p', NULL, n FROM many;
INSERT INTO memory SELECT 1, decode(md5('e' || n % 1000), 'hex'), n, 'update', 1000 + n, 0, n FROM many;
"""

AN_ID = b"\x07" * 16

VALUES: Mapping[str, object] = {
    "any": b"",
    "agent": AN_ID,
    "conversation": AN_ID,
    "journal": AN_ID,
    "turn": AN_ID,
    "actor": AN_ID,
    "entry": AN_ID,
    "event": AN_ID,
    "place": AN_ID,
    "target": AN_ID,
    "low": AN_ID,
    "high": b"\x08" * 16,
    "ids": [AN_ID] * 10,
    "id": AN_ID,
    "journals": [AN_ID] * 10,
    "keys": list(range(10)),
    "parts": list(range(10)),
    "kind": "turn",
    "scope": AN_ID,
    "digest": AN_ID,
    "connector": "",
    "shape": "",
    "status": "failed",
    "slot": "payload",
    "aid": 1,
    "cid": 3000,
    "jid": 3000,
    "seq": 2,
    "answer": AN_ID,
    "pid": 100500,
    "after": 10,
    "before": 20,
    "cursor": 5000,
    "head": 20000,
    "start_seq": 0,
    "after_seq": -1,
    "after_jid": 1500,
    "open_turns": 0,
    "waiting_turns": 0,
    "failed_turns": 0,
    "owes_reply": 0,
    "since_ms": 0,
    "before_ms": 4000,
    "before_cid": 5000,
    "before_jid": 5000,
    "expired": 1,
    "limit": 50,
}

LEFT_OUT = {"list_agents", "list_faults", "lock_events"}  # agents are few; the others read no rows
SUMS = {"sum_costs_of_turn", "sum_costs_of_conversation"}
READS = sorted(
    name
    for name, statement in STATEMENTS.items()
    if (name.startswith(("list_", "get_", "find_", "lock_")) or name in SUMS)
    and set(statement.params) <= VALUES.keys()
)


@pytest.fixture(scope="module")
def filled(postgres_server: object) -> Iterator[str]:
    with postgres_server.database() as url:  # type: ignore[attr-defined]
        Scribe(url).close()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(FILL.encode())
            connection.execute("ANALYZE")
        yield url


def scanned(node: Mapping[str, object]) -> set[str]:
    """Tables that a plan reads from end to end."""
    found = {str(node["Relation Name"])} if node["Node Type"] == "Seq Scan" else set()
    for inner in node.get("Plans", ()):  # type: ignore[attr-defined]
        found |= scanned(inner)
    return found


def test_the_reads_of_both_rooms_are_looked_at() -> None:
    assert {
        "list_turns_of_agent",
        "list_conversations_of_agent",
        "list_conversations_in_place",
        "list_events_since",
        "find_parts",
        "lock_journals",
        "get_head_cursor",
    } <= set(READS)


@pytest.mark.parametrize("name", [name for name in READS if name not in LEFT_OUT])
def test_a_read_goes_through_an_index(filled: str, name: str) -> None:
    statement = STATEMENTS[name]
    values = [VALUES[param] for param in statement.params]
    with psycopg.connect(filled) as connection:
        connection.execute("SET plan_cache_mode = force_custom_plan")
        raw = psycopg.RawCursor(connection)
        raw.execute(b"EXPLAIN (FORMAT JSON) " + statement.numbered().encode(), values)
        [(plans,)] = raw.fetchall()
    assert not scanned(plans[0]["Plan"]) & BIG
    assert execute(filled, "SELECT count(*) FROM turns") == [(5001,)]
