"""Places that are given out once each, from 0 on without a gap: of a timeline, of an agent's journals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import lt
from typing import Any, Final

__all__ = ["Places"]

_BLOCK_BITS: Final = 12
_IN_BLOCK: Final = (1 << _BLOCK_BITS) - 1


def _block() -> bytearray:
    return bytearray(_IN_BLOCK + 1)


class Places:
    """The places met so far, of those from 0 to short of ``limit``; takes a byte for each."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._blocks: defaultdict[int, bytearray] = defaultdict(_block)
        self._met = 0

    @property
    def complete(self) -> bool:
        """Whether all were met."""
        return self._met == self._limit

    def meet(self, place: object) -> bool:
        """Mark one; False where it is none of these, or was met before."""
        if type(place) is not int or not 0 <= place < self._limit:
            return False
        block = self._blocks[place >> _BLOCK_BITS]
        if block[place & _IN_BLOCK]:
            return False
        block[place & _IN_BLOCK] = 1
        self._met += 1
        return True

    def meet_all(self, places: Sequence[Any], *, after: int) -> bool:
        """Mark all of these, ascending from ``after``; False, and none marked, where that is not possible."""
        try:
            if not all(map(lt, [after, *places], places)):
                return False
        except TypeError:
            return False
        if places and ({*map(type, places)} != {int} or places[0] < 0 or places[-1] >= self._limit):
            return False
        self._met += len(places)
        for count, place in enumerate(places):
            block, at = self._blocks[place >> _BLOCK_BITS], place & _IN_BLOCK
            if block[at]:
                self._met -= len(places) - count
                self.leave_all(places[:count])
                return False
            block[at] = 1
        return True

    def leave_all(self, places: Sequence[int]) -> None:
        """Take back the marks of these, which were met."""
        for place in places:
            self._blocks[place >> _BLOCK_BITS][place & _IN_BLOCK] = 0
        self._met -= len(places)
