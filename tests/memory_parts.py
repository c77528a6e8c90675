"""A gateway to parts in memory, with transactions, for tests of bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from turnledger.store.body_reader import BodyReader
from turnledger.store.body_writer import BodyWriter


class Row(NamedTuple):
    agent: int
    key: int
    data: bytes
    size: int


@dataclass
class MemoryParts:
    """Parts by id; ids are never given twice, also not after a rollback."""

    rows: dict[int, Row] = field(default_factory=dict)
    last_id: int = -1
    lookups: list[tuple[int, list[int]]] = field(default_factory=list)
    fetched: list[int] = field(default_factory=list)
    _before: dict[int, Row] = field(default_factory=dict)

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        self.lookups.append((aid, list(keys)))
        wanted = set(keys)
        return [
            (row.key, part, row.data)
            for part, row in self.rows.items()
            if row.agent == aid and row.key in wanted
        ]

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        self.last_id += 1
        self.rows[self.last_id] = Row(aid, key, data, size)
        return self.last_id

    def fetch(self, parts: Collection[int]) -> dict[int, bytes]:
        self.fetched += parts
        return {part: self.rows[part].data for part in parts if part in self.rows}

    def begin(self) -> None:
        self._before = dict(self.rows)

    def rollback(self) -> None:
        self.rows = self._before

    def stored(self) -> int:
        return sum(len(row.data) for row in self.rows.values())


class Bodies:
    """A writer and a reader over the same parts."""

    def __init__(self, **limits: int) -> None:
        self.parts = MemoryParts()
        self.writer = BodyWriter(self.parts, **limits)
        self.reader = BodyReader(self.parts.fetch)

    def write(self, data: bytes, lane: object = None, agent: int = 1) -> bytes:
        """The recipe of ``data``, written in a transaction of its own."""
        self.writer.begin()
        planned = self.writer.plan(agent, lane, data)
        self.writer.commit()
        assert planned.size == len(data)
        return planned.recipe

    def read(self, recipe: bytes, start: int = 0, stop: int | None = None) -> bytes:
        return b"".join(self.reader.read(recipe, start, stop))
