"""What JSON cannot hold and has no parts: how each kind is written and read back.

Every converter goes through the base class's own method, so no override of a caller's subclass runs.
"""

from __future__ import annotations

import binascii
import math
import re
import types
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple
from uuid import UUID

from turnledger.wire.strict_json import ALWAYS_CONVERTIBLE_DIGITS

__all__ = [
    "BASE_VALUES",
    "LEAVES",
    "MAX_CONTAINERS",
    "MAX_DEPTH",
    "READERS",
    "TAG",
    "Leaf",
    "Unreadable",
    "integer_digits",
    "mro",
    "not_finite",
    "type_name",
]

TAG = "$turnledger"

MAX_DEPTH = 200
"""Arrays and objects of the encoded text inside one another; what is deeper is left out, and said."""

MAX_CONTAINERS = 1_000_000
"""Arrays and objects of one encoded text: lists that hold one another many times over multiply fast."""

_MICROSECOND = timedelta(microseconds=1)
_OFFSET = re.compile(r"[+-]\d\d:\d\d[\d:.]*$")
_SAFE_BITS = ALWAYS_CONVERTIBLE_DIGITS * 3

# What a class says of itself, past any __getattribute__ of its metaclass.
_MRO = type.__dict__["__mro__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_QUALNAME = type.__dict__["__qualname__"].__get__


class Leaf(NamedTuple):
    """One tagged object: its kind and its further members (``lossy``: the value can't be had back)."""

    kind: str
    members: dict[str, str | int]
    lossy: bool = False


class Unreadable(NamedTuple):
    """Stands where a part of a caller's object could not be had: by the type of the error alone."""

    error: type


def mro(kind: type) -> tuple[type, ...]:
    """The class and its bases, nearest first."""
    bases: tuple[type, ...] = _MRO(kind)
    return bases


def type_name(kind: type) -> str:
    """``module.Name`` of a class."""
    names = (_MODULE(kind), _QUALNAME(kind))
    return ".".join(str.__str__(name) if issubclass(type(name), str) else "?" for name in names)


def integer_digits(value: int) -> str:
    """All decimal digits: ``str`` alone refuses more of them than the host program allows."""
    return str(value) if value.bit_length() <= _SAFE_BITS else str(Decimal(value))


# --- writing ---------------------------------------------------------------------------------------


def _bytes(value: bytes | bytearray) -> Leaf:
    return Leaf("bytes", {"base64": binascii.b2a_base64(value, newline=False).decode("ascii")})


def _decimal(value: Decimal) -> Leaf:
    # The spelling of the exponent is a setting of the thread's decimal context.
    return Leaf("decimal", {"value": Decimal.__str__(value).replace("e", "E")})


def _moment(kind: str, text: str, fold: int, *, lossy: bool) -> Leaf:
    members: dict[str, str | int] = {"value": text}
    if fold:
        members["fold"] = 1
    if _OFFSET.search(text) is None:
        members["naive"] = True
    return Leaf(kind, members, lossy)


def _is_fixed(zone: tzinfo | None) -> bool:
    """Whether the offset in the text is all there is to the zone."""
    return zone is None or type(zone) is timezone


def _datetime(value: datetime) -> Leaf:
    # A subclass may hold more, as pandas' nanoseconds.
    exact = type(value) is datetime and _is_fixed(datetime.tzinfo.__get__(value))
    return _moment("datetime", datetime.isoformat(value), datetime.fold.__get__(value), lossy=not exact)


def _time(value: time) -> Leaf:
    exact = _is_fixed(time.tzinfo.__get__(value))
    return _moment("time", time.isoformat(value), time.fold.__get__(value), lossy=not exact)


def _date(value: date) -> Leaf:
    return Leaf("date", {"value": date.isoformat(value)})


def _timedelta(value: timedelta) -> Leaf:
    microseconds = timedelta.__floordiv__(value, _MICROSECOND)
    return Leaf("timedelta", {"microseconds": microseconds}, lossy=type(value) is not timedelta)


def _path(value: PurePath) -> Leaf:
    return Leaf("path", {"value": PurePath.__str__(value)})


def _windows_path(value: PureWindowsPath) -> Leaf:
    return Leaf("windows-path", {"value": PureWindowsPath.__str__(value)})


def _uuid(value: UUID) -> Leaf:
    return Leaf("uuid", {"value": UUID.__str__(value)})


def _complex(value: complex) -> Leaf:
    exact = complex.__complex__(value)
    return Leaf("complex", {"imag": repr(exact.imag), "real": repr(exact.real)})


def _range(value: range) -> Leaf:
    return Leaf("range", {"start": value.start, "step": value.step, "stop": value.stop})


def not_finite(value: float) -> Leaf:
    """How NaN and the infinities are written."""
    return Leaf("float", {"value": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"})


def _named(value: types.FunctionType | types.BuiltinFunctionType) -> Leaf:
    return Leaf("function", {"name": f"{value.__module__}.{value.__qualname__}"}, lossy=True)


def _class(value: type) -> Leaf:
    return Leaf("class", {"name": type_name(value)}, lossy=True)


def _unreadable(value: Unreadable) -> Leaf:
    return Leaf("unknown", {"error": type_name(value.error)}, lossy=True)


BASE_VALUES: dict[int, Callable[[Any], Any]] = {
    id(str): str.__str__,
    id(int): int.__int__,
    id(float): float.__float__,
}
"""By ``id`` of a base class (a lookup by class would call its metaclass): to an exact text or number."""

LEAVES: dict[int, Callable[[Any], Leaf]] = {
    id(bytes): _bytes,
    id(bytearray): _bytes,
    id(memoryview): lambda view: _bytes(memoryview.tobytes(view)),
    id(Decimal): _decimal,
    id(datetime): _datetime,
    id(date): _date,
    id(time): _time,
    id(timedelta): _timedelta,
    id(UUID): _uuid,
    id(PureWindowsPath): _windows_path,
    id(PurePath): _path,
    id(complex): _complex,
    id(range): _range,
    id(types.FunctionType): _named,
    id(types.BuiltinFunctionType): _named,
    id(type): _class,
    id(Unreadable): _unreadable,
}
"""By ``id`` of a base class: how a value without parts is written."""


# --- reading ---------------------------------------------------------------------------------------

_Members = dict[str, Any]


def _read_datetime(members: _Members) -> datetime:
    return datetime.fromisoformat(members["value"]).replace(fold=members.get("fold", 0))


def _read_time(members: _Members) -> time:
    return time.fromisoformat(members["value"]).replace(fold=members.get("fold", 0))


READERS: dict[str, tuple[Callable[[_Members], Any], Callable[[Any], Leaf]]] = {
    "bytes": (lambda members: binascii.a2b_base64(members["base64"], strict_mode=True), _bytes),
    "complex": (lambda members: complex(float(members["real"]), float(members["imag"])), _complex),
    "date": (lambda members: date.fromisoformat(members["value"]), _date),
    "datetime": (_read_datetime, _datetime),
    "decimal": (lambda members: Decimal(members["value"]), _decimal),
    "float": (lambda members: float(members["value"]), not_finite),
    "path": (lambda members: PurePosixPath(members["value"]), _path),
    "range": (lambda members: range(members["start"], members["stop"], members["step"]), _range),
    "time": (_read_time, _time),
    "timedelta": (lambda members: timedelta(microseconds=members["microseconds"]), _timedelta),
    "uuid": (lambda members: UUID(members["value"]), _uuid),
    "windows-path": (lambda members: PureWindowsPath(members["value"]), _windows_path),
}
"""By kind: how its further members are read, and written again to see that they were spelt canonically."""
