"""What all handles of one recorder share in one process."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import suppress
from uuid import UUID

from turnledger.capture.arrivals import Arrivals
from turnledger.capture.heartbeat import Heartbeat
from turnledger.capture.names import Names
from turnledger.capture.sink import Sink
from turnledger.clock import Clock
from turnledger.ids import new_id

__all__ = ["Core"]


class _Parts:
    """What of a recorder has to be ended.  It refers to no handle, so that those can be dropped."""

    def __init__(self, sink: Sink, heartbeat: Heartbeat) -> None:
        self.sink = sink
        self.heartbeat = heartbeat
        self.arrivals = Arrivals()

    def close(self) -> None:
        self.heartbeat.stop()
        self.arrivals.stop()
        self.sink.close()


class Core:
    """The way to the ledger, names met, leases held; ``ttl_ms`` is how long a lease lasts unrenewed."""

    def __init__(self, sink: Sink, clock: Clock, ttl_ms: int) -> None:
        self.sink = sink
        self.clock = clock
        self.ttl_ms = ttl_ms
        self.names = Names(sink)
        self.holder: UUID = new_id()
        self._parts = _Parts(sink, Heartbeat(sink, self.holder, ttl_ms))

    @property
    def heartbeat(self) -> Heartbeat:
        """Renews the leases of open turns."""
        return self._parts.heartbeat

    @property
    def arrivals(self) -> Arrivals:
        """Keeps what has arrived of replies."""
        return self._parts.arrivals

    def close(self) -> None:
        """Finish what is queued and give connections back.  Idempotent."""
        self._parts.close()

    def close_when_dropped(self) -> None:
        """The same when no handle refers to this any more.  A forked child leaves it to its parent."""
        weakref.finalize(self, _close_apart, self._parts, os.getpid()).atexit = False

    def after_fork(self) -> None:
        """A child is a writer of its own: nothing it inherited is renewed, no lock it inherited is used."""
        self.holder = new_id()
        self.names.after_fork()
        self._parts.heartbeat = Heartbeat(self.sink, self.holder, self.ttl_ms)
        self._parts.arrivals = Arrivals()


def _close_apart(parts: _Parts, process: int) -> None:
    # The collector may run in a thread that holds a lock of these very parts.
    if os.getpid() == process:
        with suppress(RuntimeError):  # no thread starts at exit, when stores are closed anyway
            threading.Thread(target=parts.close, name="turnledger-closing", daemon=True).start()
