"""Recording through a server: the same answers, when the same is durable, over one connection."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final
from uuid import UUID

import msgspec

from turnledger.capture.http_link import HttpLink, Remote, TooLargeForServerError
from turnledger.capture.remote_form import RemoteForm, result_of, size_of
from turnledger.capture.remote_lookups import RemoteLookups
from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerClosedError, LedgerError
from turnledger.model.draft import Batch, BatchResult, Refusal
from turnledger.model.rows import EventRow, LeaseRow, LostCall
from turnledger.wire.capture_form import MSGPACK, CaptureAnswer, CaptureRequest, CaptureResult

__all__ = ["RemoteSink"]

GROUP_BATCHES: Final = 256
GROUP_BYTES: Final = 8 << 20

_EVENTS: Final = "/api/capture/events"
EXIT_S: Final = 5.0
"""How long the end of a program waits for what is queued."""

_Waiting = tuple[Batch, "Future[BatchResult]"]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(CaptureAnswer).decode

_living: weakref.WeakSet[RemoteSink] = weakref.WeakSet()


class RemoteSink:
    """See ``sink.Sink``.

    One thread sends what waits, in the order of the calls; while an answer is under way the next request
    gathers, so that turns share requests and the server's commits.  Of those who write at once a request
    takes one half, so that the others go on while the server works.  A request may be sent twice: its event
    ids make it one.
    """

    def __init__(self, url: str, token: str, clock: Clock = SYSTEM) -> None:
        """Raises UsageError for a URL that is none, or no token."""
        self._remote = Remote.parse(url, token)
        self.label = self._remote.label
        self._clock = clock
        self._closed = False
        self._start_afresh()
        _living.add(self)

    def _start_afresh(self) -> None:
        self._wake = threading.Condition(threading.Lock())
        self._waiting: deque[_Waiting] = deque()
        self._sent = 0
        self._thread: threading.Thread | None = None
        self._link = HttpLink(self._remote, self._clock)
        self._form = RemoteForm()
        self._lookups = RemoteLookups(HttpLink(self._remote, self._clock))

    # --- appending -----------------------------------------------------------------------------

    def append(self, batch: Batch) -> Future[BatchResult]:
        """See ``sink.Sink``."""
        future: Future[BatchResult] = Future()
        future.set_running_or_notify_cancel()
        with self._wake:
            if self._closed:
                msg = "This ledger was closed."
                raise LedgerClosedError(msg, next_step="Open it again with turnledger.open().")
            self._waiting.append((batch, future))
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_on, name="turnledger-sender", daemon=True)
                self._thread.start()
            self._wake.notify()
        return future

    def _send_on(self) -> None:
        while True:
            with self._wake:
                while not (self._waiting or self._closed):
                    self._wake.wait()
                group = self._take_group()
            if not group:
                break
            self._send(group)
        self._link.close()

    def _take_group(self) -> list[_Waiting]:
        group: list[_Waiting] = []
        size = 0
        half = (self._sent + len(self._waiting) + 1) // 2
        while self._waiting and len(group) < min(half, GROUP_BATCHES):
            size += size_of(self._waiting[0][0])
            if group and size > GROUP_BYTES:
                break
            group.append(self._waiting.popleft())
        self._sent = len(group)
        return group

    def _send(self, group: list[_Waiting]) -> None:
        """Send a group and answer whoever waits for it."""
        try:
            answers = self._answers([batch for batch, _ in group])
            outcomes = [result_of(answer) for answer in answers]
        except TooLargeForServerError as error:
            self._divide(group, error)
        except LedgerError as error:
            _fail(group, error)
        except Exception as error:  # noqa: BLE001  it belongs to whoever waits
            _fail(group, error)
        else:
            for (_, future), outcome in zip(group, outcomes, strict=True):
                future.set_result(outcome)

    def _divide(self, group: list[_Waiting], error: LedgerError) -> None:
        if len(group) == 1:
            _fail(group, error)
            return
        half = len(group) // 2
        self._send(group[:half])
        self._send(group[half:])

    def _answers(self, batches: list[Batch]) -> list[CaptureResult]:
        answers = self._post(batches, whole=False)
        first = next(
            (place for place, one in enumerate(answers) if one.refusal == Refusal.UNKNOWN_BASE), None
        )
        if first is None:
            return answers
        # What came after it may have been refused for its lack: all of that again, and whole.
        return answers[:first] + self._post(batches[first:], whole=True)

    def _post(self, batches: list[Batch], *, whole: bool) -> list[CaptureResult]:
        request = CaptureRequest(batches=[self._form.batch(batch, whole=whole) for batch in batches])
        results = _decode(self._link.ask("POST", _EVENTS, _encode(request), MSGPACK)).results
        if len(results) != len(batches):
            msg = f"The server answered {len(results)} of {len(batches)} batches."
            raise LedgerError(msg, next_step="Check that TURNLEDGER_URL names a Turnledger server.")
        return results

    # --- looking up ----------------------------------------------------------------------------

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """See ``sink.Sink``."""
        return self._lookups.renew(holder, turns, ttl_ms)

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """See ``sink.Sink``."""
        return self._lookups.acquire(turn, holder, ttl_ms)

    def expired(self, limit: int) -> list[LeaseRow]:
        """None: the server itself ends the turns that nobody renews."""
        del limit
        return []

    def lost_calls(self, limit: int) -> list[LostCall]:
        """None: the server itself ends them."""
        del limit
        return []

    def arrived(self, journal: UUID) -> dict[int, bytes]:
        """Nothing: the server itself makes results of it, and what was said is not told to a recorder."""
        del journal
        return {}

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``sink.Sink``."""
        return self._lookups.event(event_id)

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``sink.Sink``."""
        return self._lookups.events(journal_id, start_seq, limit)

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """See ``sink.Sink``."""
        return self._lookups.last_revision(agent, entry)

    def close(self) -> None:
        """See ``sink.Sink``."""
        self._end(None)
        self._lookups.close()

    def close_at_exit(self) -> None:
        """See ``sink.Sink``."""
        self._end(EXIT_S)

    def _end(self, seconds: float | None) -> None:
        with self._wake:
            self._closed = True
            thread = self._thread
            self._wake.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def _after_fork(self) -> None:
        self._link.leave_to_parent()
        self._lookups.leave_to_parent()
        self._start_afresh()


def _fail(group: list[_Waiting], error: Exception) -> None:
    for _, future in group:
        future.set_exception(error)


def _after_fork() -> None:
    for sink in list(_living):
        sink._after_fork()  # noqa: SLF001  the module's own class


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
