"""Waiting for news: LISTEN on a connection of its own."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from typing import Final

from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerUnavailableError
from turnledger.store.postgres.link import Link
from turnledger.store.postgres.problems import LinkLostError

__all__ = ["PostgresListener"]

# Writers send at most one notification in 20 ms: what came just after it is seen by looking once more.
LOOK_AGAIN_US: Final = 25_000
REDIAL_SECONDS: Final = 1.0


class PostgresListener:
    """Wakes when another process has appended.  ``wait`` is for one thread, ``close`` for any.

    A wake-up says that it is worth looking, no more.  News can come without one while the server cannot be
    reached, and rows become readable without one when a long transaction of somebody else ends: callers
    look by themselves every few seconds too.
    """

    def __init__(self, open_link: Callable[[], Link], clock: Clock = SYSTEM) -> None:
        """``open_link`` gives a link that listens."""
        self._open_link = open_link
        self._clock = clock
        self._link: Link | None = None
        self._look_again_us: int | None = None
        self._closed = False
        self._waiting = threading.Lock()
        self._bell, self._ring = os.pipe()

    def wait(self, seconds: float) -> bool:
        """Return True as soon as there may be news, False after ``seconds`` without, or once closed."""
        deadline = self._clock.monotonic_us() + int(seconds * 1_000_000)
        with self._waiting:
            while not self._closed:
                if self._link is None and self._connected():
                    return True  # whatever came while nobody listened
                if self._heard(deadline):
                    return True
                if self._clock.monotonic_us() >= deadline:
                    return False
        return False

    def close(self) -> None:
        """End a running ``wait`` and give the connection back.  Idempotent."""
        if self._closed:
            return
        self._closed = True
        os.write(self._ring, b"\n")
        with self._waiting:
            if self._link is not None:
                self._link.close()
            os.close(self._bell)
            os.close(self._ring)

    def _connected(self) -> bool:
        try:
            self._link = self._open_link()
        except LedgerUnavailableError:
            self._sleep(None, REDIAL_SECONDS)
            return False
        return True

    def _heard(self, deadline: int) -> bool:
        """Wait until ``deadline`` or the time to look again; whether there may be news."""
        if self._link is None:
            return False
        now = self._clock.monotonic_us()
        until = deadline if self._look_again_us is None else min(deadline, self._look_again_us)
        if self._sleep(self._link, max(0, until - now) / 1_000_000):
            return self._read(self._link)
        if self._look_again_us is not None and self._clock.monotonic_us() >= self._look_again_us:
            self._look_again_us = None
            return True
        return False

    def _read(self, link: Link) -> bool:
        try:
            notified = link.notified()
        except LinkLostError:
            self._link = None
            return False
        if notified:
            self._look_again_us = self._clock.monotonic_us() + LOOK_AGAIN_US
        return notified

    def _sleep(self, link: Link | None, seconds: float) -> bool:
        """Wait for the link (True), the bell of ``close``, or the time to pass."""
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        if link is not None:
            poll.register(link.fileno(), select.POLLIN)
        ready = poll.poll(int(seconds * 1000) + (seconds > 0))
        return any(descriptor != self._bell for descriptor, _ in ready)
