"""Importing chat transcripts: a stream of lines in, whole conversations on record, one finding a line.

A few batches are under way at a time, so that they share commits.  Whatever stops an import leaves whole
conversations; the same import run again passes over those that are on record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO, NamedTuple
from uuid import UUID

from turnledger.engine.transcript_batch import TranscriptBatch, transcript_batch
from turnledger.engine.transcript_file import Line, decode_line, read_lines
from turnledger.errors import LedgerError, LedgerUnavailableError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Batch, BatchResult, BatchStatus, Claim
from turnledger.model.rows import BodyRow
from turnledger.store.ledger_store import Store
from turnledger.wire.values import decode_value

__all__ = ["Finding", "Importer", "Outcome"]

FLIGHT_BATCHES = 32
FLIGHT_BYTES = 32 << 20


class Outcome(StrEnum):
    """What became of a line."""

    IMPORTED = "imported"
    PRESENT = "present"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line's end; ``reason`` says why it was refused, ``read`` how many bytes of the file are done."""

    line: int
    outcome: Outcome
    read: int
    conversation: UUID | None = None
    turns: int = 0
    events: int = 0
    reason: str = ""


class _Flight(NamedTuple):
    line: Line
    built: TranscriptBatch
    future: Future[BatchResult]


class Importer:
    """Imports transcripts into one agent of an open ledger."""

    def __init__(self, store: Store, agent: str) -> None:
        """Names the agent on record.  Raises LedgerError where the ledger cannot be written."""
        self._store = store
        claim = Claim(AliasKind.AGENT, NIL, agent, new_id())
        result = store.append(Batch(claim=claim)).result()
        if result.target is None:
            msg = f"The ledger did not take the agent's name: {result.reason}"
            raise LedgerUnavailableError(msg, next_step="Give another name with --agent.")
        self.agent = result.target

    def run(self, stream: BinaryIO) -> Iterator[Finding]:
        """Import a file line by line; findings come in the order of the lines.

        Raises LedgerError where the ledger fails, which no line is to blame for.  Closing the iterator early
        waits for what is under way.
        """
        flights: deque[_Flight] = deque()
        size = 0
        try:
            for item in self._launched(read_lines(stream)):
                if isinstance(item, Finding):
                    yield from self._landed(flights)  # keeps the order of lines
                    size = 0
                    yield item
                    continue
                flights.append(item)
                size += item.built.size
                while len(flights) > FLIGHT_BATCHES or size > FLIGHT_BYTES:
                    size -= flights[0].built.size
                    yield self._land(flights.popleft())
            yield from self._landed(flights)
        finally:
            for flight in flights:
                flight.future.exception()

    def _launched(self, lines: Iterable[Line]) -> Iterator[_Flight | Finding]:
        for line in lines:
            try:
                built = transcript_batch(self.agent, decode_line(line))
            except LedgerError as error:
                yield Finding(line.number, Outcome.REFUSED, line.read, reason=error.message)
            else:
                yield _Flight(line, built, self._store.append(built.batch))

    def _landed(self, flights: deque[_Flight]) -> Iterator[Finding]:
        while flights:
            yield self._land(flights.popleft())

    def _land(self, flight: _Flight) -> Finding:
        line, built = flight.line, flight.built
        result = flight.future.result()
        if result.status is BatchStatus.APPENDED:
            return Finding(
                line.number, Outcome.IMPORTED, line.read, built.conversation, built.turns, built.events
            )
        if result.status is BatchStatus.EXISTING and result.target is not None:
            recorded = self._source_of(result.target)
            if recorded in {None, built.source}:
                return Finding(line.number, Outcome.PRESENT, line.read, result.target)
            reason = f"Its id is on record with another content, as conversation {result.target}."
            return Finding(line.number, Outcome.REFUSED, line.read, result.target, reason=reason)
        return Finding(line.number, Outcome.REFUSED, line.read, reason=result.reason)

    def _source_of(self, conversation: UUID) -> str | None:
        """The digest in the payload of OPENED; None where it was erased or never there."""
        opened = self._store.reader.events(conversation, 0, 1)
        body = self._store.reader.body(opened[0].event_id, "payload") if opened else None
        if body is None or isinstance(body, BodyRow):
            return None
        payload = decode_value(b"".join(body.read()))
        source = payload.get("sha256") if isinstance(payload, dict) else None
        return source if isinstance(source, str) else None
