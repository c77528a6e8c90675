"""A ledger's store as the rest of the program sees it: append through the writer, read beside it."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from turnledger.clock import SYSTEM
from turnledger.errors import LedgerError
from turnledger.model.draft import Batch, BatchResult
from turnledger.model.rows import LeaseRow
from turnledger.store.contract import Engine, Reader
from turnledger.store.writer import Writer

__all__ = ["Store"]

EXIT_S: Final = 5.0
"""How long the end of a process waits for its writers: one that waits for a lock may not hold it up."""

_living: weakref.WeakSet[Store] = weakref.WeakSet()


class Store:
    """One open ledger.  Safe to use from many threads; a forked child opens connections of its own."""

    def __init__(
        self, label: str, open_engine: Callable[[], Engine], open_reader: Callable[[], Reader]
    ) -> None:
        self.label = label
        """Where the ledger is, without credentials, for people."""
        self._writer = Writer(open_engine)
        self._open_reader = open_reader
        self._reader: Reader | None = None
        self._opening = threading.Lock()
        self._closing = threading.Lock()
        _living.add(self)

    def open(self) -> Store:
        """Connect now and migrate if needed.  Raises LedgerError where the ledger cannot be used."""
        self._writer.open()
        return self

    def append(self, batch: Batch) -> Future[BatchResult]:
        """Append a batch; the future gives its result once it is durable, or raises LedgerError.

        A batch may be sent again as it is after any error: its event ids make it one.
        """
        return self._writer.submit(batch)

    def append_all(self, batches: Iterable[Batch]) -> list[Future[BatchResult]]:
        """The same for batches that came together: they are not held back for others to share a commit."""
        return self._writer.submit_all(batches)

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """Extend the leases of ``(turn, epoch)``; gives the turns that are lost."""
        return self._writer.call(lambda engine: engine.renew(holder, turns, ttl_ms)).result()

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """Take over a turn that is parked or whose lease ran out; None where somebody holds it."""
        return self._writer.call(lambda engine: engine.acquire(turn, holder, ttl_ms)).result()

    def change(self, statement: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Run a named statement on tables that are no journal's, in a transaction of its own."""
        return self._writer.call(lambda engine: engine.change(statement, params)).result()

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> list[list[tuple[Any, ...]]]:
        """The same for each of these rows of values, in one transaction."""
        return self._writer.call(lambda engine: engine.change_each(statement, rows)).result()

    @property
    def reader(self) -> Reader:
        """Read access, opened at first use."""
        with self._opening:
            if self._reader is None:
                self._reader = self._open_reader()
            return self._reader

    def close(self) -> None:
        """Finish what is queued and give connections back.  Idempotent; done at exit where nobody did."""
        # First: the last connection to go tidies up the file, and only a writer can.
        self._close_reader()
        self._writer.close()

    def _close_reader(self) -> None:
        with self._closing:  # whoever comes second goes on when it is closed, not while it is
            if self._reader is not None:
                self._reader.close()

    @staticmethod
    def close_all(seconds: float = EXIT_S) -> None:
        """Close every store of this process, all readers first; wait at most so long for their writers.

        A forked child closes what it opened itself: what it inherited is its parent's.
        """
        until = SYSTEM.monotonic_us() + int(seconds * 1_000_000)
        stores = list(_living)
        for store in stores:
            with suppress(LedgerError):  # it cannot be told to anybody any more
                store._close_reader()  # noqa: SLF001  the class's own
        for store in stores:
            left_us = max(until - SYSTEM.monotonic_us(), 0)
            store._writer.close(left_us / 1_000_000)  # noqa: SLF001


atexit.register(Store.close_all)
