"""The recorder's handle on a ledger.  It has no read methods: see ``turnledger.read``."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from types import TracebackType
from typing import Self

from turnledger.capture.agent import Agent
from turnledger.capture.core import Core
from turnledger.capture.given import text_given
from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import Sink
from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerError, UsageError

__all__ = ["Ledger", "close_when_dropped"]

SHORTEST_LEASE_S = 0.1
LONGEST_LEASE_S = 366 * 24 * 3600

_log = logging.getLogger("turnledger")
_living: weakref.WeakSet[Core] = weakref.WeakSet()


class Ledger:
    """Records what agents do.  Safe to use from many threads; a forked child may go on using it."""

    def __init__(self, sink: Sink, *, lease_s: float = 30.0, clock: Clock = SYSTEM) -> None:
        if type(lease_s) not in {int, float} or not SHORTEST_LEASE_S <= lease_s <= LONGEST_LEASE_S:
            msg = "lease_s is too short for a lease to be renewed in time, over a year, or no number."
            raise UsageError(msg, next_step="Give lease_s at least 0.1; 30 is usual.")
        self.label = sink.label
        """Where the records go, without credentials."""
        self._core = Core(sink, clock, int(lease_s * 1000))
        _living.add(self._core)
        _end_interrupted(sink)

    def agent(self, name: str, *, version: str | None = None, environment: str | None = None) -> Agent:
        """The agent with this name, made when it is first met.

        ``version`` and ``environment`` of the program are noted with each of its turns.
        """
        facts = {
            "agentVersion": text_given(version, "version"),
            "environment": text_given(environment, "environment"),
        }
        return Agent(self._core, name, facts)

    def close(self) -> None:
        """Finish what is queued and give connections back.

        Turns that are still open show no sign of life from here on.  Idempotent; not needed at exit, where
        it is done for every ledger that is still open, at most for some seconds.
        """
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end_interrupted(sink: Sink) -> None:
    try:
        Sweeper(sink).sweep()
    except LedgerError as error:
        _log.warning("Turnledger could not look for interrupted turns. %s", error.message)


def close_when_dropped(ledger: Ledger) -> Ledger:
    """Have ``ledger`` closed when nothing refers to it, its agents and their turns any more; give it back."""
    ledger._core.close_when_dropped()  # noqa: SLF001  the module's own class
    return ledger


def _at_exit() -> None:
    for core in list(_living):
        core.heartbeat.stop_soon()
        core.arrivals.stop()
    for core in list(_living):
        core.sink.close_at_exit()


# After that of the stores is registered, so before it is run.
atexit.register(_at_exit)


def _after_fork() -> None:
    for core in list(_living):
        core.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
