"""Signs of life: who renews, who reaps, who goes on with a turn that was left."""

# ruff: noqa: PT012  the error has to come out of the turn's own with block

from __future__ import annotations

import gc
import logging
import threading
from uuid import UUID

import pytest

from tests.patience import eventually
from tests.unit.capture.house import House, opened
from turnledger.capture.context import _entered
from turnledger.capture.ledger import Ledger
from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import StoreSink
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, LedgerUnavailableError, NotFoundError, TurnLost, UsageError
from turnledger.ids import new_id
from turnledger.model.rows import LeaseRow
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.turn_report import Doubt, turn_report

LONG = 600.0
"""A lease so long that its heartbeat does nothing by itself while a test lasts; time is moved past it."""
BEATING = 0.3
"""One that is renewed ten times a second, where that is what a test is about; it runs out by moved time."""


def fall_silent(house: House) -> None:
    """As a process that is stopped, or killed."""
    house.ledger._core.heartbeat.stop()


def left_behind(house: House) -> Turn:
    """A turn whose writer shows no sign of life any more, in the middle of a tool call."""
    turn = house.agent.conversation("c").turn()
    turn.__enter__()
    turn.tool_call("deploy", supplied='{"env": "prod"}').__enter__()
    fall_silent(house)
    return turn


def status(house: House, turn: Turn) -> TurnStatus:
    row = house.reading.reader.turn(turn.id)
    assert row is not None
    return row.status


def valid_until(house: House, turn: Turn) -> int:
    (lease,) = [row for row in house.reading.reader.leases(expired=False, limit=10) if row.turn == turn.id]
    assert lease.until_ms is not None
    return lease.until_ms


def another(house: House, lease_s: float = LONG) -> Ledger:
    """A second recorder on the same ledger, as another process has it."""
    ledger = Ledger(StoreSink(house.sink.store), lease_s=lease_s)
    house.others.append(ledger)
    return ledger


def test_a_long_step_does_not_look_dead() -> None:
    with opened(lease_s=BEATING) as house:
        with house.agent.turn() as turn:
            with turn.model_call(request=b"{}") as call:
                for _ in range(3):
                    before = valid_until(house, turn)
                    house.clock.move(0.8 * BEATING)
                    eventually(lambda: valid_until(house, turn) > before)  # noqa: B023  called right here
                another(house)
                assert status(house, turn) is TurnStatus.RUNNING
                call.result(b"{}")
            turn.commit()
        assert status(house, turn) is TurnStatus.COMPLETED


def test_an_expired_turn_is_ended_when_the_ledger_is_opened_and_its_step_is_in_doubt() -> None:
    with opened(lease_s=LONG) as house:
        turn = left_behind(house)
        assert turn_report(house.reading.reader, turn.id).steps[0].doubt is Doubt.RUNNING
        house.clock.move(LONG + 1)
        assert turn_report(house.reading.reader, turn.id).steps[0].doubt is Doubt.NO_SIGN_OF_LIFE
        another(house)
        assert status(house, turn) is TurnStatus.INTERRUPTED
        abort = house.only(turn.id, "ABORT")
        assert (abort.tokens["status"], abort.tokens["reason"]) == ("interrupted", "lease_expired")
        assert turn_report(house.reading.reader, turn.id).steps[0].doubt is Doubt.IN_DOUBT


def test_a_writer_that_comes_back_is_stopped_and_what_it_knows_is_late() -> None:
    with opened(lease_s=LONG) as house:
        convo = house.agent.conversation("c")
        with pytest.raises(TurnLost), convo.turn() as turn:
            with turn.tool_call("pay") as step:
                fall_silent(house)
                house.clock.move(LONG + 1)
                another(house)
                step.result("paid")
            with turn.tool_call("pay"):
                pytest.fail("the turn was lost")
        assert house.body(house.only(convo.id, "LATE")) == b"paid"
        assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "ABORT"]


def test_a_writer_nobody_reaped_goes_on() -> None:
    with opened(lease_s=LONG) as house:
        with house.agent.turn() as turn:
            fall_silent(house)
            house.clock.move(LONG + 1)
            turn.progress("still here")
            turn.commit()
        assert status(house, turn) is TurnStatus.COMPLETED


def test_the_heartbeat_reaps_what_it_found_expired_twice() -> None:
    with opened(lease_s=LONG) as house:
        turn = left_behind(house)
        house.clock.move(LONG + 1)
        sweeper = Sweeper(house.sink)
        assert sweeper.sweep_twice_seen() == 0
        assert sweeper.sweep_twice_seen() == 1
        assert sweeper.sweep_twice_seen() == 0
        assert status(house, turn) is TurnStatus.INTERRUPTED


