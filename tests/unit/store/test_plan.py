"""The planner alone: what is given a place, what is refused, and that refusals leave no trace."""

from __future__ import annotations

import copy
import hashlib
import itertools
from typing import Any
from uuid import UUID

import pytest

from turnledger.ids import NIL, new_id
from turnledger.integrity.chain import ChainVerifier
from turnledger.model.draft import (
    ARRIVED_AT_MOST,
    AliasKind,
    Arrived,
    Batch,
    BatchResult,
    BatchStatus,
    Claim,
    Closing,
    Draft,
    Journal,
    Lease,
    Refusal,
)
from turnledger.model.vocabulary import JournalKind, TurnStatus
from turnledger.store.plan import Planner
from turnledger.store.state import Found, IdKind
from turnledger.wire.commitment import NO_PAYLOAD

NOW = 1_800_000_000_000
HOLDER = UUID(int=77)


class Bench:
    """A planner whose states live on from one transaction to the next, as a database's would."""

    def __init__(self) -> None:
        self.found = Found(NOW, 0)
        self.rows: list[object] = []
        self._ids = itertools.count(1)
        self.agent = new_id()
        self.conversation = new_id()
        self.last = self._planner()

    def _planner(self) -> Planner:
        return Planner(self.found, lambda _kind: next(self._ids))

    def place(self, *drafts: Draft, claim: Claim | None = None) -> BatchResult:
        self.last = self._planner()
        return self.last.place(Batch(drafts, claim))

    def ready(self) -> Bench:
        assert self.place(claim=Claim(AliasKind.AGENT, NIL, "support", self.agent)).status == "appended"
        assert self.place(self.draft("OPENED", detail='"shape":"dm"')).status == "appended"
        return self

    def draft(
        self, kind: str, tokens: str = "", *, turn: UUID | None = None, detail: str = "", **more: object
    ) -> Draft:
        event_id = new_id()
        journal = Journal(JournalKind.CONVERSATION, self.conversation)
        if turn is not None:
            journal = Journal(JournalKind.TURN, turn)
            more.setdefault("lease", Lease(HOLDER, 1, 30_000))
        record = f'{{"id":"{event_id.hex}"{"," if detail else ""}{detail}}}'
        return Draft(
            journal=journal,
            agent=self.agent,
            conversation=self.conversation,
            event_id=event_id,
            type=kind,
            tokens=f"{tokens} assurance=w".strip(),
            detail=record.encode(),
            payload_hash=NO_PAYLOAD,
            **more,  # type: ignore[arg-type]
        )

    def open_turn(self) -> UUID:
        turn = new_id()
        result = self.place(
            self.draft("TURN_OPENED", f"turn={turn} trigger=api"), self.draft("INTAKE", "tools=1", turn=turn)
        )
        assert result.status is BatchStatus.APPENDED, result
        return turn

    def arrive(self, turn: UUID, /, **more: object) -> BatchResult:
        lease = Lease(HOLDER, 1, 30_000)
        arrived = Arrived(turn, self.agent, self.conversation, new_id(), 0, b"\0data", lease)
        self.last = self._planner()
        return self.last.place(Batch(arrived=arrived._replace(**more)))  # type: ignore[arg-type]

    def state(self) -> object:
        found = copy.deepcopy(self.found)
        found.events = {}
        return found


@pytest.fixture
def bench() -> Bench:
    return Bench().ready()


def test_events_are_numbered_chained_and_given_positions(bench: Bench) -> None:
    turn = bench.open_turn()
    results = [bench.place(bench.draft("PROGRESS", f"kind=ack chars={n}", turn=turn)) for n in range(3)]
    assert [result.placed[0].seq for result in results] == [1, 2, 3]
    assert [result.placed[0].position for result in results] == [3, 4, 5]
    head = bench.found.journals[turn]
    assert head.next_seq == 4
    assert head.head == results[-1].placed[0].hash


