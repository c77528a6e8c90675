"""Verification of a file: told by its content what it is, then checked with nothing but itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from turnledger.errors import ForeignFileError
from turnledger.integrity.fixture_check import verify_fixture
from turnledger.integrity.journal_check import verify_journals
from turnledger.query.findings import Finding
from turnledger.wire.fixture import read_fixture
from turnledger.wire.journal_file import EVENT_START, LineSource
from turnledger.wire.journal_file import SCHEMA as JOURNAL

__all__ = ["verify_file"]

_BUNDLE: Final = b'"turnledger.evidence/1"'
_BUNDLE_WORDS: Final = (
    "this version reads fixtures and journals, not evidence bundles: nothing in it was checked"
)
_SNIFFED: Final = 4096


def verify_file(
    target: str, stream: BinaryIO, advance: Callable[[int], None] | None = None
) -> Iterator[Finding]:
    """What was found in a fixture, in each journal of a journal file, or in a file that is neither.

    ``stream`` is open for reading and can be sought; ``target`` is how the file was named; ``advance`` is
    told how many more bytes were read and checked.
    """
    head = stream.read(_SNIFFED)
    stream.seek(0)
    try:
        if _is_journal(head):
            yield from _journals(target, stream if advance is None else _Told(stream, advance))
        elif head.lstrip().startswith(b"{") and not head.lstrip().startswith(EVENT_START):
            yield _object(target, stream.read())
        else:
            yield Finding.malformed(target, _foreign(head))
    except ForeignFileError as error:
        yield Finding.malformed(target, error)


class _Told:
    """Lines of a file, and somebody who hears how long they are."""

    def __init__(self, stream: LineSource, advance: Callable[[int], None]) -> None:
        self._stream = stream
        self._advance = advance

    def readline(self, size: int, /) -> bytes:
        line = self._stream.readline(size)
        self._advance(len(line))
        return line


def _journals(target: str, stream: LineSource) -> Iterator[Finding]:
    """One finding for each journal; of copies that say the same the first one counts."""
    met: set[tuple[object, ...]] = set()
    for report in verify_journals(stream):
        found = Finding.of_file_journal(target, report)
        said = (found.id, found.verdict, found.reason, found.broken_at_seq, found.events, found.head)
        if found.id is None or said not in met:
            yield found
        met.add(said)


def _is_journal(head: bytes) -> bool:
    first_line = head.lstrip().partition(b"\n")[0]
    return first_line.startswith(b'{"schema"') and JOURNAL.encode() in first_line


def _foreign(head: bytes) -> ForeignFileError:
    if not head.strip():
        msg = "This file is empty: there is nothing in it to check."
        return ForeignFileError(msg, next_step="Give a file that `turnledger export` wrote.")
    if head.lstrip().startswith(EVENT_START):
        msg = "This is a journal file without its beginning: its first line is an event, not a header."
        return ForeignFileError(msg, next_step="Give the whole file, as `turnledger export` wrote it.")
    msg = "This file is no fixture and no journal."
    if head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")):
        return ForeignFileError(msg, next_step="It is compressed: unpack it first.")
    if head.startswith(b"SQLite format 3"):
        next_step = "It is a database: if it is a ledger, say `turnledger verify --all --ledger FILE`."
        return ForeignFileError(msg, next_step=next_step)
    return ForeignFileError(msg, next_step="Give a file that `turnledger export` wrote.")


def _object(target: str, data: bytes) -> Finding:
    try:
        fixture = read_fixture(data)
    except ForeignFileError:
        if _BUNDLE in data[:_SNIFFED]:
            return Finding.unchecked(target, "bundle", "evidence-bundle", _BUNDLE_WORDS)
        raise
    return Finding.of_fixture(target, fixture, verify_fixture(fixture))
