"""Opening a spool's file, and the two locks beside it; each dies with its holder."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from turnledger.errors import ForeignFileError, LedgerVersionError, UsageError
from turnledger.store.sql import Statement, read_folder
from turnledger.store.sqlite.pragmas import set_writer
from turnledger.store.sqlite.problems import unavailable
from turnledger.store.sqlite.schema import split

__all__ = ["Lock", "open_file"]

PACKAGE: Final = "turnledger.store.sqlite.spool"

_APPLICATION_ID: Final = int.from_bytes(b"TLSP", "big")
_SCHEMA: Final = 2
_WAIT_MS: Final = 10_000
_PRIVATE: Final = 0o600  # a spool holds what was said
_PRIVATE_FOLDER: Final = 0o700
_FILE: Final = (
    "page_size = 4096",
    "auto_vacuum = INCREMENTAL",  # what was forwarded gives its room back
    "journal_mode = WAL",
    f"application_id = {_APPLICATION_ID}",
)


class Lock:
    """``flock`` on a file beside the spool, without waiting.  Raises OSError where it cannot be made."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)

    def take(self, *, shared: bool = False) -> bool:
        """Take it, or change to the other kind; False where another process has it."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(self._fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let the others have it."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the descriptor; in a forked child that leaves the parent's lock alone.  Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1


def open_file(path: Path, label: str, statements: dict[str, Statement]) -> sqlite3.Connection:
    """The connection to the spool at ``path``, made where it is missing, for the ledger called ``label``.

    Raises LedgerUnavailableError, ForeignFileError, LedgerVersionError, and UsageError where it is another
    ledger's spool.
    """
    _make_file(path)
    with ExitStack() as undo:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        undo.callback(connection.close)
        set_writer(connection, _WAIT_MS, durable=True)
        _check(connection, path)
        if _version(connection) < _SCHEMA:
            _make_schema(connection, label, statements)
        owner = connection.execute(statements["get_label"].text).fetchone()[0]
        if owner != label:
            msg = f"{path} is the spool of another ledger: {owner}."
            raise UsageError(msg, next_step="Name a spool of its own for every ledger, or none.")
        undo.pop_all()
    return connection


def _make_file(path: Path) -> None:
    # SQLite's locks die with any descriptor of the file that is closed: only a new file is opened here.
    try:
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE))
    except FileExistsError:
        return
    except OSError as error:
        raise unavailable(path, str(error.strerror)) from error


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application not in {0, _APPLICATION_ID} or (tables and application != _APPLICATION_ID):
        msg = f"{path} is not a spool."
        raise ForeignFileError(msg, next_step="Name a file that does not exist.")
    if _version(connection) > _SCHEMA:
        msg = f"{path} was made by a newer Turnledger."
        raise LedgerVersionError(msg, next_step="Upgrade Turnledger to the version that wrote it.")


def _make_schema(connection: sqlite3.Connection, label: str, statements: dict[str, Statement]) -> None:
    if _version(connection) == 0:
        for setting in _FILE:
            connection.execute(f"PRAGMA {setting}").close()
    connection.execute("BEGIN IMMEDIATE")
    try:
        made = _version(connection)  # another process may have made it meanwhile
        for script in list(read_folder(PACKAGE, "schema").values())[made:]:
            for statement in split(script):
                connection.execute(statement)
        if made == 0:
            connection.execute(statements["insert_label"].positional(), (label,))
        connection.execute(f"PRAGMA user_version = {_SCHEMA}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
