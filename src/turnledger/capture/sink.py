"""Where the recorder sends what it made: the small part of a store that capture relies on."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol
from uuid import UUID

from turnledger.capture.waiting import done
from turnledger.clock import SYSTEM
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Placed
from turnledger.model.rows import EventRow, LeaseRow, LostCall
from turnledger.store.arrivals import arrived_replies
from turnledger.store.ledger_store import Store

__all__ = ["OffSink", "Sink", "StoreSink"]


class Sink(Protocol):
    """What a recorder needs.  Safe to use from many threads.

    ``append`` keeps the order of calls.  The look-ups serve the recorder itself, never its user.
    """

    label: str

    def append(self, batch: Batch) -> Future[BatchResult]:
        """Queue a batch; the future gives its result once it is durable, or raises LedgerError."""
        ...

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """Extend the leases of ``(turn, epoch)``; gives the turns that another writer holds or ended."""
        ...

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """Take over a turn that is parked or whose lease ran out; None where that is not so."""
        ...

    def expired(self, limit: int) -> list[LeaseRow]:
        """Leases of open turns that ran out."""
        ...

    def lost_calls(self, limit: int) -> list[LostCall]:
        """Calls outside any turn whose writer shows no sign of life."""
        ...

    def arrived(self, journal: UUID) -> dict[int, bytes]:
        """What was kept of replies that still arrive, by the seq of the call: for whoever ends them."""
        ...

    def event(self, event_id: UUID) -> EventRow | None:
        """One event, to find the place of a message that was recorded before."""
        ...

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """Events of a turn that is taken over."""
        ...

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """Number of the newest revision of a memory entry; 0 where there is none."""
        ...

    def close(self) -> None:
        """Finish what is queued and give connections back.  Idempotent."""
        ...

    def close_at_exit(self) -> None:
        """The same when the program ends: takes some seconds at most, and starts no thread."""
        ...


class StoreSink:
    """A store of this process."""

    def __init__(self, store: Store) -> None:
        self.label = store.label
        self.append = store.append
        self.renew = store.renew
        self.acquire = store.acquire
        self.close = store.close
        self.store = store

    def close_at_exit(self) -> None:
        """Nothing: all stores of a process are closed together."""

    def lost_calls(self, limit: int) -> list[LostCall]:
        """See ``Sink``."""
        return self.store.reader.lost_calls(limit)

    def arrived(self, journal: UUID) -> dict[int, bytes]:
        """See ``Sink``."""
        return arrived_replies(self.store.reader, journal)

    def expired(self, limit: int) -> list[LeaseRow]:
        """See ``Sink``."""
        return self.store.reader.leases(expired=True, limit=limit)

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``Sink``."""
        return self.store.reader.event(event_id)

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``Sink``."""
        return self.store.reader.events(journal_id, start_seq, limit)

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """See ``Sink``."""
        newest = self.store.reader.memory(agent, entry, None, 1)
        return newest[0].revision if newest else 0


class OffSink:
    """Recording is switched off: everything is taken and nothing is kept."""

    label = "off"

    def append(self, batch: Batch) -> Future[BatchResult]:
        """Say yes."""
        now = SYSTEM.epoch_ms()
        placed = tuple(Placed(draft.event_id, draft.place or 0, b"", now, None) for draft in batch.drafts)
        target = None if batch.claim is None else batch.claim.target
        return done(BatchResult(BatchStatus.APPENDED, placed, target))

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """Nothing is ever lost."""
        del holder, turns, ttl_ms
        return set()

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """There is nothing to take over."""
        del turn, holder, ttl_ms
        return None

    def expired(self, limit: int) -> list[LeaseRow]:
        """See ``Sink``."""
        del limit
        return []

    def lost_calls(self, limit: int) -> list[LostCall]:
        """See ``Sink``."""
        del limit
        return []

    def arrived(self, journal: UUID) -> dict[int, bytes]:
        """See ``Sink``."""
        del journal
        return {}

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``Sink``."""
        del event_id
        return None

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``Sink``."""
        del journal_id, start_seq, limit
        return []

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """See ``Sink``."""
        del agent, entry
        return 0

    def close(self) -> None:
        """Nothing to give back."""

    close_at_exit = close
