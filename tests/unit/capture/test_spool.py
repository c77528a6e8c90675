"""The policy ``spool``: durable beside the ledger while that is away, forwarded in order and exactly once."""

# ruff: noqa: PT012  the error has to come out of the turn's own with block

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from tests.patience import eventually
from tests.unit.capture.spool_house import GONE, SpoolHouse, spooling
from turnledger.capture.conversation import Conversation
from turnledger.capture.ledger import Ledger
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.recovery import Sweeper
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, LedgerError, LedgerUnavailableError, OutcomeUnrecorded, TurnLost
from turnledger.model.draft import Batch, BatchResult
from turnledger.store.arrivals import arrived_replies
from turnledger.store.spool import GapMaker
from turnledger.wire.details import decode_detail


@pytest.fixture
def house(tmp_path: Path) -> Iterator[SpoolHouse]:
    with spooling(tmp_path) as made:
        yield made


def talk(house: SpoolHouse, key: str = "talk") -> None:
    convo = house.agent.conversation(key, connector="slack", shape="thread", place="C1")
    message = convo.inbound("hello", actor="U1")
    with convo.turn(trigger=message) as turn:
        turn.tool("look", lambda: 1)
        turn.commit("bye")


# --- what it is for ------------------------------------------------------------------------------


def test_within_reach_nothing_is_spooled_and_no_file_is_made(house: SpoolHouse) -> None:
    talk(house)
    assert not house.spool_path.exists()
    (turn,) = house.reading.turns()
    assert {entry.tokens["assurance"] for entry in house.entries(turn.id)} == {"w"}


