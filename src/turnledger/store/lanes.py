"""What the body writer remembers of each lane: the last body that went through it, and its operations."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

__all__ = ["EMPTY", "NOTHING", "Lane", "Lanes", "Level"]

_LANE_WEIGHT = 1_000  # bytes of memory that a lane takes beside its body
_OPERATION_WEIGHT = 120  # and each of its operations


class Level(NamedTuple):
    """Encoded operations that follow each other, and the offset in the body at which each of them ends."""

    ends: list[int]
    codes: list[bytes]

    def until(self, position: int) -> Level:
        """The operations that end at or before ``position``."""
        return self.first(bisect_right(self.ends, position))

    def first(self, count: int) -> Level:
        """The first ``count`` operations."""
        return Level(self.ends[:count], self.codes[:count])

    @property
    def end(self) -> int:
        """The offset behind the last operation, 0 where there is none."""
        return self.ends[-1] if self.ends else 0


NOTHING = Level([], [])


class Lane(NamedTuple):
    """A lane's last body: its bytes, all its operations, and its encoded recipe.

    ``nodes`` are levels of nodes, lowest first, each over a front part of the level below it; the last
    ``tail`` operations are in none of them and encoded as ``ending``.
    """

    data: bytes = b""
    operations: Level = NOTHING
    nodes: Sequence[Level] = ()
    tail: int = 0
    ending: bytes = b""
    recipe: bytes = b""

    @property
    def weight(self) -> int:
        """About how many bytes of memory this takes."""
        return _LANE_WEIGHT + len(self.data) + _OPERATION_WEIGHT * len(self.operations.ends)


EMPTY = Lane()


class Lanes:
    """The lanes used last that weigh ``limit`` bytes together; one that weighs half of that is not kept."""

    def __init__(self, limit: int) -> None:
        self._lanes: OrderedDict[Hashable, Lane] = OrderedDict()
        self._before: dict[Hashable, Lane] = {}
        self._limit = limit
        self._weight = 0

    def get(self, key: Hashable) -> Lane:
        """The lane under this key, EMPTY where none is remembered."""
        return self._lanes.get(key, EMPTY)

    def put(self, key: Hashable, lane: Lane) -> None:
        """Remember ``lane`` under this key."""
        self._before.setdefault(key, self.get(key))
        self._put(key, lane)

    def _put(self, key: Hashable, lane: Lane) -> None:
        replaced = self._lanes.pop(key, None)
        if replaced is not None:
            self._weight -= replaced.weight
        if lane is EMPTY or lane.weight > self._limit // 2:
            return
        self._lanes[key] = lane
        self._weight += lane.weight
        while self._weight > self._limit:
            _, dropped = self._lanes.popitem(last=False)
            self._weight -= dropped.weight

    def keep(self) -> None:
        """What was put since the last ``keep`` or ``restore`` stays."""
        self._before.clear()

    def restore(self) -> None:
        """Take back what was put since the last ``keep`` or ``restore``."""
        for key, lane in self._before.items():
            self._put(key, lane)
        self._before.clear()

    def clear(self) -> None:
        """Forget all lanes."""
        self._lanes.clear()
        self._before.clear()
        self._weight = 0
