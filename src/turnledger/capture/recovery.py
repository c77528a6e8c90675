"""Turns whose writer is gone: ended as interrupted by whoever notices, or taken over and gone on with."""

from __future__ import annotations

import logging
from uuid import UUID

from turnledger.capture.composer import compose
from turnledger.capture.cut_calls import cut_calls
from turnledger.capture.sink import Sink
from turnledger.errors import LedgerError
from turnledger.model.draft import Batch, BatchResult, Closing, Journal
from turnledger.model.events import Abort
from turnledger.model.rows import LeaseRow
from turnledger.model.vocabulary import JournalKind, TurnStatus

__all__ = ["Sweeper"]

AT_ONCE = 100

_log = logging.getLogger("turnledger")


class Sweeper:
    """Appends ``ABORT status=interrupted`` to turns whose lease ran out, behind what arrived of replies."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._suspects: set[tuple[UUID, int]] = set()

    def sweep(self) -> int:
        """End all turns whose lease ran out by now (at most 100); gives how many it was.

        Raises LedgerError where the ledger cannot be read; a turn that cannot be ended is left to the next
        sweep.
        """
        return self._end(self._sink.expired(AT_ONCE))

    def sweep_twice_seen(self) -> int:
        """The same for turns that were found expired the last time already.

        A ledger that was out of reach for a while makes every lease look dead: their writers get one beat.
        """
        rows = self._sink.expired(AT_ONCE)
        due = [row for row in rows if (row.turn, row.epoch) in self._suspects]
        self._suspects = {(row.turn, row.epoch) for row in rows}
        return self._end(due)

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