def test_what_is_planned_verifies(bench: Bench) -> None:
    turn = new_id()
    verifier = ChainVerifier(str(turn), str(bench.agent))
    drafts = [bench.draft("TURN_OPENED", f"turn={turn}"), bench.draft("INTAKE", turn=turn)]
    drafts += [bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)]
    drafts += [bench.draft("COMMIT", "status=completed", turn=turn, closing=Closing(TurnStatus.COMPLETED))]
    bench.place(*drafts)
    jid = bench.found.journals[turn].jid
    for event in bench.last.changes.events:
        if event.jid == jid:
            summary = f"{event.tokens} detail={hashlib.sha256(event.detail).hexdigest()}"
            verifier.feed_row(
                event.seq, event.type, event.payload_hash, summary, event.hash, event.created_ms
            )
    report = verifier.report()
    assert (report.verdict.value, report.events, report.final_type) == ("intact", 3, "COMMIT")


def test_a_final_event_closes_the_turn_in_its_conversation(bench: Bench) -> None:
    turn = bench.open_turn()
    closing = Closing(TurnStatus.COMPLETED, ms=12)
    result = bench.place(bench.draft("COMMIT", "status=completed open=0", turn=turn, closing=closing))
    closed = bench.last.changes.events[-1]
    assert closed.type == "TURN_CLOSED"
    assert f"turn={turn} status=completed events=2 head={result.placed[0].hash.hex()} ms=12" in closed.tokens
    again = bench.place(bench.draft("PROGRESS", "kind=ack chars=1", turn=turn))
    assert (again.status, again.refusal) == (BatchStatus.REFUSED, Refusal.TURN_CLOSED)


def test_o01_the_same_batch_twice_is_one_and_other_content_is_a_recorded_conflict(bench: Bench) -> None:
    turn = bench.open_turn()
    draft = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    first, second = bench.place(draft), bench.place(draft)
    assert second.status is BatchStatus.DUPLICATE
    assert second.placed == first.placed
    other = bench.draft("PROGRESS", "kind=ack chars=2", turn=turn)
    assert bench.place(other._replace(event_id=draft.event_id)).status is BatchStatus.CONFLICT
    assert [conflict.event_id for conflict in bench.last.changes.conflicts] == [draft.event_id]


def test_a_refused_batch_leaves_no_trace_even_after_its_first_drafts(bench: Bench) -> None:
    turn = bench.open_turn()
    before = bench.state()
    good = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    bad = bench.draft("PROGRESS", "kind=\x00", turn=turn)
    result = bench.place(good, bad)
    assert (result.status, result.refusal) == (BatchStatus.REFUSED, Refusal.GRAMMAR)
    assert bench.last.changes.events == []
    assert bench.last.changes.bodies == []
    assert bench.state() == before


def test_a_refused_opening_takes_everything_back(bench: Bench) -> None:
    before = bench.state()
    turn = new_id()
    intake = bench.draft("INTAKE", turn=turn)
    broken = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn, place=7)
    result = bench.place(bench.draft("TURN_OPENED", f"turn={turn}"), intake, broken)
    assert result.refusal is Refusal.OUT_OF_PLACE
    assert turn not in bench.found.journals
    assert bench.state() == before
    assert bench.last.changes.leaves == []


def test_a_name_has_one_owner(bench: Bench) -> None:
    claim = Claim(AliasKind.AGENT, NIL, "support", new_id())
    result = bench.place(claim=claim)
    assert (result.status, result.target) == (BatchStatus.EXISTING, bench.agent)


def test_another_agents_journal_is_refused(bench: Bench) -> None:
    other = Bench()
    other.found, other.conversation = bench.found, bench.conversation
    assert other.place(claim=Claim(AliasKind.AGENT, NIL, "other", other.agent)).status == "appended"
    result = other.place(other.draft("MESSAGE", "direction=inbound chars=1"))
    assert result.refusal is Refusal.FOREIGN_AGENT


@pytest.mark.parametrize("lease", [Lease(HOLDER, 2, 1), Lease(UUID(int=5), 1, 1), None])
def test_a_writer_without_the_lease_loses_the_turn(bench: Bench, lease: Lease | None) -> None:
    turn = bench.open_turn()
    result = bench.place(bench.draft("PROGRESS", "kind=ack chars=1", turn=turn, lease=lease))
    assert result.refusal is Refusal.TURN_LOST


def test_takeover_needs_a_lease_that_ran_out(bench: Bench) -> None:
    turn = bench.open_turn()

    def end() -> BatchResult:
        closing = Closing(TurnStatus.INTERRUPTED)
        return bench.place(
            bench.draft("ABORT", "status=interrupted", turn=turn, takeover=True, lease=None, closing=closing)
        )

    assert end().refusal is Refusal.NOT_EXPIRED
    bench.found.now_ms += 30_001
    assert end().status is BatchStatus.APPENDED
    assert bench.found.journals[turn].epoch == 2


