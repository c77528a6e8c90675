"""Replies on their way in: one thread per recorder keeps in the ledger what has arrived of them so far.

What a user has seen of a stream is durable within a second, whatever becomes of the process; the stream
itself never waits for that.  What is kept is no event: it goes when the call has its result, or becomes it.
"""

from __future__ import annotations

import logging
import threading
import weakref
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from turnledger.clock import SYSTEM
from turnledger.model.draft import ARRIVED_AT_MOST, Arrived, Batch, BatchResult, BatchStatus
from turnledger.wire.compression import Packer

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from turnledger.capture.conversation_journal import ConversationJournal
    from turnledger.model.draft import Lease

__all__ = ["Arrivals", "Incoming"]

TICK_S: Final = 0.2
"""How soon the first output of a reply is looked at."""
TICKS: Final = 2
"""How many go by until it is looked at again."""
SIGNS: Final = 3
"""Signs of life in the time that one is good for, so that two may fail."""
IDLE_TICKS: Final = 50
"""How long the thread stays when nothing arrives any more, so that the next reply need not start one."""

_log = logging.getLogger("turnledger")


class Incoming:
    """The pieces of one reply so far; ``call`` is the event id of its intent."""

    def __init__(self, call: UUID) -> None:
        self.call = call
        self.pieces: list[bytes] = []
        self.plain: Callable[[], bytes] | None = None
        """Gives all of it so far, where that is not in the pieces because it comes compressed."""
        self.is_settled = False
        """Whether its outcome was sent."""
        self._was_kept = False
        self._settling = threading.Lock()

    def send(self, append: Callable[[], Future[BatchResult]]) -> Future[BatchResult] | None:
        """Send some of it, unless the outcome was sent, which comes behind all that was kept."""
        with self._settling:
            if self.is_settled:
                return None
            self._was_kept = True
            return append()

    def settle(self) -> bool:
        """The outcome is about to be sent; whether it takes with it what was kept."""
        with self._settling:
            self.is_settled = True
            return self._was_kept


class Arrivals:
    """Replies that arrive for one writer.  Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._replies: list[_Reply] = []
        self._packer: Packer | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def add(
        self,
        incoming: Incoming,
        owner: ConversationJournal,
        journal: UUID,
        lease: Lease,
        *,
        stays_alive: bool = False,
    ) -> None:
        """Keep what arrives of this reply, of a call in ``journal`` of a conversation, from now on.

        With ``stays_alive`` it is also said that it still arrives, where nothing does: nobody renews a lease.
        """
        with self._lock:
            self._replies.append(_Reply(incoming, owner, journal, lease, stays_alive=stays_alive))
            if self._thread is None and not self._stop.is_set():
                self._thread = self._started()

    def _started(self) -> threading.Thread | None:
        thread = threading.Thread(target=self._run, name="turnledger-arrivals", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down
            return None
        return thread

    def _run(self) -> None:
        idle = 0
        while not self._stop.wait(TICK_S):
            self.keep()
            with self._lock:
                idle = 0 if self._replies else idle + 1
                if idle > IDLE_TICKS:
                    self._thread = None
                    return

    def keep(self, *, all_of_them: bool = False) -> None:
        """Send what is new of the replies whose turn it is (or of all), without waiting for the ledger."""
        with self._lock:
            replies = list(self._replies)
        over = [reply for reply in replies if not self._goes_on(reply, at_once=all_of_them)]
        if over:
            with self._lock:
                self._replies = [reply for reply in self._replies if reply not in over]

    def _goes_on(self, reply: _Reply, *, at_once: bool) -> bool:
        try:
            self._packer = self._packer or Packer()
            return reply.keep(self._packer, at_once=at_once)
        except Exception as error:  # noqa: BLE001  the reply itself is recorded at its end all the same
            _log.warning("Turnledger could not keep what arrived of a reply (%s).", type(error).__name__)
            return False

    def stop(self) -> None:
        """End the thread.  Idempotent."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


class _Reply:
    """How much of one reply was kept.  For one thread at a time; it is held weakly."""

    def __init__(
        self,
        incoming: Incoming,
        owner: ConversationJournal,
        journal: UUID,
        lease: Lease,
        *,
        stays_alive: bool,
    ) -> None:
        self._incoming = weakref.ref(incoming)
        self._owner = owner
        self._journal = journal
        self._lease = lease
        self._alive_us = lease.ttl_ms * 1000 // SIGNS if stays_alive else None
        self._said_us = 0
        self._pieces = 0
        self._bytes = 0
        self._rest = b""
        self._batch: Batch | None = None
        self._sent: Future[BatchResult] | None = None
        self._ticks = 0

    def keep(self, packer: Packer, *, at_once: bool) -> bool:
        """Send what is new; False where nothing more of it needs to be kept."""
        incoming = self._incoming()
        if incoming is None or incoming.is_settled:
            return False
        self._ticks -= 1
        if self._ticks > 0 and not at_once:
            return True
        self._ticks = TICKS
        if self._sent is not None:
            if not self._sent.done():
                return True
            if self._sent.exception() is None:
                if self._sent.result().status is not BatchStatus.APPENDED:
                    return False  # the turn has ended, or another writer has it
                self._batch = None
        if self._batch is None:
            self._batch = self._next(incoming, packer)
        batch = self._batch
        if batch is None:
            return True
        self._sent = incoming.send(lambda: self._owner.sink.append(batch))
        return self._sent is not None

    def _next(self, incoming: Incoming, packer: Packer) -> Batch | None:
        """What is to be sent now; None where there is nothing to say.  What fails is sent again as it was."""
        data = self._new(incoming)
        data, self._rest = data[:ARRIVED_AT_MOST], data[ARRIVED_AT_MOST:]
        now_us = SYSTEM.monotonic_us()
        if not data and (self._alive_us is None or now_us - self._said_us < self._alive_us):
            return None
        owner, start, self._said_us = self._owner, self._bytes, now_us
        self._bytes += len(data)
        packed = packer.pack_protocol(data) if data else b""
        return Batch(
            arrived=Arrived(
                self._journal, owner.agent, owner.conversation, incoming.call, start, packed, self._lease
            )
        )

    def _new(self, incoming: Incoming) -> bytes:
        if incoming.plain is not None:
            return incoming.plain()[self._bytes :]
        new = incoming.pieces[self._pieces :]
        self._pieces += len(new)
        return self._rest + b"".join(new)
