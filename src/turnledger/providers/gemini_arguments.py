"""Arguments of a Gemini call that come in parts: values at paths, texts in pieces.

Format: Gemini API reference, ``FunctionCall.partialArgs`` (``PartialArg``): ``jsonPath`` and one value.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_map

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["put"]

_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d{1,6})\]|\[['\"]([^'\"\]]+)['\"]\]")
_VALUES: Final = ("stringValue", "numberValue", "boolValue")


def put(root: dict[str, object], told: object) -> bool:
    """Put one part into ``root``; False, and nothing is put, where it does not fit there.

    A text goes on from what stands at its path, every other value takes its place.
    """
    part = as_map(told)
    path = part.get("jsonPath")
    steps = _steps(path) if isinstance(path, str) else None
    if not steps:
        return False
    place: object = root
    for step, after in pairwise(steps):
        place = _under(place, step, {} if isinstance(after, str) else [])
    value = _value(part)
    known = _under(place, steps[-1], value)
    if known is value:
        return value is not _NOWHERE
    return _replace(
        place, steps[-1], known + value if isinstance(known, str) and isinstance(value, str) else value
    )


_NOWHERE: Final = object()


def _steps(path: str) -> list[str | int] | None:
    found: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return None
        found.append(int(match[2]) if match[2] else match[1] or match[3])
        at = match.end()
    return found


def _value(part: Mapping[str, object]) -> object:
    return next((part[key] for key in _VALUES if key in part), None)


def _under(place: object, step: str | int, otherwise: object) -> object:
    """What stands under ``step`` of ``place``, put there if nothing does; ``_NOWHERE`` where it can't be."""
    if isinstance(place, dict) and isinstance(step, str):
        return place.setdefault(step, otherwise)
    if isinstance(place, list) and isinstance(step, int) and step <= len(place):
        if step == len(place):
            place.append(otherwise)
        return place[step]
    return _NOWHERE


def _replace(place: object, step: str | int, value: object) -> bool:
    if isinstance(place, dict) and isinstance(step, str):
        place[step] = value
        return True
    if isinstance(place, list) and isinstance(step, int) and step < len(place):
        place[step] = value
        return True
    return False