def test_waiting_for_an_approval_parks_the_lease(bench: Bench) -> None:
    turn = bench.open_turn()
    assert bench.found.journals[turn].until_ms == NOW + 30_000
    bench.place(bench.draft("APPROVAL", "subject=1 decision=requested", turn=turn))
    assert bench.found.journals[turn].until_ms is None
    bench.place(bench.draft("PROGRESS", "kind=ack chars=1", turn=turn))
    assert bench.found.journals[turn].until_ms is None, "what is said while waiting does not end the wait"
    bench.place(bench.draft("APPROVAL", "subject=1 decision=granted", turn=turn))
    assert bench.found.journals[turn].until_ms == NOW + 30_000


def test_ordinals_are_gap_free_even_when_openings_are_refused(bench: Bench) -> None:
    first = bench.open_turn()
    bench.place(bench.draft("INTAKE", turn=new_id(), detail='"x":1', place=9))
    second = bench.open_turn()
    assert [bench.found.journals[turn].ordinal for turn in (first, second)] == [0, 1]


@pytest.mark.parametrize(
    ("kind", "tokens", "changes"),
    [
        ("progress", "kind=ack chars=1", {}),
        ("OPENED", "", {}),
        ("PROGRESS", "kind=caf\u00e9", {}),
        ("PROGRESS", "x" * 4025, {}),
        ("PROGRESS", "detail=" + "0" * 64, {}),
        ("PROGRESS", "kind=ack chars=1", {"payload_hash": b"short"}),
        ("PROGRESS", "kind=ack chars=1", {"detail": b"{}"}),
        ("PROGRESS", "kind=ack chars=1", {"detail": b" " * 300_000}),
    ],
)
def test_what_is_outside_the_grammar_is_refused(
    bench: Bench, kind: str, tokens: str, changes: dict[str, Any]
) -> None:
    turn = bench.open_turn()
    draft = bench.draft(kind, tokens, turn=turn)
    assert bench.place(draft._replace(**changes)).refusal is Refusal.GRAMMAR


def test_small_keys_of_refused_openings_are_never_given_twice(bench: Bench) -> None:
    given: list[int] = []
    ids = itertools.count(100)

    def next_id(_kind: IdKind) -> int:
        given.append(next(ids))
        return given[-1]

    planner = Planner(bench.found, next_id)
    turn = new_id()
    planner.place(Batch((bench.draft("INTAKE", turn=turn, place=3),)))
    planner.place(Batch((bench.draft("TURN_OPENED", f"turn={turn}"), bench.draft("INTAKE", turn=turn))))
    assert len(set(given)) == len(given)


def test_an_event_sent_twice_within_one_transaction_is_one(bench: Bench) -> None:
    turn = bench.open_turn()
    draft = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    planner = Planner(bench.found, lambda _kind: 1)
    first, second = planner.place(Batch((draft,))), planner.place(Batch((draft,)))
    assert (first.status, second.status) == (BatchStatus.APPENDED, BatchStatus.DUPLICATE)
    assert first.placed == second.placed
    assert len(planner.changes.events) == 1


def test_one_event_id_twice_in_a_batch_is_refused(bench: Bench) -> None:
    turn = bench.open_turn()
    draft = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    assert bench.place(draft, draft).refusal is Refusal.GRAMMAR
    assert bench.last.changes.events == []


@pytest.mark.parametrize("conversation", [None, UUID(int=9)])
def test_an_event_must_name_the_conversation_of_its_journal(bench: Bench, conversation: UUID | None) -> None:
    turn = bench.open_turn()
    draft = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    assert bench.place(draft._replace(conversation=conversation)).refusal is Refusal.UNKNOWN_JOURNAL


@pytest.mark.parametrize(
    "detail", ['"shape":"ring"', '"shape":[]', '"connector":7', '"place":"here"', '"place":{}', '"shape"']
)
def test_a_conversation_that_says_no_known_thing_is_refused(detail: str) -> None:
    bench = Bench()
    bench.place(claim=Claim(AliasKind.AGENT, NIL, "support", bench.agent))
    assert bench.place(bench.draft("OPENED", detail=detail)).refusal is Refusal.GRAMMAR


