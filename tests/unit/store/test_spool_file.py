"""The spool's file: what is kept, in which order, for which ledger, and what a kill leaves of it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from tests.unit.capture.processes import run
from turnledger.errors import (
    ForeignFileError,
    LedgerClosedError,
    LedgerCorruptError,
    LedgerUnavailableError,
    LedgerVersionError,
    UsageError,
)
from turnledger.ids import NIL, new_id, new_salt
from turnledger.model.draft import (
    AliasKind,
    Batch,
    BatchStatus,
    Body,
    Claim,
    Closing,
    Draft,
    Journal,
    Lease,
    Refusal,
)
from turnledger.model.vocabulary import JournalKind, TurnStatus
from turnledger.store.spool import Gap, Refused, Settlement, SpoolRow
from turnledger.store.sqlite.spool import SqliteSpool
from turnledger.wire.spool_form import SpoolForm

AGENT, CONVO = new_id(), new_id()


def draft(kind: str = "MESSAGE", *, data: bytes = b"text", place: int | None = None) -> Draft:
    journal = Journal(JournalKind.CONVERSATION, CONVO)
    body = Body("payload", data, new_salt())
    return Draft(journal, AGENT, CONVO, new_id(), kind, "chars=4", b"{}", b"h" * 32, (body,), place)


def gap_of(gap: Gap) -> Batch:
    return Batch((draft("GAP")._replace(agent=gap.agent, tokens=f"events={gap.events}"),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "spool.db"


@pytest.fixture
def spool(path: Path) -> Iterator[SqliteSpool]:
    made = SqliteSpool(path, "a ledger")
    yield made
    made.close()


def kept(spool: SqliteSpool, *batches: Batch) -> list[SpoolRow]:
    spool.append([(batch, False) for batch in batches], gap_of)
    return spool.oldest(1000, 1 << 30)


def test_a_batch_comes_back_equal_in_every_field() -> None:
    turn = draft("COMMIT", data=os.urandom(5000), place=7)._replace(
        journal=Journal(JournalKind.TURN, new_id()),
        lease=Lease(new_id(), 3, 30_000),
        closing=Closing(TurnStatus.EXHAUSTED, "Budget", None),
        takeover=True,
        lane="MODEL_CALL primary",
    )
    batch = Batch((turn, draft()), Claim(AliasKind.MESSAGE, CONVO, "ext\u00e9rieur \U0001f600", new_id()))
    form = SpoolForm()
    again = form.unpack(form.pack(batch))
    assert again == batch
    assert isinstance(again.drafts[0].journal.kind, JournalKind)
    with pytest.raises(LedgerCorruptError):
        form.unpack(form.pack(batch)[:-3] + b"xyz")
    with pytest.raises(LedgerCorruptError):
        form.unpack(b"\0not a batch")


def test_looking_makes_no_file_and_keeping_makes_a_private_one(spool: SqliteSpool, path: Path) -> None:
    assert spool.is_empty()
    assert spool.counts() == (0, 0, 0, 0, 0, None)
    assert (spool.place(-1), spool.message(NIL), spool.holds_turn(NIL), dict(spool.ids())) == (
        None,
        None,
        False,
        {},
    )
    assert not spool.flush_gaps(gap_of)
    assert not path.parent.exists()
    kept(spool, Batch((draft(),)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_rows_come_in_order_with_stand_ins_that_are_never_used_twice(spool: SqliteSpool) -> None:
    batches = [Batch((draft(), draft())) for _ in range(3)]
    results = spool.append([(batch, False) for batch in batches], gap_of)
    seqs = [placed.seq for result in results if result is not None for placed in result.placed]
    assert len(set(seqs)) == 6
    assert max(seqs) < 0
    rows = spool.oldest(10, 1 << 20)
    assert [row.batch for row in rows] == batches
    assert [place for row in rows for place in row.stand_ins()] == seqs
    spool.settle(Settlement(done=[row.id for row in rows]), gap_of)
    assert kept(spool, batches[0])[0].stand_ins()[0] not in seqs


def test_only_so_much_is_read_at_once(spool: SqliteSpool) -> None:
    kept(spool, *[Batch((draft(data=b"x" * 100_000),)) for _ in range(10)])
    assert len(spool.oldest(1000, 250_000)) == 3
    assert len(spool.oldest(2, 1 << 30)) == 2


def test_a_name_that_waits_has_one_owner(spool: SqliteSpool) -> None:
    first, second = new_id(), new_id()
    message = draft()
    results = spool.append(
        [
            (Batch((), Claim(AliasKind.AGENT, NIL, "a", first)), False),
            (Batch((), Claim(AliasKind.AGENT, NIL, "a", second)), False),
            (Batch((message,), Claim(AliasKind.MESSAGE, CONVO, "ext", message.event_id)), False),
        ],
        gap_of,
    )
    assert [result.status for result in results if result] == [
        BatchStatus.APPENDED,
        BatchStatus.EXISTING,
        BatchStatus.APPENDED,
    ]
    assert results[1] is not None
    assert results[1].target == first
    rows = spool.oldest(10, 1 << 20)
    assert spool.message(message.event_id) == rows[1].stand_ins()[0]
    spool.settle(Settlement(done=[row.id for row in rows]), gap_of)
    assert spool.message(message.event_id) is None


def test_what_was_learnt_stays_while_somebody_may_need_it(spool: SqliteSpool, path: Path) -> None:
    (row,) = kept(spool, Batch((draft(),)))
    other, true = new_id(), new_id()
    learnt = Settlement([row.id], {row.stand_ins()[0]: 42}, {other: true})
    learnt.refused.append(Refused(row.batch, Refusal.GRAMMAR, "because"))
    second = SqliteSpool(path, "a ledger")
    assert second.ids() == {}
    spool.settle(learnt, gap_of)
    for one in (spool, second):
        assert one.place(row.stand_ins()[0]) == 42
        assert one.ids() == {other: true}
        assert one.counts()[:2] == (0, 0)
        assert one.counts().refused == 1
    spool.close()
    second.close()
    alone = SqliteSpool(path, "a ledger")
    assert alone.is_empty()
    assert (alone.place(row.stand_ins()[0]), dict(alone.ids())) == (None, {})
    assert alone.counts().refused == 1, "what was refused is kept"
    alone.close()


def test_what_is_left_of_a_row_takes_its_place(spool: SqliteSpool) -> None:
    first, second = kept(spool, Batch((draft("INTAKE", place=0), draft())), Batch((draft(),)))
    rest = first._replace(batch=Batch(first.batch.drafts[1:]), kept=(1,))
    spool.rewrite(rest, Refused(Batch(first.batch.drafts[:1]), Refusal.TURN_CLOSED, "It has ended."))
    assert spool.oldest(10, 1 << 20) == [rest, second]
    assert rest.stand_ins() == first.stand_ins()[1:]
    assert spool.counts()[:2] == (2, 2)
    assert spool.counts().refused == 1


def test_a_turn_that_begins_here_is_known(spool: SqliteSpool) -> None:
    turn = new_id()
    begins = draft("INTAKE", place=0)._replace(journal=Journal(JournalKind.TURN, turn))
    (row,) = kept(spool, Batch((begins,)))
    assert spool.holds_turn(turn)
    spool.settle(Settlement([row.id]), gap_of)
    assert not spool.holds_turn(turn)


def test_a_revision_is_the_same_at_the_second_try(spool: SqliteSpool) -> None:
    event = new_id()
    (row,) = kept(spool, Batch((draft(),)))
    assert spool.revision(event) is None
    spool.keep_revision(row.id, event, 4)
    assert spool.revision(event) == 4
    spool.settle(Settlement([row.id]), gap_of)
    assert spool.revision(event) is None


def test_l10_a_full_spool_counts_and_takes_nothing_until_half_of_it_is_free(path: Path) -> None:
    spool = SqliteSpool(path, "a ledger", cap=1_000_000)
    batch = Batch((draft(data=os.urandom(100_000)),))
    results = spool.append([(batch, False)] * 12, gap_of)
    full = results.index(None)
    assert 5 < full < 11
    assert set(results[full:]) == {None}
    assert spool.append([(Batch((draft(),)), False)], gap_of) == [None]
    assert spool.counts().not_kept == 12 - full + 1
    rows = spool.oldest(100, 1 << 30)
    assert len(rows) == full
    spool.settle(Settlement([row.id for row in rows[:-2]]), gap_of)
    assert spool.append([(Batch((draft(),)), False)], gap_of)[0] is not None
    assert [row.batch.drafts[0].type for row in spool.oldest(100, 1 << 30)][-2:] == ["GAP", "MESSAGE"]
    assert spool.counts().not_kept == 0
    spool.close()


def test_a_spool_serves_one_ledger(spool: SqliteSpool, path: Path) -> None:
    kept(spool, Batch((draft(),)))
    with pytest.raises(UsageError, match="another ledger: a ledger"):
        SqliteSpool(path, "another one").is_empty()


def test_a_file_that_is_no_spool_is_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "other.db"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE t (a)")
    before = foreign.read_bytes()
    with pytest.raises(ForeignFileError, match="not a spool"):
        SqliteSpool(foreign, "l").is_empty()
    text = tmp_path / "text"
    text.write_text("no database, and longer than a header of SQLite would be " * 40)
    with pytest.raises(ForeignFileError):
        SqliteSpool(text, "l").is_empty()
    assert foreign.read_bytes() == before
    with pytest.raises(LedgerUnavailableError):
        SqliteSpool(text / "below" / "a file", "l").append([(Batch((draft(),)), False)], gap_of)


def test_a_newer_spool_and_a_closed_one_are_refused(spool: SqliteSpool, path: Path) -> None:
    kept(spool, Batch((draft(),)))
    spool.close()
    with pytest.raises(LedgerClosedError):
        spool.append([(Batch((draft(),)), False)], gap_of)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerVersionError, match="newer"):
        SqliteSpool(path, "a ledger").is_empty()


def test_one_process_forwards_at_a_time_and_its_death_ends_that(spool: SqliteSpool, path: Path) -> None:
    kept(spool, Batch((draft(),)))
    assert spool.lead()
    assert not SqliteSpool(path, "a ledger").lead()
    spool.follow()
    run(
        """
        import os, signal, sys
        from turnledger.store.sqlite.spool import SqliteSpool
        spool = SqliteSpool(sys.argv[1], "a ledger")
        assert spool.lead()
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        path,
        code=-9,
    )
    assert spool.lead()


def test_a_kill_in_the_middle_of_an_append_leaves_whole_batches(path: Path) -> None:
    program = """
        import os, signal, sys
        from tests.unit.store.test_spool_file import draft, gap_of
        from turnledger.model.draft import Batch
        from turnledger.store.sqlite.spool import SqliteSpool
        spool = SqliteSpool(sys.argv[1], "a ledger")
        spool.append([(Batch((draft(),)), False)], gap_of)
        with spool._session.transaction():
            spool._insert(Batch((draft(),)), b"half", tried=False)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    run(program, path, code=-9)
    spool = SqliteSpool(path, "a ledger")
    assert len(spool.oldest(10, 1 << 20)) == 1
    assert len(kept(spool, Batch((draft(),)))) == 2
    spool.close()


def test_ids_read_as_uuids(spool: SqliteSpool) -> None:
    (row,) = kept(spool, Batch((draft(),)))
    spool.settle(Settlement([row.id], ids={AGENT: CONVO}), gap_of)
    assert all(isinstance(one, UUID) for one in spool.ids().values())
