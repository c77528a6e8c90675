"""Where the ledger is: the URL given, ``TURNLEDGER_URL``, or one file in the user's data folder."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from turnledger.errors import LedgerUnavailableError, UsageError
from turnledger.store.ledger_store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from turnledger.store.contract import Engine, Listener, Reader
    from turnledger.store.migrate import Migration

__all__ = [
    "OFF",
    "SERVERS",
    "Database",
    "connect",
    "database_at",
    "default_file",
    "ledger_url",
    "remove_file",
    "store_of",
]

OFF = "off"
"""The URL that switches recording off."""

SERVERS = ("http://", "https://")
"""How the URL of a server begins: it takes records, and is read in its console or by its API."""

_ENVIRONMENT = "TURNLEDGER_URL"
_POSTGRES = ("postgresql://", "postgres://")

# What is meant for a server and would be taken for a file's name, password and all.
_MISWRITTEN: Final = re.compile(
    r"(?:postgres|postgresql|https?):"
    r"|\s*(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=",
    re.IGNORECASE,
)


def ledger_url(url: str | os.PathLike[str] | None = None) -> str:
    """The URL to use: ``url``, else what ``TURNLEDGER_URL`` says, else the default file.

    Raises UsageError for what is neither text nor a path, for text that no path can be, and for empty text:
    a script whose variable is not set would read or write the default ledger unawares.
    """
    chosen = os.environ.get(_ENVIRONMENT) if url is None else url
    if chosen is None:
        return str(default_file())
    try:
        chosen = os.fspath(chosen)
        usable = type(chosen) is str and b"\0" not in os.fsencode(chosen)
    except (TypeError, UnicodeEncodeError):
        usable, chosen = False, ""
    if not usable:
        msg = "A ledger is named by a URL or a path as text, and this is none."
        raise UsageError(msg, next_step="Give a file's path, memory:, postgresql://… or http(s)://….")
    if not chosen.strip():
        what = f"{_ENVIRONMENT} is set to" if url is None else "The ledger's URL is"
        msg = f"{what} empty text, which names no ledger."
        next_step = f"Unset {_ENVIRONMENT} and leave --ledger or url=… out to use the default ledger."
        raise UsageError(msg, next_step=f"Name a ledger. {next_step}")
    return chosen


def default_file() -> Path:
    """The ledger's file in the user's data folder: the same for recorder, command line and server."""
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(folder) / "turnledger" / "ledger.db"


class Database(Protocol):
    """A ledger by its address; nothing of it is opened yet."""

    label: str
    """Where it is, without credentials, for people."""

    def engine(self) -> Engine:
        """Open for writing; makes the ledger where there is none, and migrates it where needed."""
        ...

    def reader(self) -> Reader:
        """Open what is there for reading."""
        ...

    def listener(self) -> Listener:
        """What waits for news of any program's appends."""
        ...

    def pending(self, *, may_be_empty: bool = ...) -> Sequence[Migration]:
        """The migrations that it lacks; changes nothing.

        Raises LedgerUnavailableError for a file that holds nothing, unless it may be empty.
        """
        ...

    def back_up(self, target: Path, advance: Callable[[int], None]) -> int:
        """Copy it, as it is at this moment, into a new file; gives the file's size in bytes.

        ``advance`` is told how many more bytes were copied.  Raises LedgerUnavailableError where the file
        is there or cannot be made, UsageError where the database has a program of its own for that.
        """
        ...


def database_at(url: str | os.PathLike[str] | None = None) -> Database:
    """The ledger at a URL: a file path, ``memory:`` or ``postgresql://…``.

    Raises UsageError for a URL of another kind.
    """
    address = ledger_url(url)
    if address.startswith(_POSTGRES):
        return _postgres(address)
    if address.startswith(SERVERS):
        msg = "A server is written to through this URL; what it holds is read by its console and its API."
        raise UsageError(msg, next_step="Name the ledger itself: a file or postgresql://….")
    if _MISWRITTEN.match(address):
        # It is not repeated: a password may be in it.
        msg = "This is neither a URL of a PostgreSQL database or a server as written here, nor a file's path."
        next_step = "Write postgresql://user:password@host:port/database; or ./ before a file's name."
        raise UsageError(msg, next_step=next_step)
    if "://" in address or address == OFF:
        scheme = address.partition(":")[0][:20]
        msg = f"A ledger's URL is a file path, memory: or postgresql://…; {scheme!r} is none of them."
        raise UsageError(msg, next_step="Set TURNLEDGER_URL, or pass --ledger or url=….")
    from turnledger.store.sqlite import MEMORY, SqliteDatabase  # noqa: PLC0415  loads a driver

    return SqliteDatabase(address if address == MEMORY else Path(address).expanduser())


def remove_file(path: Path) -> None:
    """Delete the ledger in this file.  Raises LedgerBusyError where any program has it open."""
    from turnledger.store.sqlite import SqliteDatabase  # noqa: PLC0415  loads a driver

    SqliteDatabase(path).remove()


def connect(url: str | os.PathLike[str] | None = None) -> Store:
    """The store at a URL; see ``database_at``.  Nothing is opened or made yet.

    ``store.open()`` makes it where it is new and opens it for writing; ``store.reader`` opens what is there.
    """
    return store_of(database_at(url))


def store_of(database: Database) -> Store:
    """The store of a ledger; see ``connect``."""

    def open_engine() -> Engine:
        if database.label == str(default_file()):
            _make_folder(default_file().parent)
        return database.engine()

    return Store(database.label, open_engine, database.reader)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        msg = f"The folder {folder} for the ledger cannot be made: {error.strerror}."
        raise LedgerUnavailableError(
            msg, next_step="Set TURNLEDGER_URL to a place you can write to."
        ) from error


def _postgres(address: str) -> Database:
    try:
        from turnledger.store.postgres import PostgresDatabase  # noqa: PLC0415  loads a driver
    except ImportError as error:
        msg = "The PostgreSQL driver is not installed."
        raise LedgerUnavailableError(msg, next_step="Run pip install 'turnledger[postgres]'.") from error
    return PostgresDatabase(address)
