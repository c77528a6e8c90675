"""What happens where the ledger says no, cannot be reached, or gave the turn to somebody else."""

# ruff: noqa: PT012  the error has to come out of the turn's own with block

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest

from tests.unit.capture.house import House
from turnledger.capture.refusals import LOST, refusal
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, LedgerUnavailableError, OutcomeUnrecorded, TurnLost
from turnledger.ids import new_id
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Lease, Refusal
from turnledger.model.vocabulary import TurnStatus


def lose(turn: Turn) -> None:
    """Another writer has taken the turn over: what this one sends carries an old epoch."""
    journal = turn._pen.opened()
    journal.lease = Lease(new_id(), journal.lease.epoch, journal.lease.ttl_ms)


def test_a_step_that_cannot_be_recorded_has_not_run_and_ends_the_turn(house: House) -> None:
    ran: list[int] = []
    with pytest.raises(CaptureRefused, match="has not run") as caught, house.agent.turn() as turn:
        house.fail_on("TOOL_CALL")
        turn.tool("pay", ran.append, validated={"n": 1})
    assert not ran
    assert isinstance(caught.value.__cause__, LedgerUnavailableError)
    assert "disk is full" in str(caught.value)
    assert house.types(turn.id) == ["INTAKE", "ABORT"]
    row = house.reading.turns()[0]
    assert (row.status, row.error_class) == (TurnStatus.REFUSED, "CaptureRefused")


def test_a_loop_that_goes_on_after_a_refusal_is_refused_at_every_step(house: House) -> None:
    ran: list[int] = []
    with house.agent.turn() as turn:
        house.fail_on("MODEL_CALL")
        with pytest.raises(CaptureRefused), turn.model_call(request=b"{}"):
            ran.append(1)
        house.heal()
        with pytest.raises(CaptureRefused, match="every further step"):
            turn.tool("pay", ran.append, validated={"n": 1})
        with pytest.raises(CaptureRefused, match="every further step"):
            turn.commit("done")
    assert not ran
    assert house.types(turn.id) == ["INTAKE", "ABORT"]
    assert house.only(turn.id, "ABORT").tokens["status"] == "refused"


def test_abort_after_a_refusal_says_refused(house: House) -> None:
    with house.agent.turn() as turn:
        house.fail_on("PROGRESS")
        with pytest.raises(CaptureRefused):
            turn.progress("x")
        turn.abort("I give up", code="gave_up")
    abort = house.only(turn.id, "ABORT")
    assert (abort.tokens["status"], house.body(abort)) == ("refused", b"I give up")


def test_a_turn_that_cannot_be_opened_does_not_begin(house: House) -> None:
    house.fail_on("INTAKE")
    with pytest.raises(CaptureRefused), house.agent.turn():
        pytest.fail("the turn must not begin")
    house.fail_on("OPENED")
    with pytest.raises(CaptureRefused):
        house.agent.conversation().inbound("hi")


def test_an_outcome_that_cannot_be_recorded_carries_the_result(house: House) -> None:
    with pytest.raises(OutcomeUnrecorded) as caught, house.agent.turn() as turn:
        house.fail_on("TOOL_RESULT")
        turn.tool("pay", lambda: {"paid": True})
    assert caught.value.result == {"paid": True}
    assert house.types(turn.id)[:2] == ["INTAKE", "TOOL_CALL"]
    assert house.reading.turns()[0].status is TurnStatus.REFUSED


def test_an_error_whose_record_fails_is_chained(house: House) -> None:
    with pytest.raises(OutcomeUnrecorded) as caught, house.agent.turn() as turn, turn.tool_call("pay"):
        house.fail_on("TOOL_RESULT")
        raise ZeroDivisionError
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_stop_whose_record_fails_goes_on_untouched(house: House, caplog: pytest.LogCaptureFixture) -> None:
    stop = KeyboardInterrupt()
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(KeyboardInterrupt) as caught,
        house.agent.turn() as turn,
        turn.tool_call("pay"),
    ):
        house.fail_on()
        raise stop
    assert caught.value is stop
    assert len(stop.__notes__) == 2
    assert "could not record" in caplog.text


def test_an_end_that_cannot_be_recorded_is_said(house: House) -> None:
    with pytest.raises(CaptureRefused), house.agent.turn():
        house.fail_on("ABORT")
    house.heal()
    with pytest.raises(CaptureRefused), house.agent.turn() as turn:
        house.fail_on("COMMIT")
        turn.commit("x")
    assert house.only(turn.id, "ABORT").tokens["status"] == "refused"


def test_what_the_ledger_itself_refuses_is_named(house: House) -> None:
    with pytest.raises(CaptureRefused, match="detail record is over"), house.agent.turn() as turn:
        step = turn.tool_call("t")
        step._intent = step._intent._replace(detail=step._intent.detail + b" " * (1 << 18))
        step.__enter__()
    assert house.only(turn.id, "ABORT").tokens["status"] == "refused"


def test_a_lost_turn_stops_before_its_next_effect(house: House) -> None:
    ran: list[int] = []
    with pytest.raises(TurnLost), house.agent.turn() as turn:
        lose(turn)
        turn.tool("pay", ran.append, validated={"n": 1})
    assert not ran
    assert house.types(turn.id) == ["INTAKE"]


