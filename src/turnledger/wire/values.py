r"""The one encoder for everything that is not already bytes, and its way back.

Canonical form: UTF-8 JSON, keys sorted by code point, no spaces, integers of any size as digits, floats as
Python's shortest round-trip text, lone surrogates as ``\udXXX``.  Tuples are arrays; subclasses of text,
numbers, lists, tuples and dicts are their base.  Nothing depends on hashes, addresses or the process.

What JSON cannot hold is an object whose first key is ``$turnledger``, and no two values share their bytes:

| kind | further members |
|---|---|
| bytes | base64 |
| date, decimal, path, uuid, windows-path | value: its text |
| datetime, time | value: ISO 8601; fold, naive where they apply |
| timedelta | microseconds |
| float | value: NaN, Infinity or -Infinity |
| complex | imag, real: their texts |
| range | start, step, stop |
| set, frozenset | items, sorted by their bytes |
| pairs | items: [key, value] of a dict with a key that is no text or is ``$turnledger``, in its order |
| enum | name, type, value |
| object | type, value: the fields of a dataclass or pydantic model, the items of a NumPy array (lossy) |
| cycle | path: JSON Pointer into the text to the container that this would be again (lossy, like all below) |
| class, function | name |
| depth, size | type of the container that would have been the 201st inside one another, or the 1,000,001st |
| unknown | type of an object that has nothing to read by, error: type of what it raised |
"""

from __future__ import annotations

from dataclasses import dataclass

from turnledger.wire.value_decode import Marker, decode_value
from turnledger.wire.value_kinds import TAG
from turnledger.wire.value_plain import encode_plain
from turnledger.wire.value_walk import walk

__all__ = ["TAG", "Encoded", "Marker", "decode_value", "encode_text", "encode_value"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """``data`` is what is stored and hashed; ``lossy`` says that the value cannot be had back from it."""

    data: bytes
    lossy: bool


def encode_value(value: object) -> Encoded:
    """The canonical bytes of ``value`` as it is at this moment.

    Never raises on what it is given, never runs an iterator dry, and asks an object for its fields once: an
    object that will not answer is written by its type's name alone.  Only what is no ``Exception``, such as
    Ctrl-C, passes through.
    """
    plain = encode_plain(value)
    if plain is not None:
        return Encoded(plain, lossy=False)
    data, lossy = walk(value)
    return Encoded(data, lossy)


def encode_text(text: str) -> Encoded:
    r"""A text body: its UTF-8, with each lone surrogate as the six characters ``\udXXX`` and then lossy."""
    try:
        return Encoded(text.encode("utf-8"), lossy=False)
    except UnicodeEncodeError:
        return Encoded(text.encode("utf-8", "backslashreplace"), lossy=True)