def test_a_live_recorder_reaps_what_others_left() -> None:
    with opened() as house, another(house, BEATING).agent("other").turn() as alive:
        turn = left_behind(house)
        house.clock.move(31)
        eventually(lambda: status(house, turn) is TurnStatus.INTERRUPTED)
        alive.commit()


def test_two_sweepers_end_a_turn_once() -> None:
    with opened(lease_s=LONG) as house:
        turn = left_behind(house)
        house.clock.move(LONG + 1)
        rows = house.sink.expired(10)
        house.sink.expired = lambda limit: rows[:limit]  # type: ignore[method-assign]
        assert [Sweeper(house.sink).sweep() for _ in range(2)] == [1, 0]
        assert house.types(turn.id)[-2:] == ["TOOL_CALL", "ABORT"]


def test_the_heartbeat_tells_a_turn_that_it_is_lost() -> None:
    with opened(lease_s=LONG) as house:
        with pytest.raises(TurnLost), house.agent.turn() as turn:
            journal = turn._pen.opened()
            house.clock.move(LONG + 1)
            assert house.sink.acquire(turn.id, new_id(), 60_000) is not None
            house.ledger._core.heartbeat.beat()
            assert journal.problem is not None
            turn.progress("x")
        assert not house.ledger._core.heartbeat._turns


def test_a_heartbeat_that_fails_tries_again(caplog: pytest.LogCaptureFixture) -> None:
    with opened(lease_s=BEATING) as house, caplog.at_level(logging.WARNING):
        renew, failures = house.sink.renew, [LedgerUnavailableError("gone"), LedgerUnavailableError("gone")]

        def renew_later(*arguments: object) -> set[object]:
            if failures:
                raise failures.pop()
            return renew(*arguments)  # type: ignore[arg-type, return-value]

        house.sink.renew = renew_later  # type: ignore[assignment]
        with house.agent.turn() as turn:
            eventually(lambda: not failures)
            before = valid_until(house, turn)
            house.clock.move(0.8 * BEATING)
            eventually(lambda: valid_until(house, turn) > before)
            turn.commit()
        assert status(house, turn) is TurnStatus.COMPLETED
        assert "could not renew" in caplog.text


def test_a_turn_nobody_refers_to_is_renewed_no_more() -> None:
    with opened(lease_s=LONG) as house:
        turn = house.agent.turn()
        turn.__enter__()
        beating = house.ledger._core.heartbeat._turns
        assert len(beating) == 1
        with house.agent.turn() as other:
            other.commit()
        _entered.set(None)
        del turn, other
        gc.collect()
        assert not beating


