"""The detail record of an event: what is structured but is no content, as canonical bytes.

Its digest is the summary's last token ``detail=<hex>``, so the chain covers it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from turnledger.errors import GrammarError
from turnledger.wire.value_plain import encode_plain
from turnledger.wire.values import TAG, decode_value, encode_value

__all__ = ["decode_detail", "detail_digest", "encode_detail"]

_TAG = TAG.encode()


def encode_detail(record: Mapping[str, object]) -> bytes:
    """The record as canonical JSON (see ``encode_value``).

    Raises GrammarError for a record with a key that is no text, or is the encoder's own.
    """
    plain: dict[Any, object] = {**record}
    data = encode_plain(plain)  # which gives nothing for a record with such a key
    if data is not None:
        return data
    if TAG in plain or not all(isinstance(key, str) for key in plain):
        msg = f"A detail record has text for keys, and none of them is {TAG!r}."
        raise GrammarError(msg, next_step="Rename the key.")
    return encode_value(plain).data


def detail_digest(data: bytes) -> str:
    """SHA-256 of the stored bytes of a detail record, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def decode_detail(data: bytes) -> dict[str, object]:
    """The record whose bytes these are; raises GrammarError where they are none."""
    plain = _decode_plain(data)
    if plain is not None:
        return plain
    record = decode_value(data)
    if not isinstance(record, dict):
        msg = "The detail record is no JSON object."
        raise GrammarError(msg, next_step="Run `turnledger verify` on its turn.")
    return cast("dict[str, object]", record)


def _decode_plain(data: bytes) -> dict[str, object] | None:
    """The record, where it holds plain JSON values only; None where a closer look is needed.

    What comes out as the same bytes again has one reading: no key twice, no number or text spelt otherwise.
    """
    if _TAG in data:
        return None
    try:
        record = msgspec.json.decode(data)
        same = msgspec.json.encode(record, order="sorted") == data
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return record if same and isinstance(record, dict) else None
