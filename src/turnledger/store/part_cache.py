"""Byte strings of parts that are likely to be needed again, bounded by their size."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["PartCache"]

_ENTRY_BYTES = 200  # what an entry takes beside its data


class PartCache:
    """The byte strings used last that take ``limit`` bytes of memory together.  For one thread at a time."""

    def __init__(self, limit: int) -> None:
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._limit = limit
        self._room = limit

    def get(self, part: int) -> bytes | None:
        """What was put under this part's id, None where it is not (or no longer) there."""
        data = self._kept.get(part)
        if data is not None:
            self._kept.move_to_end(part)
        return data

    def put(self, part: int, data: bytes) -> None:
        """Keep ``data`` under this part's id, and let go of what was not used for longest."""
        if self._limit == 0:  # and so a cache of nothing may be used by many threads
            return
        replaced = self._kept.pop(part, None)
        if replaced is not None:
            self._room += _ENTRY_BYTES + len(replaced)
        self._kept[part] = data
        self._room -= _ENTRY_BYTES + len(data)
        while self._room < 0:
            _, dropped = self._kept.popitem(last=False)
            self._room += _ENTRY_BYTES + len(dropped)
