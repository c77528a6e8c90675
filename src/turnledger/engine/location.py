"""Where the ledger is: the URL given, ``TURNLEDGER_URL``, or one file in the user's data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from turnledger.errors import LedgerUnavailableError, UsageError
from turnledger.store.ledger_store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnledger.store.contract import Engine, Reader

__all__ = ["OFF", "connect", "default_file", "ledger_url"]

OFF = "off"
"""The URL that switches recording off."""

_ENVIRONMENT = "TURNLEDGER_URL"
_POSTGRES = ("postgresql://", "postgres://")


def ledger_url(url: str | os.PathLike[str] | None = None) -> str:
    """The URL to use: ``url``, else what ``TURNLEDGER_URL`` says, else the default file."""
    chosen = os.fspath(url) if url is not None else os.environ.get(_ENVIRONMENT, "")
    return chosen or str(default_file())


def default_file() -> Path:
    """The ledger's file in the user's data folder: the same for recorder, command line and server."""
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(folder) / "turnledger" / "ledger.db"


def connect(url: str | os.PathLike[str] | None = None) -> Store:
    """The store at a URL: a file path, ``memory:`` or ``postgresql://…``.  Nothing is opened or made yet.

    ``store.open()`` makes it where it is new and opens it for writing; ``store.reader`` opens what is there.
    Raises UsageError for a URL of another kind.
    """
    address = ledger_url(url)
    if address.startswith(_POSTGRES):
        label, open_engine, open_reader = _postgres(address)
    elif "://" in address or address == OFF:
        scheme = address.partition(":")[0][:20]
        msg = f"A ledger's URL is a file path, memory: or postgresql://…; {scheme!r} is none of them."
        raise UsageError(msg, next_step="Set TURNLEDGER_URL, or pass --ledger or url=….")
    else:
        label, open_engine, open_reader = _sqlite(address)
    return Store(label, open_engine, open_reader)


def _sqlite(address: str) -> tuple[str, Callable[[], Engine], Callable[[], Reader]]:
    from turnledger.store.sqlite import MEMORY, SqliteDatabase  # noqa: PLC0415  loads a driver

    path = address if address == MEMORY else str(Path(address).expanduser())
    database = SqliteDatabase(path)

    def open_engine() -> Engine:
        if path == str(default_file()):
            _make_folder(Path(path).parent)
        return database.engine()

    return database.label, open_engine, database.reader


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        msg = f"The folder {folder} for the ledger cannot be made: {error.strerror}."
        raise LedgerUnavailableError(
            msg, next_step="Set TURNLEDGER_URL to a place you can write to."
        ) from error


def _postgres(address: str) -> tuple[str, Callable[[], Engine], Callable[[], Reader]]:
    try:
        from turnledger.store.postgres import PostgresDatabase  # noqa: PLC0415  loads a driver
    except ImportError as error:
        msg = "The PostgreSQL driver is not installed."
        raise LedgerUnavailableError(msg, next_step="Run pip install 'turnledger[postgres]'.") from error
    database = PostgresDatabase(address)
    return database.label, database.engine, database.reader
