"""The beginnings of many bodies, read together: in two or three questions to the database, not two a body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from turnledger.store.contract import Reader

__all__ = ["BodyHead", "body_heads"]


class BodyHead(NamedTuple):
    """The whole size of a body and its first bytes: ``data`` is None where it was pruned or is damaged.

    ``salt`` is that of its commitment, None where it was pruned.
    """

    size: int
    salt: bytes | None
    data: bytes | None

    @property
    def present(self) -> bool:
        """Whether it is there, be it damaged."""
        return self.salt is not None


def body_heads(reader: Reader, wanted: Sequence[tuple[UUID, str, int]]) -> list[BodyHead | None]:
    """For each ``(event, slot, limit)`` up to ``limit`` first bytes; None where there is no such body."""
    if not wanted:
        return []
    keys = [(event.bytes, slot) for event, slot, _ in wanted]
    with reader.snapshot():
        rows = {(event, slot): tuple(row) for event, slot, *row in reader.ask_each("list_bodies", keys)}
        found = [rows.get(key) for key in keys]
        stops = [min(limit, row[0]) if row else 0 for row, (_, _, limit) in zip(found, wanted, strict=True)]
        present = [place for place, row in enumerate(found) if row and row[1] is not None]
        read = reader.rebuilder().heads([(rows[keys[place]][2], stops[place]) for place in present])
    data = dict(zip(present, read, strict=True))
    return [
        None if row is None else BodyHead(row[0], row[1], _whole(data.get(place), stops[place]))
        for place, row in enumerate(found)
    ]


def _whole(data: bytes | None, length: int) -> bytes | None:
    return data if data is not None and len(data) == length else None
