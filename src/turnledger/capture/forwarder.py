"""Forwarding a spool into its ledger: in order, exactly once, by one process at a time.

Rows go out in waves: one wave holds what may be under way together, so that it shares the ledger's commits.
Event ids make a row that is sent again one event, so what was learnt is kept after each group only.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from turnledger.capture.salvage import salvaged
from turnledger.capture.sink import Sink
from turnledger.capture.translation import Absent, Translation, as_spooled, with_revision
from turnledger.errors import LedgerError, LedgerUnavailableError
from turnledger.model.draft import AliasKind, Batch, BatchResult, BatchStatus, Draft
from turnledger.model.events import MemoryWrite
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance
from turnledger.store.admission import assurance_of
from turnledger.store.spool import (
    EVENTS_AT_MOST,
    GapMaker,
    Refused,
    Settlement,
    Spool,
    SpoolRow,
    turn_of,
)

__all__ = ["Forwarder", "forward_group"]

GROUP_ROWS: Final = 256
GROUP_BYTES: Final = 8 << 20
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
WAITING_MS: Final = 2 * 24 * 3600 * 1000
"""How long the rest of a turn may wait in a spool before others take its writer for dead."""

_YES: Final = frozenset({BatchStatus.APPENDED, BatchStatus.DUPLICATE, BatchStatus.EXISTING})
_TOO_LARGE: Final = "too-large"

_log = logging.getLogger("turnledger")


class _Unsettled(Exception):  # noqa: N818  the row waits for an earlier one
    pass


@dataclass(slots=True)
class _Group:
    """Rows of one transaction of the spool, and what became of them so far."""

    rows: dict[int, SpoolRow]
    settlement: Settlement = field(default_factory=Settlement)
    problem: LedgerError | None = None


class _Sending:
    """Sends one group."""

    def __init__(self, spool: Spool, sink: Sink, rows: list[SpoolRow]) -> None:
        self._spool = spool
        self._sink = sink
        self._group = _Group({row.id: row for row in rows})
        self._ids: dict[UUID, UUID] = dict(spool.ids())
        self._at = 0

    def run(self) -> _Group:
        """Wave after wave until all is settled or the ledger is away."""
        group = self._group
        while group.rows and group.problem is None:
            for row, future in self._wave():
                self._collect(row, future)
        return group

    # --- sending -------------------------------------------------------------------------------

    def _wave(self) -> list[tuple[SpoolRow, Future[BatchResult]]]:
        sent: list[tuple[SpoolRow, Future[BatchResult]]] = []
        blocked: set[UUID | None] = set()
        under_way: set[UUID | None] = set()
        for row in list(self._group.rows.values()):
            lane = _lane(row.batch)
            must_wait = lane in blocked or (lane in under_way and not _is_guarded(row.batch))
            if must_wait or (sent and _is_alone(row.batch)):
                blocked.add(lane)
                if _is_alone(row.batch):
                    break
                continue
            try:
                sent.append((row, self._send(row)))
            except _Unsettled:
                blocked.add(lane)
                continue
            except LedgerError as error:
                self._group.problem = error
                break
            except Absent as absent:
                self._refuse(row, BatchResult(BatchStatus.REFUSED, reason=str(absent)))
            under_way.add(lane)
            if _is_alone(row.batch):
                break
        return sent

    def _send(self, row: SpoolRow) -> Future[BatchResult]:
        self._at = row.id
        batch = self._held(row, Translation(self._seq_of, self._ids).batch(row.batch))
        if row.tried and self._has_arrived(batch):
            return self._sink.append(batch)  # as it was, it is a duplicate
        return self._sink.append(as_spooled(self._numbered(row, batch)))

    def _held(self, row: SpoolRow, batch: Batch) -> Batch:
        """Nobody shall end a turn whose rest waits here, should this process end before it is forwarded."""
        turn = turn_of(batch)
        if turn is None or not self._spool.holds_more(turn, row.id):
            return batch
        arrived = batch.arrived
        drafts = [
            draft._replace(lease=draft.lease and draft.lease._replace(ttl_ms=WAITING_MS))
            for draft in batch.drafts
        ]
        return batch._replace(
            drafts=tuple(drafts),
            arrived=arrived and arrived._replace(lease=arrived.lease._replace(ttl_ms=WAITING_MS)),
        )

    def _has_arrived(self, batch: Batch) -> bool:
        """Whether the first try is in the ledger; a server does not tell, and answers with a conflict."""
        found = self._sink.event(batch.drafts[0].event_id) if batch.drafts else None
        return found is not None and assurance_of(found.summary) is Assurance.WRITE_AHEAD

    def _numbered(self, row: SpoolRow, batch: Batch) -> Batch:
        if not any(draft.type == MemoryWrite.TYPE for draft in batch.drafts):
            return batch
        return batch._replace(drafts=tuple([self._with_revision(row, draft) for draft in batch.drafts]))

    def _with_revision(self, row: SpoolRow, draft: Draft) -> Draft:
        if draft.type != MemoryWrite.TYPE:
            return draft
        revision = self._spool.revision(draft.event_id)
        if revision is None:
            entry = UUID(parse_summary(draft.tokens)["entry"])
            revision = self._sink.last_revision(draft.agent, entry) + 1
            self._spool.keep_revision(row.id, draft.event_id, revision)
        return with_revision(draft, revision)

    def _seq_of(self, stand_in: int) -> int | None:
        if stand_in in self._group.settlement.places:
            return self._group.settlement.places[stand_in]
        row = -stand_in // EVENTS_AT_MOST
        if row in self._group.rows and row < self._at:
            raise _Unsettled
        return self._spool.place(stand_in)

    # --- answers -------------------------------------------------------------------------------

    def _collect(self, row: SpoolRow, future: Future[BatchResult]) -> None:
        try:
            self._judge(row, self._answer(row, future))
        except LedgerError as error:
            self._group.problem = self._group.problem or error

    def _answer(self, row: SpoolRow, future: Future[BatchResult]) -> BatchResult:
        try:
            result = future.result()
        except LedgerError as error:
            if error.code != _TOO_LARGE:
                raise
            return BatchResult(BatchStatus.REFUSED, reason=error.message)
        if result.status is BatchStatus.CONFLICT and row.tried:
            return self._sink.append(Translation(self._seq_of, self._ids).batch(row.batch)).result()
        return result

    def _judge(self, row: SpoolRow, result: BatchResult) -> None:
        if result.status in _YES:
            self._settle(row, result)
        elif self._group.problem is None:  # else it may have been refused for lack of a row before it
            self._refuse(row, result)

    def _settle(self, row: SpoolRow, result: BatchResult) -> None:
        learnt = self._group.settlement
        if result.status is BatchStatus.EXISTING:
            self._rename(row, result)
        else:
            seqs = [placed.seq for placed in result.placed]
            learnt.places.update(self._open_places(row, seqs))
        self._done(row)

    def _rename(self, row: SpoolRow, result: BatchResult) -> None:
        claim, owner = row.batch.claim, result.target
        if claim is None or owner is None:
            return
        seq = None
        if claim.kind is AliasKind.MESSAGE:
            before = self._sink.event(owner)
            seq = None if before is None else before.seq
        learnt = self._group.settlement
        learnt.places.update(self._open_places(row, [seq] * len(row.batch.drafts)))
        if owner != claim.target:
            learnt.ids[claim.target] = self._ids[claim.target] = owner

    def _refuse(self, row: SpoolRow, result: BatchResult) -> None:
        rest, refused = salvaged(row, result)
        if rest is not None:
            self._spool.rewrite(rest, refused)
            self._group.rows[row.id] = rest
            return
        learnt = self._group.settlement
        learnt.places.update(self._open_places(row, [None] * len(row.batch.drafts)))
        if row.batch.arrived is None:  # what arrived of a reply is no event, and the reply may be on record
            learnt.refused.append(refused)
        self._done(row)

    @staticmethod
    def _open_places(row: SpoolRow, seqs: list[int] | list[int | None] | list[None]) -> dict[int, int | None]:
        return {
            place: seq
            for place, draft, seq in zip(row.stand_ins(), row.batch.drafts, seqs, strict=True)
            if draft.place is None
        }

    def _done(self, row: SpoolRow) -> None:
        self._group.settlement.done.append(row.id)
        del self._group.rows[row.id]


def _lane(batch: Batch) -> UUID | None:
    """Rows of one lane keep their order; those without a conversation are claims."""
    if batch.arrived is not None:
        return batch.arrived.conversation
    return batch.drafts[0].conversation if batch.drafts else None


def _is_guarded(batch: Batch) -> bool:
    """Whether the ledger itself refuses it if the event before it is not there."""
    return bool(batch.drafts) and all(draft.place for draft in batch.drafts)


def _is_alone(batch: Batch) -> bool:
    """Whether what comes after it depends on the answer: a name's id, an entry's revision."""
    claims = batch.claim is not None and batch.claim.kind is not AliasKind.MESSAGE
    return claims or any(draft.type == MemoryWrite.TYPE for draft in batch.drafts)


def forward_group(
    spool: Spool, sink: Sink, make_gap: GapMaker, limit: int = GROUP_ROWS
) -> tuple[int, list[Refused]]:
    """Forward the oldest rows, ``limit`` at most.

    Gives how many were settled (0: nothing waits), and what was refused for good.

    Raises LedgerError where the ledger is away or the spool fails; what was settled before that is kept.
    """
    rows = spool.oldest(limit, GROUP_BYTES)
    if not rows:
        return (1, []) if spool.flush_gaps(make_gap) else (0, [])
    sending = _Sending(spool, sink, rows)
    group = sending.run()
    spool.settle(group.settlement, make_gap)
    if group.problem is not None:
        raise group.problem
    return len(rows), group.settlement.refused


class Forwarder:
    """A thread that forwards while something waits, and ends when nothing does."""

    def __init__(self, spool: Spool, sink: Sink, make_gap: GapMaker) -> None:
        self._spool = spool
        self._sink = sink
        self._make_gap = make_gap
        self.start_afresh()

    def start_afresh(self) -> None:
        """In a forked child: the parent's thread is not here."""
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._hurry = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_wanted = False
        self._limit = 1
        self._said = ""

    def wake(self) -> None:
        """Something waits."""
        with self._lock:
            self._is_wanted = True
            if self._thread is None and not self._stop.is_set():
                thread = threading.Thread(target=self._run, name="turnledger-forwarder", daemon=True)
                with suppress(RuntimeError):  # the interpreter is shutting down; the spool is kept
                    thread.start()
                    self._thread = thread

    def hurry(self) -> None:
        """Try now, if something waits."""
        self.wake()
        self._hurry.set()

    def stop(self, seconds: float | None = None) -> bool:
        """End the thread after the group it is at; False where it has not ended ``seconds`` later."""
        self._stop.set()
        self._hurry.set()
        with self._lock:
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(seconds)
        return not thread.is_alive()

    def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._stop.is_set():
            with self._lock:
                self._is_wanted = False
            settled = self._try(self._forward)
            if settled:
                pause = FIRST_PAUSE_S
                continue
            if settled == 0:
                with self._lock:
                    if not self._is_wanted:
                        self._thread = None
                        return
                continue
            self._hurry.wait(pause)
            self._hurry.clear()
            pause = min(pause * 2, LONGEST_PAUSE_S)
        with self._lock:
            self._thread = None

    def _forward(self) -> int | None:
        """How many rows were settled; None where another process forwards."""
        if not self._spool.lead():
            return 0 if self._spool.is_empty() else None
        try:
            limit, self._limit = self._limit, 1  # while the ledger is away one row finds that out
            settled, refused = forward_group(self._spool, self._sink, self._make_gap, limit)
            self._limit = GROUP_ROWS
        finally:
            self._spool.follow()
        if refused:
            events = sum(len(one.batch.drafts) for one in refused)
            _log.warning(
                "The ledger refused %d spooled events; they are kept in %s. %s",
                events,
                self._spool.label,
                refused[0].reason,
            )
        return settled

    def _try(self, forward: Callable[[], int | None]) -> int | None:
        try:
            return forward()
        except LedgerUnavailableError as error:
            _log.debug("Turnledger could not forward its spool. %s", error.message)
        except Exception as error:  # noqa: BLE001  the next try may fare better, and nothing is lost
            said = error.message if isinstance(error, LedgerError) else type(error).__name__
            if said != self._said:
                _log.warning("Turnledger cannot forward the spool %s. %s", self._spool.label, said)
            self._said = said
        return None
