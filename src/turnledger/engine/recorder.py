"""``turnledger.open``: a recorder on the ledger at a URL."""

from __future__ import annotations

import os
import warnings
from weakref import WeakKeyDictionary

from turnledger.capture.ledger import Ledger
from turnledger.capture.sink import OffSink, Sink, StoreSink
from turnledger.engine.location import OFF, SERVERS, connect, ledger_url
from turnledger.errors import UsageError
from turnledger.store.ledger_store import Store

__all__ = ["POLICIES", "open_ledger", "store_of_recorder"]

POLICIES = frozenset({"refuse"})
"""What to do while the ledger cannot be reached; ``refuse`` refuses every step."""

_stores: WeakKeyDictionary[Ledger, Store] = WeakKeyDictionary()


def open_ledger(
    url: str | os.PathLike[str] | None = None,
    *,
    token: str | None = None,
    policy: str = "refuse",
    lease_s: float = 30.0,
) -> Ledger:
    """Open a ledger for recording; it is made where there is none.

    ``url`` is a file path, ``memory:``, ``postgresql://…`` or ``http(s)://…`` of a server; without it
    ``TURNLEDGER_URL`` decides, else it is one file in the user's data folder.  ``off`` records nothing, and
    warns.  ``token`` is for a server; without it ``TURNLEDGER_TOKEN`` says.  ``lease_s`` is how many seconds
    a turn is taken for alive after its writer's last sign of life; three heartbeats fit into it.

    Raises UsageError for a URL or policy that is none, LedgerError where the ledger cannot be used.
    """
    if policy not in POLICIES:
        msg = f"{policy[:40]!r} is no policy."
        raise UsageError(msg, next_step=f"Use one of: {', '.join(sorted(POLICIES))}.")
    address = ledger_url(url)
    if address == OFF:
        warnings.warn("Turnledger is switched off: nothing is recorded.", RuntimeWarning, stacklevel=2)
        return Ledger(OffSink(), lease_s=lease_s)
    if address.startswith(SERVERS):
        return Ledger(_remote(address, token), lease_s=lease_s)
    store = connect(address).open()
    ledger = Ledger(StoreSink(store), lease_s=lease_s)
    _stores[ledger] = store
    return ledger


def _remote(address: str, token: str | None) -> Sink:
    from turnledger.capture.remote import RemoteSink  # noqa: PLC0415  loads an HTTP client

    return RemoteSink(address, os.environ.get("TURNLEDGER_TOKEN", "") if token is None else token)


def store_of_recorder(ledger: Ledger) -> Store:
    """The store that a recorder of this process writes to, for reading a ledger in memory.

    Raises UsageError where it records nothing.
    """
    store = _stores.get(ledger)
    if store is None:
        msg = "This recorder keeps nothing that could be read."
        raise UsageError(msg, next_step="Open a ledger at a file path, memory: or postgresql://….")
    return store
