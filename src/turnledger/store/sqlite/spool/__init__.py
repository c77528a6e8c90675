"""The spool as one SQLite file of its own."""

from __future__ import annotations

from turnledger.store.sqlite.spool.file import SqliteSpool

__all__ = ["SqliteSpool"]
