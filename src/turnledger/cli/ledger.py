"""The ledger a command works on: it has to exist, and reading never makes one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from turnledger.engine.location import Database, database_at, ledger_url, store_of
from turnledger.errors import LedgerUnavailableError, UsageError
from turnledger.store.contract import Reader
from turnledger.store.ledger_store import Store

__all__ = ["existing", "ledger_file", "reading", "writing"]


def ledger_file(url: str | None) -> Path | None:
    """The ledger's file; None where it is no file."""
    address = ledger_url(url)
    return None if ":" in address.partition("/")[0] else Path(address).expanduser()


def existing(url: str | None) -> Database:
    """The ledger at ``url`` (None: the default one).

    Raises LedgerUnavailableError where there is no such file, UsageError for a URL of which nothing is kept.
    """
    address = ledger_url(url)
    if address in {"off", "memory:"}:
        msg = f"{address} keeps nothing that could be read."
        raise UsageError(msg, next_step="Give --ledger, or TURNLEDGER_URL, a file or postgresql://….")
    database = database_at(address)
    path = ledger_file(address)
    if path is not None and path.is_dir():
        msg = f"{path} is a folder, and a ledger is a file."
        raise UsageError(msg, next_step="Name the file in it.")
    if path is not None and not path.exists():
        msg = f"There is no ledger at {path}."
        next_step = "The first agent that records makes it; or name another with --ledger."
        raise LedgerUnavailableError(msg, next_step=next_step)
    return database


@contextmanager
def reading(url: str | None) -> Generator[Reader]:
    """A reader of the ledger at ``url``, closed afterwards; see ``existing``."""
    reader = existing(url).reader()
    try:
        yield reader
    finally:
        reader.close()


@contextmanager
def writing(database: Database) -> Generator[Store]:
    """The store of a ledger, opened and closed afterwards."""
    with closing(store_of(database).open()) as store:
        yield store
