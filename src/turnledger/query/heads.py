"""The beginnings of bodies as their events tell of them: there, pruned, damaged, or none."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from turnledger.query.timeline import Entry
from turnledger.store.body_heads import BodyHead, body_heads
from turnledger.store.contract import Reader

__all__ = ["Head", "HeadState", "Wanted", "heads"]


class HeadState(StrEnum):
    """What there is of a body."""

    PRESENT = "present"
    PRUNED = "pruned"
    DAMAGED = "damaged"
    NONE = "none"


class Wanted(NamedTuple):
    """A body of an event, and how many bytes of it."""

    entry: Entry
    slot: str
    limit: int


class Head(NamedTuple):
    """The first bytes of a body and its whole size; no bytes unless the state is ``present``."""

    state: HeadState
    data: bytes = b""
    size: int = 0


def heads(reader: Reader, wanted: Sequence[Wanted]) -> list[Head]:
    """The heads asked for, in that order; what is pruned or damaged is said so, and harms no other."""
    noted = [_noted(one) for one in wanted]
    places = [place for place, head in enumerate(noted) if head.state is HeadState.PRESENT]
    asked = [(wanted[place].entry.row.event_id, wanted[place].slot, wanted[place].limit) for place in places]
    for place, stored in zip(places, body_heads(reader, asked), strict=True):
        noted[place] = _head(stored, noted[place].size)
    return noted


def _noted(one: Wanted) -> Head:
    """What the event itself says of the body."""
    row = next((body for body in one.entry.row.bodies if body.slot == one.slot), None)
    if row is None:
        return Head(HeadState.NONE)
    return Head(HeadState.PRESENT if row.present else HeadState.PRUNED, size=row.size)


def _head(stored: BodyHead | None, noted_size: int) -> Head:
    if stored is None or not stored.present:
        return Head(HeadState.PRUNED, size=noted_size if stored is None else stored.size)
    if stored.data is None:
        return Head(HeadState.DAMAGED, size=stored.size)
    return Head(HeadState.PRESENT, stored.data, stored.size)
