"""How turns begin and end, and what is on record of it."""

from __future__ import annotations

import asyncio
import gc
from datetime import UTC, datetime

import pytest

from tests.unit.capture.house import House, opened
from turnledger.capture.content import Attachment
from turnledger.capture.receipts import Receipt
from turnledger.capture.steps import Step
from turnledger.capture.turn import Turn
from turnledger.capture.turn_journal import TurnJournal
from turnledger.errors import CaptureRefused, GrammarError, UsageError
from turnledger.integrity.verdict import Verdict
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.verify import verify_ledger


def test_a_whole_turn_stands_in_two_journals(house: House) -> None:
    convo = house.agent.conversation("slack:C1/1", connector="slack", shape="thread", place="C1")
    msg = convo.inbound("Where is my order?", actor="slack:U7")
    msg.verdict("engage", reason="direct mention", by="rule")
    with convo.turn(trigger=msg, tools=2, tags={"ticket": 9}) as turn:
        turn.progress("One moment", kind="ack")
        turn.guard("pii", "allow", stage="input", finding={"hits": 0})
        turn.memory_write("customer/7", {"tier": "gold"})
        turn.verify("cites-source", "warn", finding="no source")
        turn.budget("steps", limit=10, used=9, outcome="warn")
        turn.commit("It is on its way.")
    assert house.types(turn.id) == [
        "INTAKE",
        "PROGRESS",
        "GUARD",
        "MEMORY_WRITE",
        "VERIFY",
        "BUDGET",
        "COMMIT",
    ]
    assert house.types(convo.id) == ["OPENED", "MESSAGE", "VERDICT", "TURN_OPENED", "TURN_CLOSED", "MESSAGE"]
    intake = house.only(turn.id, "INTAKE")
    assert intake.tokens == {**intake.tokens, "messageChars": "18", "attachments": "0", "tools": "2"}
    assert house.body(intake) == b"Where is my order?"
    assert house.body(house.only(convo.id, "TURN_OPENED")) == b'{"ticket":9}'
    closed = house.only(convo.id, "TURN_CLOSED")
    assert (closed.tokens["status"], closed.tokens["events"]) == ("completed", "7")
    outbound = house.all(convo.id, "MESSAGE")[1]
    assert (outbound.tokens["direction"], outbound.tokens["replyTo"]) == ("outbound", str(msg.seq))
    assert turn.reply is not None
    assert turn.reply.seq == outbound.row.seq
    turn.reply.delivery("sending")
    turn.reply.delivery("failed", attempt=1, problem="timeout")
    turn.reply.delivery("delivered", attempt=2)
    assert [row.tokens["status"] for row in house.all(convo.id, "DELIVERY")] == [
        "sending",
        "failed",
        "delivered",
    ]
    assert house.reading.turns()[0].status is TurnStatus.COMPLETED
    assert {each.verdict for each in verify_ledger(house.reading.reader)} == {Verdict.INTACT}


def test_nothing_outside_is_named_in_summaries_and_details(house: House) -> None:
    convo = house.agent.conversation("KEY-of-it", connector="slack", place="PLACE-of-it")
    msg = convo.inbound("SAID-of-it", actor="ACTOR-of-it", external_id="OUTER-of-it")
    msg.verdict("engage", reason="REASON-of-it")
    with convo.turn(trigger=msg) as turn:
        turn.memory_write("MEMORY-of-it", "SAID-of-it")
        turn.abort("REASON-of-it")
    for entry in house.entries(convo.id) + house.entries(turn.id):
        assert "of-it" not in entry.row.summary
        assert b"of-it" not in entry.row.detail


def test_leaving_without_an_answer_is_uncommitted(house: House) -> None:
    with house.agent.turn() as turn:
        pass
    abort = house.only(turn.id, "ABORT")
    assert (abort.tokens["status"], abort.tokens["reason"]) == ("failed", "uncommitted")


def test_a_step_without_outcome_is_closed_as_unknown(house: House) -> None:
    with house.agent.turn() as turn:
        turn.tool_call("pay", validated={"n": 1}).__enter__()
    assert house.types(turn.id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "ABORT"]
    assert house.only(turn.id, "TOOL_RESULT").tokens["status"] == "unknown"


def test_commit_says_how_many_steps_are_open(house: House) -> None:
    convo = house.agent.conversation()
    with convo.turn() as turn:
        step = turn.tool_call("pay").__enter__()
        turn.commit("done")
        step.result({"paid": True})
        step.__exit__(None, None, None)
    assert house.only(turn.id, "COMMIT").tokens["open"] == "1"
    late = house.only(convo.id, "LATE")
    assert (late.tokens["type"], late.tokens["turn"]) == ("TOOL_RESULT", str(turn.id))
    assert house.body(late) == b'{"paid":true}'


