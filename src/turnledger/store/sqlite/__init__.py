"""The SQLite engine: one file, many readers, one writer at a time."""

from __future__ import annotations

from turnledger.store.sqlite.database import MEMORY, SqliteDatabase

__all__ = ["MEMORY", "SqliteDatabase"]
