"""Recipes: the operations that rebuild a body, byte for byte, from literal bytes and stored parts.

A recipe is a sequence of operations, each of them::

    tag      varint    length << 2 | kind, where length is the number of bytes the operation yields
    LITERAL  (kind 0)  the bytes themselves
    RAW      (kind 1)  varint part: the part's bytes as they are
    ESCAPED  (kind 2)  varint part: the part's bytes, UTF-8 text, written as the inside of a JSON string
    NODE     (kind 3)  varint part: the part is a sequence of operations itself

A varint is LEB128: seven bits a byte, the lowest first, the high bit set on all bytes but the last.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import msgspec

from turnledger.errors import LedgerCorruptError

__all__ = ["Kind", "Operation", "decode", "escape", "is_literal", "literal", "reference", "unescape"]

_KIND_BITS, _KIND_MASK = 2, 3
_MORE = 0x80
_VARINT_BITS = 70  # more than any length or id needs


class Kind(IntEnum):
    """What an operation does."""

    LITERAL = 0
    RAW = 1
    ESCAPED = 2
    NODE = 3


_KINDS = tuple(Kind)
_LITERAL = Kind.LITERAL
_new = tuple.__new__  # makes a named tuple in half the time, since it looks at no names


class Operation(NamedTuple):
    """One operation: it yields ``length`` bytes, from ``data`` or from the part with id ``part``."""

    kind: Kind
    length: int
    data: bytes
    part: int


def literal(data: bytes) -> bytes:
    """The encoded operation that yields ``data``."""
    return _varint(len(data) << _KIND_BITS | Kind.LITERAL) + data


def reference(kind: Kind, length: int, part: int) -> bytes:
    """The encoded operation that yields ``length`` bytes from the part with this id (0 or more)."""
    return _varint(length << _KIND_BITS | kind) + _varint(part)


def is_literal(code: bytes) -> bool:
    """Whether this encoded operation is a literal."""
    return code[0] & _KIND_MASK == Kind.LITERAL


def decode(encoded: bytes) -> list[Operation]:
    """The operations of a recipe or node.  Raises LedgerCorruptError where the bytes are no operations."""
    operations: list[Operation] = []
    position, end = 0, len(encoded)
    try:
        while position < end:
            tag = encoded[position]
            position += 1
            if tag >= _MORE:
                tag, position = _rest_of_varint(tag, encoded, position)
            kind, length = _KINDS[tag & _KIND_MASK], tag >> _KIND_BITS
            if kind is _LITERAL:
                data, part = encoded[position : position + length], -1
                position += length
            else:
                data, part = b"", encoded[position]
                position += 1
                if part >= _MORE:
                    part, position = _rest_of_varint(part, encoded, position)
            operations.append(_new(Operation, (kind, length, data, part)))
    except IndexError:
        raise _damaged() from None
    if position > end:
        raise _damaged()
    return operations


def escape(text: bytes) -> bytes:
    r"""UTF-8 text as the inside of a JSON string: ``\" \\ \b \f \n \r \t``, other controls ``\u00xx``.

    The form of ECMAScript's JSON.stringify (ECMA-262 §25.5.4.3).  Raises UnicodeDecodeError for other bytes.
    """
    return msgspec.json.encode(text.decode())[1:-1]


def unescape(inside: bytes) -> bytes | None:
    """The text of a JSON string's inside; None unless ``escape`` of it gives exactly ``inside`` again."""
    try:
        text = msgspec.json.decode(b'"%b"' % inside, type=str)
        return text.encode() if msgspec.json.encode(text)[1:-1] == inside else None
    except (msgspec.DecodeError, UnicodeError):
        return None


def _varint(value: int) -> bytes:
    if value < _MORE:
        return bytes((value,))
    encoded = bytearray()
    while value >= _MORE:
        encoded.append(value & 0x7F | _MORE)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _rest_of_varint(first: int, encoded: bytes, position: int) -> tuple[int, int]:
    """The number whose first byte was read, and the position behind it; IndexError where it does not end."""
    value, shift = first & ~_MORE, 7
    while (byte := encoded[position]) >= _MORE and shift < _VARINT_BITS:
        value |= (byte & ~_MORE) << shift
        shift += 7
        position += 1
    if shift >= _VARINT_BITS:
        raise _damaged()
    return value | byte << shift, position + 1


def _damaged() -> LedgerCorruptError:
    msg = "A stored body's recipe is damaged: its bytes are not operations."
    return LedgerCorruptError(msg, next_step="`turnledger verify --all` names what to restore from a backup.")
