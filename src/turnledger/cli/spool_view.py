"""What ``doctor`` says of a spool and does with it."""

from __future__ import annotations

from turnledger.cli.line import counted, size
from turnledger.cli.progress import progress
from turnledger.clock import to_iso
from turnledger.engine.recorder import open_sink
from turnledger.engine.spooling import forward, open_spool, spool_state
from turnledger.store.spool import SpoolCounts

__all__ = ["forward_spool", "spool_object", "words_on_spool"]


def forward_spool(label: str, url: str | None, path: str | None) -> list[str]:
    """Forward what waits for the ledger or server at ``url``, which is called ``label``; says what was.

    Raises LedgerError where it cannot be reached or lets nobody in; what was forwarded before is done.
    """
    state = spool_state(label, path)
    if state is None or not (state.waiting or state.not_kept):
        return []
    spool = open_spool(label, path)
    try:
        sink = open_sink(url)
        try:
            with progress("forwarding batches", state.waiting) as advance:
                done = forward(spool, sink, advance)
        finally:
            sink.close()
    finally:
        spool.close()
    return [f"{counted(done.batches, 'batch was', 'batches were')} forwarded from the spool."]


def spool_object(spool: SpoolCounts) -> dict[str, object]:
    """The same for a program."""
    return {
        "waiting": spool.waiting,
        "events": spool.events,
        "bytes": spool.bytes,
        "refused": spool.refused,
        "notKept": spool.not_kept,
        "since": None if spool.since_ms is None else to_iso(spool.since_ms),
    }


def words_on_spool(spool: SpoolCounts | None, path: str) -> list[str]:
    """What a person has to know of it; ``path`` is where it lies."""
    if spool is None:
        return []
    words: list[str] = []
    if spool.waiting:
        who = counted(spool.events, "event waits", "events wait")
        since = "" if spool.since_ms is None else f", the oldest since {to_iso(spool.since_ms)}"
        words.append(
            f"{who} in the spool {path} ({size(spool.bytes)}{since}): a recorder forwards them as soon as "
            "the ledger is within reach, and so does `turnledger doctor --forward`."
        )
    if spool.refused:
        who = counted(spool.refused, "event from the spool was", "events from the spool were")
        words.append(f"{who} refused by the ledger; kept in {path}.")
    if spool.not_kept:
        words.append(f"The spool {path} had no room for {counted(spool.not_kept, 'event', 'events')}.")
    return words
