"""JSON as other people hand it to us, read without a second opinion.

RFC 8259 leaves room for readers to disagree; here a file that two readers could read differently is refused:
a key given twice, NaN and Infinity, a number beyond the double's range, bytes that are not UTF-8.
Integers stay exact at any size, and ``3.0`` stays a float, so that it is not taken for ``3``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import accumulate
from typing import NoReturn

from turnledger.errors import ForeignFileError

__all__ = ["ALWAYS_CONVERTIBLE_DIGITS", "MAX_DEPTH", "MAX_INTEGER_DIGITS", "loads", "parse", "unique"]

MAX_DEPTH = 500
"""Deepest nesting that is read: far above any real file, and below what the interpreter's stack allows."""

MAX_INTEGER_DIGITS = 100_000
"""Longest integer that is read: the time it takes grows with the square of this."""

# str() and int() refuse more digits than a limit the host program may set, never to less than this.
ALWAYS_CONVERTIBLE_DIGITS = 640

# An unterminated string runs to the end of the file, so that no byte is looked at twice.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKET = bytes(set(range(256)) - set(_STEP))

_NEXT_STEP = "Check that the file was copied whole, or export it again."


class _NotStrictError(ValueError):
    """Legal for a lenient reader, refused here; the text completes '<file> …'."""


def loads(data: bytes, what: str) -> object:
    """The value of a JSON text: dict, list, str, int, float, bool or None.

    ``what`` names the file in the error.  Raises ForeignFileError for anything but strict JSON in UTF-8,
    nested at most 500 deep.
    """
    return parse(data, what, unique)


def parse(data: bytes, what: str, make_object: Callable[[list[tuple[str, object]]], object]) -> object:
    """``loads`` with objects built by ``make_object`` from their members, innermost first."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _foreign(what, f"is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise _foreign(what, f"is nested more than {MAX_DEPTH} deep")
    decoder = json.JSONDecoder(
        object_pairs_hook=make_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
    )
    try:
        value: object = decoder.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _foreign(what, f"is not JSON: {error.msg} at {place}") from None
    except _NotStrictError as error:
        raise _foreign(what, str(error)) from None
    except RecursionError:
        raise _foreign(what, "is nested too deep for the stack that is left") from None
    return value


def unique(members: list[tuple[str, object]]) -> dict[str, object]:
    """The dict of an object's members; refuses a key given twice."""
    made = dict(members)
    if len(made) != len(members):
        msg = "has an object with the same key twice"
        raise _NotStrictError(msg)
    return made


def _depth(data: bytes) -> int:
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKET)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _integer(digits: str) -> int:
    if len(digits) <= ALWAYS_CONVERTIBLE_DIGITS:
        return int(digits)
    if len(digits) > MAX_INTEGER_DIGITS:
        msg = f"has an integer of more than {MAX_INTEGER_DIGITS:,} digits"
        raise _NotStrictError(msg)
    return int(Decimal(digits))


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        msg = "has a number beyond the range of a double"
        raise _NotStrictError(msg)
    return value


def _constant(name: str) -> NoReturn:
    msg = f"has {name}, which JSON does not know"
    raise _NotStrictError(msg)


def _foreign(what: str, finding: str) -> ForeignFileError:
    return ForeignFileError(f"{what} {finding}.", next_step=_NEXT_STEP)
