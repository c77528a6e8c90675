"""The write connection: who waits for whom, what is durable, and how it goes on when the server does not."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.patience import eventually
from tests.unit.store.postgres_kit import (
    Scribe,
    SetClock,
    answered,
    batch,
    end_sessions,
    execute,
    waiting,
    wire,
)
from turnledger.errors import LedgerBusyError, LedgerUnavailableError
from turnledger.ids import NIL, new_id
from turnledger.integrity.chain import event_hash
from turnledger.model.draft import AliasKind, Batch, BatchStatus, Claim, Journal
from turnledger.model.vocabulary import JournalKind
from turnledger.store.contract import RowConflictError
from turnledger.store.postgres import PostgresDatabase
from turnledger.store.projection import Projection
from turnledger.store.sql import parse_statement
from turnledger.store.state import Changes, IdKind, Wants

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from uuid import UUID

    from turnledger.model.draft import BatchResult, Draft
    from turnledger.store.contract import StoredBody
    from turnledger.store.postgres.link import Call

pytestmark = pytest.mark.postgres


@pytest.fixture
def scribe(postgres_url: str) -> Iterator[Scribe]:
    scribe = Scribe(postgres_url)
    yield scribe
    scribe.close()


@pytest.fixture
def other(scribe: Scribe, postgres_url: str) -> Iterator[Scribe]:
    """Another host that works on the same turn."""
    other = Scribe(postgres_url, known=scribe)
    yield other
    other.close()


def together(*scribes: Scribe, batches: list[Batch]) -> list[BatchResult]:
    """Deal the batches out to the scribes, each in a thread of its own, and let them loose at once."""
    start = threading.Barrier(len(scribes))

    def work(number: int) -> list[BatchResult]:
        start.wait()
        return [result for one in batches[number :: len(scribes)] for result in scribes[number].append(one)]

    with ThreadPoolExecutor(len(scribes)) as threads:
        return [result for results in threads.map(work, range(len(scribes))) for result in results]


def assert_one_chain(scribe: Scribe, url: str, events: int) -> None:
    rows = execute(
        url,
        "SELECT e.seq, e.type, e.payload_hash, e.tokens, e.detail, e.hash, e.created_ms"
        " FROM events e JOIN journals j USING (jid) WHERE j.id = %s ORDER BY e.seq",
        scribe.turn.bytes,
    )
    assert [row[0] for row in rows] == list(range(events))
    previous = "0" * 64
    reader = scribe.database.reader()
    for row in reader.events(scribe.turn, 0, events):
        previous = event_hash(
            previous, str(scribe.turn), str(scribe.agent), row.seq, row.type, row.payload_hash.hex(),
            row.summary, row.created_ms,
        )  # fmt: skip
        assert row.hash.hex() == previous
    reader.close()


# --- several hosts ---


def test_e04_writers_of_one_turn_make_one_chain(scribe: Scribe, other: Scribe, postgres_url: str) -> None:
    results = together(scribe, other, batches=[batch(scribe.step()) for _ in range(40)])
    assert {result.status for result in results} == {BatchStatus.APPENDED}
    assert_one_chain(scribe, postgres_url, 41)
    positions = execute(postgres_url, "SELECT position FROM events ORDER BY position")
    assert [position for (position,) in positions] == list(range(43))


def test_hosts_that_open_turns_of_one_agent_count_them_without_a_gap(
    scribe: Scribe, other: Scribe, postgres_url: str
) -> None:
    results = together(scribe, other, batches=[batch(*scribe.turn_opened(new_id())) for _ in range(20)])
    assert {result.status for result in results} == {BatchStatus.APPENDED}
    ordinals = execute(postgres_url, "SELECT ordinal FROM journals WHERE kind = 'turn' ORDER BY ordinal")
    assert [ordinal for (ordinal,) in ordinals] == list(range(21))
    assert execute(postgres_url, "SELECT turns FROM agents") == [(21,)]


def test_a_brand_new_name_has_one_owner_however_many_ask_for_it(
    scribe: Scribe, other: Scribe, postgres_url: str
) -> None:
    """Nothing is there to be locked yet: FOR UPDATE on an empty table lets everybody in."""
    for number in range(10):
        name = f"agent {number}"
        claims = [Batch(claim=Claim(AliasKind.AGENT, NIL, name, new_id())) for _ in range(2)]
        results = together(scribe, other, batches=claims)
        assert sorted(result.status for result in results) == ["appended", "existing"]
        assert len({result.target for result in results}) == 1
    assert execute(postgres_url, "SELECT count(*) FROM agents") == [(11,)]


def test_a_brand_new_conversation_is_opened_once(scribe: Scribe, other: Scribe, postgres_url: str) -> None:
    conversation = new_id()
    opened = scribe.opened(conversation)
    results = together(scribe, other, batches=[batch(opened), batch(opened)])
    assert sorted(result.status for result in results) == ["appended", "duplicate"]
    assert len({result.placed for result in results}) == 1
    assert execute(postgres_url, "SELECT conversations FROM agents") == [(2,)]


def test_a_key_that_was_taken_meanwhile_asks_for_a_new_plan(scribe: Scribe, other: Scribe) -> None:
    draft = scribe.step()
    first, second = scribe.engine, other.engine
    key = (AliasKind.PLACE, scribe.agent, "C042")
    for engine in (first, second):
        engine.begin()
        engine.load(Wants(aliases={key}))
        engine.save(Changes(aliases=[(key, draft.event_id)]), [], _nothing())
        if engine is first:
            engine.commit()
    with pytest.raises(RowConflictError):
        second.commit()
    second.rollback()
    assert other.append(batch(draft))[0].status is BatchStatus.APPENDED


@pytest.fixture
def impatient(scribe: Scribe, postgres_url: str) -> Iterator[Scribe]:
    """One that does not wait long for others."""
    impatient = Scribe(postgres_url, wait_ms=300, known=scribe)
    yield impatient
    impatient.close()


def test_i04_a_lock_that_is_not_given_back_makes_the_ledger_busy(
    scribe: Scribe, impatient: Scribe, other: Scribe
) -> None:
    scribe.engine.begin()
    scribe.engine._read(Wants(journals={scribe.turn}))
    for _ in range(2):  # once by a load, once by an assumption's checks
        started = time.monotonic()
        with pytest.raises(LedgerBusyError, match="waiting too long"):
            impatient.append(batch(impatient.step()))
        assert time.monotonic() - started > 0.25
    scribe.engine.rollback()
    assert other.append(batch(other.step()))[0].status is BatchStatus.APPENDED


def test_writers_of_other_conversations_of_an_agent_do_not_wait(scribe: Scribe, other: Scribe) -> None:
    other.conversation, other.turn = new_id(), new_id()
    other.append(batch(other.opened(other.conversation)), batch(*other.turn_opened(other.turn)))
    other.append(batch(other.step()))  # from here on this host knows the turn
    scribe.append(batch(scribe.step()))
    scribe.engine.begin()
    scribe.engine._read(Wants({scribe.agent}, {scribe.conversation}, {scribe.turn}))
    assert other.append(batch(other.step()))[0].status is BatchStatus.APPENDED
    scribe.engine.rollback()


def test_locks_in_opposite_order_end_in_a_plan_and_not_in_an_error(scribe: Scribe, postgres_url: str) -> None:
    """A transaction from outside holds what the engine waits for, then asks for what the engine holds."""
    with psycopg.connect(postgres_url) as outside, ThreadPoolExecutor(1) as thread:
        outside.execute("SET deadlock_timeout = '10s'")  # so that the engine is the one to give way
        scribe.engine._link.run([(parse_statement("", "SET deadlock_timeout = '500ms'"), ())])
        outside.execute("SELECT FROM journals WHERE id = %s FOR UPDATE", (scribe.turn.bytes,))
        appending = thread.submit(scribe.append, batch(scribe.step()))
        eventually(lambda: appending.done() or waiting(postgres_url) == 1)
        outside.execute("SELECT FROM conversations WHERE id = %s FOR UPDATE", (scribe.conversation.bytes,))
        outside.commit()
        assert appending.result()[0].status is BatchStatus.APPENDED


# --- small keys and parts ---


def test_small_keys_and_part_ids_are_never_given_twice(scribe: Scribe, other: Scribe) -> None:
    keys: list[int] = []
    parts: list[int] = []
    for engine in (scribe.engine, other.engine, scribe.engine):
        engine.begin()
        engine.load(Wants(conversations={new_id(), new_id()}, journals={new_id()}))
        keys += [engine.next_id(IdKind.JOURNAL) for _ in range(5)]
        parts += [engine.add_part(1, 7, b"x", 1) for _ in range(100)]
        engine.rollback()
    assert len(set(keys)) == len(keys)
    assert len(set(parts)) == len(parts)


def test_what_was_begun_and_not_committed_leaves_no_trace(scribe: Scribe, postgres_url: str) -> None:
    engine = scribe.engine
    engine.begin()
    engine.load(Wants(journals={scribe.turn}))
    engine.add_part(1, 7, b"x", 1)
    engine.save(Changes(aliases=[((AliasKind.ACTOR, scribe.agent, "U7"), new_id())]), [], _nothing())
    engine.rollback()
    engine.rollback()
    assert execute(postgres_url, "SELECT count(*) FROM parts") == [(0,)]
    assert execute(postgres_url, "SELECT count(*) FROM aliases WHERE kind = 'actor'") == [(0,)]
    assert scribe.append(batch(scribe.step()))[0].status is BatchStatus.APPENDED


# --- durability and time ---


def test_a_commit_waits_for_the_disk_whatever_the_server_defaults_to(
    scribe: Scribe, postgres_url: str
) -> None:
    execute(postgres_url, f"ALTER DATABASE {_name(postgres_url)} SET synchronous_commit = off")
    execute(
        postgres_url, f"ALTER DATABASE {_name(postgres_url)} SET default_transaction_isolation = serializable"
    )
    fresh = Scribe(postgres_url, known=scribe)
    fresh.engine.begin()
    fresh.engine.load(Wants())
    link = fresh.engine._link
    assert link.run([_show("synchronous_commit"), _show("transaction_isolation")]) == [
        [("on",)],
        [("read committed",)],
    ]
    fresh.close()


def test_a_stronger_durability_of_the_server_is_kept(postgres_url: str) -> None:
    execute(postgres_url, f"ALTER DATABASE {_name(postgres_url)} SET synchronous_commit = remote_apply")
    engine = PostgresDatabase(postgres_url).engine()
    assert engine._link.run([_show("synchronous_commit")]) == [[("remote_apply",)]]
    engine.close()


@pytest.mark.parametrize(
    ("instant", "milliseconds"),
    [
        ("2026-07-01 12:00:00.123987+00", 1782907200123),
        ("2026-07-01 12:00:01.001000+00", 1782907201001),
        ("1969-12-31 23:59:59.999900+00", -1),
    ],
)
def test_the_clock_is_floored(postgres_url: str, instant: str, milliseconds: int) -> None:
    PostgresDatabase(postgres_url).engine().close()
    [(source,)] = execute(postgres_url, "SELECT prosrc FROM pg_proc WHERE proname = 'clock_ms'")
    at = str(source).replace("clock_timestamp()", f"timestamptz '{instant}'")
    assert execute(postgres_url, at) == [(milliseconds,)]


# --- when the server goes away ---


def test_an_idle_connection_that_died_is_not_noticed(scribe: Scribe, postgres_url: str) -> None:
    end_sessions(postgres_url)
    assert scribe.append(batch(scribe.step()))[0].status is BatchStatus.APPENDED
    end_sessions(postgres_url)
    assert scribe.engine.renew(scribe.lease.holder, [(scribe.turn, 1)], 1000) == set()


def test_a_connection_lost_before_the_commit_recorded_nothing(scribe: Scribe, postgres_url: str) -> None:
    engine = scribe.engine
    engine.begin()
    engine.load(Wants(journals={scribe.turn}))
    end_sessions(postgres_url)
    with pytest.raises(RowConflictError, match="connection broke"):
        engine.next_id(IdKind.JOURNAL)
    engine.rollback()
    assert scribe.append(batch(scribe.step()))[0].status is BatchStatus.APPENDED


@pytest.mark.parametrize(
    ("cut", "status"), [("cut_before", BatchStatus.APPENDED), ("cut_after", BatchStatus.DUPLICATE)]
)
def test_a_connection_lost_during_the_commit_is_settled_by_event_ids(
    cut: str, status: BatchStatus, scribe: Scribe, postgres_url: str, tmp_path: Path
) -> None:
    """Whether the server heard the commit or not: the event is recorded once, and the caller is told so."""
    with wire(postgres_url, tmp_path) as (url, between):
        remote = Scribe(url, known=scribe)
        remote.append(batch(remote.step()))
        setattr(between, cut, b"commit\x00")
        draft = remote.step()
        [result] = remote.append(batch(draft))
        remote.close()
    assert result.status is status
    assert result.placed[0].seq == 2
    assert execute(postgres_url, "SELECT count(*) FROM events WHERE event_id = %s", draft.event_id.bytes) == [
        (1,)
    ]
    assert_one_chain(scribe, postgres_url, 3)


def test_a_commit_that_nobody_can_ask_about_is_said_to_be_in_doubt(
    scribe: Scribe, postgres_url: str, tmp_path: Path
) -> None:
    with wire(postgres_url, tmp_path) as (url, between):
        remote = Scribe(url, known=scribe)
        remote.engine._redial._pauses = (0.01,)
        remote.append(batch(remote.step()))
        between.cut_after = b"commit\x00"
        draft = remote.step()
        remote.engine.begin()
        remote.engine.load(Wants(journals={scribe.turn}))
        remote.engine.save(Changes(), [], _nothing())
        with pytest.raises(RowConflictError):
            remote.engine.commit()
        between.close()
        (outcome,) = remote.appender.run([batch(draft)])
    assert isinstance(outcome, LedgerUnavailableError)
    assert "not known" in outcome.message
    assert "Send it again" in outcome.next_step


def test_a_queue_of_appends_waits_for_an_outage_once(
    scribe: Scribe, postgres_url: str, tmp_path: Path
) -> None:
    with wire(postgres_url, tmp_path) as (url, between):
        remote = Scribe(url, known=scribe)
        remote.engine._redial._pauses = (0.2, 0.2)
        remote.engine._redial._clock = clock = SetClock()
        between.close()
        outcomes = remote.appender.run([batch(remote.step()) for _ in range(50)])
    assert clock.us == 400_000
    assert all(isinstance(outcome, LedgerUnavailableError) for outcome in outcomes)


def test_a_bad_record_fails_alone(scribe: Scribe) -> None:
    good, bad = scribe.step(), scribe.step()
    engine, save = scribe.engine, scribe.engine.save

    def spoil(changes: Changes, bodies: Sequence[StoredBody], projection: Projection) -> None:
        for event in changes.events:
            if event.event_id == bad.event_id:
                changes.journals[event.jid].until_ms = 2**63
        save(changes, bodies, projection)

    engine.save = spoil  # type: ignore[method-assign]
    first, second = scribe.appender.run([batch(good), batch(bad)])
    assert answered(first).status is BatchStatus.APPENDED
    assert isinstance(second, LedgerUnavailableError)
    assert "64 bits" in second.message


def test_a_database_that_takes_no_writes_says_so(scribe: Scribe, postgres_url: str) -> None:
    execute(postgres_url, f"ALTER DATABASE {_name(postgres_url)} SET default_transaction_read_only = on")
    with pytest.raises(LedgerUnavailableError, match="read-only transaction") as caught:
        PostgresDatabase(postgres_url).engine()
    assert "primary" in caught.value.next_step
    reader = PostgresDatabase(postgres_url).reader()
    assert [agent.id for agent in reader.agents()] == [scribe.agent]
    reader.close()


# --- leases ---


def test_a_lease_runs_by_the_database_and_not_by_the_host(
    scribe: Scribe, other: Scribe, postgres_url: str
) -> None:
    assert other.engine.acquire(scribe.turn, new_id(), 1000) is None
    assert scribe.engine.renew(scribe.lease.holder, [(scribe.turn, 1)], 0) == set()
    time.sleep(0.01)
    second = new_id()
    lease = other.engine.acquire(scribe.turn, second, 60_000)
    assert lease is not None
    assert (lease.holder, lease.epoch) == (second, 2)
    [(now_ms,)] = execute(postgres_url, "SELECT clock_ms()")
    assert isinstance(now_ms, int)
    assert lease.until_ms is not None
    assert 0 < lease.until_ms - now_ms <= 60_000
    assert scribe.engine.renew(scribe.lease.holder, [(scribe.turn, 1)], 1000) == {scribe.turn}
    (outcome,) = scribe.appender.run([batch(scribe.step())])
    assert answered(outcome).refusal == "turn_lost"


def test_renewing_many_leases_never_deadlocks_with_appends(scribe: Scribe, other: Scribe) -> None:
    turns = [new_id() for _ in range(20)]
    scribe.append(*[batch(*scribe.turn_opened(turn)) for turn in turns])
    steps = [_step_of(scribe, turn) for turn in turns]
    other.append(batch(_step_of(other, turns[0])))
    with ThreadPoolExecutor(1) as thread:
        renewing = thread.submit(
            lambda: [
                other.engine.renew(scribe.lease.holder, [(turn, 1) for turn in turns], 600_000)
                for _ in range(20)
            ]
        )
        for _ in range(5):
            scribe.append(*[batch(step) for step in steps])
            steps = [_step_of(scribe, turn) for turn in reversed(turns)]
        assert renewing.result() == [set()] * 20


def test_a_rebuild_holds_appends_off_and_loses_none(
    scribe: Scribe, impatient: Scribe, postgres_url: str
) -> None:
    before = execute(postgres_url, "SELECT count(*) FROM turns")
    with ThreadPoolExecutor(1) as thread:
        with scribe.engine.rebuilding() as apply:
            appending = thread.submit(impatient.appender.run, [batch(impatient.step())])
            assert isinstance(appending.result()[0], LedgerBusyError)
            apply(_nothing())
        assert execute(postgres_url, "SELECT count(*) FROM turns") == [(0,)] != before
        assert impatient.append(batch(impatient.step()))[0].status is BatchStatus.APPENDED


def test_a_rebuild_that_fails_changes_nothing(scribe: Scribe, postgres_url: str) -> None:
    with pytest.raises(ZeroDivisionError), scribe.engine.rebuilding():
        _ = 1 / 0
    assert execute(postgres_url, "SELECT count(*) FROM turns") == [(1,)]


def _step_of(scribe: Scribe, turn: UUID) -> Draft:
    return scribe.draft(Journal(JournalKind.TURN, turn), "GUARD", "guard=size decision=allow")


def _nothing() -> Projection:
    return Projection(lambda _turn: None)


def _name(url: str) -> str:
    return url.rpartition("/")[2].partition("?")[0]


def _show(setting: str) -> Call:
    return parse_statement("", f"SHOW {setting}"), ()
