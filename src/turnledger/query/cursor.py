"""Cursors: the key of the last row of a page as text that says nothing and means nothing elsewhere.

A cursor names its kind, so that one of another list is refused instead of taken for a place in this one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from turnledger.errors import GrammarError

__all__ = ["cursor_text", "read_cursor"]

_CHECK_BYTES = 2
_NUMBER_BYTES = 8
_LONGEST = 128


def cursor_text(kind: str, key: tuple[int, ...]) -> str:
    """The cursor of a row whose key in lists of ``kind`` is ``key`` (integers of up to 64 bits)."""
    data = b"".join(number.to_bytes(_NUMBER_BYTES, "big", signed=True) for number in key)
    return base64.urlsafe_b64encode(_check(kind, data) + data).rstrip(b"=").decode("ascii")


def read_cursor(kind: str, text: str, numbers: int) -> tuple[int, ...]:
    """The key in a cursor of ``kind``, of that many numbers.  Raises GrammarError for any other text."""
    try:
        raw = base64.urlsafe_b64decode(text[:_LONGEST] + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raw = b""
    check, data = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
    if len(data) != numbers * _NUMBER_BYTES or check != _check(kind, data) or cursor_of(raw) != text:
        msg = "This cursor is not one that this list gave."
        raise GrammarError(msg, next_step="Begin again without a cursor.")
    starts = range(0, len(data), _NUMBER_BYTES)
    return tuple(
        [int.from_bytes(data[start : start + _NUMBER_BYTES], "big", signed=True) for start in starts]
    )


def cursor_of(raw: bytes) -> str:
    """The text form of a cursor's bytes; there is one only."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _check(kind: str, data: bytes) -> bytes:
    return hashlib.sha256(kind.encode() + b"\n" + data).digest()[:_CHECK_BYTES]
