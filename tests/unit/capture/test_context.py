"""The context variable: a convenience that survives tasks, threads and generators, and never misleads."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from tests.unit.capture.house import House
from turnledger import CaptureRefused, PropagatingThreadPool, Turn, current, current_turn, propagate


def my_tool(number: int) -> int:
    turn = current()
    assert isinstance(turn, Turn)
    got: int = turn.tool("my_tool", lambda n: n, validated={"n": number})
    return got


def test_x01_a_stream_left_early_ends_its_turn_once(house: House, caplog: pytest.LogCaptureFixture) -> None:
    async def stream() -> AsyncIterator[int]:
        async with house.agent.turn() as turn:
            async with turn.model_call(request=b"{}") as call:
                for number in range(5):
                    call.chunk(f"{number}")
                    yield number
            turn.commit("x")

    async def main() -> None:
        async for number in stream():
            if number == 1:
                break
        gc.collect()
        deadline = time.monotonic() + 30
        while current_turn() is not None:  # the loop closes the generator in a task of its own
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)

    asyncio.run(main())
    (row,) = house.reading.turns()
    abort = house.only(row.id, "ABORT")
    assert (abort.tokens["status"], abort.tokens["reason"]) == ("cancelled", "consumer_stopped")
    assert house.types(row.id) == ["INTAKE", "MODEL_CALL", "MODEL_RESULT", "ABORT"]
    assert house.only(row.id, "MODEL_RESULT").tokens["status"] == "aborted"
    assert not caplog.records


def test_x01_a_generator_closed_in_another_context(house: House) -> None:
    def steps() -> Iterator[Turn]:
        with house.agent.turn() as turn:
            yield turn

    first = steps()
    inner = next(first)
    assert current_turn() is inner
    copy_context().run(first.close)  # type: ignore[attr-defined]
    assert current_turn() is None
    with house.agent.turn() as turn:
        assert current_turn() is turn
        turn.commit()
    assert current_turn() is None
    assert house.only(inner.id, "ABORT").tokens["reason"] == "consumer_stopped"


def test_x01_generators_that_end_out_of_order(house: House) -> None:
    def steps() -> Iterator[Turn]:
        with house.agent.turn() as turn:
            yield turn

    older, newer = steps(), steps()
    first, second = next(older), next(newer)
    assert current_turn() is second
    older.close()  # type: ignore[attr-defined]
    assert current_turn() is second
    newer.close()  # type: ignore[attr-defined]
    assert current_turn() is None
    assert first.id != second.id


def test_x02_every_way_into_a_thread_keeps_the_turn(house: House) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with house.agent.turn() as turn:
            with PropagatingThreadPool(4) as pool:
                assert list(pool.map(my_tool, range(8))) == list(range(8))
                await loop.run_in_executor(pool, my_tool, 8)
            await loop.run_in_executor(None, propagate(my_tool), 9)
            await asyncio.to_thread(my_tool, 10)
            assert await asyncio.create_task(asyncio.to_thread(my_tool, 11)) == 11
            turn.commit()

    asyncio.run(main())
    (row,) = house.reading.turns()
    assert (row.tool_calls, row.open_steps) == (12, 0)


def test_x02_the_pool_can_serve_a_loop(house: House) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(PropagatingThreadPool(2))
        async with house.agent.turn() as turn:
            await loop.run_in_executor(None, my_tool, 1)
            turn.commit()

    asyncio.run(main())
    assert house.reading.turns()[0].tool_calls == 1


def test_x02_a_step_that_belongs_nowhere_is_refused_and_never_a_turn_of_its_own(house: House) -> None:
    with house.agent.turn() as turn:
        with ThreadPoolExecutor(1) as pool, pytest.raises(CaptureRefused, match=r"turnledger\.propagate"):
            pool.submit(my_tool, 1).result()
        turn.commit()
    assert len(house.reading.turns()) == 1


def test_a_worker_thread_is_left_as_it_was_found(house: House) -> None:
    with ThreadPoolExecutor(1) as pool:
        with house.agent.turn() as turn:
            assert pool.submit(propagate(current_turn)).result() is turn
            turn.commit()
        assert pool.submit(current_turn).result() is None


def test_turns_nest_and_an_ended_one_is_passed_over(house: House) -> None:
    with house.agent.turn() as outer:
        with house.agent.turn() as inner:
            assert current_turn() is inner
            inner.commit()
            assert current_turn() is outer
        assert current_turn() is outer
        outer.commit()
        assert current_turn() is None


def test_a_conversation_can_be_current(house: House) -> None:
    with house.agent.conversation("c") as convo:
        assert current() is convo
        assert current_turn() is None
        with convo.turn() as turn:
            assert current() is turn
            turn.commit()
            assert current() is convo
    with pytest.raises(CaptureRefused, match="No turn is open"):
        current()


def test_tasks_have_turns_of_their_own(house: House) -> None:
    async def run(number: int) -> None:
        async with house.agent.turn() as turn:
            await asyncio.sleep(0.01 * (3 - number))
            assert current_turn() is turn
            turn.commit(number)

    async def main() -> None:
        await asyncio.gather(*(run(number) for number in range(3)))

    asyncio.run(main())
    assert len(house.reading.turns()) == 3
