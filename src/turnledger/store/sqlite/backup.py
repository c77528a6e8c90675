"""A ledger copied while it is recorded into: one file, whole as it was at one moment."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from turnledger.errors import LedgerUnavailableError
from turnledger.store.sqlite.problems import explain

__all__ = ["back_up"]

_PAGES: Final = 1024  # 4 MiB, after which progress is told and Ctrl-C is heard


def back_up(source: sqlite3.Connection, target: Path, advance: Callable[[int], None]) -> int:
    """Copy what ``source`` reads into the new file ``target``, its owner's alone; gives its size in bytes.

    ``advance`` is told how many more bytes were copied.  The file takes its name when all is in
    it.  Raises LedgerUnavailableError where the file, or a log of that name, is there or cannot be made.
    """
    for taken in (target, target.with_name(f"{target.name}-wal")):
        if os.path.lexists(taken):
            raise _taken(taken)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    unfinished = Path(name)
    try:
        os.close(descriptor)
        _copy(source, unfinished, target, advance)
        _flush(unfinished, os.O_RDWR)
        _give_name(unfinished, target)
        _flush(target.parent, os.O_RDONLY)
        return target.stat().st_size
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _copy(source: sqlite3.Connection, unfinished: Path, target: Path, advance: Callable[[int], None]) -> None:
    done = 0
    (page_bytes,) = source.execute("PRAGMA page_size").fetchone()

    def tell(_status: int, remaining: int, total: int) -> None:
        nonlocal done
        more, done = total - remaining - done, total - remaining
        advance(more * page_bytes)

    with closing(sqlite3.connect(unfinished, isolation_level=None)) as copy:
        for setting in ("journal_mode = OFF", "synchronous = OFF"):  # it is flushed as a whole
            copy.execute(f"PRAGMA {setting}").close()
        # Else each commit of a recorder meanwhile would make the copy begin anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        try:
            source.backup(copy, pages=_PAGES, progress=tell)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":  # only the copy grows
                raise explain(error, target) from error
            raise
        finally:
            source.execute("ROLLBACK")


def _give_name(unfinished: Path, target: Path) -> None:
    try:
        target.hardlink_to(unfinished)  # a rename would replace what came there meanwhile
    except FileExistsError as error:
        raise _taken(target) from error
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise _taken(target) from None
        unfinished.rename(target)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        if path.is_dir():
            with suppress(OSError):  # some file systems flush no folders
                os.fsync(descriptor)
        else:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _taken(path: Path) -> LedgerUnavailableError:
    msg = f"{path} is there already, and a backup replaces nothing."
    return LedgerUnavailableError(msg, next_step="Name a file that does not exist.")


def _unwritable(target: Path, error: OSError) -> LedgerUnavailableError:
    msg = f"{target} cannot be written: {error.strerror}."
    return LedgerUnavailableError(msg, next_step="Name a file in a folder that you can write to.")
