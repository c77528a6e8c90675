"""The short way for values that already are JSON, which is nearly every request and response.

A value goes this way only if its bytes are the ones that ``value_walk`` would make: exact built-in types,
text for keys, numbers that every writer spells alike.  Containers are copied while they are checked, so that
what is written is what was checked even if another thread changes the original.
"""

from __future__ import annotations

from typing import Any

import msgspec

from turnledger.wire.value_kinds import MAX_CONTAINERS, MAX_DEPTH, TAG

__all__ = ["encode_plain", "encode_plain_part"]

_ENCODE = msgspec.json.Encoder(order="sorted").encode

_INT64 = 1 << 63
# Between these, the shortest round-trip text of a double has no exponent: one spelling, whoever writes it.
_SMALLEST_FIXED, _LARGEST_FIXED = 1e-4, 1e16


def encode_plain(value: object) -> bytes | None:
    """The canonical bytes of a plain JSON value, or None where ``walk`` has to look closer."""
    found = encode_plain_part(value, MAX_DEPTH, MAX_CONTAINERS)
    return None if found is None else found[0]


def encode_plain_part(value: object, depth: int, containers: int) -> tuple[bytes, int] | None:
    """The same for a part of a value: how many levels and containers it may have, and how many it has."""
    box = [value]
    try:
        count = _copy_down(box, depth, containers)
        return None if count is None else (_ENCODE(box[0]), count)
    except Exception:  # noqa: BLE001  a lone surrogate, a key that refuses to be compared, little stack left
        return None


def _copy_down(box: list[Any], depth: int, most: int) -> int | None:
    """Replace every container below ``box`` with its own copy, level by level, while all of it is plain.

    Gives how many there are.
    """
    dicts: list[dict[Any, Any]] = []
    lists: list[list[Any]] = [box]
    containers = 0
    for _ in range(depth + 1):
        lower_dicts: list[dict[Any, Any]] = []
        lower_lists: list[list[Any]] = []
        if not (
            _open_dicts(dicts, lower_dicts, lower_lists) and _open_lists(lists, lower_dicts, lower_lists)
        ):
            return None
        if not lower_dicts and not lower_lists:
            return containers
        dicts, lists = lower_dicts, lower_lists
        containers += len(dicts) + len(lists)
        if containers > most:
            return None
    return None


def _open_dicts(
    dicts: list[dict[Any, Any]], lower_dicts: list[dict[Any, Any]], lower_lists: list[list[Any]]
) -> bool:
    for members in dicts:
        if TAG in members:
            return False
        for key, value in members.items():
            if type(key) is not str:
                return False
            kind = type(value)
            if kind is str:
                continue
            if kind is dict:
                members[key] = inner = value.copy()
                lower_dicts.append(inner)
            elif kind is list or kind is tuple:
                members[key] = items = [*value]
                lower_lists.append(items)
            elif not _is_plain(value):
                return False
    return True


def _open_lists(
    lists: list[list[Any]], lower_dicts: list[dict[Any, Any]], lower_lists: list[list[Any]]
) -> bool:
    for items in lists:
        for index, value in enumerate(items):
            kind = type(value)
            if kind is str:
                continue
            if kind is dict:
                items[index] = inner = value.copy()
                lower_dicts.append(inner)
            elif kind is list or kind is tuple:
                items[index] = lower = [*value]
                lower_lists.append(lower)
            elif not _is_plain(value):
                return False
    return True


def _is_plain(value: object) -> bool:
    if type(value) is int:
        return -_INT64 <= value < _INT64
    if type(value) is float:
        return value == 0.0 or _SMALLEST_FIXED <= abs(value) < _LARGEST_FIXED
    return value is None or type(value) is bool
