"""``turnledger.open``: a recorder on the ledger at a URL."""

from __future__ import annotations

import os
import warnings
from contextlib import closing
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from turnledger.capture.given import count_given, text_given
from turnledger.capture.ledger import Ledger, close_when_dropped
from turnledger.capture.sink import OffSink, Sink, StoreSink
from turnledger.engine.location import OFF, SERVERS, connect, ledger_url
from turnledger.errors import LedgerError, LedgerUnavailableError, UsageError
from turnledger.ids import NIL
from turnledger.store.ledger_store import Store

if TYPE_CHECKING:
    from turnledger.capture.remote import RemoteSink

__all__ = [
    "POLICIES",
    "ask_server",
    "is_server",
    "open_ledger",
    "open_sink",
    "server_label",
    "store_of_recorder",
]

POLICIES = frozenset({"refuse", "spool"})
"""What to do while the ledger cannot be reached: refuse every step, or write it to a local spool first."""

SPOOL_BYTES = 1 << 30

_stores: WeakKeyDictionary[Ledger, Store] = WeakKeyDictionary()


def open_ledger(
    url: str | os.PathLike[str] | None = None,
    *,
    token: str | None = None,
    policy: str = "refuse",
    spool: str | os.PathLike[str] | None = None,
    spool_bytes: int = SPOOL_BYTES,
    lease_s: float = 30.0,
) -> Ledger:
    """Open a ledger for recording; it is made where there is none.

    ``url`` is a file path, ``memory:``, ``postgresql://…`` or ``http(s)://…`` of a server; without it
    ``TURNLEDGER_URL`` decides, else it is one file in the user's data folder.  ``off`` records nothing, and
    warns.  ``token`` is for a server; without it ``TURNLEDGER_TOKEN`` says.  ``lease_s`` is how many seconds
    a turn is taken for alive after its writer's last sign of life; three heartbeats fit into it.

    ``policy`` says what happens while the ledger cannot be reached: ``refuse`` refuses every step, ``spool``
    makes it durable in a local file first and forwards it later, in order and exactly once.  ``spool`` is
    that file; without it the ledger has one of its own in the user's data folder.  While it holds
    ``spool_bytes`` the policy is ``refuse``.

    Raises UsageError for a URL or policy that is none, LedgerError where the ledger cannot be used (with the
    policy ``spool`` not where it cannot be reached).
    """
    if text_given(policy, "policy") not in POLICIES:
        msg = f"{policy and policy[:40]!r} is no policy."
        raise UsageError(msg, next_step=f"Use one of: {', '.join(sorted(POLICIES))}.")
    token, room = text_given(token, "token"), count_given(spool_bytes, "spool_bytes") or 0
    address = ledger_url(url)
    if address == OFF:
        warnings.warn("Turnledger is switched off: nothing is recorded.", RuntimeWarning, stacklevel=2)
        return Ledger(OffSink(), lease_s=lease_s)
    may_spool = policy == "spool"
    if spool is not None and not may_spool:
        msg = "A spool is used with the policy spool only."
        raise UsageError(msg, next_step='Say policy="spool" too.')
    if address.startswith(SERVERS):
        remote = _remote(address, token)
        to_server = _spooling(remote, spool, room, None) if may_spool else remote
        return close_when_dropped(Ledger(to_server, lease_s=lease_s))
    store = connect(address)
    away = _opened(store, may_be_away=may_spool)
    sink = StoreSink(store)
    ledger = Ledger(_spooling(sink, spool, room, away) if may_spool else sink, lease_s=lease_s)
    _stores[ledger] = store
    return close_when_dropped(ledger)


def _opened(store: Store, *, may_be_away: bool) -> LedgerError | None:
    try:
        store.open()
    except LedgerUnavailableError as error:
        if not may_be_away:
            raise
        return error
    return None


def _spooling(
    sink: Sink, spool: str | os.PathLike[str] | None, spool_bytes: int, away: LedgerError | None
) -> Sink:
    from turnledger.capture.spool_sink import SpoolSink  # noqa: PLC0415  needed for this policy only
    from turnledger.engine.spooling import open_spool  # noqa: PLC0415  (same)

    return SpoolSink(sink, open_spool(sink.label, spool, spool_bytes), away=away)


def _remote(address: str, token: str | None) -> RemoteSink:
    from turnledger.capture.remote import RemoteSink  # noqa: PLC0415  loads an HTTP client

    return RemoteSink(address, os.environ.get("TURNLEDGER_TOKEN", "") if token is None else token)


def is_server(url: str | os.PathLike[str] | None) -> bool:
    """Whether a ledger's URL (None: that of ``TURNLEDGER_URL``) names a server."""
    return ledger_url(url).startswith(SERVERS)


def server_label(url: str | os.PathLike[str] | None) -> str:
    """What the server at a URL is called.  Raises UsageError for a URL that is none."""
    from turnledger.capture.http_link import Remote  # noqa: PLC0415  loads an HTTP client

    return Remote.parse(ledger_url(url), "-").label


def ask_server(url: str | os.PathLike[str] | None) -> None:
    """Whether the server at a URL is there and lets this process record.

    Raises LedgerUnavailableError where it cannot be reached, another LedgerError where ``TURNLEDGER_TOKEN``
    is missing or no good.
    """
    with closing(_remote(ledger_url(url), None)) as sink:
        sink.event(NIL)


def open_sink(url: str | os.PathLike[str] | None) -> Sink:
    """The ledger or server at a URL, to forward a spool to.  Raises LedgerError where it cannot be used."""
    address = ledger_url(url)
    if not address.startswith(SERVERS):
        return StoreSink(connect(address).open())
    ask_server(address)
    return _remote(address, None)


def store_of_recorder(ledger: Ledger) -> Store:
    """The store that a recorder of this process writes to, for reading a ledger in memory.

    Raises UsageError where it records nothing.
    """
    store = _stores.get(ledger)
    if store is None:
        msg = "This recorder keeps nothing that could be read."
        raise UsageError(msg, next_step="Open a ledger at a file path, memory: or postgresql://….")
    return store
