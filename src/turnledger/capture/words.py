"""Words of closed vocabularies as callers write them."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from turnledger.errors import UsageError

__all__ = ["word"]

E = TypeVar("E", bound=StrEnum)


def word(kind: type[E], value: str) -> E:
    """``value`` as a word of ``kind``; raises UsageError for any other."""
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(sorted(kind))
        msg = f"{str(value)[:40]!r} is no {kind.__name__}."
        raise UsageError(msg, next_step=f"Use one of: {known}.") from error
