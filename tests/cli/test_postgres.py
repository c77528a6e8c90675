"""The commands on PostgreSQL: the same answers, and every edit found there too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

import turnledger
from tests.cli.kit import run

pytestmark = pytest.mark.postgres


@dataclass
class Ledger:
    """A recorded ledger's URL and the ids in it."""

    url: str
    conversation: str
    turn: str

    def run_json(self, *arguments: object) -> tuple[int, dict[str, Any]]:
        shown = run(*arguments, "--json", "--ledger", self.url)
        return shown.status, json.loads(shown.out)

    def change(self, *statements: str) -> None:
        """Change rows behind the ledger's back."""
        with psycopg.connect(self.url) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture
def recorded(postgres_url: str) -> Iterator[Ledger]:
    with turnledger.open(postgres_url) as ledger:
        convo = ledger.agent("a").conversation("k", connector="slack", shape="dm")
        message = convo.inbound("Hi", actor="u")
        message.verdict("engage", reason="it asks")
        with convo.turn(trigger=message) as turn:
            turn.guard("pii", "allow", finding="nothing")
            turn.tool("t", lambda **_: "seen", supplied='{"id": 7}')
            turn.memory_write("k", "v")
            turn.commit("Hello.")
        yield Ledger(postgres_url, str(convo.id), str(turn.id))


def test_every_command_answers(recorded: Ledger) -> None:
    assert recorded.run_json("list")[1]["conversations"][0]["key"] == "k"
    assert (
        recorded.run_json("list", "--turns", "--agent", "a", "--status", "completed")[1]["turns"][0][
            "toolCalls"
        ]
        == 1
    )
    assert recorded.run_json("show", recorded.turn[:20], "--bodies")[1]["chain"]["verdict"] == "intact"
    assert recorded.run_json("show", recorded.conversation)[1]["conversation"]["messages"] == 2
    assert recorded.run_json("verify", "--all")[1]["verdict"] == "intact"
    assert recorded.run_json("migrate", "--check")[0] == 0
    assert "pg_dump" in run("backup", "copy.db", "--ledger", recorded.url).err
    assert recorded.run_json("doctor")[1]["problems"] == []
    followed = run("tail", "--since", "1h", "--no-follow", "--json", "--ledger", recorded.url)
    assert (
        len(followed.lines) == recorded.run_json("show", recorded.conversation)[1]["conversation"]["events"]
    )


def test_an_export_verifies_elsewhere(recorded: Ledger) -> None:
    exported = run("export", "--all", "--bodies", "--ledger", recorded.url)
    checked = run("verify", "-", "--json", stdin=exported.raw)
    assert (checked.status, json.loads(checked.out)["verdict"]) == (0, "intact")


EDITS = {
    "jid": "jid + 1000",
    "seq": "seq + 5000",
    "cid": "cid + 1",
    "position": "position + 100000",
    "created_ms": "created_ms + 1",
    "event_id": "decode(md5('x'), 'hex')",
    "payload_hash": "sha256('x')",
    "hash": "sha256('x')",
    "type": "'PROGRESS'",
    "tokens": "tokens || ' x=1'",
    "detail": "detail || ' '::bytea",
}


def test_every_column_of_an_event_is_edited_here(recorded: Ledger) -> None:
    with psycopg.connect(recorded.url) as connection:
        columns = connection.execute("SELECT * FROM events LIMIT 0").description
    assert {column.name for column in columns or ()} == {*EDITS, "eid"}


@pytest.mark.parametrize("column", EDITS)
def test_an_edit_of_any_column_is_found_at_that_event(recorded: Ledger, column: str) -> None:
    of_turn = f"(SELECT jid FROM journals WHERE id = '\\x{recorded.turn.replace('-', '')}')"
    guard_off = "ALTER TABLE events DISABLE TRIGGER ALL"
    recorded.change(
        guard_off, f"UPDATE events SET {column} = {EDITS[column]} WHERE jid = {of_turn} AND seq = 2"
    )
    status, found = recorded.run_json("verify", recorded.turn)
    assert (status, found["verdict"], found["results"][0]["brokenAtSeq"]) == (1, "broken", 2)
    assert recorded.run_json("verify", "--all")[0] == 1


def test_read_models_are_rebuilt_to_the_same_rows(recorded: Ledger) -> None:
    before = recorded.run_json("list", "--turns")[1]
    recorded.change(
        "UPDATE turns SET errors = 9",
        "DELETE FROM messages",
        "UPDATE conversation_activity SET turns = 0",
        "DELETE FROM memory",
        "DELETE FROM calls",
    )
    status, told = recorded.run_json("doctor")
    assert (status, len(told["readModels"]["differences"])) == (1, 5)
    status, told = recorded.run_json("doctor", "--rebuild")
    assert (status, told["readModels"]["rebuilt"]) == (0, True)
    assert recorded.run_json("list", "--turns")[1] == before
    assert recorded.run_json("doctor")[0] == 0


def test_there_is_no_ledger_in_a_new_database(postgres_url: str) -> None:
    refused = run("list", "--ledger", postgres_url)
    assert refused.status == 3
    assert "has not been made" in refused.err
    assert run("migrate", "--ledger", postgres_url).status == 0
    assert run("list", "--ledger", postgres_url).err == "No conversations to list.\n"
