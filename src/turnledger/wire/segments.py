"""Where a body is cut, so that what it shares with other bodies lies in pieces of its own.

Cuts only decide how much is shared: any bytes can be cut in any way, and the pieces in order are the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["LITERAL_BYTES", "PIECE_BYTES", "SHARED_BYTES", "opens_json", "pieces", "strings"]

SHARED_BYTES = 128
"""A string is shared from this length on; a shorter one costs less where it stands."""

LITERAL_BYTES = 512
"""What lies between shared strings is cut after so many bytes."""

PIECE_BYTES = 1 << 16
"""No piece is longer, so nothing ever needs a whole body in memory to show a part of it."""

_JSON_OPENING = re.compile(rb'[ \t\r\n]*+[{\["]')
_QUOTE = re.compile(rb'"(?![^"\\]{0,%d}+")' % (SHARED_BYTES - 1))  # not before a short string without escapes
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_BACKSLASH = 0x5C
_CONTINUATION, _CONTINUATION_MASK = 0x80, 0xC0


def opens_json(data: bytes) -> bool:
    """Whether ``data`` begins as JSON with strings does."""
    return _JSON_OPENING.match(data) is not None


def strings(data: bytes, start: int, stop: int, *, inside: bool) -> list[tuple[int, int]]:
    """Where ``data[start:stop]`` has contents (without quotes) of JSON strings of at least SHARED_BYTES.

    ``inside`` says that ``start`` lies inside a string.  A short string's closing quote is tried as an
    opening one too, so that a start on the wrong side of a quote is soon put right.
    """
    found: list[tuple[int, int]] = []
    position = start
    while True:
        if not inside:
            quote = _QUOTE.search(data, position, stop)
            position = quote.end() if quote else stop
        if position >= stop:
            return found
        inside = False
        end = _string_end(data, position, stop)
        if end - position >= SHARED_BYTES:
            found.append((position, end))
            end += 1
        position = end


def _string_end(data: bytes, start: int, stop: int) -> int:
    """Where the string with content from ``start`` on has its closing quote; ``stop`` where it has none."""
    end = data.find(b'"', start, stop)
    if end < 0:
        return stop
    if end == start or data[end - 1] != _BACKSLASH:
        return end
    rest = _STRING_REST.match(data, start, stop)
    return rest.end() if rest else stop


def pieces(data: bytes) -> Iterator[bytes]:
    """``data`` in pieces of at most PIECE_BYTES, cut between characters where it is UTF-8."""
    start = 0
    while len(data) - start > PIECE_BYTES:
        stop = start + PIECE_BYTES
        while data[stop] & _CONTINUATION_MASK == _CONTINUATION and stop > start + PIECE_BYTES - 3:
            stop -= 1
        yield data[start:stop]
        start = stop
    yield data[start:]