def test_an_outcome_after_the_turn_was_lost_is_late_and_not_thrown_away(house: House) -> None:
    convo = house.agent.conversation()
    with pytest.raises(TurnLost), convo.turn() as turn:
        with turn.tool_call("pay") as step:
            lose(turn)
            step.result({"paid": True})
        with turn.tool_call("pay"):
            pytest.fail("the turn was lost")
    late = house.only(convo.id, "LATE")
    assert (late.tokens["type"], late.tokens["call"]) == ("TOOL_RESULT", str(step.seq))
    assert str(late.detail["tokens"]).startswith("call=1 tool=pay status=ok")
    assert house.body(late) == b'{"paid":true}'


def test_a_result_after_the_end_is_late(house: House) -> None:
    convo = house.agent.conversation()
    with convo.turn() as turn:
        call = turn.model_call(request=b"{}").__enter__()
        turn.abort("enough")
        call.result({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
        call.__exit__(None, None, None)
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "unknown"
    assert house.only(convo.id, "LATE").detail["usage"] == {"completion_tokens": 4, "prompt_tokens": 3}


def test_late_evidence_that_cannot_be_kept_is_an_unrecorded_outcome(house: House) -> None:
    with (
        pytest.raises(OutcomeUnrecorded) as caught,
        house.agent.turn() as turn,
        turn.tool_call("pay") as step,
    ):
        lose(turn)
        house.fail_on("LATE")
        step.result("paid")
    assert caught.value.result == "paid"


def test_an_outcome_behind_a_failed_event_is_still_recorded(house: House) -> None:
    """Its place was counted on an event that never came; the outcome is true all the same."""

    async def main() -> None:
        async with house.agent.turn() as turn:
            with turn.tool_call("pay") as step:
                house.fail_on("PROGRESS")
                turn.progress("never recorded")
                step.result("paid")

    with pytest.raises(CaptureRefused):
        asyncio.run(main())
    turn_id = house.reading.turns()[0].id
    assert house.types(turn_id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "ABORT"]
    assert house.only(turn_id, "TOOL_RESULT").tokens["status"] == "ok"


def test_unknown_errors_of_a_store_are_refusals_too(house: House) -> None:
    with pytest.raises(CaptureRefused, match="OSError") as caught, house.agent.turn() as turn:
        house.fail_on("PROGRESS", error=OSError("secret path"))
        turn.progress("x")
    assert "secret path" not in str(caught.value)


def test_a_closed_ledger_refuses(house: House) -> None:
    with pytest.raises(CaptureRefused, match="closed"), house.agent.turn() as turn:
        house.ledger.close()
        turn.progress("x")


def test_o01_what_is_sent_again_is_one_event(house: House) -> None:
    """The answer to a batch got lost on its way; the writer sends the same batch again."""
    with house.agent.turn() as turn:
        step = turn.tool_call("pay")
        sent = step._intent
        with step:
            step.result("paid")
        pen = turn._pen.opened()
        again = pen.conversation.sink.append
        batch = Batch((pen._draft(sent, step.seq),))
        assert again(batch).result().status is BatchStatus.DUPLICATE
        other = sent.saying(turn.tool_call("other")._intent.event)
        assert again(Batch((pen._draft(other, None),))).result().status is BatchStatus.CONFLICT
        turn.commit()
    assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]


@pytest.mark.parametrize("why", sorted(set(Refusal) - LOST))
def test_the_next_step_is_that_of_the_reason(why: Refusal) -> None:
    said = refusal("The turn", BatchResult(BatchStatus.REFUSED, refusal=why, reason="Because."))
    assert "Because." in said.message
    assert said.next_step
    assert ("turnledger verify" in said.next_step) == (why is Refusal.OUT_OF_PLACE)
    assert ("turnledger token create" in said.next_step) == (why is Refusal.NOT_ALLOWED)


def test_a_conflict_is_looked_at_where_it_is_recorded() -> None:
    said = refusal("The turn", BatchResult(BatchStatus.CONFLICT, reason="Other content."))
    assert "turnledger verify" in said.next_step


def again(house: House) -> Callable[[], object]:
    convo = house.agent.conversation("c")
    convo.inbound("hi", external_id="1")
    return lambda: convo.inbound("hi", external_id="1")


def remember(house: House) -> Callable[[], object]:
    def write() -> None:
        with house.agent.turn() as turn:
            turn.memory_write("likes", "coffee")

    with house.agent.turn() as turn:
        turn.memory_write("likes", "tea")
        turn.commit()
    return write


def take_over(house: House) -> Callable[[], object]:
    with house.agent.turn() as turn:
        turn.approval(question="Really?")
    return house.agent.resume(turn.id).__enter__


LOOK_UPS: dict[str, tuple[str, Callable[[House], Callable[[], object]]]] = {
    "a message delivered twice": ("event", again),
    "a memory entry's revision": ("last_revision", remember),
    "a turn taken over": ("events", take_over),
    "a lease taken over": ("acquire", take_over),
    "what arrived of a reply": ("arrived", take_over),
}


@pytest.mark.parametrize("label", LOOK_UPS)
def test_a_look_up_that_fails_is_a_refusal_too(
    house: House, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents catch the three errors, whichever of the ledger's answers fails."""

    def gone(*_: object) -> object:
        msg = "The ledger is away."
        raise LedgerUnavailableError(msg, next_step="Wait.")

    name, prepared = LOOK_UPS[label]
    attempt = prepared(house)
    monkeypatch.setattr(house.sink, name, gone)
    with pytest.raises(CaptureRefused, match=r"The ledger is away\. Wait\.") as caught:
        attempt()
    assert isinstance(caught.value.__cause__, LedgerUnavailableError)
