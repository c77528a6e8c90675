"""The hash that each event follows, for events that come one by one."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

from turnledger.errors import DamagedRowError
from turnledger.model.rows import EventRow
from turnledger.store.contract import Reader

__all__ = ["PrevHashes"]

_GENESIS: Final = "0" * 64
_KEPT: Final = 4096


class PrevHashes:
    """Remembers the last event of each journal; what was not seen is looked up."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._last: OrderedDict[UUID, tuple[int, str]] = OrderedDict()

    def of(self, row: EventRow) -> str | None:
        """64 hex digits; None where the event before is not there, or is damaged."""
        journal = row.journal.id
        seq, digest = self._last.pop(journal, (-1, _GENESIS))
        self._last[journal] = (row.seq, row.hash.hex())
        if len(self._last) > _KEPT:
            self._last.popitem(last=False)
        if row.seq == seq + 1:
            return digest
        try:
            before = self._reader.events(journal, row.seq - 1, 1)
        except DamagedRowError:
            return None
        return before[0].hash.hex() if before and before[0].seq == row.seq - 1 else None
