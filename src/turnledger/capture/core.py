"""What all handles of one recorder share in one process."""

from __future__ import annotations

from uuid import UUID

from turnledger.capture.arrivals import Arrivals
from turnledger.capture.heartbeat import Heartbeat
from turnledger.capture.names import Names
from turnledger.capture.sink import Sink
from turnledger.clock import Clock
from turnledger.ids import new_id

__all__ = ["Core"]


class Core:
    """The way to the ledger, names met, leases held; ``ttl_ms`` is how long a lease lasts unrenewed."""

    def __init__(self, sink: Sink, clock: Clock, ttl_ms: int) -> None:
        self.sink = sink
        self.clock = clock
        self.ttl_ms = ttl_ms
        self.names = Names(sink)
        self.holder: UUID = new_id()
        self.heartbeat = Heartbeat(sink, self.holder, ttl_ms)
        self.arrivals = Arrivals()

    def after_fork(self) -> None:
        """A child is a writer of its own: nothing it inherited is renewed, no lock it inherited is used."""
        self.holder = new_id()
        self.names.after_fork()
        self.heartbeat = Heartbeat(self.sink, self.holder, self.ttl_ms)
        self.arrivals = Arrivals()
