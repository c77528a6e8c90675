"""Where the spool of a ledger lies, and forwarding it without recording anything."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from turnledger.capture.forwarder import forward_group
from turnledger.capture.sink import Sink
from turnledger.capture.spooler import gap_batch
from turnledger.engine.location import SERVERS, default_file
from turnledger.errors import LedgerBusyError, UsageError
from turnledger.store.spool import Spool, SpoolCounts

__all__ = ["Forwarded", "forward", "open_spool", "spool_file", "spool_state"]

_MEMORY = "memory:"
_POSTGRES = "postgresql:"


class Forwarded(NamedTuple):
    """What became of a spool: batches that are settled, and events that the ledger refused."""

    batches: int
    refused: int


def spool_file(label: str) -> Path:
    """The spool of the ledger that is called ``label``: beside the default ledger, one for each address."""
    name = hashlib.sha256(_address(label).encode()).hexdigest()[:16]
    return default_file().parent / f"spool-{name}.db"


def open_spool(label: str, path: str | os.PathLike[str] | None = None, cap: int = 1 << 30) -> Spool:
    """The spool at ``path``, else the ledger's own; its file is made when something has to be kept.

    ``cap`` is how many bytes it may use.
    Raises UsageError for a ledger in memory.
    """
    if label == _MEMORY:
        msg = "A ledger in memory is always within reach, and gone with its process: it has no spool."
        raise UsageError(msg, next_step="Open a file, postgresql://… or a server, or leave out the policy.")
    from turnledger.store.sqlite.spool import SqliteSpool  # noqa: PLC0415  loads a driver

    return SqliteSpool(spool_file(label) if path is None else path, _address(label), cap=cap)


def _address(label: str) -> str:
    is_file = not label.startswith((*SERVERS, _POSTGRES))
    return os.path.realpath(label) if is_file else label


def spool_state(label: str, path: str | os.PathLike[str] | None = None) -> SpoolCounts | None:
    """How a ledger's spool stands; None where it has none.  Makes no file."""
    if label == _MEMORY or not Path(path or spool_file(label)).exists():
        return None
    spool = open_spool(label, path)
    try:
        return spool.counts()
    finally:
        spool.close()


def forward(spool: Spool, sink: Sink, advance: Callable[[int], None]) -> Forwarded:
    """Forward all that waits in a spool; ``advance`` is told of every few batches.

    Raises LedgerBusyError where another process is forwarding it, LedgerUnavailableError where the ledger
    cannot be reached; what was forwarded before that is done.
    """
    if not spool.lead():
        msg = f"Another process is forwarding the spool {spool.label}."
        raise LedgerBusyError(msg, next_step="Let it finish.")
    batches = refused = 0
    try:
        while True:
            count, no = forward_group(spool, sink, gap_batch)
            if not count:
                break
            batches += count
            refused += sum(len(one.batch.drafts) for one in no)
            advance(count)
    finally:
        spool.follow()
    return Forwarded(batches, refused)
