"""Turns and calls whose writer is gone: ended by whoever notices, unless the turn is taken over first."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from uuid import UUID

from turnledger.capture.composer import compose
from turnledger.capture.cut_calls import cut_call, cut_calls
from turnledger.capture.sink import Sink
from turnledger.errors import LedgerError
from turnledger.model.draft import Batch, BatchResult, Closing, Journal
from turnledger.model.events import Abort
from turnledger.model.rows import LeaseRow, LostCall
from turnledger.model.vocabulary import JournalKind, TurnStatus

__all__ = ["Sweeper"]

AT_ONCE = 100

_log = logging.getLogger("turnledger")


class Sweeper:
    """Appends ``ABORT status=interrupted`` to turns whose lease ran out, behind what arrived of replies.

    To calls outside any turn, whose replies arrive no more, it appends what arrived of them.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._suspects: set[tuple[UUID, int]] = set()
        self._lost: set[UUID] = set()

    def sweep(self) -> int:
        """End all turns and calls whose lease ran out by now (at most 100); gives how many turns it was.

        Raises LedgerError where the ledger cannot be read; a turn that cannot be ended is left to the next
        sweep.
        """
        self._cut(self._sink.lost_calls(AT_ONCE))
        return self._end(self._sink.expired(AT_ONCE))

    def sweep_twice_seen(self) -> int:
        """The same for those that were found expired the last time already.

        A ledger that was out of reach for a while makes every lease look dead: their writers get one beat.
        """
        lost = self._sink.lost_calls(AT_ONCE)
        self._cut([call for call in lost if call.event_id in self._lost])
        self._lost = {call.event_id for call in lost}
        rows = self._sink.expired(AT_ONCE)
        due = [row for row in rows if (row.turn, row.epoch) in self._suspects]
        self._suspects = {(row.turn, row.epoch) for row in rows}
        return self._end(due)

    def _cut(self, calls: list[LostCall]) -> None:
        futures: list[Future[BatchResult]] = []
        for call in calls:
            try:
                futures.append(self._sink.append(Batch((cut_call(self._sink, call),))))
            except LedgerError as error:
                _say_not_ended(error)
        for failed in filter(None, [future.exception() for future in futures]):
            _say_not_ended(failed)

    def _end(self, rows: list[LeaseRow]) -> int:
        futures = [self._sink.append(batch) for batch in map(self._interruption, rows) if batch is not None]
        results: list[BatchResult] = []
        for future in futures:
            error = future.exception()
            if error is None:
                results.append(future.result())
            else:
                _say_not_ended(error)
        return sum(1 for result in results if result.placed)

    def _interruption(self, row: LeaseRow) -> Batch | None:
        try:
            cut = cut_calls(self._sink, row)
        except LedgerError as error:
            _say_not_ended(error)
            return None
        event = Abort(status=TurnStatus.INTERRUPTED, reason="lease_expired")
        abort = compose(event, closing=Closing(TurnStatus.INTERRUPTED))
        journal = Journal(JournalKind.TURN, row.turn)
        return Batch((*cut, abort.draft(journal, row.agent, row.conversation, takeover=True)))


def _say_not_ended(error: BaseException) -> None:
    _log.warning("Turnledger could not end an interrupted turn (%s).", type(error).__name__)
