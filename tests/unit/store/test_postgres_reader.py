"""Read connections: streams that stay small, snapshots, threads, and children of a fork."""

from __future__ import annotations

import os
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import NEVER_S, PATIENCE_S
from tests.unit.store.postgres_kit import Scribe, SetClock, batch, end_sessions, execute, wire
from turnledger.errors import LedgerClosedError, LedgerUnavailableError
from turnledger.store.postgres import PostgresDatabase
from turnledger.store.postgres.engine import NOTIFY_EVERY_US

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from turnledger.store.contract import Reader
    from turnledger.store.postgres.link import Call

pytestmark = pytest.mark.postgres

COPY_OF_THE_LAST_EVENT = """
INSERT INTO events (eid, jid, seq, event_id, type, payload_hash, tokens, detail, hash, created_ms)
SELECT eid + n, jid, seq + n, decode(md5(n::text), 'hex'), type, payload_hash, tokens,
    decode(repeat('7b', 2000), 'hex'), hash, created_ms
FROM events, generate_series(1, %s) AS n
WHERE eid = (SELECT max(eid) FROM events)
"""


@pytest.fixture
def scribe(postgres_url: str) -> Iterator[Scribe]:
    scribe = Scribe(postgres_url)
    yield scribe
    scribe.close()


@pytest.fixture
def reader(scribe: Scribe) -> Iterator[Reader]:
    reader = scribe.database.reader()
    yield reader
    reader.close()


def _rows(reader: Reader, scribe: Scribe) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(reader.recorded_events(scribe.turn))


