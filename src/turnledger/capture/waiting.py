"""Work that waits for the ledger, written once for threads and for event loops.

A ``Work`` is a generator that yields futures and is resumed with their results.  Its first stretch runs in
the caller's thread, so that what is said first is queued first; later ones run where the future completes,
or in the thread that waits for its end, which spares a hand-over on the writer's thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from turnledger.errors import UsageError

if TYPE_CHECKING:
    import asyncio

__all__ = ["Started", "Work", "done", "finished", "settled", "spawn"]

T = TypeVar("T")

Work: TypeAlias = Generator["Future[Any]", Any, T]


def done(value: T) -> Future[T]:
    """A future that has its result already."""
    future: Future[T] = Future()
    future.set_result(value)
    return future


def finished(future: Future[Any]) -> Future[None]:
    """A future that is done when ``future`` is, whatever came of that."""
    end: Future[None] = Future()
    future.add_done_callback(lambda _: end.set_result(None))
    return end


def spawn(work: Work[T]) -> Future[T]:
    """Start ``work`` and run it to its end, come what may; the future gives what it returns or raises."""
    return Started(work).future


class Started(Generic[T]):
    """Work whose first stretch has run.  One thread at a time: the one that made it."""

    def __init__(self, work: Work[T]) -> None:
        self._work = work
        self._awaited: Future[Any] | None = None
        self._future: Future[T] | None = None
        self._returned: tuple[T] | None = None
        self._go_on(None)

    @property
    def future(self) -> Future[T]:
        """What it returns or raises; asking for it lets the work go on by itself."""
        if self._future is None:
            if self._returned is not None:
                self._future = done(self._returned[0])
            else:
                end = self._future = Future()
                end.set_running_or_notify_cancel()
                _run_on(self._work, end, self._awaited)
        return self._future

    def wait(self) -> T:
        """Run it to its end in this thread; gives what it returns or raises.

        Where the wait is interrupted, the work goes on by itself.
        """
        while self._returned is None:
            if self._future is not None:
                return self._future.result()
            error = None
            try:
                if self._awaited is not None:
                    error = self._awaited.exception()
            except BaseException:
                self._future = self.future
                raise
            self._go_on(error)
        return self._returned[0]

    async def settled(self) -> T:
        """Run it to its end on this event loop; see ``settled`` for a cancellation that comes meanwhile."""
        cancelled: BaseException | None = None
        try:
            while self._returned is None and self._future is None:
                if self._awaited is not None and not self._awaited.done():
                    cancelled = await _end_of(self._awaited) or cancelled
                self._go_on(None if self._awaited is None else self._awaited.exception())
        except BaseException:  # the loop gave up on whoever waits
            self._future = self.future
            raise
        if self._returned is None:
            return await _result(self.future, cancelled)
        if cancelled is not None:
            raise cancelled
        return self._returned[0]

    def _go_on(self, error: BaseException | None) -> None:
        try:
            if error is not None:
                self._awaited = self._work.throw(error)
            elif self._awaited is None:
                self._awaited = next(self._work)
            else:
                self._awaited = self._work.send(self._awaited.result())
        except StopIteration as stop:
            self._returned = (stop.value,)
        except BaseException as failure:  # noqa: BLE001  it belongs to whoever waits for the end
            self._future = Future()
            self._future.set_exception(failure)


def _run_on(work: Work[T], end: Future[T], awaited: Future[Any] | None) -> None:
    try:
        while awaited is None or awaited.done():
            awaited = _resume(work, awaited)
    except StopIteration as stop:
        end.set_result(stop.value)
    except BaseException as error:  # noqa: BLE001  it belongs to whoever waits for the end
        end.set_exception(error)
    else:
        awaited.add_done_callback(lambda future: _run_on(work, end, future))


def _resume(work: Work[T], awaited: Future[Any] | None) -> Future[Any]:
    if awaited is None:
        return next(work)
    error = awaited.exception()
    return work.send(awaited.result()) if error is None else work.throw(error)


async def settled(future: Future[T]) -> T:
    """The future's result, awaited to its end on asyncio.

    A cancellation that comes meanwhile is raised afterwards: what was sent to the ledger cannot be taken
    back, and the caller has to know whether it is on record.
    """
    return await _result(future, None)


async def _result(future: Future[T], cancelled: BaseException | None) -> T:
    if not future.done():
        cancelled = await _end_of(future) or cancelled
    if cancelled is not None:
        future.exception()
        raise cancelled
    return future.result()


async def _end_of(future: Future[Any]) -> BaseException | None:
    """Wait until the future is done, and give the cancellation that came meanwhile."""
    import asyncio  # noqa: PLC0415  3 MB of memory that programs without an event loop do not need

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError as error:
        msg = "`async with` and `await` need asyncio, and no loop of it runs here."
        raise UsageError(msg, next_step="Use plain `with`; it is the same code.") from error
    mailbox = _mailbox_of(loop)
    cancelled: BaseException | None = None
    while not future.done():
        waiter: asyncio.Future[None] = loop.create_future()
        future.add_done_callback(partial(mailbox.post, waiter))
        try:
            await waiter
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled


class _Mailbox:
    """News for one event loop from other threads: what comes together wakes it once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._come: deque[asyncio.Future[None]] = deque()
        self._is_called = False

    def post(self, waiter: asyncio.Future[None], _: object) -> None:
        """Let ``waiter`` go on.  From any thread; a loop that is closed has nobody left who waits."""
        self._come.append(waiter)
        if not self._is_called:
            self._is_called = True  # two threads that both get here call twice, which harms nobody
            try:
                self.loop.call_soon_threadsafe(self._hand_out)
            except RuntimeError:
                if not self.loop.is_closed():
                    raise

    def _hand_out(self) -> None:
        self._is_called = False  # first: what comes from here on calls again
        while self._come:
            waiter = self._come.popleft()
            if not waiter.done():
                waiter.set_result(None)


_here = threading.local()


def _mailbox_of(loop: asyncio.AbstractEventLoop) -> _Mailbox:
    mailbox: _Mailbox | None = getattr(_here, "mailbox", None)
    if mailbox is None or mailbox.loop is not loop:
        mailbox = _here.mailbox = _Mailbox(loop)
    return mailbox
