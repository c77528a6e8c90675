"""Signs of life: one thread per recorder renews the leases of its open turns and reaps what nobody renews."""

from __future__ import annotations

import logging
import threading
import weakref
from uuid import UUID

from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import Sink
from turnledger.capture.turn_journal import TurnJournal

__all__ = ["Heartbeat"]

BEATS = 3
"""Beats in the time a lease lasts, so that two may fail."""

_log = logging.getLogger("turnledger")


class Heartbeat:
    """Leases of one writer.  Turns are held weakly: one that nobody refers to shows no sign of life."""

    def __init__(self, sink: Sink, holder: UUID, ttl_ms: int) -> None:
        self._sink = sink
        self._holder = holder
        self._ttl_ms = ttl_ms
        self._lock = threading.Lock()
        self._turns: weakref.WeakValueDictionary[UUID, TurnJournal] = weakref.WeakValueDictionary()
        self._sweeper = Sweeper(sink)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, journal: TurnJournal) -> None:
        """Renew this turn's lease from now on."""
        with self._lock:
            self._turns[journal.turn] = journal
            if self._thread is None and not self._stop.is_set():
                self._thread = self._started()

    def _started(self) -> threading.Thread | None:
        interval = self._ttl_ms / 1000 / BEATS
        thread = threading.Thread(
            target=_beat_on,
            args=(weakref.ref(self), self._stop, interval),
            name="turnledger-heartbeat",
            daemon=True,
        )
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down; a lease lasts longer than that
            _log.warning("Turnledger could not start its heartbeat.")
            return None
        return thread

    def drop(self, journal: TurnJournal) -> None:
        """Renew it no more."""
        with self._lock:
            self._turns.pop(journal.turn, None)

    def beat(self) -> None:
        """Renew now; turns found to be another writer's are told so.  Then reap what others left behind."""
        with self._lock:
            held = list(self._turns.values())
        if held:
            turns = [(journal.turn, journal.lease.epoch) for journal in held]
            lost = self._sink.renew(self._holder, turns, self._ttl_ms)
            for journal in held:
                if journal.turn in lost:
                    journal.lose()
                    self.drop(journal)
        self._sweeper.sweep_twice_seen()

    def stop_soon(self) -> None:
        """The beat in progress is the last."""
        self._stop.set()

    def stop(self) -> None:
        """End the thread; leases run out by themselves."""
        self.stop_soon()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


def _beat_on(beating: weakref.ref[Heartbeat], stop: threading.Event, interval: float) -> None:
    while not stop.wait(interval):
        heartbeat = beating()
        if heartbeat is None:
            return
        try:
            heartbeat.beat()
        except Exception as error:  # noqa: BLE001  the next beat tries again, whatever it was
            if stop.is_set():  # the ledger was closed under it
                return
            _log.warning("Turnledger could not renew its leases (%s).", type(error).__name__)
        del heartbeat
