"""Following what is recorded: from now on, from a cursor, or from a moment in the past."""

from __future__ import annotations

from uuid import UUID

from turnledger.store.contract import Reader

__all__ = ["cursor_at"]


def cursor_at(reader: Reader, moment_ms: int, agent: UUID | None = None) -> int:
    """A cursor behind which the first event is one recorded at ``moment_ms`` or later.

    By halving, so it takes some thirty look-ups; where the ledger's clock stepped back meanwhile, events
    around the step may be on either side.
    """
    low, high = 0, reader.head_cursor()
    while low < high:
        middle = (low + high) // 2
        rows, _ = reader.since(middle, 1, agent)
        if rows and rows[0].created_ms < moment_ms:
            low = max(middle + 1, rows[0].cursor)
        else:
            high = middle
    return low
