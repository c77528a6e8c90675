"""The writer: one thread per process that owns the write connection and commits in groups.

Whatever waits when the thread wakes goes into one transaction.  A future resolves only after COMMIT.
A forked child never touches the handle it inherited: it opens its own at its first append.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TypeVar

from turnledger.errors import LedgerClosedError, LedgerError
from turnledger.model.draft import Batch, BatchResult
from turnledger.store.appender import Appender
from turnledger.store.body_writer import BodyWriter
from turnledger.store.contract import Engine

__all__ = ["Writer"]

GROUP_BATCHES = 256
GROUP_BYTES = 16 << 20
PATIENCE_S = 0.001

_T = TypeVar("_T")
_Append = tuple[Batch, "Future[BatchResult]"]
_Task = tuple[Callable[[Engine], None], Callable[[BaseException], None]]

_living: weakref.WeakSet[Writer] = weakref.WeakSet()
_inherited: list[object] = []
_held: list[Writer] = []


class Writer:
    """Front of the append path; safe to use from many threads."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open_engine = open_engine
        self._closed = False
        self._failure: BaseException | None = None
        self._start_afresh()
        _living.add(self)

    def _start_afresh(self) -> None:
        self._busy = threading.Lock()
        self._wake = threading.Condition(threading.Lock())
        self._appends: deque[_Append] = deque()
        self._tasks: deque[_Task] = deque()
        self._engine: Engine | None = None
        self._appender: Appender | None = None
        self._thread: threading.Thread | None = None
        self._awaited = 1
        self._is_complete = False

    def _leave_to_parent(self) -> None:
        # Closing it would disturb the parent, so it is kept out of the collector's reach.
        _inherited.append((self._engine, self._appender, self._thread, self._appends, self._wake))
        self._start_afresh()

    def open(self) -> None:
        """Open the engine now, in the calling thread's sight: raises what is wrong with the ledger."""
        self.call(lambda _engine: None).result()

    def submit(self, batch: Batch) -> Future[BatchResult]:
        """Queue a batch.  The future gives its result after COMMIT, or raises LedgerError.

        Raises LedgerClosedError where this writer was closed or stopped after a failed commit.
        """
        item = batch, _under_way()
        with self._wake:
            self._check_open()
            self._appends.append(item)
            if len(self._appends) >= self._awaited:
                self._wake.notify()
        return item[1]

    def submit_all(self, batches: Iterable[Batch]) -> list[Future[BatchResult]]:
        """Queue batches that came together, as ``submit`` does; none is waited for to come with them."""
        items = [(batch, _under_way()) for batch in batches]
        with self._wake:
            self._check_open()
            self._appends += items
            self._is_complete = True
            self._wake.notify()
        return [future for _, future in items]

    def call(self, work: Callable[[Engine], _T]) -> Future[_T]:
        """Run ``work`` on the engine between transactions."""
        future: Future[_T] = Future()
        future.set_running_or_notify_cancel()

        def run(engine: Engine) -> None:
            try:
                future.set_result(work(engine))
            except BaseException as error:  # noqa: BLE001  it belongs to the caller who waits
                future.set_exception(error)

        def refuse(error: BaseException) -> None:
            if not future.done():
                future.set_exception(error)

        with self._wake:
            self._check_open()
            self._tasks.append((run, refuse))
            self._wake.notify()
        return future

    def close(self, seconds: float | None = None) -> None:
        """Finish what is queued, then give the connection back; wait at most so long for it.  Idempotent."""
        with self._wake:
            self._closed = True
            thread = self._thread
            self._wake.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def _check_open(self) -> None:
        if self._failure is not None:
            msg = f"The ledger's writer stopped: {type(self._failure).__name__}."
            raise LedgerClosedError(msg, next_step="Open the ledger again.") from self._failure
        if self._closed:
            msg = "This ledger was closed."
            raise LedgerClosedError(msg, next_step="Open it again with turnledger.open().")
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="turnledger-writer", daemon=True)
            self._thread.start()

    # --- the thread ----------------------------------------------------------------------------

    def _loop(self) -> None:
        writers = 1
        while True:
            with self._wake:
                self._wait(writers)
                tasks = list(self._tasks)
                self._tasks.clear()
                group = self._take_group()
            if not tasks and not group:
                break
            try:
                with self._busy:
                    self._serve(tasks, group)
            except BaseException as error:  # noqa: BLE001  nobody may wait for a thread that is gone
                self._stop(error, tasks, group)
            writers = len(group) + len(self._appends)
        if self._engine is not None:
            self._engine.close()

    def _wait(self, writers: int) -> None:
        """Wait for work, then a moment for those who wrote a moment ago, so that they share one flush."""
        while not (self._appends or self._tasks or self._closed):
            self._wake.wait()
        if len(self._appends) < writers and not self._is_complete:
            self._awaited = writers
            self._wake.wait_for(
                lambda: len(self._appends) >= writers or self._is_complete or self._tasks or self._closed,
                PATIENCE_S,
            )
            self._awaited = 1
        self._is_complete = False

    def _take_group(self) -> list[_Append]:
        group: list[_Append] = []
        size = 0
        while self._appends and len(group) < GROUP_BATCHES and size < GROUP_BYTES:
            item = self._appends.popleft()
            size += sum(len(body.data) for draft in item[0].drafts for body in draft.bodies)
            group.append(item)
        return group

    def _serve(self, tasks: list[_Task], group: list[_Append]) -> None:
        try:
            engine, appender = self._opened()
        except LedgerError as error:
            self._fail(tasks, group, error)
            return
        for run, _refuse in tasks:
            run(engine)
        if group:
            self._append(engine, appender, group)

    def _opened(self) -> tuple[Engine, Appender]:
        if self._engine is None or self._appender is None:
            engine = self._open_engine()
            self._engine = engine
            self._appender = Appender(engine, BodyWriter(engine))
        return self._engine, self._appender

    def _append(self, engine: Engine, appender: Appender, group: list[_Append]) -> None:
        def gather() -> list[Batch]:
            with self._wake:
                late = self._take_group()
            group.extend(late)
            return [batch for batch, _ in late]

        outcomes = appender.run([batch for batch, _ in group], gather)
        for (_, future), outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, LedgerError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
        engine.notify()

    def _stop(self, error: BaseException, tasks: list[_Task], group: list[_Append]) -> None:
        """Take nothing more: the end of a commit is unknown, or this code is at fault."""
        with self._wake:
            self._failure = error
            tasks, group = tasks + list(self._tasks), group + list(self._appends)
            self._tasks.clear()
            self._appends.clear()
        self._fail(tasks, group, error)

    @staticmethod
    def _fail(tasks: list[_Task], group: list[_Append], error: BaseException) -> None:
        for _, refuse in tasks:
            refuse(error)
        for _, future in group:
            if not future.done():
                future.set_exception(error)


def _under_way() -> Future[BatchResult]:
    future: Future[BatchResult] = Future()
    future.set_running_or_notify_cancel()  # from here on nobody can take it back
    return future


def _before_fork() -> None:
    # SQLite counts its locks per process: a child forked inside a transaction would wait for it for ever.
    for writer in list(_living):
        writer._busy.acquire()  # noqa: SLF001  the module's own class
        _held.append(writer)


def _after_in_parent() -> None:
    while _held:
        _held.pop()._busy.release()  # noqa: SLF001


def _after_in_child() -> None:
    _held.clear()
    for writer in list(_living):
        writer._leave_to_parent()  # noqa: SLF001


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
