"""What SQLite complains about, told apart by its result code and said in the ledger's own errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnledger.errors import (
    CommitUnknownError,
    ForeignFileError,
    LedgerBusyError,
    LedgerClosedError,
    LedgerCorruptError,
    LedgerError,
    LedgerUnavailableError,
)
from turnledger.store.contract import RowConflictError

__all__ = ["busy", "explain", "explain_commit", "foreign", "translated", "unavailable"]

_TAKEN: Final = frozenset(
    {"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"}
)
_RESTORE: Final = (
    "Stop writing to it and copy its files; `turnledger verify --all` says what still holds, "
    "`turnledger export --all --bodies -o FILE` saves it; then restore the ledger from a backup."
)


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise SQLite's errors of the block as the ledger's."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error
    except (OverflowError, UnicodeEncodeError) as error:  # of a value that no column can hold
        raise _refused(error, path) from error


def explain(error: sqlite3.Error, path: Path) -> LedgerError | RowConflictError:
    """The error of the contract for what SQLite said about the ledger at ``path``."""
    name = getattr(error, "sqlite_errorname", "")
    if name in _TAKEN:
        return RowConflictError(str(error))
    make = _KINDS.get("_".join(name.split("_")[:2]))
    if make is not None:
        return make(error, path)
    if "decode" in str(error):
        return LedgerCorruptError(f"{path} holds text that is not UTF-8.", next_step=_RESTORE)
    if "closed" in str(error):
        return LedgerClosedError(f"The connection to {path} was closed.", next_step="Open the ledger again.")
    return _refused(error, path)


def explain_commit(error: sqlite3.Error, path: Path) -> LedgerError | RowConflictError:
    """The same for an error of COMMIT, where a failed flush means that nobody knows what was written.

    A flush that failed once may succeed the next time without having written anything, so a retry proves
    nothing; see https://www.sqlite.org/rescode.html#ioerr_fsync.
    """
    if getattr(error, "sqlite_errorname", "").startswith("SQLITE_IOERR"):
        return CommitUnknownError(
            f"Writing {path} failed in the middle of a commit: {error}.",
            next_step="Check the disk, then open the ledger again; it holds what verifies.",
        )
    return explain(error, path)


def busy(path: Path, wait_ms: int) -> LedgerBusyError:
    """Another program holds the write lock for longer than allowed."""
    return LedgerBusyError(
        f"Another program has been writing to {path} for more than {wait_ms / 1000:g} s.",
        next_step="Find the program that holds it (fuser, lsof), end its transaction, and try again.",
    )


def foreign(path: Path) -> ForeignFileError:
    """The file is no ledger."""
    return ForeignFileError(
        f"{path} is not a ledger.", next_step="Name a ledger's file, or one that does not exist."
    )


def unavailable(path: Path, reason: str) -> LedgerUnavailableError:
    """The file cannot be opened: what the file system says is better than what SQLite says."""
    folder = path.parent
    if not os.path.isdir(folder):  # noqa: PTH112  a path may be too long to ask about, and this never raises
        return LedgerUnavailableError(
            f"There is no folder {folder}.", next_step=f"Create it: mkdir -p {folder}"
        )
    if os.path.isdir(path):  # noqa: PTH112  (same)
        return LedgerUnavailableError(f"{path} is a folder.", next_step="Name a file in it.")
    if not os.path.lexists(path) and os.access(folder, os.W_OK):
        return LedgerUnavailableError(
            f"There is no ledger {path}.", next_step="Record something first, or check TURNLEDGER_URL."
        )
    return LedgerUnavailableError(
        f"{path} cannot be opened: {reason}.",
        next_step=f"Give this user the right to read and write it and its folder {folder}, or open a copy.",
    )


def _locked(_error: sqlite3.Error, path: Path) -> LedgerError:
    return LedgerBusyError(
        f"Another program has locked {path}.",
        next_step="Find the program that holds it (fuser, lsof), end its transaction, and try again.",
    )


def _read_only(error: sqlite3.Error, path: Path) -> LedgerError:
    return unavailable(path, str(error))


def _full(_error: sqlite3.Error, path: Path) -> LedgerError:
    return LedgerUnavailableError(
        f"The disk of {path} is full.", next_step="Free some space, then open it again."
    )


def _io(error: sqlite3.Error, path: Path) -> LedgerError:
    if path.is_dir():
        return unavailable(path, str(error))
    name = getattr(error, "sqlite_errorname", "")
    return LedgerUnavailableError(
        f"Reading or writing {path} failed: {error} ({name}).",
        next_step="Check the disk and its file system, then open the ledger again.",
    )


def _corrupt(error: sqlite3.Error, path: Path) -> LedgerError:
    return LedgerCorruptError(f"{path} is damaged: {error}.", next_step=_RESTORE)


def _not_a_database(_error: sqlite3.Error, path: Path) -> LedgerError:
    return foreign(path)


def _statement(error: sqlite3.Error, path: Path) -> LedgerError:
    if str(error).startswith("no such "):
        return LedgerCorruptError(
            f"{path} is damaged: a part of its schema is missing ({error}).",
            next_step="`turnledger doctor` says all that is missing. Restore the ledger from a backup, "
            "and run `turnledger verify --all` on it.",
        )
    if str(error).endswith(" already exists"):
        return LedgerCorruptError(
            f"{path} is damaged: its list of migrations lacks one that was applied ({error}).",
            next_step=_RESTORE,
        )
    return _refused(error, path)


def _refused(error: Exception, path: Path) -> LedgerError:
    return LedgerUnavailableError(f"{path} refused: {error}.", next_step="Run `turnledger doctor`.")


_KINDS: Final = {
    "SQLITE_BUSY": _locked,
    "SQLITE_LOCKED": _locked,
    "SQLITE_READONLY": _read_only,
    "SQLITE_PERM": _read_only,
    "SQLITE_AUTH": _read_only,
    "SQLITE_CANTOPEN": _read_only,
    "SQLITE_FULL": _full,
    "SQLITE_IOERR": _io,
    "SQLITE_NOLFS": _io,
    "SQLITE_NOMEM": _io,
    "SQLITE_PROTOCOL": _locked,
    "SQLITE_CORRUPT": _corrupt,
    "SQLITE_NOTADB": _not_a_database,
    "SQLITE_ERROR": _statement,
}
