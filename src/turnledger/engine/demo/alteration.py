"""One byte of a ledger's file altered behind the ledger's back, as somebody with access to the disk can."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turnledger.engine.location import connect
from turnledger.engine.reading import open_reading
from turnledger.errors import ForeignFileError, LedgerCorruptError
from turnledger.model.rows import EventRow

__all__ = ["Alteration", "alter_one_byte", "copy_ledger"]

_HEADER = b"SQLite format 3\0"
_ROW_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Alteration:
    """One byte at ``offset`` of the file, so that ``before`` in the event's summary reads ``after``."""

    path: Path
    offset: int
    event: EventRow
    before: str
    after: str


def copy_ledger(source: Path, target: Path) -> None:
    """A copy of an SQLite ledger, over an earlier one; all of it is in the one file afterwards.

    Raises ForeignFileError where another file is in the way.
    """
    if target.exists() and target.read_bytes()[: len(_HEADER)] != _HEADER:
        msg = f"{target} is no SQLite file, so it is not overwritten."
        raise ForeignFileError(msg, next_step="Move it away, or give another --ledger.")
    for suffix in ("", "-wal"):
        part = Path(f"{target}{suffix}")
        part.unlink(missing_ok=True)
        if Path(f"{source}{suffix}").exists():
            shutil.copy(f"{source}{suffix}", part)  # with its mode: it is as private as the original
    connect(target).open().close()


def alter_one_byte(path: Path, event: EventRow, before: str, after: str) -> Alteration:
    """Turn ``before`` into ``after``, which differ in one character, in the summary of a recorded event."""
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
