"""One byte of a ledger's file altered behind the ledger's back, as somebody with access to the disk can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turnledger.engine.reading import open_reading
from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import EventRow

__all__ = ["Alteration", "alter_one_byte"]

_ROW_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Alteration:
    """One byte at ``offset`` of the file, so that ``before`` in the event's summary reads ``after``."""

    path: Path
    offset: int
    event: EventRow
    before: str
    after: str


def alter_one_byte(path: Path, event: EventRow, before: str, after: str) -> Alteration:
    """Turn ``before`` into ``after``, which differ in one character, in the summary of a recorded event.

    Nobody may have the file open.  Raises LedgerCorruptError where the summary is not found in it.
    """
    for place in _places(path.read_bytes(), event):
        start = place + event.summary.index(before)
        offset = start + next(
            at for at, pair in enumerate(zip(before, after, strict=True)) if len(set(pair)) > 1
        )
        _write(path, start, after)
        with open_reading(path) as reading:
            altered = reading.reader.event(event.event_id)
        if altered is not None and altered.summary != event.summary:
            return Alteration(path, offset, event, before, after)
        _write(path, start, before)  # this was what is left of an older page
    msg = f"The summary of event {event.event_id} was not found in {path}."
    raise LedgerCorruptError(msg, next_step="Run `turnledger doctor`.")


def _places(data: bytes, event: EventRow) -> Iterator[int]:
    """Where the event's summary stands near its id."""
    tokens = event.summary.rpartition(" detail=")[0].encode()
    place = data.find(tokens)
    while place >= 0:
        if event.event_id.hex.encode() in data[max(place - _ROW_BYTES, 0) : place + _ROW_BYTES]:
            yield place
        place = data.find(tokens, place + 1)


def _write(path: Path, start: int, text: str) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(text.encode())
