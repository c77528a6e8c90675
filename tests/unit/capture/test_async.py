"""`async with`: nothing blocks, nothing runs before it is durable, nothing is lost to a cancellation."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

import pytest

from tests.patience import PATIENCE_S, becomes, eventually
from tests.unit.capture.house import House
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, OutcomeUnrecorded, UsageError
from turnledger.model.draft import Batch, BatchResult
from turnledger.model.vocabulary import TurnStatus


class Gate:
    """Holds batches back until the test lets them go."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._held: list[tuple[Batch, Future[BatchResult]]] = []
        self._append = house.sink.append
        house.sink.append = self._hold

    def _hold(self, batch: Batch) -> Future[BatchResult]:
        answer: Future[BatchResult] = Future()
        self._held.append((batch, answer))
        return answer

    def __len__(self) -> int:
        return len(self._held)

    def open(self) -> None:
        self._house.sink.append = self._append
        held, self._held = self._held, []
        for batch, answer in held:
            result = self._append(batch).result()
            answer.set_result(result)


def test_one_shots_are_queued_at_once_in_their_order(house: House) -> None:
    async def main() -> Turn:
        async with house.agent.turn() as turn:
            receipts = [turn.progress(f"{number}") for number in range(50)]
            assert [(await receipt).seq for receipt in receipts] == list(range(1, 51))
            turn.commit("x")
        return turn

    turn = asyncio.run(main())
    assert house.types(turn.id) == ["INTAKE", *(["PROGRESS"] * 50), "COMMIT"]


def test_a_block_does_not_run_before_its_intent_is_durable(house: House) -> None:
    ran: list[str] = []

    async def main() -> None:
        async with house.agent.turn() as turn:
            gate = Gate(house)

            async def act() -> None:
                async with turn.tool_call("pay") as step:
                    ran.append("ran")
                    step.result(1)

            task = asyncio.create_task(act())
            await becomes(lambda: len(gate) == 1)
            await asyncio.sleep(0.02)  # in which it would run, if it did not wait
            assert not ran
            gate.open()
            await task
            assert ran
            turn.commit()

    asyncio.run(main())


def test_a_cancellation_while_the_intent_is_on_its_way_leaves_a_step_that_was_not_started(
    house: House,
) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            gate = Gate(house)

            async def act() -> None:
                async with turn.tool_call("pay"):
                    pytest.fail("the tool must not run")

            task = asyncio.create_task(act())
            await becomes(lambda: len(gate) == 1)
            task.cancel()
            await asyncio.sleep(0.01)
            assert not task.done()
            gate.open()
            with pytest.raises(asyncio.CancelledError):
                await task
            turn.commit()

    asyncio.run(main())
    turn_id = house.reading.turns()[0].id
    assert house.types(turn_id) == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]
    assert house.only(turn_id, "TOOL_RESULT").tokens["status"] == "not_started"


def test_a_cancellation_while_the_turn_is_being_opened(house: House) -> None:
    house.agent.conversation("c").inbound("x")

    async def main() -> None:
        gate = Gate(house)

        async def act() -> None:
            async with house.agent.conversation("c").turn():
                pytest.fail("the turn must not run")

        task = asyncio.create_task(act())
        await becomes(lambda: len(gate) == 1)
        task.cancel()
        await asyncio.sleep(0.01)
        gate.open()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    eventually(lambda: [row.status for row in house.reading.turns()] == [TurnStatus.CANCELLED])


def test_a_cancelled_turn_is_ended_before_the_cancellation_goes_on(house: House) -> None:
    async def act(started: asyncio.Event) -> None:
        async with house.agent.turn() as turn, turn.model_call(request=b"{}") as call:
            call.chunk("part")
            started.set()
            await asyncio.sleep(60)

    async def main() -> None:
        started = asyncio.Event()
        task = asyncio.create_task(act(started))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (row,) = house.reading.turns()
        assert row.status is TurnStatus.CANCELLED
        assert row.error_class == "asyncio.exceptions.CancelledError"
        assert house.types(row.id) == ["INTAKE", "MODEL_CALL", "MODEL_RESULT", "ABORT"]
        assert house.body(house.only(row.id, "MODEL_RESULT")) == b"part"

    asyncio.run(main())


def test_asyncio_timeout_still_works_around_a_turn(house: House) -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02), house.agent.turn():
                await asyncio.sleep(60)
        await asyncio.sleep(0)

    asyncio.run(main())


def test_a_failure_that_nobody_awaited_is_raised_at_the_end(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            house.fail_on("PROGRESS")
            turn.progress("x")

    with pytest.raises(CaptureRefused):
        asyncio.run(main())
    assert house.reading.turns()[0].status is TurnStatus.REFUSED


def test_a_failure_that_was_awaited_is_not_raised_again(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            house.fail_on("PROGRESS")
            with pytest.raises(CaptureRefused):
                await turn.progress("x")

    asyncio.run(main())


def test_an_unawaited_commit_that_fails_is_raised_at_the_end(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            house.fail_on("COMMIT")
            turn.commit("x")

    with pytest.raises(CaptureRefused):
        asyncio.run(main())


def test_an_async_outcome_that_cannot_be_recorded(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn, turn.tool_call("pay") as step:
            house.fail_on("TOOL_RESULT")
            step.result("paid")

    with pytest.raises(OutcomeUnrecorded) as caught:
        asyncio.run(main())
    assert caught.value.result == "paid"


def test_new_actors_and_keys_are_claimed_in_the_background(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            for number in range(5):
                turn.memory_write(f"k{number}", number)
            turn.commit("x", actor="bot")

    asyncio.run(main())
    turn_id = house.reading.turns()[0].id
    assert house.types(turn_id) == ["INTAKE", *(["MEMORY_WRITE"] * 5), "COMMIT"]


def test_receipts_of_many_steps_are_not_kept(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            for number in range(300):
                await turn.progress(f"{number}")
            assert len(turn._pen._unsettled) < 5
            turn.commit()

    asyncio.run(main())


def test_a_receipt_can_be_waited_for_from_a_thread(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            receipt = turn.progress("x")
            assert (await asyncio.to_thread(receipt.wait, PATIENCE_S)).seq == 1
            assert receipt.is_done
            turn.commit()

    asyncio.run(main())


def test_plain_with_on_the_same_objects_inside_an_event_loop(house: House) -> None:
    async def main() -> None:
        with house.agent.turn() as turn:
            with turn.tool_call("a") as step:
                step.result(1)
            assert turn.progress("x").is_done
            turn.commit("x")

    asyncio.run(main())
    assert house.reading.turns()[0].status is TurnStatus.COMPLETED


def test_without_asyncio_the_error_says_what_to_do(house: House) -> None:
    turn = house.agent.turn()
    entering = turn.__aenter__()
    gate = Gate(house)
    with pytest.raises(UsageError, match="need asyncio"):
        entering.send(None)
    gate.open()
    eventually(lambda: [row.status for row in house.reading.turns()] == [TurnStatus.FAILED])
