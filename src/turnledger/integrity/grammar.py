"""The closed grammar of every field that goes into an event's hash (contract, section 4).

The hashed text joins its fields with ``|`` and escapes nothing.  It is injective only where each field
stays inside its language, so these checks come before any hash is believed.  ``|`` itself is allowed in
a summary alone.  No check raises: the values come from files and databases that nobody vouches for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Final, TypeGuard

__all__ = [
    "MAX_SEQ",
    "SUMMARY_BYTES",
    "are_tokens",
    "is_hash",
    "is_seq",
    "is_summary",
    "is_type",
    "is_uuid",
    "parse_instant",
]

MAX_SEQ: Final = 2**31 - 1
SUMMARY_BYTES: Final = 4096

_HASH = re.compile(r"[0-9a-f]{64}").fullmatch
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
_TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,31}").fullmatch
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,9}))?Z"
).fullmatch
# C0, DEL and C1 controls; bidi embeddings, overrides and isolates; surrogates that have no partner.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]").search
_PRINTABLE = bytes(range(0x20, 0x7F))  # deleting these is several times faster than a search for the others

_TOKENS_BYTES = SUMMARY_BYTES - len(" detail=") - 64

_UNIX_DAY = date(1970, 1, 1).toordinal()
_DAY_MS = 86_400_000


def is_hash(value: object) -> TypeGuard[str]:
    """Whether ``value`` is 64 lower-case hex digits."""
    return isinstance(value, str) and _HASH(value) is not None


def is_uuid(value: object) -> TypeGuard[str]:
    """Whether ``value`` is a UUID in lower-case text form."""
    return isinstance(value, str) and _UUID(value) is not None


def is_seq(value: object) -> TypeGuard[int]:
    """Whether ``value`` is an integer (no bool, no 3.0) from 0 to 2^31-1."""
    return type(value) is int and 0 <= value <= MAX_SEQ


def is_type(value: object) -> TypeGuard[str]:
    """Whether ``value`` is a well-formed event type, known or not."""
    return isinstance(value, str) and _TYPE(value) is not None


def is_summary(value: object) -> TypeGuard[str]:
    """Whether ``value`` is text of at most 4,096 UTF-8 bytes that shows on a screen as what it is."""
    if not isinstance(value, str):
        return False
    if value.isascii():
        return len(value) <= SUMMARY_BYTES and not value.encode().translate(None, _PRINTABLE)
    return len(value) <= SUMMARY_BYTES and _FORBIDDEN(value) is None and len(value.encode()) <= SUMMARY_BYTES


def are_tokens(values: Sequence[bytes]) -> bool:
    """Whether each of these is printable ASCII and short enough to be a summary with one token more."""
    longest = max(map(len, values), default=0)
    return longest <= _TOKENS_BYTES and not b"".join(values).translate(None, _PRINTABLE)


def parse_instant(value: object) -> tuple[int, bool] | None:
    """``YYYY-MM-DDThh:mm:ss[.f]Z`` (RFC 3339, 1 to 9 digits) as floored epoch milliseconds.

    The flag is True where digits below the millisecond are not zero: the hash does not cover those.
    None for everything else, offsets and leap seconds included: another spelling of an instant
    could change the display without touching a hash.
    """
    match = _INSTANT(value) if isinstance(value, str) else None
    if match is None:
        return None
    day, hour, minute, second, fraction = match.groups()
    start = _day_start(day)
    if start is None:
        return None
    whole = start + ((int(hour) * 60 + int(minute)) * 60 + int(second)) * 1000
    if fraction is None:
        return whole, False
    # The fraction counts forward from a whole second, so cutting it is the floor, also before 1970.
    return whole + int(fraction[:3].ljust(3, "0")), fraction[3:].strip("0") != ""


@lru_cache(maxsize=512)
def _day_start(day: str) -> int | None:
    try:
        return (date.fromisoformat(day).toordinal() - _UNIX_DAY) * _DAY_MS
    except ValueError:
        return None
