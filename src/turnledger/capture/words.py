"""Words of closed vocabularies as callers write them."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar, cast

from turnledger.errors import UsageError

__all__ = ["word"]

E = TypeVar("E", bound=StrEnum)


def word(kind: type[E], value: object) -> E:
    """``value`` as a word of ``kind``; raises UsageError for any other."""
    said = f"A value of type {type(value).__name__}"
    given = type(value)  # isinstance would ask the object for its __class__, which may raise
    if issubclass(given, str):
        plain = "".join((cast("str", value),))
        try:
            return kind(plain)
        except ValueError:
            said = repr(plain[:40])
    known = ", ".join(sorted(kind))
    msg = f"{said} is no {kind.__name__}."
    raise UsageError(msg, next_step=f"Use one of: {known}.")
