"""The cursor over all events: nothing that commits late is ever skipped."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
import pytest

from tests.patience import eventually
from tests.unit.store.postgres_kit import Scribe, batch, execute, waiting
from turnledger.ids import new_id
from turnledger.model.draft import BatchStatus, Journal
from turnledger.model.vocabulary import JournalKind
from turnledger.store.plan import Planner, wants_of
from turnledger.store.postgres import PostgresDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnledger.model.draft import Draft
    from turnledger.store.contract import Reader

pytestmark = pytest.mark.postgres


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


def elsewhere(url: str, scribe: Scribe) -> Scribe:
    """Another host, in a conversation of its own of the same agent."""
    other = Scribe(url, known=scribe)
    other.conversation, other.turn = new_id(), new_id()
    other.append(batch(other.opened(other.conversation)), batch(*other.turn_opened(other.turn)))
    return other


def begun(scribe: Scribe, *drafts: Draft) -> None:
    """Write the drafts in a transaction that is left open."""
    engine = scribe.engine
    engine.begin()
    found = engine.load(wants_of([batch(*drafts)]))
    planner = Planner(found, engine.next_id)
    assert planner.place(batch(*drafts)).status is BatchStatus.APPENDED
    engine.save(planner.changes, [], planner.projection)
    engine._link.run([])  # the rows are written now, and not committed


def test_a_row_that_commits_late_is_not_skipped(scribe: Scribe, reader: Reader, postgres_url: str) -> None:
    """Two interleaved transactions: the one that began first commits last."""
    other = elsewhere(postgres_url, scribe)
    cursor = reader.head_cursor()
    slow, quick = scribe.step(), other.step()
    begun(scribe, slow)
    other.append(batch(quick))

    assert reader.event(quick.event_id) is not None
    assert reader.since(cursor, 10, None) == ([], cursor)
    assert reader.head_cursor() == cursor

    scribe.engine.commit()
    rows, after = reader.since(cursor, 10, None)
    assert [row.event_id for row in rows] == [slow.event_id, quick.event_id]
    assert after >= rows[-1].cursor > rows[0].cursor > cursor
    assert reader.since(after, 10, None)[0] == []
    other.close()


def test_a_transaction_that_never_commits_holds_nothing_up_for_good(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    other = elsewhere(postgres_url, scribe)
    cursor = reader.head_cursor()
    begun(scribe, scribe.step())
    last = other.step()
    other.append(batch(last))
    assert reader.since(cursor, 10, None)[0] == []
    scribe.engine.rollback()
    assert [row.event_id for row in reader.since(cursor, 10, None)[0]] == [last.event_id]
    other.close()


def test_another_programs_long_write_holds_it_up_too_and_loses_nothing(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    cursor = reader.head_cursor()
    with psycopg.connect(postgres_url) as outside:
        outside.execute("CREATE TABLE theirs (i bigint)")
        scribe.append(batch(scribe.step()))
        assert reader.since(cursor, 10, None) == ([], cursor)
        outside.rollback()
    assert len(reader.since(cursor, 10, None)[0]) == 1


def test_a_journal_keeps_its_order_although_writers_wait_for_each_other(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    """The first host waits for something else in between; the second one must not slip in before it."""
    other = Scribe(postgres_url, known=scribe)
    ids = sorted([new_id() for _ in range(2)] + [scribe.conversation])
    for conversation in ids:
        if conversation != scribe.conversation:
            scribe.append(batch(scribe.opened(conversation)))
    shared = ids[-1]
    cursor = reader.head_cursor()
    journal = Journal(JournalKind.CONVERSATION, shared)
    notes = [one.draft(journal, "GAP", "events=1", conversation=shared) for one in (scribe, other)]
    group = [
        batch(scribe.draft(Journal(JournalKind.CONVERSATION, ids[0]), "GAP", "events=1", conversation=ids[0]))
    ]
    group += [
        batch(scribe.draft(Journal(JournalKind.CONVERSATION, ids[1]), "GAP", "events=1", conversation=ids[1]))
    ]
    scribe.engine._heads.forget()
    with psycopg.connect(postgres_url) as outside, ThreadPoolExecutor(2) as threads:
        outside.execute("SELECT FROM conversations WHERE id = %s FOR UPDATE", (ids[1].bytes,))
        first = threads.submit(scribe.append, *group, batch(notes[0]))
        eventually(lambda: waiting(postgres_url) == 1)
        second = threads.submit(other.append, batch(notes[1]))
        eventually(lambda: second.done() or waiting(postgres_url) == 2)
        outside.rollback()
        assert first.result()[2].placed[0].seq + 1 == second.result()[0].placed[0].seq
    rows = [row for row in reader.since(cursor, 10, None)[0] if row.journal.id == shared]
    assert [row.event_id for row in rows] == [note.event_id for note in notes]
    other.close()


def test_followers_see_every_event_once_and_each_journal_in_order(
    scribe: Scribe, reader: Reader, postgres_url: str
) -> None:
    """Hosts that append, roll back and dawdle; a follower that asks for three rows at a time."""
    others = [scribe, *[elsewhere(postgres_url, scribe) for _ in range(3)]]
    cursor = reader.head_cursor()
    seen: list[tuple[UUID, int]] = []
    written = [0] * len(others)

    def work(number: int) -> None:
        chance = random.Random(number)
        for _ in range(25):
            drafts = [others[number].step() for _ in range(chance.randint(1, 4))]
            begun(others[number], *drafts)
            if chance.random() < 0.3:
                others[number].engine.rollback()
            else:
                others[number].engine.commit()
                written[number] += len(drafts)

    with ThreadPoolExecutor(len(others)) as threads:
        working = [threads.submit(work, number) for number in range(len(others))]
        while not all(one.done() for one in working) or reader.since(cursor, 1, None)[0]:
            rows, cursor = reader.since(cursor, 3, None)
            seen += [(row.journal.id, row.seq) for row in rows]
        for one in working:
            one.result()
    assert len(seen) == len(set(seen)) == sum(written)
    for other in others:
        assert [seq for journal, seq in seen if journal == other.turn] == list(
            range(1, len([1 for journal, _ in seen if journal == other.turn]) + 1)
        )
        if other is not scribe:
            other.close()


def test_events_of_one_transaction_keep_their_order(scribe: Scribe, reader: Reader) -> None:
    cursor = reader.head_cursor()
    drafts = [scribe.step() for _ in range(300)]
    scribe.append(*[batch(draft) for draft in drafts])
    rows, _ = reader.since(cursor, 1000, scribe.agent)
    assert [row.event_id for row in rows] == [draft.event_id for draft in drafts]
    assert reader.since(cursor, 1000, new_id())[0] == []
    assert rows[-1].cursor - rows[0].cursor == 299


def test_a_ledger_restored_on_another_server_goes_on_above_its_newest_event(
    scribe: Scribe, postgres_url: str
) -> None:
    """A dump brings its rows along, and the new server counts its transactions from the beginning."""
    [(eid,)] = execute(postgres_url, "SELECT max(eid) FROM events")
    assert isinstance(eid, int)
    ahead = eid + (5_000_000 << 20)
    execute(postgres_url, "ALTER TABLE events DISABLE TRIGGER ALL")
    execute(postgres_url, "UPDATE events SET eid = %s WHERE eid = %s", ahead, eid)
    execute(postgres_url, "ALTER TABLE events ENABLE ALWAYS TRIGGER events_refuse_update")

    engines = [PostgresDatabase(postgres_url).engine() for _ in range(2)]
    other = Scribe(postgres_url, known=scribe)
    draft = other.step()
    other.append(batch(draft))
    reader = other.database.reader()
    rows, cursor = reader.since(0, 100, None)
    assert rows[-1].event_id == draft.event_id
    assert rows[-2].cursor == ahead
    assert cursor >= rows[-1].cursor > ahead
    assert reader.since(ahead, 10, None)[0] == rows[-1:]
    [(base,)] = execute(postgres_url, "SELECT xid_base FROM ledger")
    for engine in engines:
        engine.close()
    PostgresDatabase(postgres_url).engine().close()
    assert execute(postgres_url, "SELECT xid_base FROM ledger") == [(base,)]
    reader.close()
    other.close()
