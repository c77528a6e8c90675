"""Bodies that came lately, at hand for those that begin like them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final
from uuid import UUID

__all__ = ["RecentBodies"]

KEPT_BYTES: Final = 32 << 20
SMALLEST: Final = 1024
LARGEST: Final = 8 << 20

_Key = tuple[UUID, UUID, str]


class RecentBodies:
    """Bodies by agent, event and slot; the oldest go first.  Safe to use from many threads."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = threading.Lock()
        self._bodies: OrderedDict[_Key, bytes] = OrderedDict()
        self._size = 0

    def keep(self, agent: UUID, event: UUID, slot: str, data: bytes) -> None:
        """Have this body at hand; small and very large ones are not worth it."""
        if not SMALLEST <= len(data) <= LARGEST:
            return
        with self._lock:
            before = self._bodies.pop((agent, event, slot), b"")
            self._bodies[agent, event, slot] = data
            self._size += len(data) - len(before)
            while self._size > self._kept_bytes:
                _, oldest = self._bodies.popitem(last=False)
                self._size -= len(oldest)

    def find(self, agent: UUID, event: UUID, slot: str) -> bytes | None:
        """The body if it is at hand."""
        with self._lock:
            found = self._bodies.get((agent, event, slot))
            if found is not None:
                self._bodies.move_to_end((agent, event, slot))
            return found
