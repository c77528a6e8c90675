"""Rows that are left out because the database is damaged: every answer says how many, and where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.kit import tamper
from tests.server.kit import Served, Story, story, told
from turnledger.model.access import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AGENT = "/api/agents/{there.agent}"
SHAPE = "UPDATE conversations SET shape = 'nonsense'"
STATUS = "UPDATE turns SET status = 'nonsense' WHERE jid = (SELECT min(jid) FROM turns)"
DIRECTION = "UPDATE messages SET direction = 'nonsense' WHERE seq = (SELECT max(seq) FROM messages)"
OF_ACTOR = DIRECTION.replace("FROM messages)", "FROM messages WHERE actor IS NOT NULL)")
OP = "UPDATE memory SET op = 'nonsense' WHERE revision = 1"
ACTOR = "UPDATE messages SET actor = x'00ff' WHERE seq = (SELECT min(seq) FROM messages)"
AGENT_ID = "UPDATE agents SET id = x'00ff' WHERE name = CAST('ops' AS BLOB)"
UNDECIDED = "UPDATE messages SET verdict = NULL, turn = NULL, shed = NULL, into_seq = NULL, created_ms = 1"


def event_id(type_: str) -> str:
    """The id of the first event of a type becomes unreadable."""
    first = f"SELECT min(eid) FROM events WHERE type = '{type_}'"
    return f"UPDATE events SET event_id = x'00ff' WHERE eid = ({first})"


@pytest.fixture
def house(ledger_path: Path) -> Iterator[Served]:
    with told(str(ledger_path), "support", "ops") as house:
        yield house


@pytest.fixture
def there(house: Served) -> Story:
    return story(house.service)


@pytest.mark.parametrize(
    ("path", "statement", "column"),
    [
        ("/api/agents", AGENT_ID, "agents.id"),
        ("/api/conversations", SHAPE, "conversations.shape"),
        ("/api/conversations?q=c042", SHAPE, "conversations.shape"),
        ("/api/conversations?place=C042", AGENT_ID, "agents.id"),
        (f"{AGENT}/conversations", SHAPE, "conversations.shape"),
        (f"{AGENT}/conversations", DIRECTION, "messages.direction"),
        (f"{AGENT}/conversations/{{there.conversation}}/timeline", event_id("VERDICT"), "events.event_id"),
        (f"{AGENT}/turns", STATUS, "turns.status"),
        (f"{AGENT}/turn-journal?sessionId={{there.conversation}}", STATUS, "turns.status"),
        (f"{AGENT}/actors", ACTOR, "messages.actor"),
        (f"{AGENT}/actors/{{actor}}/timeline", OF_ACTOR, "messages.direction"),
        (f"{AGENT}/memory", OP, "memory.op"),
        (f"{AGENT}/memory/{{entry}}", OP, "memory.op"),
        (f"{AGENT}/disposals", event_id("SHED"), "events.event_id"),
        (f"{AGENT}/disposals?kind=collapsed", event_id("COLLAPSED"), "events.event_id"),
        (f"{AGENT}/deliveries", event_id("DELIVERY"), "events.event_id"),
        ("/api/search?q=order", event_id("VERDICT"), "events.event_id"),
    ],
)
def test_a_list_says_what_it_leaves_out(
    house: Served, there: Story, ledger_path: Path, path: str, statement: str, column: str
) -> None:
    actor = house.ask(f"/api/agents/{there.agent}/actors")["items"][0]["id"]
    entry = house.ask(f"/api/agents/{there.agent}/memory")["items"][0]["entryId"]
    asked = path.format(there=there, actor=actor, entry=entry)
    whole = house.ask(asked)
    assert whole["damaged"] is None
    tamper(ledger_path, statement)
    told = house.ask(asked)
    damaged = told["damaged"]
    assert damaged["count"] == len(damaged["rows"]) >= 1
    assert {f"{row['table']}.{row['column']}" for row in damaged["rows"]} == {column}
    assert "turnledger doctor" in damaged["nextStep"]
    key = next(name for name in ("items", "entries", "turns") if name in told)
    shown = len(told[key]) + sum(one.get("lastMessage", 0) is None for one in told[key])
    left_out = damaged["count"] if "search" not in path else 0
    assert len(whole[key]) - len(told[key]) <= left_out
    assert shown or column in {"conversations.shape", "agents.id"} or "/disposals?kind" in path


def test_a_balance_says_which_messages_it_cannot_name(house: Served, there: Story, ledger_path: Path) -> None:
    path = f"/api/agents/{there.agent}/balance?since=1970-01-01T00:00:00Z"
    assert house.ask(path)["damaged"] is None
    tamper(ledger_path, UNDECIDED, event_id("MESSAGE"))
    told = house.ask(path)
    assert told["damaged"]["count"] == 1
    assert told["fates"]["unaccounted"] == len(told["unaccounted"]) + 1


def test_a_search_counts_bodies_that_cannot_be_read(house: Served, ledger_path: Path) -> None:
    assert house.ask("/api/search?q=order")["unreadableBodies"] == 0
    tamper(ledger_path, "UPDATE bodies SET recipe = x'ff' WHERE slot = 'supplied'")
    assert house.ask("/api/search?q=order")["unreadableBodies"] == 4


def test_k05_damage_of_other_agents_is_counted_and_not_named(
    house: Served, there: Story, ledger_path: Path
) -> None:
    tamper(ledger_path, AGENT_ID)
    own = house.bearer(Scope.VIEW_AUDIT_LOG, agents=frozenset([there.agent]))
    told: dict[str, Any] = house.client.get("/api/agents", headers=own).json()
    assert (told["damaged"]["count"], told["damaged"]["rows"]) == (1, [])
