"""Canonical bytes back to a value, as far as they say what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from turnledger.errors import ForeignFileError, GrammarError
from turnledger.wire.strict_json import parse, unique
from turnledger.wire.value_kinds import READERS, TAG

__all__ = ["Marker", "decode_value"]


_NEXT_STEP = "Read the stored bytes as they are."
_COLLECTIONS = {"set", "frozenset", "pairs"}


@dataclass(frozen=True, slots=True)
class Marker:
    """A tagged object that stands for something else: an object, a cycle, what was left out.

    ``kind`` as written; ``members`` are its further members, decoded.
    """

    kind: str
    members: dict[str, object]


def decode_value(data: bytes) -> object:
    """The value that ``encode_value`` wrote.

    Arrays come back as lists (as tuples where they have to be hashed), what cannot be undone as a ``Marker``.

    Raises GrammarError for bytes that are no strict JSON, or a known kind with malformed members.
    """
    try:
        return parse(data, "The encoded value", _revive)
    except ForeignFileError as error:
        raise GrammarError(error.message, next_step=_NEXT_STEP) from error


def _revive(members: list[tuple[str, object]]) -> object:
    made = unique(members)
    if TAG not in made:
        return made
    kind = made.pop(TAG)
    if not isinstance(kind, str):
        raise _malformed()
    try:
        if kind in _COLLECTIONS:
            return _collection(kind, made)
        return _leaf(kind, made)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise _malformed() from error


def _leaf(kind: str, members: dict[str, Any]) -> object:
    if kind not in READERS:
        return Marker(kind, members)
    read, write = READERS[kind]
    value = read(members)
    if write(value).members != members:
        raise ValueError(kind)
    return value


def _collection(kind: str, members: dict[str, Any]) -> object:
    """A set or a dict; a Marker where an item was left out, cannot be hashed, or equals another."""
    items = members["items"]
    if isinstance(items, Marker):
        return Marker(kind, members)
    if not isinstance(items, list) or len(members) != 1:
        raise TypeError(kind)
    entries = cast("list[object]", items)
    made = _pairs(entries) if kind == "pairs" else _set(kind, entries)
    return Marker(kind, members) if made is None or len(made) != len(entries) else made


def _pairs(entries: list[object]) -> dict[object, object] | None:
    made: dict[object, object] = {}
    for entry in entries:
        if isinstance(entry, Marker):
            return None
        if not isinstance(entry, list):
            raise TypeError(entry)
        key, value = (_hashable(entry[0]), *entry[1:])
        if not _can_hash(key):
            return None
        made[key] = value
    return made


def _set(kind: str, entries: list[object]) -> set[object] | frozenset[object] | None:
    items = [_hashable(entry) for entry in entries]
    if not all(map(_can_hash, items)):
        return None
    return set(items) if kind == "set" else frozenset(items)


def _hashable(value: object) -> object:
    """Only a tuple can have been a key or the item of a set, so a list becomes one again."""
    return tuple(map(_hashable, cast("list[object]", value))) if isinstance(value, list) else value


def _can_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _malformed() -> GrammarError:
    msg = f"The encoded value has a malformed {TAG} object."
    return GrammarError(msg, next_step=_NEXT_STEP)