STOPS = [
    (KeyboardInterrupt(), "interrupt"),
    (SystemExit(3), "exit"),
    (asyncio.CancelledError(), "cancelled"),
    (GeneratorExit(), "consumer_stopped"),
]


@pytest.mark.parametrize(("stop", "reason"), STOPS, ids=[reason for _, reason in STOPS])
def test_l12_being_stopped_is_recorded_and_goes_on_untouched(
    house: House, stop: BaseException, reason: str
) -> None:
    with pytest.raises(type(stop)) as caught, house.agent.turn() as turn, turn.tool_call("div"):
        raise stop
    assert caught.value is stop
    assert house.only(turn.id, "TOOL_RESULT").tokens["status"] == "cancelled"
    abort = house.only(turn.id, "ABORT")
    assert (abort.tokens["status"], abort.tokens["reason"]) == ("cancelled", reason)
    assert house.reading.turns()[
        0
    ].error_class == f"{type(stop).__module__}.{type(stop).__name__}".removeprefix("builtins.")


def test_l12_a_failing_tool_closes_tool_and_turn_and_points_at_the_cause(house: House) -> None:
    with (
        pytest.raises(ZeroDivisionError) as caught,
        house.agent.turn() as turn,
        turn.tool_call("div", validated={"a": 1, "b": 0}) as step,
    ):
        _ = 1 / 0
    assert not hasattr(caught.value, "__notes__")
    result, error = house.only(turn.id, "TOOL_RESULT"), house.only(turn.id, "ERROR")
    assert result.tokens["status"] == "error"
    assert b'"type":"ZeroDivisionError"' in house.body(result)
    assert result.detail["errorClass"] == "ZeroDivisionError"
    assert len(str(result.detail["stack"])) == 64
    assert (error.tokens["stage"], error.tokens["class"]) == ("tool", "ZeroDivisionError")
    assert error.detail["step"] == step.seq
    row = house.reading.turns()[0]
    assert (row.status, row.error_class) == (TurnStatus.FAILED, "ZeroDivisionError")


def test_an_error_between_steps_is_the_turns_own(house: House) -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    with pytest.raises(OddError), house.agent.turn() as turn:
        raise OddError
    error = house.only(turn.id, "ERROR")
    assert error.tokens["stage"] == "turn"
    assert error.tokens["class"].endswith("OddError")


def test_abort_keeps_its_reason_as_content(house: House) -> None:
    with house.agent.turn() as turn:
        turn.abort("the customer hung up", code="hung_up", status="cancelled")
    abort = house.only(turn.id, "ABORT")
    assert (abort.tokens["status"], abort.tokens["reason"]) == ("cancelled", "hung_up")
    assert house.body(abort) == b"the customer hung up"


def test_supersede_names_the_newer_turn(house: House) -> None:
    convo = house.agent.conversation()
    with convo.turn() as newer, convo.turn() as older:
        older.supersede(newer)
        newer.commit("both at once")
    assert house.types(older.id) == ["INTAKE", "SUPERSEDED", "ABORT"]
    assert house.only(older.id, "SUPERSEDED").tokens["by"] == str(newer.id)
    assert house.only(older.id, "ABORT").tokens["status"] == "superseded"


def test_exhausted_is_a_way_to_commit_and_failed_is_not(house: House) -> None:
    with house.agent.turn() as turn:
        with pytest.raises(UsageError):
            turn.commit("x", status="failed")
        turn.commit("as far as I got", status="exhausted", reply=False)
    assert house.only(turn.id, "COMMIT").tokens["status"] == "exhausted"
    assert turn.reply is None
    assert house.types(house.reading.turns()[0].conversation) == ["OPENED", "TURN_OPENED", "TURN_CLOSED"]


def test_nothing_follows_the_end(house: House) -> None:
    with house.agent.turn() as turn:
        turn.commit("x")
        with pytest.raises(CaptureRefused, match="ended"):
            turn.progress("more")
        with pytest.raises(CaptureRefused, match="ended"):
            turn.commit("y")
        with pytest.raises(CaptureRefused, match="ended"), turn.tool_call("pay"):
            pytest.fail("the tool must not run")
    assert house.types(turn.id) == ["INTAKE", "COMMIT"]


def test_a_turn_is_used_once_and_not_before_it_began(house: House) -> None:
    turn = house.agent.turn()
    with pytest.raises(UsageError, match="not begun"):
        turn.progress("x")
    with turn:
        turn.commit("x")
    with pytest.raises(UsageError, match="used once"), turn:
        pytest.fail("it was entered twice")


