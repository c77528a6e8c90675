"""A ledger's files taken away, and never from under a program that has them open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from turnledger.errors import LedgerBusyError
from turnledger.store.sqlite.problems import translated

__all__ = ["remove_files"]

_PARTS: Final = ("", "-wal", "-shm", "-lock")


def remove_files(path: Path) -> None:
    """Delete the ledger at ``path``, if there is one.

    A program that went on would record into files that nobody finds.  Raises LedgerBusyError where one has
    the ledger open, be it only for reading; ForeignFileError for what is no database.
    """
    if not path.exists():
        return
    with (
        translated(path),
        closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0)) as connection,
    ):
        # Whoever has a file in WAL mode open holds a shared lock on it from its first read to its close.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                raise _in_use(path) from error
            raise
        for part in _PARTS:
            Path(f"{path}{part}").unlink(missing_ok=True)


def _in_use(path: Path) -> LedgerBusyError:
    return LedgerBusyError(
        f"{path} is open in another program, such as `turnledger serve`, so it is not replaced.",
        next_step="End that program (fuser, lsof tell which), or give another --ledger.",
    )
