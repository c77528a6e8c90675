"""Values on the wire: integers, bytes and text in PostgreSQL's binary format, and nothing else.

The schema has three types only, so that a value's own type decides its form.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from turnledger.store.postgres.problems import ServerError

__all__ = ["Format", "encode", "oid"]

_INT = struct.Struct(">q")
_ARRAY = struct.Struct(">iiIii")
_LENGTH = struct.Struct(">i")
_OUT_OF_RANGE: Final = "22003"
_OIDS: Final = {int: 20, bytes: 17, str: 25}


class Format:
    """Format codes of the protocol."""

    TEXT: Final = 0
    BINARY: Final = 1


def oid(value: object) -> int:
    """The type to prepare a parameter with: that of integers and bytes, 0 (inferred) for all else.

    ``length(:id) = 0`` alone would be taken for text.
    """
    return 20 if isinstance(value, int) else 17 if isinstance(value, bytes) else 0


def encode(values: Sequence[object]) -> tuple[list[bytes | None], list[int]]:
    """The bytes of a statement's parameters, and their format codes.

    Raises ServerError for an integer beyond 64 bits, as the server would; TypeError for a type no column has.
    """
    data: list[bytes | None] = []
    formats = [Format.BINARY] * len(values)
    for place, value in enumerate(values):
        if value is None:
            data.append(None)
        elif isinstance(value, list):
            array, formats[place] = _encode_array(value)
            data.append(array)
        else:
            data.append(_encode_one(value))
    return data, formats


def _encode_one(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        try:
            return _INT.pack(value)
        except struct.error:
            msg = f"an integer of {value.bit_length()} bits does not fit into a column of 64"
            raise ServerError(_OUT_OF_RANGE, msg) from None
    if isinstance(value, str):
        # What text cannot hold is looked for in the form in which read models keep it.
        return value.encode("utf-8", "replace").replace(b"\x00", b"\xef\xbf\xbd")
    msg = f"No column holds a {type(value).__name__}."
    raise TypeError(msg)


def _encode_array(values: Sequence[object]) -> tuple[bytes, int]:
    if not values:
        return b"{}", Format.TEXT  # in text form an empty array has no element type to get wrong
    first = values[0]
    kind = bytes if isinstance(first, bytes) else int if isinstance(first, int) else str
    parts = [_ARRAY.pack(1, 0, _OIDS[kind], len(values), 1)]
    for value in values:
        data = _encode_one(value)
        parts += (_LENGTH.pack(len(data)), data)
    return b"".join(parts), Format.BINARY