def test_opening_goes_on_where_interrupted_turns_cannot_be_looked_for(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    class Blind(StoreSink):
        def expired(self, limit: int) -> list[LeaseRow]:
            msg = f"{limit} rows cannot be read."
            raise LedgerUnavailableError(msg)

    with caplog.at_level(logging.WARNING):
        Ledger(Blind(house.sink.store))
    assert "could not look for interrupted turns" in caplog.text
    with pytest.raises(UsageError, match="too short"):
        Ledger(house.sink, lease_s=0)


# --- approvals, and going on elsewhere -------------------------------------------------------------


def test_an_approval_in_the_same_process(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.tool_call("pay", validated={"n": 1}) as step:
            approval = turn.approval(step, question={"amount": 1})
            assert status(house, turn) is TurnStatus.WAITING
            approval.decide("granted", by="slack:U7", reason="fine")
            assert status(house, turn) is TurnStatus.RUNNING
            step.result("paid")
        with pytest.raises(UsageError, match="granted"):
            approval.decide("denied")
        turn.commit()
    asked, decided = house.all(turn.id, "APPROVAL")
    assert (asked.tokens["subject"], asked.tokens["decision"]) == (str(step.seq), "requested")
    assert house.body(asked) == b'{"amount":1}'
    assert (decided.tokens["decision"], house.body(decided)) == ("granted", b"fine")
    who = UUID(decided.tokens["by"])
    assert house.reading.reader.names([who]) == {who: "slack:U7"}


@pytest.mark.parametrize(("decision", "outcome"), [("denied", "denied"), ("expired", "not_started")])
def test_a_tool_that_was_not_approved_was_not_started(house: House, decision: str, outcome: str) -> None:
    with house.agent.turn() as turn:
        with turn.tool_call("pay") as step:
            turn.approval(step).decide(decision)
        turn.commit()
    assert house.only(turn.id, "TOOL_RESULT").tokens["status"] == outcome


def test_two_days_of_waiting_do_not_look_dead_and_another_process_goes_on() -> None:
    with opened(lease_s=LONG) as house:
        convo = house.agent.conversation("c")
        msg = convo.inbound("pay 100")
        with convo.turn(msg) as turn:
            with turn.model_call(request={"messages": [{"role": "system", "content": "x"}]}) as call:
                call.result(b"{}")
            with turn.tool_call("pay", validated={"n": 100}) as step:
                turn.approval(step, question="pay 100?")
        house.clock.move(2 * 24 * 3600)
        later = another(house)
        assert status(house, turn) is TurnStatus.WAITING
        with pytest.raises(CaptureRefused, match="left while it waits"):
            turn.progress("x")

        with later.agent("support").resume(str(turn.id)) as resumed:
            (approval,) = resumed.approvals
            approval.decide("granted", by="boss")
            assert approval.subject is not None
            with approval.subject as again:
                assert again.idempotency_key == step.idempotency_key
                again.result("paid")
            with resumed.model_call(request={"messages": [{"role": "system", "content": "x"}]}) as call:
                call.result(b"{}")
            resumed.commit("paid 100")
        assert house.types(turn.id) == [
            *("INTAKE", "PROMPT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL", "APPROVAL"),
            *("APPROVAL", "TOOL_RESULT", "MODEL_CALL", "MODEL_RESULT", "COMMIT"),
        ]
        assert house.all(turn.id, "MODEL_CALL")[1].tokens["prompt"] == "1"
        assert house.all(convo.id, "MESSAGE")[1].tokens["replyTo"] == str(msg.seq)


def test_a_turn_whose_writer_is_gone_is_gone_on_with() -> None:
    with opened(lease_s=LONG) as house:
        turn = house.agent.conversation("c").turn()
        turn.__enter__()
        with turn.model_call(request=b"{}") as call:
            answer = {"role": "assistant", "tool_calls": [_asked("one"), _asked("two")]}
            call.result({"object": "chat.completion", "choices": [{"index": 0, "message": answer}]})
        turn.tool("one", lambda: 1)
        turn.tool_call("pay", validated={"n": 1}).__enter__()
        turn.model_call(request=b"{}").__enter__()
        fall_silent(house)
        other = another(house)
        with pytest.raises(TurnLost, match="live writer"), other.agent("support").resume(turn.id):
            pytest.fail("its writer is alive")
        with pytest.raises(NotFoundError), other.agent("elsewhere").resume(turn.id):
            pytest.fail("it is another agent's")
        house.clock.move(LONG + 1)
        with other.agent("support").resume(turn.id) as resumed:
            assert [step.name for step in resumed.open_tools] == ["pay"]
            resumed.tool("two", lambda: 2)
            resumed.abort("starting over")
        with pytest.raises(TurnLost):
            turn.progress("x")
        results = house.all(turn.id, "MODEL_RESULT")
        assert [result.tokens["status"] for result in results] == ["ok", "unknown"]
        tools = house.all(turn.id, "TOOL_CALL")
        assert [tool.tokens["ordinal"] for tool in tools] == ["0", "2", "1"]
        assert house.all(turn.id, "TOOL_RESULT")[-1].tokens["status"] == "unknown"
        with pytest.raises(TurnLost), other.agent("support").resume(turn.id):
            pytest.fail("it has ended")


def _asked(tool: str) -> dict[str, object]:
    return {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}


def test_a_turn_that_waits_is_parked_whatever_came_after_the_question() -> None:
    with opened(lease_s=LONG) as house:
        with house.agent.turn() as turn:
            with turn.tool_call("pay") as step:
                turn.approval(step)
            turn.tool("look", lambda: 1)
        house.clock.move(LONG + 1)
        assert Sweeper(house.sink).sweep() == 0
        assert status(house, turn) is TurnStatus.WAITING
        assert house.types(turn.id)[-3:] == ["TOOL_CALL", "TOOL_RESULT", "APPROVAL"]


def test_a_heartbeat_that_cannot_start_does_not_stop_the_turn(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    house.agent.conversation().inbound("the writer runs already")

    def refuse(_: threading.Thread) -> None:
        msg = "can't create new thread at interpreter shutdown"
        raise RuntimeError(msg)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with caplog.at_level(logging.WARNING), house.agent.turn() as turn:
        turn.commit()
    assert "could not start its heartbeat" in caplog.text
