"""Lists end, repeat nothing and skip nothing; large answers are bounded; what was tampered with is said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

import turnledger
from tests.patience import eventually
from tests.server.kit import Served, served, story, told
from turnledger.capture.ledger import Ledger
from turnledger.capture.sink import StoreSink
from turnledger.clock import SystemClock, from_iso
from turnledger.engine.location import connect, store_of
from turnledger.query.verify import verify_ledger
from turnledger.store.sqlite import SqliteDatabase


class StoppedClock(SystemClock):
    """All at once."""

    def epoch_ms(self) -> int:
        return 1_790_000_000_000


@pytest.fixture(scope="module")
def ties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """173 turns in 60 conversations, all at one time."""
    path = tmp_path_factory.mktemp("ties") / "ledger"
    with Ledger(StoreSink(store_of(SqliteDatabase(path, clock=StoppedClock())).open())) as ledger:
        agent = ledger.agent("support")
        for number in range(173):
            talk = agent.conversation(f"dm-{number % 60}")
            message = talk.inbound("x", actor=f"slack:U{number % 60}")
            if number % 3 == 0:
                message.shed("stale")
            with talk.turn() as turn:
                turn.memory_write(f"entry {number}", "y")
                turn.commit("z")
    with served(str(path)) as house:
        yield house


def _walk(house: Served, path: str, field: str = "items", key: str = "id") -> list[str]:
    """Ids of a whole list, page by page."""
    met: list[str] = []
    after, sign = "", "&" if "?" in path else "?"
    for _ in range(1000):
        page = house.ask(f"{path}{sign}{after}")
        met += [str(row[key]) for row in page[field]]
        assert page["hasMore"] == (page["next"] is not None)
        if not page["hasMore"]:
            return met
        after = f"after={page['next']}"
    raise AssertionError(path)


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("/turns", "id", 173),
        ("/turns?status=completed&status=failed", "id", 173),
        ("/conversations", "id", 60),
        ("/conversations?q=DM-", "id", 60),
        ("/actors", "id", 60),
        ("/memory", "eventId", 173),
        ("/disposals", "eventId", 58),
    ],
)
def test_r03_pages_of_rows_with_one_time(
    ties: Served, limit: int, path: str, key: str, expected: int
) -> None:
    if limit == 1 and expected > 100:
        limit = 3
    agent = story_agent(ties)
    sign = "&" if "?" in path else "?"
    met = _walk(ties, f"/api/agents/{agent}{path}{sign}limit={limit}", key=key)
    assert len(met) == len(set(met)) == expected


def story_agent(house: Served) -> str:
    return str(house.ask("/api/agents")["items"][0]["id"])


def test_r03_install_wide_lists_are_merged_in_order(ties: Served) -> None:
    met = _walk(ties, "/api/conversations?limit=7")
    assert met == _walk(ties, f"/api/agents/{story_agent(ties)}/conversations?limit=7")


def test_pages_stay_whole_while_rows_come_in(ledger_path: Path) -> None:
    with turnledger.open(str(ledger_path)) as ledger:
        agent = ledger.agent("support")
        for number in range(30):
            agent.conversation(f"dm-{number}").inbound("x")
        with served(str(ledger_path)) as house:
            path = f"/api/agents/{story_agent(house)}/conversations?limit=10"
            first = house.ask(path)
            agent.conversation("new").inbound("in between")
            second = house.ask(f"{path}&after={first['next']}")
            third = house.ask(f"{path}&after={second['next']}")
            keys = [row["key"] for page in (first, second, third) for row in page["items"]]
            assert keys == [f"dm-{number}" for number in reversed(range(30))]
            assert not third["hasMore"]


@pytest.mark.parametrize(
    "query", ["after=x", "limit=0", "limit=201", "limit=x", "after=%00", "shape=huge", "status=odd", "day=x"]
)
def test_what_is_no_page_is_refused(ties: Served, query: str) -> None:
    problem = ties.ask(
        f"/api/agents/{story_agent(ties)}/conversations?{query}",
        422 if query.startswith(("limit", "shape", "status")) else 400,
    )
    assert problem["detail"]


def test_a_cursor_of_another_list_is_refused(ties: Served) -> None:
    agent = story_agent(ties)
    cursor = ties.ask(f"/api/agents/{agent}/turns?limit=1")["next"]
    assert ties.ask(f"/api/agents/{agent}/conversations?after={cursor}", 400)["type"] == "grammar"


def test_o04_a_day_of_25_hours(ledger_path: Path) -> None:
    """Both 02:30 of the night when clocks go back, in their order; other zones have their own days."""
    clock = StoppedClock()
    times = ["2026-10-24T23:59:59+02:00", "2026-10-25T00:00:00+02:00", "2026-10-25T02:30:00+02:00"]
    times += ["2026-10-25T02:30:00+01:00", "2026-10-25T23:59:59+01:00", "2026-10-26T00:00:00+01:00"]
    with Ledger(StoreSink(store_of(SqliteDatabase(ledger_path, clock=clock)).open())) as ledger:
        for text in times:
            clock.epoch_ms = lambda text=text: from_iso(text)  # type: ignore[method-assign, misc]
            with ledger.agent("a").conversation("c").turn() as turn:
                turn.commit("x")
    with served(str(ledger_path)) as house:
        path = f"/api/agents/{story_agent(house)}/turns"
        berlin = house.ask(f"{path}?day=2026-10-25&tz=Europe/Berlin")["items"]
        assert [turn["openedAt"] for turn in reversed(berlin)] == [
            "2026-10-24T22:00:00.000Z",
            "2026-10-25T00:30:00.000Z",
            "2026-10-25T01:30:00.000Z",
            "2026-10-25T22:59:59.000Z",
        ]
        for zone, first, last in (
            ("UTC", "2026-10-25T00:30:00.000Z", "2026-10-25T23:00:00.000Z"),
            ("Asia/Tokyo", "2026-10-24T21:59:59.000Z", "2026-10-25T01:30:00.000Z"),
        ):
            own = [turn["openedAt"] for turn in house.ask(f"{path}?day=2026-10-25&tz={zone}")["items"]]
            assert (len(own), own[-1], own[0]) == (4, first, last)
        overview = house.ask(
            f"/api/agents/{story_agent(house)}/overview?day=2026-10-25&tz=Europe/Berlin&bucket=day"
        )
        (day,) = overview["buckets"]
        assert (day["since"], day["until"]) == ("2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z")
        assert day["figures"]["turns"] == 4


def test_r02_nothing_is_capped_in_silence(ledger_path: Path) -> None:
    """1,800 events in a turn: its journal and fixture are whole, its entries come in pages that say so."""
    with turnledger.open(str(ledger_path)) as ledger:
        talk = ledger.agent("support").conversation("dm")
        with talk.turn() as turn:
            for number in range(1798):
                turn.progress(f"step {number}")
            turn.commit("done")
    with served(str(ledger_path)) as house:
        path = f"/api/agents/{story_agent(house)}/turns/{turn.id}"
        assert len(house.ask(f"{path}/journal")["events"]) == 1800
        assert len(house.ask(f"{path}/fixture")["events"]) == 1800
        seqs = _walk(house, f"{path}?limit=700&previews=false", "entries", "seq")
        assert seqs == [str(seq) for seq in range(1800)]


# --- tampering ---------------------------------------------------------------------------------------


def _tamper(url: str, *statements: str) -> None:
    if url.startswith("postgresql://"):
        with psycopg.connect(url) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        return
    with closing(sqlite3.connect(url)) as file, file:
        for statement in statements:
            file.execute(statement)


@pytest.fixture
def forged(engine: str) -> Iterator[Served]:
    """One event's summary was altered behind the ledger's back."""
    with told(engine) as house:
        off = (
            ["ALTER TABLE events DISABLE TRIGGER ALL"]
            if engine.startswith("postgresql://")
            else ["DROP TRIGGER events_refuse_update"]
        )
        _tamper(
            engine,
            *off,
            "UPDATE events SET tokens = replace(tokens, 'tool=l', 'tool=x') WHERE type = 'TOOL_CALL'",
        )
        yield house


def test_a_forged_event_is_told_where_it_stands(forged: Served) -> None:
    there = story(forged.service)
    path = f"/api/agents/{there.agent}/turns/{there.turns[0]}"
    journal = forged.ask(f"{path}/journal")
    assert (journal["chainIntact"], journal["verification"]) == (False, "hash")
    broken = journal["events"][journal["brokenAtSeq"]]
    assert broken["type"] == "TOOL_CALL"
    assert forged.ask(f"{path}/verification")["verdict"] == "broken"
    assert forged.ask(f"{path}/fixture")["chain"]["serverIntact"] is False
    forged.ask(path)
    forged.service.check.start()
    job = _finished(forged)
    assert (job["verdict"], job["unsoundCount"]) == ("broken", 2)
    assert any("rigger" in fault for fault in job["faults"])
    assert {finding["brokenAtSeq"] for finding in job["unsound"]} == {journal["brokenAtSeq"]}


def _finished(house: Served) -> dict[str, Any]:
    eventually(lambda: house.service.check.last().state != "running")
    return house.ask("/api/integrity/verification")


def test_a_time_that_no_calendar_has_breaks_no_page(engine: str) -> None:
    with told(engine) as house:
        there = story(house.service)
        off = (
            ["ALTER TABLE events DISABLE TRIGGER ALL"]
            if engine.startswith("postgresql://")
            else ["DROP TRIGGER events_refuse_update"]
        )
        _tamper(engine, *off, f"UPDATE events SET created_ms = {2**62} WHERE type = 'TOOL_CALL'")
        path = f"/api/agents/{there.agent}"
        assert house.ask(f"{path}/turns/{there.turns[0]}/journal")["chainIntact"] is False
        house.ask(f"{path}/turns/{there.turns[0]}")
        house.ask(f"{path}/conversations/{there.conversation}/timeline")
        assert house.ask(f"{path}/turns/{there.turns[0]}/verification")["verdict"] in {"broken", "malformed"}


def test_a_verification_can_be_stopped(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with told(str(ledger_path)) as house:
        check = house.service.check

        def slow(reader: object) -> Iterator[object]:
            for found in verify_ledger(reader):  # type: ignore[arg-type]
                house.service.clock.sleep(0.05)
                yield found

        monkeypatch.setattr("turnledger.server.ledger_check.verify_ledger", slow)
        first = check.start()
        assert check.start().started_ms == first.started_ms
        assert check.cancel().state == "cancelled"

        def failing(_reader: object) -> Iterator[object]:
            msg = "a secret text"
            raise RuntimeError(msg)

        monkeypatch.setattr("turnledger.server.ledger_check.verify_ledger", failing)
        check.start()
        failed = _finished(house)
        assert failed["state"] == "failed"
        assert "secret" not in failed["error"]


def test_a_ledger_that_is_gone_is_said(ledger_path: Path) -> None:
    with told(str(ledger_path)) as house:
        headers = house.bearer()
        house.service.store.close()
        response = house.client.get("/api/session", headers=headers)
        assert response.status_code in {500, 503}
        assert response.json()["nextStep"]
        with closing(connect(str(ledger_path))) as again:
            assert again.reader.agents()
