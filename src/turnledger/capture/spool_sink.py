"""The policy ``spool``: what the ledger cannot take now goes into a local spool first, and to it later.

Once something waits in the spool all goes through it until it is drained, so that the order holds.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final
from uuid import UUID

from turnledger.capture.forwarder import Forwarder
from turnledger.capture.sink import Sink
from turnledger.capture.spooler import Entry, Spooler, gap_batch
from turnledger.capture.translation import Absent, Translation
from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerClosedError, LedgerCorruptError, LedgerError, LedgerUnavailableError
from turnledger.ids import NIL
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Journal, Refusal
from turnledger.model.events import MemoryWrite
from turnledger.model.rows import EventRow, LeaseRow, LostCall
from turnledger.model.vocabulary import JournalKind
from turnledger.store.spool import Spool

__all__ = ["SpoolSink"]

CLOSING_S: Final = 5.0
"""How long closing goes on forwarding."""
STANDSTILL_S: Final = 1.0
"""How long it waits for the next row to get there."""
GLANCE_S: Final = 0.05

_TOO_LARGE: Final = "too-large"
_UNKNOWN_REVISION: Final = -2
"""What an entry's last revision is said to be while it is unknown: the next one gets its number later."""
_REVISION_UNKNOWN: Final = "revision=-"
_BEHIND: Final = frozenset({Refusal.OUT_OF_PLACE, Refusal.UNKNOWN_JOURNAL, Refusal.FOREIGN_AGENT})
"""What the ledger answers to an event whose forerunner did not arrive."""

_log = logging.getLogger("turnledger")
_living: weakref.WeakSet[SpoolSink] = weakref.WeakSet()