def test_a_turn_goes_on_while_the_ledger_is_away_and_says_so(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k", connector="slack")
    first = convo.inbound("one", actor="U1")
    with convo.turn(trigger=first) as turn:
        turn.tool("before", lambda: 1)
        house.leave()
        assert turn.tool("meanwhile", lambda: 2) == 2
        turn.commit("done")
    assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT"]
    house.come_back()
    assert house.types(turn.id) == [
        "INTAKE",
        "TOOL_CALL",
        "TOOL_RESULT",
        "TOOL_CALL",
        "TOOL_RESULT",
        "COMMIT",
    ]
    assert [entry.tokens["assurance"] for entry in house.entries(turn.id)] == [*"www", *"sss"]
    (closed,) = [entry for entry in house.entries(convo.id) if entry.row.type == "TURN_CLOSED"]
    assert closed.tokens["assurance"] == "s"
    house.check()


def test_places_that_only_the_ledger_knows_are_put_right(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k", place="C1")
    before = convo.inbound("before", actor="U1")
    house.leave()
    message = convo.inbound("asked", actor="U2", reply_to=before)
    other = convo.inbound("asked again", actor="U2")
    assert message.seq < 0
    other.collapsed(into=message)
    message.verdict("engage", reason="why not")
    with convo.model_call(role="router", model="m", request={"messages": []}) as call:
        call.result({"choices": []})
    with convo.turn(trigger=message) as turn:
        turn.commit("answer")
    house.come_back()
    reply = turn.reply
    assert reply is not None
    reply.delivery("delivered")
    said = house.summaries(convo.id)
    actor = house.entries(convo.id)[2].tokens["actor"]
    assert said == [
        "OPENED assurance=w",
        f"MESSAGE direction=inbound actor={house.entries(convo.id)[1].tokens['actor']} chars=6 assurance=w",
        f"MESSAGE direction=inbound actor={actor} chars=5 replyTo=1 assurance=s",
        f"MESSAGE direction=inbound actor={actor} chars=11 assurance=s",
        "COLLAPSED message=3 into=2 assurance=s",
        "VERDICT message=2 verdict=engage assurance=s",
        "MODEL_CALL role=router model=m attempt=1 bytes=15 stream=0 form=encoded assurance=s",
        said[7],
        f"TURN_OPENED turn={turn.id} trigger=2 assurance=s",
        said[9],
        f"MESSAGE direction=outbound chars=6 turn={turn.id} replyTo=2 assurance=s",
        "DELIVERY message=10 status=delivered attempt=1 assurance=w",
    ]
    assert said[7].startswith("MODEL_RESULT call=6 ")
    assert said[9].startswith("TURN_CLOSED ")
    assert decode_detail(house.entries(turn.id)[0].row.detail)["trigger"] == 2
    house.check()


def test_what_is_said_after_the_return_waits_for_what_was_said_before(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k")
    house.leave()
    for number in range(40):
        convo.inbound(str(number))
    house.ledger_sink.fault = lambda _: None
    for number in range(40, 80):
        convo.inbound(str(number))
    house.drain()
    bodies = [
        house.reading.body(one.row.event_id) for one in house.entries(convo.id) if one.row.type == "MESSAGE"
    ]
    assert bodies == [str(number).encode() for number in range(80)]
    house.check()


def test_batches_in_flight_keep_their_order_when_the_first_one_fails(house: SpoolHouse) -> None:
    failing = iter([True])

    async def main() -> str:
        async with house.agent.turn() as turn:
            house.ledger_sink.fault = lambda _: GONE if next(failing, False) else None
            for number in range(5):
                turn.progress(str(number))
            turn.commit("x")
        return str(turn.id)

    turn_id = asyncio.run(main())
    house.drain()
    progress = [one for one in house.reading.events(turn_id) if one.row.type == "PROGRESS"]
    assert [house.reading.body(one.row.event_id) for one in progress] == [b"0", b"1", b"2", b"3", b"4"]
    assert house.reading.turns()[0].status == "completed"
    assert not house.refused()
    house.check()


def test_o01_a_batch_that_had_arrived_is_one_event_and_keeps_its_first_assurance(house: SpoolHouse) -> None:
    sink = house.ledger_sink
    lost: list[Batch] = []

    def append_and_lose_the_answer(batch: Batch) -> Future[BatchResult]:
        if any(draft.type == "TOOL_CALL" for draft in batch.drafts) and not lost:
            lost.append(batch)
            sink.real_append(batch).result()
            failed: Future[BatchResult] = Future()
            failed.set_exception(GONE)
            return failed
        return sink.real_append(batch)

    sink.append = append_and_lose_the_answer
    house.sink._ledger.append = append_and_lose_the_answer  # type: ignore[method-assign]
    with house.agent.turn() as turn:
        turn.tool("pay", lambda: 1)
        turn.commit("x")
    house.drain()
    assert lost
    assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]
    assert [entry.tokens["assurance"] for entry in house.entries(turn.id)[:2]] == ["w", "w"]
    house.check()


# --- names ---------------------------------------------------------------------------------------


def test_names_that_others_gave_ids_meanwhile_keep_those(house: SpoolHouse, tmp_path: Path) -> None:
    house.leave()
    agent = house.ledger.agent("shared")
    convo = agent.conversation("k", connector="slack", place="C1")
    message = convo.inbound("hi", actor="U1")
    with convo.turn(trigger=message) as turn:
        turn.memory_write("likes", "tea")
        with agent.turn(parent=turn.handoff()) as child:
            child.commit("part")
        turn.commit("x")
    proposed = convo.id
    with Ledger(type(house.ledger_sink)(str(tmp_path / "agent.ledger"))) as other:
        theirs = other.agent("shared").conversation("k", connector="slack", place="C1")
        theirs.inbound("they were first", actor="U1")
        theirs.memory_write("likes", "coffee")
        true_id, agent_id = theirs.id, other.agent("shared").id
    house.come_back()
    assert proposed != true_id
    said = house.entries(true_id)
    assert [entry.row.type for entry in said[:3]] == ["OPENED", "MESSAGE", "MEMORY_WRITE"]
    assert said[1].tokens["actor"] == said[3].tokens["actor"]
    assert {entry.row.agent for entry in said} == {agent_id}
    (write,) = [entry for entry in house.entries(turn.id) if entry.row.type == "MEMORY_WRITE"]
    assert (write.tokens["revision"], write.tokens["op"]) == ("2", "update")
    assert write.tokens["entry"] == said[2].tokens["entry"]
    convo.inbound("the handle goes on with the true ids", actor="U1")
    assert house.entries(true_id)[-1].tokens["actor"] == said[1].tokens["actor"]
    assert sorted(one.key or "" for one in house.reading.conversations("shared")) == sorted(
        ["k", f"agent:{true_id}"]
    )
    house.check()


def test_a_message_that_comes_twice_is_one_in_the_spool_and_in_the_ledger(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k")
    known = convo.inbound("before", external_id="m1")
    house.leave()
    again = convo.inbound("before", external_id="m1")
    again.verdict("ignore")
    fresh = convo.inbound("new", external_id="m2")
    twice = convo.inbound("new", external_id="m2")
    assert (fresh.is_duplicate, twice.is_duplicate) == (False, True)
    assert twice.seq == fresh.seq
    twice.verdict("ignore")
    house.come_back()
    assert house.types(convo.id) == ["OPENED", "MESSAGE", "VERDICT", "MESSAGE", "VERDICT"]
    verdicts = [one.tokens["message"] for one in house.entries(convo.id) if one.row.type == "VERDICT"]
    assert verdicts == [str(known.seq), "3"]
    assert convo.inbound("new", external_id="m2").is_duplicate
    house.check()


def test_revisions_of_memory_are_numbered_when_they_get_there(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k")
    convo.memory_write("a", 1)
    house.leave()
    convo.memory_write("a", 2)
    convo.memory_write("b", 1)
    convo.memory_write("a")
    house.come_back()
    convo.memory_write("b", 2)
    writes = [one.tokens for one in house.entries(convo.id) if one.row.type == "MEMORY_WRITE"]
    assert [(one["revision"], one["op"]) for one in writes] == [
        *[("1", "create"), ("2", "update"), ("1", "create"), ("3", "delete"), ("2", "update")]
    ]


# --- turns that others ended ---------------------------------------------------------------------


def interrupt(house: SpoolHouse, turn: Turn) -> None:
    """Somebody who reaches the ledger ends the turn, whose writer does not and has shown no sign of life."""
    house.clock.move(31)
    house.ledger_sink.fault = lambda batch: None if any(one.takeover for one in batch.drafts) else GONE
    Ledger(house.ledger_sink)
    eventually(lambda: house.types(turn.id)[-1] == "ABORT")


def test_the_outcome_of_a_turn_that_was_interrupted_meanwhile_comes_late(tmp_path: Path) -> None:
    with spooling(tmp_path) as house:
        convo = house.agent.conversation("k")
        with convo.turn() as turn:
            house.ledger._core.heartbeat.stop()
            with turn.tool_call("pay") as step:
                house.leave()
                step.result({"paid": True})
            interrupt(house, turn)
        house.come_back()
        (late,) = [one for one in house.entries(convo.id) if one.row.type == "LATE"]
        said = (late.tokens["turn"], late.tokens["type"], late.tokens["call"], late.tokens["assurance"])
        assert said == (str(turn.id), "TOOL_RESULT", "1", "s")
        assert house.reading.body(late.row.event_id) == b'{"paid":true}'
        assert "assurance=s" in str(decode_detail(late.row.detail)["tokens"])
        assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "ABORT"]
        ((events, refusal, reason),) = house.refused()
        assert (events, refusal) == (1, "turn_closed")
        assert "has ended" in reason
        assert house.sink.spool.counts().refused == 1
        house.check()


def test_the_reply_that_was_sent_stays_said_when_its_turn_was_ended_by_others(tmp_path: Path) -> None:
    with spooling(tmp_path) as house:
        convo = house.agent.conversation("k")
        with convo.turn() as turn:
            house.ledger._core.heartbeat.stop()
            house.leave()
            turn.commit("the answer")
            interrupt(house, turn)
        house.come_back()
        (message,) = [one for one in house.entries(convo.id) if one.row.type == "MESSAGE"]
        assert house.reading.body(message.row.event_id) == b"the answer"
        assert [(events, refusal) for events, refusal, _ in house.refused()] == [(1, "turn_closed")]
        house.check()


def test_m03_what_the_ledger_refuses_is_counted_and_never_dropped(
    house: SpoolHouse, caplog: pytest.LogCaptureFixture
) -> None:
    convo = house.agent.conversation("k")
    house.leave()
    message = convo.inbound("hi")
    message.verdict("ignore")
    with convo.turn(trigger=message) as turn:
        turn.commit("x")
    house.ledger_sink.fault = lambda batch: ServerLimitError() if _holds(batch, "inbound") else None
    with caplog.at_level(logging.WARNING):
        house.drain()
        eventually(lambda: "refused" in caplog.text)
    refused = house.refused()
    assert [events for events, _, _ in refused] == [1, 1]
    assert "too large" in refused[0][2]
    assert "not in the ledger" in refused[1][2]
    assert house.sink.spool.counts().refused == 2
    (opened,) = [one for one in house.entries(convo.id) if one.row.type == "TURN_OPENED"]
    assert "trigger" not in opened.tokens
    assert house.reading.turns()[0].status == "completed"
    with pytest.raises(CaptureRefused, match="not in the ledger"):
        message.verdict("engage")
    house.check()


class ServerLimitError(LedgerUnavailableError):
    code = "too-large"

    def __init__(self) -> None:
        super().__init__("It is too large for the server.")


def _holds(batch: Batch, direction: str) -> bool:
    return any(f"direction={direction}" in draft.tokens for draft in batch.drafts)


# --- errors --------------------------------------------------------------------------------------


def test_errors_other_than_being_away_are_the_same_as_ever(house: SpoolHouse) -> None:
    house.ledger_sink.fault = lambda _: LedgerError("The ledger says no.")
    with pytest.raises(CaptureRefused, match="says no"), house.agent.turn():
        pytest.fail("it must not begin")
    assert not house.spool_path.exists()


def test_what_the_ledger_would_refuse_at_once_is_refused_at_once(house: SpoolHouse) -> None:
    house.leave()
    with pytest.raises(CaptureRefused, match="detail record is over"), house.agent.turn() as turn:
        step = turn.tool_call("t")
        step._intent = step._intent._replace(detail=step._intent.detail + b" " * (1 << 18))
        step.__enter__()
    house.come_back()
    assert house.types(turn.id) == ["INTAKE", "ABORT"]


def out_of_room(_batches: Sequence[tuple[Batch, bool]], _gap: GapMaker) -> list[BatchResult | None]:
    msg = "The disk of the spool is full."
    raise LedgerUnavailableError(msg, next_step="Make room.")


def test_where_the_spool_cannot_be_written_either_nothing_runs(
    house: SpoolHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    convo = house.agent.conversation("k")
    convo.inbound("before")
    house.leave()

    with monkeypatch.context() as patch:
        patch.setattr(house.sink.spool, "append", out_of_room)
        with pytest.raises(CaptureRefused, match=r"ledger is gone.*disk of the spool is full"), convo.turn():
            ran.append(1)
    assert not ran
    convo.inbound("there is room again")
    house.come_back()
    gaps = [one.tokens["events"] for one in house.entries(convo.id) if one.row.type == "GAP"]
    assert gaps == ["2"]


def test_an_outcome_that_neither_takes_carries_the_result(
    house: SpoolHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pytest.raises(OutcomeUnrecorded) as caught,
        house.agent.turn() as turn,
        turn.tool_call("pay") as step,
    ):
        house.leave()
        monkeypatch.setattr(house.sink.spool, "append", out_of_room)
        step.result("paid")
    assert caught.value.result == "paid"


def test_a_turn_is_not_taken_over_while_records_wait(house: SpoolHouse) -> None:
    with house.agent.turn() as turn:
        turn.approval(question="may I?")
        house.leave()
        turn.progress("waiting")
    with pytest.raises(CaptureRefused, match="no turn can be taken over"):
        house.agent.resume(turn.id).__enter__()
    house.come_back()
    with house.agent.resume(turn.id) as resumed:
        resumed.approvals[0].decide("granted")
        resumed.commit("x")
    assert house.reading.turns()[0].status == "completed"


def test_a_lost_lease_is_told_before_the_next_effect_although_all_is_spooled(tmp_path: Path) -> None:
    with spooling(tmp_path) as house:
        with pytest.raises(TurnLost), house.agent.turn() as turn:
            house.ledger._core.heartbeat.stop()
            house.leave()
            turn.progress("spooled")
            interrupt(house, turn)
            house.ledger._core.heartbeat.beat()
            turn.progress("refused")
        house.come_back()


# --- room ----------------------------------------------------------------------------------------


def test_l10_a_full_spool_refuses_and_the_gap_is_counted_in_each_conversation(tmp_path: Path) -> None:
    with spooling(tmp_path, cap=600_000) as house:
        convos = [house.agent.conversation(f"k{number}") for number in range(2)]
        for convo in convos:
            convo.inbound("before")
        house.leave()
        kept = [_fill(convo) for convo in convos for _ in range(5)]
        assert 0 < sum(kept) < len(kept)
        assert kept[-1] is False
        with pytest.raises(CaptureRefused, match=r"spool .* is full"):
            convos[0].inbound("no room")
        with pytest.raises(CaptureRefused):
            house.agent.conversation("new").inbound("never opened")
        house.come_back()
        for convo in convos:
            convo.inbound("after")
        told = sum(
            int(one.tokens["events"])
            for convo in convos
            for one in house.entries(convo.id)
            if one.row.type == "GAP"
        )
        assert told == kept.count(False) + 1
        assert house.types(convos[1].id)[-2:] == ["GAP", "MESSAGE"]
        assert house.sink.spool.counts().not_kept == 1, "of the conversation that was never opened"
        assert house.spool_path.stat().st_size < 200_000
        house.check()


def _fill(convo: Conversation) -> bool:
    try:
        convo.inbound(os.urandom(100_000))
    except CaptureRefused:
        return False
    return True


def test_a_gap_comes_before_what_is_kept_after_it(tmp_path: Path) -> None:
    with spooling(tmp_path, cap=400_000) as house:
        convo = house.agent.conversation("k")
        convo.inbound("before")
        house.leave()
        while _fill(convo):
            pass
        with pytest.raises(CaptureRefused):
            convo.inbound("small, but nothing may overtake what had no room")
        house.sink.spool.cap = 4_000_000
        convo.inbound("room again")
        house.come_back()
        assert house.types(convo.id)[-2:] == ["GAP", "MESSAGE"]
        assert house.entries(convo.id)[-2].tokens["events"] == "2"


# --- several of them -----------------------------------------------------------------------------


def test_two_recorders_share_a_spool_and_one_forwards(house: SpoolHouse) -> None:
    second = Ledger(house.another_sink())
    house.leave()

    def work(ledger: Ledger, name: str) -> None:
        for number in range(10):
            with ledger.agent("both").conversation(f"{name}-{number % 2}").turn() as turn:
                turn.tool("t", lambda: 1)
                turn.commit("x")

    threads = [
        threading.Thread(target=work, args=(ledger, name))
        for ledger, name in ((house.ledger, "one"), (second, "two"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    house.ledger_sink.fault = lambda _: None
    eventually(house.sink.spool.is_empty)
    turns = house.reading.turns("both", limit=100)
    assert [turn.status for turn in turns] == ["completed"] * 20
    assert len(house.reading.conversations("both")) == 4
    house.check()


def test_what_another_process_left_is_forwarded_before_anything_new(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k")
    house.leave()
    convo.inbound("left behind")
    house.sink._forwarder.stop()
    house.ledger_sink.fault = lambda _: None
    later = Ledger(house.another_sink())
    later.agent("support").conversation("k").inbound("new")
    eventually(house.sink.spool.is_empty)
    (row,) = house.reading.conversations()
    said = [
        house.reading.body(one.row.event_id) for one in house.entries(row.id) if one.row.type == "MESSAGE"
    ]
    assert said == [b"left behind", b"new"]


def test_closing_is_bounded_while_the_ledger_is_away(house: SpoolHouse) -> None:
    house.leave()
    talk(house)
    house.sink.close()
    assert 0 < house.clock.slept_s < 4


def test_a_forked_child_spools_on_its_own(house: SpoolHouse) -> None:
    convo = house.agent.conversation("k")
    house.leave()
    convo.inbound("parent")
    pid = os.fork()
    if pid == 0:
        try:
            convo.inbound("child")
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    convo.inbound("parent again")
    house.come_back()
    row = house.reading.conversations()[0]
    said = [
        house.reading.body(one.row.event_id) for one in house.entries(row.id) if one.row.type == "MESSAGE"
    ]
    assert said == [b"parent", b"child", b"parent again"]
    house.check()


def test_an_event_loop_records_while_the_ledger_is_away(house: SpoolHouse) -> None:
    async def main() -> None:
        convo = house.agent.conversation("k")
        message = await convo.inbound("hi")
        async with convo.turn(trigger=message) as turn:
            house.leave()
            async with turn.tool_call("t") as step:
                step.result(1)
            turn.commit("x")

    asyncio.run(main())
    house.come_back()
    assert house.reading.turns()[0].status == "completed"
    house.check()


def test_nothing_is_kept_of_what_was_forwarded(house: SpoolHouse) -> None:
    house.leave()
    words = "what somebody said"
    house.agent.conversation("k", place="outside name").inbound(words, actor="somebody")
    house.come_back()
    house.sink.close()
    left = house.spool_path.read_bytes()
    assert words.encode() not in left
    assert b"somebody" not in left


# --- streams -------------------------------------------------------------------------------------


def streaming(house: SpoolHouse) -> tuple[Turn, ModelCallStep]:
    """A turn with a call that has had no output yet; a test says when what arrived is kept."""
    house.ledger._core.arrivals.stop()
    turn = house.agent.conversation("k").turn()
    turn.__enter__()
    call = turn.model_call(request={"stream": True})
    call.__enter__()
    return turn, call


def keep(house: SpoolHouse) -> None:
    house.ledger._core.arrivals.keep(all_of_them=True)
    for reply in house.ledger._core.arrivals._replies:
        if reply._sent is not None:
            reply._sent.exception(10)


@pytest.mark.parametrize("away_from", ["the start", "the first word"])
def test_what_arrived_while_the_ledger_was_away_is_not_lost_with_its_process(
    house: SpoolHouse, away_from: str
) -> None:
    if away_from == "the start":
        house.leave()
    turn, call = streaming(house)
    house.leave()
    for word in (b"data: one\n\n", b"data: two\n\n"):
        call.chunk(word)
        keep(house)
    house.ledger._core.heartbeat.stop()  # as if it were killed now, and another process forwarded its spool
    house.come_back()
    house.clock.move(31)
    assert Sweeper(house.sink).sweep() == 1
    *_, result, end = house.entries(turn.id)
    assert (result.row.type, result.tokens["status"], end.row.type) == ("MODEL_RESULT", "cut", "ABORT")
    assert house.reading.body(result.row.event_id) == b"data: one\n\ndata: two\n\n"
    assert house.refused() == []
    house.check()


def test_what_was_forwarded_twice_leaves_nothing_behind(house: SpoolHouse) -> None:
    turn, call = streaming(house)
    house.leave()
    call.chunk(b"data: one\n\n")
    keep(house)
    call.chunk(b"data: [DONE]\n\n")
    call.result()
    call.__exit__(None, None, None)
    rows = house.sink.spool.oldest(9, 1 << 20)
    assert [row.batch.arrived is not None for row in rows] == [True, False]
    turn.commit("done")
    turn.__exit__(None, None, None)
    house.come_back()
    assert house.ledger_sink.append(rows[0].batch).result().refusal == "turn_closed"
    assert arrived_replies(house.reading.reader, turn.id) == {}
    assert house.types(turn.id) == ["INTAKE", "MODEL_CALL", "MODEL_RESULT", "COMMIT"]
    assert house.refused() == []
    house.check()


def forward_up_to(house: SpoolHouse, kind: str, journal: UUID) -> None:
    """Forward what waits until an event of this type, as a process that ends in the middle of it does."""
    house.ledger_sink.fault = lambda batch: GONE if any(one.type == kind for one in batch.drafts) else None
    house.sink._forwarder.hurry()
    eventually(lambda: house.reading.reader.journal(journal) is not None and house.types(journal))


def hours_later(house: SpoolHouse) -> None:
    """Nobody renews a lease, and whoever comes ends what shows no sign of life."""
    house.ledger._core.heartbeat.stop()
    house.clock.move(7200)
    house.ended = Sweeper(house.ledger_sink).sweep()


def test_a_turn_whose_rest_waits_is_ended_by_nobody(house: SpoolHouse) -> None:
    """It was completed, and all of it is durable here."""
    house.leave()
    with house.agent.turn() as turn:
        turn.tool("pay", lambda: "paid")
        turn.commit("Done.")
    forward_up_to(house, "TOOL_RESULT", turn.id)
    hours_later(house)
    assert house.ended == 0
    house.come_back()
    assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]
    assert (house.refused(), house.reading.turns()[0].status) == ([], "completed")
    house.check()


def test_a_turn_of_which_all_was_forwarded_is_ended_as_ever(house: SpoolHouse) -> None:
    house.leave()
    turn = house.agent.turn().__enter__()
    turn.progress("Under way.")
    house.come_back()
    hours_later(house)
    assert house.ended == 1
    assert house.types(turn.id) == ["INTAKE", "PROGRESS", "ABORT"]


def test_a_spool_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    with spooling(tmp_path) as house:
        house.leave()
        talk(house)
        events = house.sink.spool.counts().events
        house.sink._spooler.close()
        house.sink._forwarder.stop()
        house.sink.spool.close()
        with closing(sqlite3.connect(house.spool_path)) as connection:
            connection.executescript(
                "DROP INDEX queue_journal; ALTER TABLE queue DROP COLUMN journal; PRAGMA user_version = 1"
            )
    with spooling(tmp_path) as later:
        assert later.sink.spool.counts().events == events
        later.come_back()
        later.check()
