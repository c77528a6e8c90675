"""Work that is driven by the thread that waits for it, or goes on by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import get_ident
from typing import Any

import pytest

from turnledger.capture.waiting import Started, Work, spawn


class _Interrupted(Future[Any]):
    """Whoever waits for it is interrupted, as a thread in a lock is by a signal."""

    def exception(self, timeout: float | None = None) -> BaseException | None:
        if not self.done():
            raise KeyboardInterrupt
        return super().exception(timeout)


def _asks(first: Future[Any], log: list[object]) -> Work[str]:
    try:
        log.append((yield first))
    except ValueError as error:
        log.append(error)
    log.append(get_ident())
    return "end"


def _answered(answer: Callable[[Future[Any]], None]) -> Future[Any]:
    future: Future[Any] = Future()
    answer(future)
    return future


def test_the_waiting_thread_runs_it_to_its_end() -> None:
    log: list[object] = []
    started = Started(_asks(_answered(lambda future: future.set_result(7)), log))
    assert log == []
    assert started.wait() == "end"
    assert log == [7, get_ident()]
    assert started.future.result() == started.wait() == "end"


def test_what_it_waited_for_raises_in_it() -> None:
    log: list[object] = []
    assert (
        Started(_asks(_answered(lambda future: future.set_exception(ValueError("x"))), log)).wait() == "end"
    )
    assert isinstance(log[0], ValueError)
    with pytest.raises(LookupError):
        Started(_asks(_answered(lambda future: future.set_exception(LookupError())), log)).wait()


def test_after_an_interrupted_wait_it_goes_on_by_itself() -> None:
    first, log = _Interrupted(), list[object]()
    started = Started(_asks(first, log))
    with pytest.raises(KeyboardInterrupt):
        started.wait()
    assert not started.future.done()
    first.set_result(7)
    assert log[0] == 7
    assert started.future.result() == "end"


def test_spawned_work_needs_nobody_who_waits() -> None:
    first: Future[Any] = Future()
    log: list[object] = []
    end = spawn(_asks(first, log))
    first.set_result(7)
    assert (end.done(), log[0]) == (True, 7)


def test_work_that_an_event_loop_gives_up_on_goes_on_by_itself() -> None:
    first: Future[Any] = Future()
    log: list[object] = []
    started = Started(_asks(first, log))

    async def given_up() -> None:
        waiting = started.settled()
        waiting.send(None)
        waiting.close()

    asyncio.run(given_up())
    first.set_result(7)
    assert log == [7, get_ident()]
    assert started.future.result() == "end"