def test_a_long_journal_is_read_in_little_memory(scribe: Scribe, reader: Reader, postgres_url: str) -> None:
    rows = 20_000
    execute(postgres_url, COPY_OF_THE_LAST_EVENT, rows)
    tracemalloc.start()
    try:
        seqs = [row[0] for row in _rows(reader, scribe)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seqs == list(range(rows + 1))
    assert peak < 8_000_000  # all of them at once would be 40 MB and more


def test_streams_side_by_side_and_left_halfway(scribe: Scribe, reader: Reader, postgres_url: str) -> None:
    execute(postgres_url, COPY_OF_THE_LAST_EVENT, 1000)
    scribe.engine.close()
    with reader.snapshot():
        first, second = reader.recorded_events(scribe.turn), reader.recorded_events(scribe.turn)
        pairs = zip(first, second, strict=True)
        assert all(one == other for one, other in pairs)
        left = reader.recorded_events(scribe.turn)
        next(left)
        del left
        assert reader.turn(scribe.turn) is not None
    for _ in range(20):  # more than there are connections
        abandoned = reader.recorded_events(scribe.turn)
        next(abandoned)
        del abandoned
    assert [row[0] for row in _rows(reader, scribe)] == list(range(1001))


def test_a_stream_sees_one_state_although_it_takes_long(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    execute(postgres_url, COPY_OF_THE_LAST_EVENT, 500)
    stream = reader.recorded_events(scribe.turn)
    next(stream)
    execute(postgres_url, "UPDATE journals SET next_seq = next_seq + 500 WHERE id = %s", scribe.turn.bytes)
    scribe.append(batch(scribe.step()))
    assert sum(map(len, stream)) == 301
    assert len(list(_rows(reader, scribe))) == 502


def test_a_snapshot_belongs_to_its_thread(scribe: Scribe, reader: Reader) -> None:
    with reader.snapshot():
        before = reader.events(scribe.turn, 0, 10)
        scribe.append(batch(scribe.step()))
        with reader.snapshot():
            assert reader.events(scribe.turn, 0, 10) == before
        assert reader.events(scribe.turn, 0, 10) == before
        with ThreadPoolExecutor(1) as thread:
            assert len(thread.submit(reader.events, scribe.turn, 0, 10).result()) == len(before) + 1
    assert len(reader.events(scribe.turn, 0, 10)) == len(before) + 1


def test_i04_many_threads_share_few_connections(scribe: Scribe, postgres_url: str) -> None:
    reader = PostgresDatabase(postgres_url, readers=2).reader()
    with ThreadPoolExecutor(12) as threads:
        rows = list(threads.map(lambda _: reader.events(scribe.turn, 0, 10), range(200)))
    assert all(row == rows[0] for row in rows)
    [(sessions,)] = execute(
        postgres_url,
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert sessions == 3  # two readers and the writer
    reader.close()


def test_a_reader_cannot_write(scribe: Scribe, reader: Reader) -> None:
    reader.agents()
    with pytest.raises(LedgerUnavailableError, match="read-only transaction"):
        reader.ask("delete_turns")
    assert reader.turn(scribe.turn) is not None


def test_a_restart_of_the_server_is_not_noticed(scribe: Scribe, reader: Reader, postgres_url: str) -> None:
    before = reader.events(scribe.turn, 0, 10)
    end_sessions(postgres_url)
    assert reader.events(scribe.turn, 0, 10) == before
    end_sessions(postgres_url)
    assert len(list(_rows(reader, scribe))) == len(before)


def test_a_snapshot_that_was_cut_is_an_error_and_no_other_state(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    with reader.snapshot():
        reader.agents()
        end_sessions(postgres_url)
        with pytest.raises(LedgerUnavailableError):
            reader.agents()
    assert [agent.id for agent in reader.agents()] == [scribe.agent]


def test_a_migration_by_somebody_else_does_not_disturb(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    before = reader.turn(scribe.turn)
    [(view,)] = execute(postgres_url, "SELECT pg_get_viewdef('turn_rows'::regclass)")
    text = str(view).strip().rstrip(";")
    head, _, tail = text.partition("FROM")
    execute(postgres_url, f"CREATE OR REPLACE VIEW turn_rows AS {head}, 1 AS added FROM{tail}")
    assert reader.turn(scribe.turn) == before


def test_a_forked_child_opens_connections_of_its_own(scribe: Scribe, reader: Reader) -> None:
    before = reader.events(scribe.turn, 0, 10)
    child = os.fork()
    if child == 0:
        os._exit(0 if reader.events(scribe.turn, 0, 10) == before else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert reader.events(scribe.turn, 0, 10) == before


def test_closed_is_closed(scribe: Scribe) -> None:
    reader = scribe.database.reader()
    with reader.snapshot():
        reader.close()
        assert reader.turn(scribe.turn) is not None
    reader.close()
    with pytest.raises(LedgerClosedError):
        reader.agents()


# --- the listener ---


def test_an_append_of_another_process_wakes_the_listener(scribe: Scribe) -> None:
    listener = scribe.database.listener()
    assert listener.wait(PATIENCE_S)  # connected: something may have come before
    assert not listener.wait(0.05)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(listener.wait, PATIENCE_S)
        scribe.append(batch(scribe.step()))
        scribe.engine.notify()
        assert waiting.result()
    assert listener.wait(PATIENCE_S)  # the look again after the writer's pause
    assert not listener.wait(0.05)
    listener.close()


def test_notifications_go_out_at_most_every_20_ms(
    scribe: Scribe, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Call] = []
    link = scribe.engine._link
    post = link.post

    def counted(one: Call) -> None:
        sent.append(one)
        post(one)

    monkeypatch.setattr(link, "post", counted)
    scribe.engine._clock = clock = SetClock()
    listening = PostgresDatabase(postgres_url).listener()
    assert listening.wait(PATIENCE_S)
    for passing_us, count in ((0, 1), (NOTIFY_EVERY_US - 1, 1), (1, 2)):
        clock.us += passing_us
        for _ in range(10):
            scribe.engine.notify()
            scribe.append(batch(scribe.step()))
        assert len(sent) == count
    assert listening.wait(PATIENCE_S)
    listening.close()


def test_the_listener_comes_back(scribe: Scribe, postgres_url: str, tmp_path: Path) -> None:
    with wire(postgres_url, tmp_path) as (url, _):
        listener = PostgresDatabase(url).listener()
        assert listener.wait(PATIENCE_S)
        end_sessions(postgres_url)
        assert listener.wait(PATIENCE_S)  # connected anew
        assert not listener.wait(0.05)
        listener.close()
    assert scribe.database.label


def test_an_absent_server_lets_the_listener_time_out(postgres_url: str, tmp_path: Path) -> None:
    with wire(postgres_url, tmp_path) as (url, between):
        listener = PostgresDatabase(url).listener()
        between.close()
        assert not listener.wait(0.1)
    listener.close()


def test_closing_ends_a_wait(scribe: Scribe) -> None:
    listener = scribe.database.listener()
    assert listener.wait(PATIENCE_S)
    timer = threading.Timer(0.1, listener.close)
    timer.start()
    assert not listener.wait(NEVER_S)
    timer.join()
    listener.close()
    assert not listener.wait(NEVER_S)
