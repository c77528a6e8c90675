"""Limits that stand in ``Annotated``, such as ``Gt(0)``: what each asks of a value.

Known are those of ``msgspec.Meta`` and of the package ``annotated_types``, which is told by its objects.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, Final

import msgspec

__all__ = ["Limit", "limits_of"]

_FAMILY: Final = "annotated_types"
_GROUPS: Final = "__is_annotated_types_grouped_metadata__"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.  ``keeps`` is None where what it asks for is not known here."""

    words: str
    keeps: Callable[[Any], object] | None

    def is_kept(self, value: object) -> bool:
        """Whether a value is within it, as far as that is known; there may be none for all that it says."""
        if value is None or self.keeps is None:
            return True
        try:
            return bool(self.keeps(value))
        except Exception:  # noqa: BLE001  what cannot be compared is not within the limit
            return False


def limits_of(metadata: Any) -> Iterator[Limit]:  # noqa: ANN401
    """The limits among what stands beside a type in ``Annotated``."""
    for one in metadata:
        if isinstance(one, msgspec.Meta):
            for name in _WORDS:
                asked = getattr(one, name, None)
                if asked is not None:
                    yield _limit(name, asked)
        elif getattr(one, _GROUPS, False) is True:
            yield from limits_of(one)
        elif _FAMILY in {kind.__module__ for kind in type(one).__mro__} and type(one).__name__ != "DocInfo":
            yield _of_family(one)
        elif type(one).__module__.partition(".")[0] in {"pydantic", "pydantic_core"}:
            yield from _of_pydantic(one)


def _of_family(one: Any) -> Limit:  # noqa: ANN401
    for name in _WORDS:
        if hasattr(one, name):
            asked = getattr(one, name)
            if name == "tz":
                asked = {None: False, ...: True}.get(asked, asked)
            return _limit(name, asked)
    return Limit(repr(one), None)


def _of_pydantic(one: Any) -> Iterator[Limit]:  # noqa: ANN401
    """What a ``Field`` holds; validators only pydantic itself can run."""
    held = getattr(one, "metadata", None)
    if isinstance(held, list):
        yield from limits_of(held)
    elif type(one).__name__.endswith("Validator"):
        yield Limit(repr(one), None)


def _limit(name: str, asked: Any) -> Limit:  # noqa: ANN401
    if name == "tz":
        if not isinstance(asked, bool):
            return Limit(f"in time zone {asked}", None)
        return Limit(
            "with a time zone" if asked else "without a time zone", _has_zone if asked else _has_none
        )
    if name == "func":
        return Limit(f"such that {getattr(asked, '__name__', asked)} holds", asked)
    test = _TESTS[name]
    return Limit(_WORDS[name].format(asked), lambda value: bool(test(value, asked)))


_WORDS: Final[dict[str, str]] = {
    "gt": "greater than {}",
    "ge": "at least {}",
    "lt": "less than {}",
    "le": "at most {}",
    "multiple_of": "a multiple of {}",
    "min_length": "of a length of at least {}",
    "max_length": "of a length of at most {}",
    "pattern": "such that {!r} is found in it",
    "tz": "",
    "func": "",
}


def _is_multiple(value: Any, of: Any) -> bool:  # noqa: ANN401
    return bool(
        (math.fmod(value, of) if isinstance(value, float) or isinstance(of, float) else value % of) == 0
    )


def _has_zone(value: datetime | time) -> bool:
    return value.tzinfo is not None and (isinstance(value, time) or value.utcoffset() is not None)


def _has_none(value: datetime | time) -> bool:
    return not _has_zone(value)


def _is_found(value: str, pattern: str) -> bool:
    return re.search(pattern, value) is not None


_TESTS: Final[dict[str, Callable[[Any, Any], object]]] = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "multiple_of": _is_multiple,
    "min_length": lambda value, least: len(value) >= least,
    "max_length": lambda value, most: len(value) <= most,
    "pattern": _is_found,
}
