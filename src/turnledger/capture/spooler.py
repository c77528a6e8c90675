"""Writing to the spool: one thread commits what waits in groups, as the ledger's own writer does."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.capture.composer import compose
from turnledger.errors import LedgerError, LedgerUnavailableError
from turnledger.ids import NIL
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Journal, Refusal
from turnledger.model.events import Gap as GapEvent
from turnledger.model.events import Opened
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.store.admission import problem_of
from turnledger.store.spool import EVENTS_AT_MOST, Gap, Spool

__all__ = ["Entry", "Spooler", "gap_batch"]

GROUP_BATCHES: Final = 256
GROUP_BYTES: Final = 16 << 20


@dataclass(slots=True, eq=False)
class Entry:
    """A batch, who waits for it, and whether the ledger was tried first."""

    batch: Batch
    future: Future[BatchResult]
    tried: bool = False


def gap_batch(gap: Gap) -> Batch:
    """The GAP that says how many events of a conversation there was no room for."""
    event = compose(GapEvent(events=gap.events), assurance=Assurance.OBSERVED)
    journal = Journal(JournalKind.CONVERSATION, gap.conversation)
    return Batch((event.draft(journal, gap.agent, gap.conversation),))


class Spooler:
    """``on_kept`` is called after each group that was written."""

    def __init__(self, spool: Spool, on_kept: Callable[[], None]) -> None:
        self._spool = spool
        self._on_kept = on_kept
        self.start_afresh()

    def start_afresh(self) -> None:
        """In a forked child: what waits is the parent's."""
        self.problem: LedgerError | None = None
        """Why the ledger is away, as it said itself."""
        self._wake = threading.Condition(threading.Lock())
        self._waiting: deque[Entry] = deque()
        self._is_busy = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._uncounted: Counter[tuple[UUID, UUID]] = Counter()

    def add(self, entries: Iterable[Entry]) -> None:
        """Write these, in order, behind what waits."""
        with self._wake:
            self._waiting.extend(entries)
            if self._thread is None and self._waiting:
                self._thread = threading.Thread(target=self._loop, name="turnledger-spool", daemon=True)
                self._thread.start()
            self._wake.notify()

    def is_idle(self) -> bool:
        """Whether all that was added is in the file, or was refused."""
        with self._wake:
            return not self._waiting and not self._is_busy

    def close(self) -> None:
        """Write what waits, and end the thread.  Idempotent."""
        with self._wake:
            self._is_closed = True
            thread = self._thread
            self._wake.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    # --- the thread ----------------------------------------------------------------------------

    def _loop(self) -> None:
        while True:
            with self._wake:
                self._is_busy = False
                while not (self._waiting or self._is_closed):
                    self._wake.wait()
                group = self._take_group()
                self._is_busy = bool(group)
            if not group:
                return
            self._write([entry for entry in group if not self._is_malformed(entry)])

    def _take_group(self) -> list[Entry]:
        group: list[Entry] = []
        size = 0
        while self._waiting and len(group) < GROUP_BATCHES and size < GROUP_BYTES:
            entry = self._waiting.popleft()
            size += sum(len(body.data) for draft in entry.batch.drafts for body in draft.bodies)
            group.append(entry)
        return group

    @staticmethod
    def _is_malformed(entry: Entry) -> bool:
        """Answer what the ledger would refuse at once."""
        drafts = entry.batch.drafts
        if len(drafts) > EVENTS_AT_MOST:
            reason = f"A batch holds at most {EVENTS_AT_MOST} events."
        else:
            problems = ((draft, problem_of(draft)) for draft in drafts)
            reason = next((f"Event {draft.event_id}: {text}" for draft, text in problems if text), "")
        if reason:
            entry.future.set_result(BatchResult(BatchStatus.REFUSED, refusal=Refusal.GRAMMAR, reason=reason))
        return bool(reason)

    def _write(self, group: list[Entry]) -> None:
        results: list[BatchResult | None] = [None] * len(group)
        failure: Exception | None = None
        try:
            self._tell_uncounted()
            results = self._spool.append([(entry.batch, entry.tried) for entry in group], gap_batch)
        except Exception as error:  # noqa: BLE001  it belongs to those who wait
            failure = error
            self._count(group)
        with self._wake:
            self._is_busy = False
        self._on_kept()
        for entry, result in zip(group, results, strict=True):
            if result is None:
                entry.future.set_exception(self._refused(failure))
            else:
                entry.future.set_result(result)

    def _refused(self, failure: Exception | None) -> LedgerError:
        reason = (
            "The ledger could not be reached a moment ago." if self.problem is None else self.problem.message
        )
        next_step = "" if self.problem is None else self.problem.next_step
        if failure is None:
            spool = f"Its spool {self._spool.label} is full ({self._spool.cap:,} bytes)."
        else:
            said = failure.message if isinstance(failure, LedgerError) else type(failure).__name__
            spool = f"Its spool cannot be written either: {said}"
        return LedgerUnavailableError(f"{reason} {spool}", next_step=next_step)

    def _count(self, group: list[Entry]) -> None:
        for entry in group:
            drafts = entry.batch.drafts
            if drafts:
                is_new = any(draft.type == Opened.TYPE for draft in drafts)
                conversation = NIL if is_new else drafts[0].conversation or NIL
                self._uncounted[drafts[0].agent, conversation] += len(drafts)

    def _tell_uncounted(self) -> None:
        if self._uncounted:
            self._spool.count_gaps([Gap(*key, events) for key, events in self._uncounted.items()])
            self._uncounted.clear()
