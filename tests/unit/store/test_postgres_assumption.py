"""Appending from memory: one round trip while nobody else writes, no wrong row when somebody does."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.unit.store.postgres_kit import Scribe, SetClock, answered, batch, execute
from turnledger.ids import new_id
from turnledger.model.draft import Batch, BatchStatus, Refusal
from turnledger.model.rows import BodyRow
from turnledger.store.postgres.engine import SHARED_US
from turnledger.store.postgres.server_clock import TRUSTED_US, ServerClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnledger.store.postgres.link import Call, Link, Row

pytestmark = pytest.mark.postgres


@pytest.fixture
def scribe(postgres_url: str) -> Iterator[Scribe]:
    scribe = Scribe(postgres_url)
    scribe.append(batch(scribe.step()))
    yield scribe
    scribe.close()


@pytest.fixture
def other(scribe: Scribe, postgres_url: str) -> Iterator[Scribe]:
    """Another host that has just appended to the same turn."""
    other = Scribe(postgres_url, known=scribe)
    other.append(batch(other.step()))
    yield other
    other.close()


def trips(scribe: Scribe, *batches: Batch) -> int:
    """Round trips of one append."""
    link, count = scribe.engine._link, 0
    run = link.run

    def counted(calls: Sequence[Call], answer_seconds: float | None = 60.0) -> list[list[Row]]:
        nonlocal count
        count += 1
        return run(calls, answer_seconds)

    _set(link, counted)
    try:
        assert {result.status for result in scribe.append(*batches)} == {BatchStatus.APPENDED}
    finally:
        _set(link, run)
    return count


def _set(link: Link, run: object) -> None:
    link.run = run  # type: ignore[method-assign, assignment]


def test_an_append_from_memory_is_one_round_trip(scribe: Scribe) -> None:
    assert trips(scribe, batch(scribe.step())) == 1
    assert trips(scribe, *[batch(scribe.step()) for _ in range(8)]) == 1
    assert trips(scribe, batch(scribe.step(body=b"short"))) == 1


def test_a_body_that_is_new_is_not_looked_for(scribe: Scribe) -> None:
    scribe.append(batch(scribe.step(body=_long(0))))  # which also draws keys for the parts to come
    assert trips(scribe, batch(scribe.step(body=_long(1)))) == 1
    assert trips(scribe, batch(scribe.step(body=_long(1)))) == 1  # this one it knows


def test_a_part_that_is_there_already_is_found_and_used(
    scribe: Scribe, other: Scribe, postgres_url: str
) -> None:
    """The writer does not know it: another host stored it, or this one before it was started anew."""
    scribe.append(batch(scribe.step(body=_long(0))))
    for number in (1, 2):
        other.append(batch(other.step(body=_long(number))))
    scribe.append(batch(scribe.step()))  # what the other wrote is known from here on
    scribe.engine._clock = clock = SetClock()
    clock.us += SHARED_US
    scribe.engine._shared.clear()
    parts = _parts(postgres_url)
    draft = scribe.step(body=_long(1))
    assert trips(scribe, batch(draft)) > 2
    scribe.append(batch(scribe.step(body=_long(2))))  # for a while it rather looks
    assert _parts(postgres_url) == parts
    assert scribe.engine._assumption is None or not scribe.engine._assumption.new_parts
    clock.us += SHARED_US
    scribe.engine._shared.clear()
    assert trips(scribe, batch(scribe.step(body=_long(3)))) == 1
    assert _parts(postgres_url) == parts + 1
    with closing(scribe.database.reader()) as reader:
        content = reader.body(draft.event_id, "payload")
        assert content is not None
        assert not isinstance(content, BodyRow)
        assert b"".join(content.read()) == _long(1)


def _long(number: int) -> bytes:
    return str(number).encode() * 900


def _parts(url: str) -> int:
    [(count,)] = execute(url, "SELECT count(*) FROM parts")
    assert isinstance(count, int)
    return count


def test_after_somebody_else_wrote_it_is_planned_again(scribe: Scribe, other: Scribe) -> None:
    scribe.engine._clock = clock = SetClock()
    [result] = scribe.append(batch(scribe.step()))
    assert (result.status, result.placed[0].seq) == (BatchStatus.APPENDED, 3)
    assert trips(scribe, batch(scribe.step())) == 2  # for a while it rather asks
    clock.us += SHARED_US
    assert trips(scribe, batch(scribe.step())) == 1
    assert trips(other, batch(other.step())) > 2


def test_a_lease_that_went_to_somebody_else_is_seen(scribe: Scribe, other: Scribe) -> None:
    """Taking a turn over writes no event, so no key is taken that the append could run into."""
    scribe.lease = scribe.lease._replace(ttl_ms=0)
    scribe.append(batch(scribe.step()))
    assert scribe.append(batch(scribe.step()))[0].status is BatchStatus.APPENDED
    time.sleep(0.01)
    assert other.engine.acquire(scribe.turn, new_id(), 60_000) is not None
    scribe.engine._shared.clear()  # as if nobody had written for a while
    (outcome,) = scribe.appender.run([batch(scribe.step())])
    assert answered(outcome).refusal is Refusal.TURN_LOST


def test_what_is_on_record_is_a_duplicate_whoever_sends_it_again(scribe: Scribe, other: Scribe) -> None:
    draft = other.step()._replace(place=3)
    [first] = other.append(batch(draft))
    assert (first.status, first.placed[0].seq) == (BatchStatus.APPENDED, 3)
    [again] = other.append(batch(draft))  # remembered: refused for its place, if nobody looked
    assert (again.status, again.placed) == (BatchStatus.DUPLICATE, first.placed)
    scribe.append(batch(scribe.step()))
    [elsewhere] = scribe.append(batch(draft))
    assert (elsewhere.status, elsewhere.placed) == (BatchStatus.DUPLICATE, first.placed)


def test_a_batch_that_is_refused_does_not_take_its_neighbours_along(scribe: Scribe) -> None:
    misplaced = scribe.step()._replace(place=99)
    good, refused, also_good = scribe.append(batch(scribe.step()), batch(misplaced), batch(scribe.step()))
    assert refused.refusal is Refusal.OUT_OF_PLACE
    assert [result.placed[0].seq for result in (good, also_good)] == [2, 3]


def test_parts_that_were_pruned_meanwhile_are_not_counted_on(scribe: Scribe, postgres_url: str) -> None:
    body = bytes(range(256)) * 40
    scribe.append(batch(scribe.step(body=body)))
    execute(postgres_url, "UPDATE bodies SET salt = NULL, recipe = NULL")
    execute(postgres_url, "DELETE FROM parts")
    execute(postgres_url, "UPDATE ledger SET prunes = prunes + 1")
    draft = scribe.step(body=body)
    scribe.append(batch(draft))
    reader = scribe.database.reader()
    content = reader.body(draft.event_id, "payload")
    assert content is not None
    assert not isinstance(content, BodyRow)
    assert b"".join(content.read()) == body
    reader.close()


def test_no_event_is_ever_dated_ahead_of_the_database(scribe: Scribe, postgres_url: str) -> None:
    """This machine's idea of the time is checked by the database before anything is written with it."""
    clock = scribe.engine._server_clock
    for ahead_us in (5_000_000, -5_000_000):
        assert clock._answer is not None
        server_us, arrived_us = clock._answer
        clock._answer = (server_us + ahead_us, arrived_us)
        [(before_ms,)] = execute(postgres_url, "SELECT clock_ms()")
        [result] = scribe.append(batch(scribe.step()))
        [(after_ms,)] = execute(postgres_url, "SELECT clock_ms()")
        assert isinstance(before_ms, int)
        assert isinstance(after_ms, int)
        assert before_ms - 2000 < result.placed[0].created_ms <= after_ms


def test_times_of_a_journal_never_step_back(scribe: Scribe, postgres_url: str) -> None:
    for number in range(60):
        if number % 7 == 0:
            scribe.engine._heads.forget()  # as after a rollback: the next one asks
        scribe.append(batch(scribe.step()))
    times = execute(postgres_url, "SELECT created_ms FROM events ORDER BY position")
    assert times == sorted(times)


def test_the_clock_is_carried_on_for_some_seconds_only() -> None:
    steady = SetClock()
    clock = ServerClock(steady)
    assert clock.now_ms() is None
    assert clock.set(1_800_000_000_123_987) == 1_800_000_000_123
    steady.us += 20
    assert clock.now_ms() == 1_800_000_000_124
    steady.us += TRUSTED_US
    assert clock.now_ms() is None
