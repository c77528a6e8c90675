"""A recorder on a ledger in memory, with a way to look inside and a way to make the ledger fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from uuid import UUID

from turnledger.capture.ledger import Ledger
from turnledger.capture.sink import StoreSink
from turnledger.clock import SYSTEM, Clock
from turnledger.engine.location import store_of
from turnledger.engine.reading import Reading
from turnledger.errors import LedgerUnavailableError
from turnledger.model.draft import Batch, BatchResult
from turnledger.query.timeline import Entry
from turnledger.store.sqlite import MEMORY, SqliteDatabase

Fault = Callable[[Batch], BaseException | None]


class FaultySink(StoreSink):
    """A store that fails where it is told to."""

    def __init__(self, path: str = MEMORY, clock: Clock = SYSTEM) -> None:
        super().__init__(store_of(SqliteDatabase(path, clock=clock)).open())
        self.fault: Fault = lambda _: None
        self.real_append = self.append
        self.append = self.append_or_fail
        self.batches = 0

    def append_or_fail(self, batch: Batch) -> Future[BatchResult]:
        self.batches += 1
        error = self.fault(batch)
        if error is None:
            return self.real_append(batch)
        failed: Future[BatchResult] = Future()
        failed.set_exception(error)
        return failed


class SetClock:
    """Time that a test moves, leases run by it; sleeping is really waited for, and added up."""

    def __init__(self) -> None:
        self.now_ms = 1_790_000_000_000
        self.steady_us = 5_000_000
        self.slept_s = 0.0

    def epoch_ms(self) -> int:
        return self.now_ms

    def monotonic_us(self) -> int:
        return self.steady_us

    def sleep(self, seconds: float) -> None:
        self.slept_s += seconds
        SYSTEM.sleep(seconds)

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ms += int(seconds * 1000)
        self.steady_us += int(seconds * 1_000_000)


class House:
    """A ledger, its recorder, and its reader."""

    def __init__(self, *, lease_s: float = 30.0) -> None:
        self.clock = SetClock()
        self.sink = FaultySink(clock=self.clock)
        self.ledger = Ledger(self.sink, lease_s=lease_s, clock=self.clock)
        self.agent = self.ledger.agent("support")
        self.reading = Reading(self.sink.store, owns_store=False)

        self.others: list[Ledger] = []

    def close(self) -> None:
        for other in self.others:
            other.close()
        self.ledger.close()

    def entries(self, journal: UUID) -> list[Entry]:
        return self.reading.events(journal)

    def types(self, journal: UUID) -> list[str]:
        return [entry.row.type for entry in self.entries(journal)]

    def only(self, journal: UUID, kind: str) -> Entry:
        (entry,) = self.all(journal, kind)
        return entry

    def all(self, journal: UUID, kind: str) -> list[Entry]:
        return [entry for entry in self.entries(journal) if entry.row.type == kind]

    def body(self, entry: Entry, slot: str = "payload") -> bytes:
        data = self.reading.body(entry.row.event_id, slot)
        assert data is not None
        return data

    def fail_on(self, *types: str, error: BaseException | None = None) -> None:
        """Let every batch that holds one of these types fail from now on (all batches, if none is named)."""
        problem = error or LedgerUnavailableError("The disk is full.", next_step="Make room.")
        self.sink.fault = lambda batch: problem if _holds(batch, types) else None

    def heal(self) -> None:
        self.sink.fault = lambda _: None


def _holds(batch: Batch, types: tuple[str, ...]) -> bool:
    return not types or any(draft.type in types for draft in batch.drafts)


@contextmanager
def opened(*, lease_s: float = 30.0) -> Iterator[House]:
    house = House(lease_s=lease_s)
    try:
        yield house
    finally:
        house.heal()
        house.close()