def test_what_arrives_of_a_reply_is_a_sign_of_life_and_no_event(bench: Bench) -> None:
    turn = bench.open_turn()
    bench.found.now_ms += 5_000
    before = bench.found.journals[turn].next_seq
    assert bench.arrive(turn) == BatchResult(BatchStatus.APPENDED)
    journal = bench.found.journals[turn]
    assert (journal.next_seq, journal.until_ms) == (before, NOW + 35_000)
    assert [(row.jid, row.start, row.data) for row in bench.last.changes.arrivals] == [
        (journal.jid, 0, b"\0data")
    ]
    assert list(bench.last.changes.journals) == [journal.jid]


def test_what_arrives_while_a_turn_waits_leaves_it_parked(bench: Bench) -> None:
    turn = bench.open_turn()
    bench.place(bench.draft("APPROVAL", "subject=1 decision=requested", turn=turn))
    assert bench.arrive(turn).status is BatchStatus.APPENDED
    assert bench.found.journals[turn].until_ms is None


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"lease": Lease(HOLDER, 2, 30_000)}, Refusal.TURN_LOST),
        ({"lease": Lease(UUID(int=8), 1, 30_000)}, Refusal.TURN_LOST),
        ({"agent": UUID(int=8)}, Refusal.FOREIGN_AGENT),
        ({"conversation": UUID(int=8)}, Refusal.UNKNOWN_JOURNAL),
        ({"journal": UUID(int=8)}, Refusal.UNKNOWN_JOURNAL),
        ({"data": bytes(ARRIVED_AT_MOST + 2)}, Refusal.TOO_LARGE),
        ({"start": -1}, Refusal.GRAMMAR),
        ({"start": 1 << 60}, Refusal.GRAMMAR),
    ],
)
def test_what_arrives_is_held_to_the_guards_of_an_event(
    bench: Bench, wrong: dict[str, object], refusal: Refusal
) -> None:
    turn = bench.open_turn()
    before = bench.state()
    result = bench.arrive(turn, **wrong)
    assert (result.status, result.refusal) == (BatchStatus.REFUSED, refusal)
    assert bench.last.changes.arrivals == []
    assert bench.state() == before


def test_what_arrives_stands_alone_in_its_batch(bench: Bench) -> None:
    turn = bench.open_turn()
    arrived = Arrived(turn, bench.agent, bench.conversation, new_id(), 0, b"\0data", Lease(HOLDER, 1, 30_000))
    progress = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn)
    planner = Planner(bench.found, lambda _kind: 1)
    assert planner.place(Batch((progress,), arrived=arrived)).refusal is Refusal.GRAMMAR
    assert planner.changes.events == []


def test_nothing_arrives_in_a_turn_that_has_ended(bench: Bench) -> None:
    turn = bench.open_turn()
    bench.place(
        bench.draft(
            "COMMIT", "status=completed open=0", turn=turn, closing=Closing(TurnStatus.COMPLETED, ms=1)
        )
    )
    assert bench.arrive(turn).refusal is Refusal.TURN_CLOSED


def test_a_result_takes_what_arrived_with_it(bench: Bench) -> None:
    turn = bench.open_turn()
    jid = bench.found.journals[turn].jid
    bench.place(bench.draft("MODEL_CALL", "bytes=2 form=wire", turn=turn))
    bench.place(bench.draft("MODEL_RESULT", "call=1 status=ok", turn=turn, arrived=True))
    assert bench.last.changes.settled == [(jid, 1)]
    for tokens in ("status=ok", "call=99999999999 status=ok", "recall=1 status=ok", "call=x status=ok"):
        bench.place(bench.draft("MODEL_RESULT", tokens, turn=turn, arrived=True))
        assert bench.last.changes.settled == []
    bench.place(bench.draft("PROGRESS", "call=1 kind=ack chars=1", turn=turn, arrived=True))
    assert bench.last.changes.settled == []


def test_a_refused_result_leaves_what_arrived(bench: Bench) -> None:
    turn = bench.open_turn()
    result = bench.draft("MODEL_RESULT", "call=1 status=ok", turn=turn, arrived=True)
    other = bench.draft("PROGRESS", "kind=ack chars=1", turn=turn, place=77)
    assert bench.place(result, other).refusal is Refusal.OUT_OF_PLACE
    assert bench.last.changes.settled == []