def test_a_sub_agents_turn_is_linked(house: House) -> None:
    with house.agent.conversation("c").turn() as turn:
        handoff = turn.handoff()
        helper = house.ledger.agent("helper")
        for _ in range(2):
            with helper.turn(parent=handoff, content="look it up") as part:
                part.commit("found")
        turn.commit("done")
    assert house.only(part.id, "INTAKE").tokens["parentTurn"] == str(turn.id)
    assert house.only(part.id, "INTAKE").detail["parent"] == handoff
    conversations = house.reading.conversations("helper")
    assert [(row.connector, row.turns) for row in conversations] == [("agent", 2)]
    with pytest.raises(GrammarError):
        helper.turn(parent="turnledger/1:nonsense")


TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_turn_names_what_it_runs_in(house: House) -> None:
    agent = house.ledger.agent("support", version="1.4", environment="prod")
    with agent.conversation().turn("timer", content={"due": 1}, traceparent=TRACE) as turn:
        turn.commit()
    intake = house.only(turn.id, "INTAKE")
    facts = {key: intake.detail[key] for key in ("agentVersion", "environment", "traceparent")}
    assert facts == {"agentVersion": "1.4", "environment": "prod", "traceparent": TRACE}
    assert house.body(intake) == b'{"due":1}'
    with pytest.raises(GrammarError, match="trigger"):
        agent.conversation().turn("What the customer wrote")


def test_a_trace_context_that_is_none_is_not_kept_and_said_to_be_none(house: House) -> None:
    with house.agent.turn(traceparent="Where is my order?") as turn:
        turn.commit()
    intake = house.only(turn.id, "INTAKE")
    assert "traceparent" not in intake.detail
    assert intake.detail["traceparentInvalid"] is True


def test_attachments_have_slots_of_their_own(house: House) -> None:
    convo = house.agent.conversation()
    msg = convo.inbound(
        "see file", attachments=[Attachment(b"\x89PNG", "image/png"), Attachment(b"x", "a\0b")]
    )
    with convo.turn(msg) as turn:
        turn.commit("seen", attachments=[Attachment(b"y")])
    for entry in (house.only(turn.id, "INTAKE"), house.all(convo.id, "MESSAGE")[0]):
        assert house.body(entry, "attachment-0") == b"\x89PNG"
        slots = entry.detail["slots"]
        assert isinstance(slots, dict)
        assert [slot["mediaType"] for slot in slots.values()] == ["image/png", "application/octet-stream"]
    assert house.body(house.all(convo.id, "MESSAGE")[1], "attachment-0") == b"y"


def test_o02_durations_do_not_follow_a_clock_that_steps_back() -> None:
    with opened() as house, house.agent.turn() as turn:
        with turn.tool_call("slow") as step:
            house.clock.now_ms -= 400
            house.clock.steady_us += 2_500_000
            step.result("ok")
        turn.commit("x")
        house.clock.steady_us += 1_000
        assert house.only(turn.id, "TOOL_RESULT").tokens["ms"] == "2500"
        assert house.only(turn.id, "TOOL_RESULT").detail["us"] == 2_500_000
        assert house.reading.turns()[0].ms == 2500


def test_o03_naive_times_are_refused(house: House) -> None:
    convo = house.agent.conversation()
    with pytest.raises(GrammarError, match="time zone"):
        convo.inbound("hi", at=datetime(2026, 11, 30, 12, 0))  # noqa: DTZ001  what is refused
    convo.inbound("hi", at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    assert house.only(convo.id, "MESSAGE").detail["at"] == 1_796_040_000_000


def test_l08_a_turn_with_very_many_events_is_whole(house: House) -> None:
    with house.agent.turn() as turn:
        for number in range(900):
            turn.tool("noop", lambda i: i, validated={"i": number})
        turn.commit("x")
    assert len(house.entries(turn.id)) == 1802


def test_l09_a_big_observation_is_whole(house: House) -> None:
    rows = [{"text": "w" * 4096} for _ in range(400)]
    with house.agent.turn() as turn:
        turn.tool("search", lambda **_: rows, supplied='{"q": "x"}')
        turn.commit("x")
    result = house.only(turn.id, "TOOL_RESULT")
    assert len(house.body(result)) == int(result.tokens["bytes"]) > 1_600_000


def test_nothing_in_the_recorder_grows_with_the_number_of_turns(house: House) -> None:
    convo = house.agent.conversation("c")

    def run(turns: int) -> int:
        for number in range(turns):
            with convo.turn() as turn:
                with turn.model_call(request=b"{}") as call:
                    call.result(b"{}")
                turn.tool("t", lambda n: n, validated={"n": number})
                turn.commit("x")
        del turn, call
        gc.collect()
        return sum(issubclass(type(each), (Turn, Step, TurnJournal, Receipt)) for each in gc.get_objects())

    before = run(1)
    assert run(50) == before
    assert not house.ledger._core.heartbeat._turns
