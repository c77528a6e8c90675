"""Files of chat transcripts, one JSON object a line, read without ever holding more than one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from turnledger.errors import ForeignFileError
from turnledger.wire.strict_json import loads

__all__ = ["MAX_LINE_BYTES", "Line", "decode_line", "read_lines", "what_it_is"]

MAX_LINE_BYTES: Final = 32 << 20
"""Longest line that is read; a conversation of a million words takes 6 MB."""

_CHUNK = 1 << 20
_HEAD = 8192
_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_LIST = re.compile(rb'\[\s*\{[^{]*"messages"\s*:')
_PLACE = re.compile(r" at line 1, column (\d+)")
_SCHEMA = re.compile(rb'\{\s*"schema"\s*:\s*"([a-z-]+\.)?(turn-fixture|journal|evidence)/')
_KINDS = {
    b"turn-fixture": "a turn fixture",
    b"journal": "an exported journal",
    b"evidence": "an evidence bundle",
}


class Line(NamedTuple):
    """One line: ``data`` is None where it is too long, ``is_torn`` says that no line end follows.

    ``read`` counts the bytes of the file up to the end of this line.
    """

    number: int
    data: bytes | None
    is_torn: bool
    read: int


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines that are not empty, numbered from 1 as an editor does."""
    read = number = 0
    while data := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        read += len(data)
        if len(data) > MAX_LINE_BYTES:
            rest = _skip_line(stream) if not data.endswith(b"\n") else 0
            read += rest
            yield Line(number, None, is_torn=False, read=read)
            continue
        text = (data.removeprefix(_MARK) if number == 1 else data).strip(_SPACE)
        if text:
            yield Line(number, text, not data.endswith(b"\n"), read)


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while chunk := stream.readline(_CHUNK):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def decode_line(line: Line) -> object:
    """The JSON value of a line.  Raises ForeignFileError that says what is wrong with it."""
    if line.data is None:
        msg = f"It is longer than {MAX_LINE_BYTES >> 20} MiB."
        raise ForeignFileError(msg, next_step="Cut the conversation into several.")
    try:
        return loads(line.data, "It")
    except ForeignFileError as error:
        if line.is_torn and not line.data.endswith((b"}", b"]")):
            msg = "It breaks off: the file's last line is not whole."
            raise ForeignFileError(msg, next_step="Copy the file again.") from None
        raise ForeignFileError(_PLACE.sub(r" at column \1", error.message)) from None


def what_it_is(head: bytes) -> str | None:
    """What a file that begins like this is instead of transcripts, one a line; None where it may be some."""
    head = head[:_HEAD].removeprefix(_MARK).lstrip(_SPACE)
    if head.startswith(b"SQLite format 3\0"):
        return "an SQLite database"
    if b"\0" in head and not head.startswith((b"{", b"[")):
        return "no text file"
    schema = _SCHEMA.match(head)
    if schema is not None:
        return _KINDS[schema[2]]
    first, _, rest = head.partition(b"\n")
    if first.startswith(b"{") and b'"prevHash"' in first:
        return "an exported journal"
    if first.strip(_SPACE) in {b"[", b"{", b"[{"} and rest:
        kind = "list" if first.startswith(b"[") else "object"
        return f"one JSON {kind} over many lines"
    return "one JSON list of transcripts" if _LIST.match(head) else None
