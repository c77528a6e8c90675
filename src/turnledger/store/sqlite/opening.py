"""A ledger's file before anything of it is read: whether it holds something, and how a reader may open it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from turnledger.errors import LedgerUnavailableError
from turnledger.store.sqlite.pragmas import set_reader

__all__ = ["check_size", "holds_nothing", "open_reader"]

_NOT_WRITABLE: Final = ("SQLITE_READONLY", "SQLITE_CANTOPEN")


def holds_nothing(path: Path) -> LedgerUnavailableError:
    """There is a file, and no ledger in it."""
    wal = f"{path.name}-wal"
    return LedgerUnavailableError(
        f"{path} holds nothing: nothing was ever recorded into it, or it was cut, "
        f"or its file {wal}, which belongs to it, was lost or left behind in copying.",
        next_step=f"If it held something, bring back {wal} beside it, or a backup, and record nothing into "
        "it; if not, record into it, or run `turnledger migrate --new`.",
    )


def check_size(path: Path) -> None:
    """Raise LedgerUnavailableError for a file without bytes whose log has some: SQLite would delete that."""
    if path.is_file() and path.stat().st_size == 0 and _wal_bytes(path):
        wal = f"{path.name}-wal"
        msg = f"{path} was cut to nothing, and {wal} beside it still holds records."
        next_step = f"Copy {wal} to a safe place before anything else, then restore a backup."
        raise LedgerUnavailableError(msg, next_step=next_step)


def open_reader(path: Path, connect: Callable[[str], sqlite3.Connection], wait_ms: int) -> sqlite3.Connection:
    """A read connection; ``connect`` opens the file with the options of its URI.

    In a folder that nobody here may write to, SQLite cannot make the files that readers and a writer share.
    Where no log lies beside the ledger nobody writes to it, and it is read as it is.  Raises
    LedgerUnavailableError where a log does.
    """
    check_size(path)
    try:
        return _opened(connect("mode=ro"), wait_ms)
    except sqlite3.OperationalError as error:
        folder = path.parent
        is_other = not getattr(error, "sqlite_errorname", "").startswith(_NOT_WRITABLE)
        if is_other or not os.access(path, os.R_OK) or os.access(folder, os.W_OK):
            raise
        if _wal_bytes(path):
            msg = f"{path} has records in {path.name}-wal, and to read them {folder} has to be writable."
            next_step = "Copy both files to a folder that you can write to, and read the copy."
            raise LedgerUnavailableError(msg, next_step=next_step) from error
        return _opened(connect("mode=ro&immutable=1"), wait_ms)


def _opened(connection: sqlite3.Connection, wait_ms: int) -> sqlite3.Connection:
    with ExitStack() as undo:
        undo.callback(connection.close)
        set_reader(connection, wait_ms)
        connection.execute("SELECT count(*) FROM sqlite_schema").close()  # the first read opens the files
        undo.pop_all()
    return connection


def _wal_bytes(path: Path) -> int:
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except OSError:
        return 0
