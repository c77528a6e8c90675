"""The live feed: what the watcher hands on, sorted out to those who subscribed.

A subscriber gets every event behind its cursor once, in order.  One that reads too slowly, or asks for too
much of the past, is told to ask the API anew (``resync``) and goes on with what comes.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Final

from turnledger.broadcast.watcher import Watcher
from turnledger.engine.access import Access, Caller
from turnledger.errors import GrammarError, LedgerError
from turnledger.model.rows import EventRow
from turnledger.query.live_cursor import read_flow_cursor, read_ledger_cursor
from turnledger.server.meter import Meter
from turnledger.server.stream_form import Frame, ResyncReason, frames_of
from turnledger.server.subscription import Subscription, Topic
from turnledger.store.contract import Listener, Reader

__all__ = ["LiveFeed"]

CAUGHT_UP: Final = 1000
"""Events of the past that a subscriber is given; who is further behind asks the API."""
RECHECK_S: Final = 15.0
"""How soon a stream ends whose credential was ended by another server of the same ledger."""

_BEYOND: Final = 2**62
_GAUGE: Final = "turnledger_stream_subscribers"

_Past = tuple[int, Sequence[EventRow], ResyncReason | None]


class LiveFeed:
    """All streams of one server.  Safe to use from many threads once started in its event loop."""

    def __init__(
        self,
        reader: Callable[[], Reader],
        listener: Callable[[], Listener],
        access: Access,
        meter: Meter,
    ) -> None:
        self._reader = reader
        self._access = access
        self._meter = meter
        self._watcher = Watcher(reader, listener, self._hand_on)
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rechecking: asyncio.Task[None] | None = None

    # --- life ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin, in the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._watcher.start()
        self._rechecking = self._loop.create_task(self._recheck_on())

    async def stop(self) -> None:
        """End all streams and the watcher."""
        self.end_all()
        if self._rechecking is not None:
            self._rechecking.cancel()
        await asyncio.to_thread(self._watcher.stop)

    def end_all(self) -> None:
        """End all streams; for any thread."""
        self._end(lambda _: True)

    def drop(self, credential: bytes) -> None:
        """End the streams of a session or token."""
        self._end(lambda one: one.caller.credential == credential)

    def recheck(self) -> None:
        """End the streams of credentials that are worth nothing any more."""
        with self._lock:
            callers = {one.caller.credential: one.caller for one in self._subscriptions}
        for credential, caller in callers.items():
            if self._access.still(caller) is None:
                self.drop(credential)

    async def _recheck_on(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_S)
            try:
                await asyncio.to_thread(self.recheck)
            except LedgerError:
                continue  # who cannot be asked about keeps its stream until the next time

    def _end(self, wanted: Callable[[Subscription], bool]) -> None:
        with self._lock:
            ended = [one for one in self._subscriptions if wanted(one)]
            for one in ended:
                one.ended = True

        def tell() -> None:
            for one in ended:
                one.news.set()

        self._call(tell)

    def _call(self, work: Callable[[], object]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)

    # --- subscribing ---------------------------------------------------------------------------

    def subscribe(self, topic: Topic, caller: Caller, after: str | None) -> Subscription:
        """A new subscription from a cursor on (None: from now on).  Reads the ledger; raises LedgerError."""
        one = Subscription(topic, caller)
        with self._lock:
            self._subscriptions.add(one)
        try:
            self._watcher.wake()
            place, rows, resync = self._past(topic, after)
        except BaseException:
            self.unsubscribe(one)
            raise
        with self._lock:
            one.begin(place, frames_of(rows), resync)
        self._meter.add(_GAUGE)
        if resync is not None:
            self._meter.add("turnledger_stream_resyncs_total", resync)
        return one

    def unsubscribe(self, one: Subscription) -> None:
        """Forget a subscription; with the last one the watcher falls asleep."""
        with self._lock:
            known = one in self._subscriptions
            self._subscriptions.discard(one)
            is_last = not self._subscriptions
        if known:
            self._meter.add(_GAUGE, count=-1)
        if is_last:
            self._watcher.sleep()

    def look(self, one: Subscription) -> None:
        """Read what comes before an event that came early.  Raises LedgerError."""
        conversation = one.topic.conversation
        if conversation is None:
            return
        rows = self._reader().flow(conversation, after=one.place, before=None, limit=CAUGHT_UP)
        with self._lock:
            one.looked(frames_of(rows))

    def take(self, one: Subscription) -> bytes:
        """What waits for a subscriber."""
        with self._lock:
            return one.take()

    def _past(self, topic: Topic, after: str | None) -> _Past:
        """Where to begin, what to give of the past, and why not where that cannot be."""
        conversation = topic.conversation
        reader = self._reader()
        with reader.snapshot():
            if conversation is None:
                head = reader.head_cursor()
                wanted = _read(read_ledger_cursor, after)
            else:
                newest = reader.flow(conversation, after=None, before=_BEYOND, limit=1)
                head = -1 if not newest or newest[0].position is None else newest[0].position
                wanted = _read(read_flow_cursor, after)
            if after is None:
                return head, (), None
            if wanted is None or wanted > head:
                return head, (), "malformed_cursor" if wanted is None else "future_cursor"
            if conversation is None:
                rows, _ = reader.since(wanted, CAUGHT_UP + 1, None)
            else:
                rows = reader.flow(conversation, after=wanted, before=None, limit=CAUGHT_UP + 1)
        if len(rows) > CAUGHT_UP:
            return head, (), "too_far_behind"
        return head, [row for row in rows if topic.holds(row)], None

    # --- handing on ----------------------------------------------------------------------------

    def _hand_on(self, rows: Sequence[EventRow]) -> None:
        frames = frames_of(rows)
        self._call(lambda: self._deliver(frames))

    def _deliver(self, frames: Sequence[Frame]) -> None:
        """In the event loop: to each subscriber what it asked for."""
        handed_on = 0
        with self._lock:
            for one in self._subscriptions:
                for frame in frames:
                    if one.topic.holds(frame.row):
                        one.offer(frame)
                        one.news.set()
                        handed_on += 1
        self._meter.add("turnledger_stream_events_total", count=handed_on)


def _read(read: Callable[[str], int], after: str | None) -> int | None:
    try:
        return None if after is None else read(after)
    except GrammarError:
        return None
