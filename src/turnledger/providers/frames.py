"""The binary event stream of AWS, as Bedrock answers ``converse-stream`` and ``invoke-with-response-stream``.

Format: Smithy 2.0, "Amazon Event Stream Specification": total length, length of headers, CRC-32 of these
eight bytes, headers, payload, CRC-32 of all before it; numbers are big-endian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Frame", "frames", "looks_like_frames"]

_PRELUDE = 12
_LEAST = 16
_MOST = 24 << 20
_FIRST_BYTES = (b"\0", b"\1")  # of a length up to the most
_TEXT = 7
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # of header values by type, those of fixed size
_LONG = (6, _TEXT)


class Frame(NamedTuple):
    """One message: its text headers by name, and its payload; ``sound`` says that its checksum is right."""

    headers: Mapping[str, str]
    payload: bytes
    sound: bool


def looks_like_frames(body: bytes) -> bool:
    """Whether the body begins with the prelude of a message, which carries a checksum."""
    return body[:1] in _FIRST_BYTES and _length(body, 0) is not None


def frames(body: bytes) -> Iterator[Frame | None]:
    """The messages in order; None, and then nothing more, where the body ends within one."""
    at = 0
    while at < len(body):
        length = _length(body, at)
        if length is None or at + length > len(body):
            yield None
            return
        message = body[at : at + length]
        at += length
        headers_end = _PRELUDE + _number(message, 4)
        yield Frame(
            _headers(message[_PRELUDE:headers_end]),
            message[headers_end:-4],
            sound=crc32(message[:-4]) == _number(message, length - 4),
        )


def _number(data: bytes, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _length(body: bytes, at: int) -> int | None:
    """The length of the message at ``at`` if a prelude stands there that can be one."""
    prelude = body[at : at + _PRELUDE]
    total, headers = _number(prelude, 0), _number(prelude, 4)
    if len(prelude) < _PRELUDE or not _LEAST <= total <= _MOST or headers > total - _LEAST:
        return None
    return total if crc32(prelude[:8]) == _number(prelude, 8) else None


def _headers(data: bytes) -> dict[str, str]:
    """The text headers; what comes after a header of no known type can't be told apart and is left out."""
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        name_end = at + 1 + data[at]
        name, kind = data[at + 1 : name_end], _number(data, name_end, 1)
        at = name_end + 1
        if kind in _LONG:
            size = _number(data, at, 2)
            at += 2
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            break
        if kind == _TEXT:
            found[name.decode("utf-8", "replace")] = data[at : at + size].decode("utf-8", "replace")
        at += size
    return found
