"""SQLite's settings, each with its reason.  Those of a file are written once, when it is made."""

from __future__ import annotations

import sqlite3
from typing import Final

__all__ = ["APPLICATION_ID", "set_file", "set_reader", "set_writer"]

APPLICATION_ID: Final = int.from_bytes(b"TLGR", "big")

_FILE: Final = (
    "page_size = 4096",
    "auto_vacuum = INCREMENTAL",  # pruned bodies give their pages back without a rewrite of the file
    "journal_mode = WAL",  # readers and the writer do not wait for each other
    f"application_id = {APPLICATION_ID}",  # tells a ledger from other programs' databases
)
_WRITER: Final = (
    "fullfsync = ON",  # on macOS a plain fsync leaves data in the drive's cache
    "checkpoint_fullfsync = ON",
    "foreign_keys = ON",
    "recursive_triggers = ON",  # else INSERT OR REPLACE deletes without asking the triggers
    "secure_delete = ON",  # erased bytes are overwritten, not only unlinked
    "trusted_schema = OFF",  # a tampered view or trigger may not call functions with side effects
    "cache_size = -2048",  # beside it the system keeps the file's pages, for all programs together
    "journal_size_limit = 67108864",  # after one huge transaction the log shrinks again
)
_READER: Final = (
    "query_only = ON",
    "trusted_schema = OFF",
    "cache_size = -4096",
)


def set_file(connection: sqlite3.Connection) -> None:
    """Make an empty file a ledger's.  Order matters: page size and vacuum mode before the first page."""
    _apply(connection, _FILE)


def set_writer(connection: sqlite3.Connection, wait_ms: int, *, durable: bool) -> None:
    """Settings of the write connection.

    ``wait_ms`` is for programs that do not take the ledger's own lock.  Where ``durable``, a commit
    that returned survives a power cut.
    """
    synchronous = "FULL" if durable else "OFF"
    _apply(connection, (*_WRITER, f"synchronous = {synchronous}", f"busy_timeout = {wait_ms}"))


def set_reader(connection: sqlite3.Connection, wait_ms: int) -> None:
    """Settings of a read connection."""
    _apply(connection, (*_READER, f"busy_timeout = {wait_ms}"))


def _apply(connection: sqlite3.Connection, settings: tuple[str, ...]) -> None:
    for setting in settings:
        connection.execute(f"PRAGMA {setting}").close()
