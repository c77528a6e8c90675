"""Turns that are open while their writers show no sign of life: their leases ran out."""

from __future__ import annotations

from uuid import UUID

from turnledger.store.contract import Reader

__all__ = ["silent_since"]

_AT_MOST = 100_000


def silent_since(reader: Reader) -> dict[UUID, int]:
    """Turn → when its lease ran out, in epoch milliseconds by the database's clock."""
    leases = reader.leases(expired=True, limit=_AT_MOST)
    return {lease.turn: lease.until_ms for lease in leases if lease.until_ms is not None}
