"""Words of closed vocabularies as callers write them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar, cast

from turnledger.errors import UsageError

__all__ = ["word"]

_INSIDE = re.compile(r"(?<!^)(?=[A-Z])")

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
    name = _INSIDE.sub(" ", kind.__name__).lower()
    msg = f"{said} is no {name}."
    raise UsageError(msg, next_step=f"Use one of: {known}.")
