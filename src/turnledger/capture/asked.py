"""Which tools a model result asked for, and which of the requests a tool run answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence

__all__ = ["Asked"]


class Asked:
    """The tool requests of one MODEL_RESULT at ``seq``, as ``(provider's id, tool)`` in the model's order.

    Pairing is by ordinal.  The provider's ids are a hint only: they may be missing or repeat.
    """

    def __init__(self, seq: int, requests: Sequence[tuple[str | None, str]]) -> None:
        self.seq = seq
        self._requests = requests
        self._taken: set[int] = set()
        self._lock = threading.Lock()

    def take(self, tool: str, call_id: str | None, ordinal: int | None = None) -> int:
        """The ordinal that a run of ``tool`` answers: as given, else found by id, by name, or the next."""
        with self._lock:
            if ordinal is None:
                ordinal = self._find(tool, call_id)
            self._taken.add(ordinal)
        return ordinal

    def _find(self, tool: str, call_id: str | None) -> int:
        free = [number for number in range(len(self._requests)) if number not in self._taken]
        named = [number for number in free if self._requests[number][1] == tool]
        exact = [number for number in named if call_id and self._requests[number][0] == call_id]
        beyond = max(len(self._requests), max(self._taken, default=-1) + 1)
        return next(iter([*exact, *named, beyond]))