class SpoolSink:
    """See ``sink.Sink``.  ``away`` is why the ledger could not be opened, where that is so already."""

    def __init__(
        self, ledger: Sink, spool: Spool, *, away: LedgerError | None = None, clock: Clock = SYSTEM
    ) -> None:
        self.label = ledger.label
        self.spool = spool
        self._ledger = ledger
        self._clock = clock
        self._closed = False
        self._forwarder = Forwarder(spool, ledger, gap_batch)
        self._spooler = Spooler(spool, self._forwarder.wake)
        self._start_afresh()
        _living.add(self)
        if away is not None:
            self._begin(away)
        elif not spool.is_empty():
            self._is_spooling = True
            self._forwarder.wake()

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._is_spooling = self._was_used = False
        self._flying: dict[Entry, bool] = {}
        """Entries on their way to the ledger in order; True: it did not take them."""
        self._behind: deque[Entry] = deque()
        """What came since then, and goes into the spool when nothing flies any more."""

    # --- appending -----------------------------------------------------------------------------

    def append(self, batch: Batch) -> Future[BatchResult]:
        """See ``sink.Sink``."""
        entry = Entry(batch, Future())
        entry.future.set_running_or_notify_cancel()
        with self._lock:
            if self._closed:
                msg = "This ledger was closed."
                raise LedgerClosedError(msg, next_step="Open it again with turnledger.open().")
            if self._goes_to_spool() or _lacks_revision(batch):
                if _is_takeover(batch):
                    reason = "What its own writer recorded may wait in the spool."
                    entry.future.set_result(
                        BatchResult(BatchStatus.REFUSED, refusal=Refusal.NOT_EXPIRED, reason=reason)
                    )
                    return entry.future
                self._is_spooling = self._was_used = True
                self._behind.append(entry)
                self._hand_on()
                return entry.future
            try:
                sent = self._ledger.append(self._translation().batch(batch))
            except Absent as absent:
                reason = str(absent)
                entry.future.set_result(
                    BatchResult(BatchStatus.REFUSED, refusal=Refusal.GRAMMAR, reason=reason)
                )
                return entry.future
            self._flying[entry] = False
        sent.add_done_callback(lambda done: self._landed(entry, done))
        return entry.future

    def _goes_to_spool(self) -> bool:
        if not self._is_spooling:
            if self.spool.is_empty():
                return False
            self._is_spooling = True  # another process's records wait there
        elif not (self._flying or self._behind) and self._spooler.is_idle() and self.spool.is_empty():
            self._is_spooling = False
            self._spooler.problem = None
            if self._was_used:
                _log.warning("The spool %s is drained: %s is reached again.", self.spool.label, self.label)
            self._was_used = False
        return self._is_spooling

    def _translation(self) -> Translation:
        return Translation(self.spool.place, self.spool.ids())

    def _landed(self, entry: Entry, done: Future[BatchResult]) -> None:
        error = done.exception()
        with self._lock:
            if error is not None:
                is_away = _is_away(error) and not _is_takeover(entry.batch)
            else:
                # One before it may not have arrived; in the spool both keep their order.
                is_away = any(self._flying.values()) and done.result().refusal in _BEHIND
            if is_away and isinstance(error, LedgerError):
                self._begin(error)
            if is_away:
                entry.tried = self._was_used = True
                self._flying[entry] = True
            else:
                del self._flying[entry]
            self._hand_on()
        if error is None and not is_away:
            entry.future.set_result(done.result())
        elif error is not None and not is_away:
            entry.future.set_exception(error)

    def _begin(self, error: LedgerError) -> None:
        if self._spooler.problem is None:
            _log.warning("%s Turnledger records into the spool %s.", error.message, self.spool.label)
        self._is_spooling = True
        self._spooler.problem = error

    def _hand_on(self) -> None:
        """Put into the spool what has to go there, once the ledger has answered for all that flew."""
        if (self._flying or self._behind) and all(self._flying.values()):
            failed = list(self._flying)
            self._flying.clear()
            self._spooler.add([*failed, *self._behind])
            self._behind.clear()

    # --- looking up ----------------------------------------------------------------------------

    def _is_direct(self) -> bool:
        with self._lock:
            return not self._goes_to_spool()

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """See ``sink.Sink``.  Nobody can take a turn whose beginning waits in the spool."""
        is_direct = self._is_direct()
        there = [turn for turn in turns if is_direct or not self.spool.holds_turn(turn[0])]
        try:
            return self._ledger.renew(holder, there, ttl_ms) if there else set()
        except LedgerUnavailableError:
            return set()

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """See ``sink.Sink``.  Raises LedgerUnavailableError while something waits in the spool."""
        self._need_ledger()
        return self._ledger.acquire(turn, holder, ttl_ms)

    def expired(self, limit: int) -> list[LeaseRow]:
        """See ``sink.Sink``; none while the end of such a turn may wait in the spool."""
        return self._ledger.expired(limit) if self._is_direct() else []

    def lost_calls(self, limit: int) -> list[LostCall]:
        """See ``sink.Sink``; none while the result of such a call may wait in the spool."""
        return self._ledger.lost_calls(limit) if self._is_direct() else []

    def arrived(self, journal: UUID) -> dict[int, bytes]:
        """See ``sink.Sink``."""
        return self._ledger.arrived(journal)

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``sink.Sink``; of a message in the spool, its stand-in is all that is known."""
        waiting = self.spool.message(event_id)
        if waiting is not None:
            journal = Journal(JournalKind.CONVERSATION, event_id)
            return EventRow(
                journal, NIL, None, waiting, "MESSAGE", b"", "", b"", 0, event_id, None, b"{}", 0, ()
            )
        return self._ledger.event(self.spool.ids().get(event_id, event_id))

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``sink.Sink``.  Raises LedgerUnavailableError while something waits in the spool."""
        self._need_ledger()
        return self._ledger.events(journal_id, start_seq, limit)

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """See ``sink.Sink``; a number below zero where it cannot be known now."""
        if not self._is_direct():
            return _UNKNOWN_REVISION
        ids = self.spool.ids()
        try:
            return self._ledger.last_revision(ids.get(agent, agent), ids.get(entry, entry))
        except LedgerUnavailableError:
            return _UNKNOWN_REVISION

    def _need_ledger(self) -> None:
        if not self._is_direct():
            msg = f"Records for {self.label} wait in the spool {self.spool.label}; no turn can be taken over."
            raise LedgerUnavailableError(msg, next_step="Try again when they are forwarded.")

    # --- the end -------------------------------------------------------------------------------

    def close(self) -> None:
        """See ``sink.Sink``.  What cannot be forwarded soon stays in the spool for the next process."""
        with self._lock:
            self._closed = True
        self._wait_for_flying()
        self._spooler.close()
        self._forward_on()
        self._forwarder.stop()
        self._ledger.close()
        self.spool.close()

    def close_at_exit(self) -> None:
        """See ``sink.Sink``.  Says how much waits; a forked child leaves its parent's to it."""
        with self._lock:
            is_used, self._closed = self._is_spooling and not self._closed, True
        if not is_used:
            self._ledger.close_at_exit()
            return
        self._spooler.close()
        self._forward_on()
        if self._forwarder.stop(STANDSTILL_S):
            self.spool.close()

    def _wait_for_flying(self) -> None:
        with self._lock:
            flying = list(self._flying)
        for entry in flying:
            entry.future.exception()

    def _forward_on(self) -> None:
        try:
            waiting = self.spool.counts().waiting
            glances, standstill = int(CLOSING_S / GLANCE_S), 0.0
            while waiting and glances and standstill < STANDSTILL_S:
                self._forwarder.hurry()
                self._clock.sleep(GLANCE_S)
                before, waiting = waiting, self.spool.counts().waiting
                standstill = standstill + GLANCE_S if waiting == before else 0.0
                glances -= 1
        except LedgerError as error:
            _log.warning("Turnledger cannot read its spool %s. %s", self.spool.label, error.message)
            return
        if waiting:
            _log.warning("%d batches wait in the spool %s for the next process.", waiting, self.spool.label)

    def _after_fork(self) -> None:
        self._spooler.start_afresh()
        self._forwarder.start_afresh()
        self._start_afresh()


def _is_away(error: BaseException) -> bool:
    if isinstance(error, LedgerCorruptError):
        return False  # it is there, and what was recorded before is damaged
    return isinstance(error, LedgerUnavailableError) and error.code != _TOO_LARGE


def _is_takeover(batch: Batch) -> bool:
    return any(draft.takeover for draft in batch.drafts)


def _lacks_revision(batch: Batch) -> bool:
    return any(draft.type == MemoryWrite.TYPE and _REVISION_UNKNOWN in draft.tokens for draft in batch.drafts)


def _after_fork() -> None:
    for sink in list(_living):
        sink._after_fork()  # noqa: SLF001  the module's own class


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
