"""``turnledger tail``: from now on, from the past, from a cursor, to a turn's end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.cli.kit import Recorded, open_ledger
from tests.patience import PROGRAM_S
from turnledger.cli.tail import Scope, Tail
from turnledger.clock import SYSTEM
from turnledger.errors import LedgerUnavailableError
from turnledger.model.rows import EventRow
from turnledger.query.following import cursor_at
from turnledger.store.sqlite import SqliteDatabase


def seen(recorded: Recorded, *options: object) -> list[dict[str, Any]]:
    shown = recorded.run("tail", "--no-follow", "--json", *options)
    assert shown.status == 0
    return [json.loads(line) for line in shown.lines]


def test_everything_of_the_install_in_the_order_it_came(support: Recorded) -> None:
    events = seen(support, "--after", 0)
    cursors = [event["cursor"] for event in events]
    assert len(events) == 32
    assert cursors == sorted(cursors)
    assert events[0]["type"] == "OPENED"


def test_a_cursor_resumes_without_loss_or_repetition(support: Recorded) -> None:
    events = seen(support, "--after", 0)
    for cut in (0, 7, 31):
        assert seen(support, "--after", events[cut]["cursor"]) == [
            {**event, "gapMs": None if place == 0 else event["gapMs"]}
            for place, event in enumerate(events[cut + 1 :])
        ]


def test_since_begins_at_that_moment(support: Recorded) -> None:
    later = seen(support, "--since", "2026-10-24T10:30:00Z")
    assert [event["type"] for event in later][:2] == ["MESSAGE", "VERDICT"]
    assert len(later) == 12
    assert len(seen(support, "--since", "2026-10-24T10:00:00Z")) == 32
    assert seen(support, "--since", "2026-10-24T11:00:00Z") == []


def test_from_now_on_there_is_nothing_yet(support: Recorded) -> None:
    assert seen(support) == []


def test_one_agent_conversation_or_turn(support: Recorded) -> None:
    with support.ledger.agent("other").turn("timer") as turn:
        turn.commit("ok", reply=False)
    assert len(seen(support, "--agent", "other", "--after", 0)) == 5
    assert len(seen(support, support.ids["conversation"], "--after", 0)) == 32
    of_turn = seen(support, support.ids["good"])
    assert [event["seq"] for event in of_turn] == list(range(14))


def test_a_turn_is_followed_to_its_end(support: Recorded) -> None:
    shown = support.run("tail", support.ids["bad"])
    assert shown.status == 0
    assert [line[:28].split()[-1] for line in shown.lines[1:]] == ["#0", "#1", "#2", "#3", "#4"]
    assert "◀" not in shown.out


def test_lines_name_agent_and_conversation(support: Recorded) -> None:
    shown = support.run("tail", "--after", 0, "--no-follow", "--tz", "UTC").lines
    assert shown[1].startswith(
        "10:00:00.000             #0   support    slack:C042/1712.33   · conversation opened"
    )
    assert max(map(len, support.run("tail", "--after", 0, "--no-follow", env={"COLUMNS": "80"}).lines)) <= 80


def test_events_are_followed_while_they_come(ledger_path: Path) -> None:
    made = open_ledger(ledger_path, SYSTEM.epoch_ms())
    made.ledger.agent("a").conversation("k").inbound("before")
    tail = subprocess.Popen(
        [sys.executable, "-m", "turnledger", "tail", "--after", "0", "--json", "--ledger", str(ledger_path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert tail.stdout is not None
    first = [json.loads(tail.stdout.readline()) for _ in range(2)]
    made.ledger.agent("a").conversation("k").inbound("while it runs")
    third = json.loads(tail.stdout.readline())
    tail.terminate()
    tail.communicate(timeout=PROGRAM_S)
    made.ledger.close()
    assert [event["type"] for event in first] == ["OPENED", "MESSAGE"]
    assert (third["type"], third["seq"]) == ("MESSAGE", 2)


def test_a_lost_connection_is_told_and_nothing_is_missed(
    support: Recorded, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = SqliteDatabase(support.path).reader()
    since = reader.since
    failures = iter([True, True, False])

    def failing(cursor: int, limit: int, agent: UUID | None) -> tuple[list[EventRow], int]:
        if next(failures, False):
            msg = "The server is gone."
            raise LedgerUnavailableError(msg)
        return since(cursor, limit, agent)

    monkeypatch.setattr(reader, "since", failing)
    monkeypatch.setattr("turnledger.cli.tail._RETRY_S", 0.0)
    assert len(list(Tail(reader, Scope(), 0).entries(follow=False))) == 32
    assert (
        capsys.readouterr().err
        == "The server is gone. Trying again.\nResumed behind 0: nothing was missed.\n"
    )
    reader.close()


def test_pages_are_joined(support: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.cli.tail._PAGE", 5)
    assert len(seen(support, "--after", 0)) == 32


def test_cursor_at_is_the_first_event_of_that_moment(support: Recorded) -> None:
    reader = SqliteDatabase(support.path).reader()
    rows, _ = reader.since(0, 100, None)
    for moment in {row.created_ms + step for row in rows for step in (-1, 0, 1)}:
        found, _ = reader.since(cursor_at(reader, moment), 100, None)
        assert [row.cursor for row in found] == [row.cursor for row in rows if row.created_ms >= moment]
    reader.close()
