"""The watcher: a thread that reads what was appended as soon as it was, in the order of its cursor."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from turnledger.errors import LedgerError
from turnledger.model.rows import EventRow
from turnledger.store.contract import Listener, Reader

__all__ = ["Watcher"]

AT_ONCE: Final = 500
LOOK_AGAIN_S: Final = 0.02
"""How soon to look again after news: what it was about may become readable a moment later."""
LOOK_ANYWAY_S: Final = 2.0
"""How long news can be missed: after each look in vain the next one is twice as late, up to this."""

_log = logging.getLogger("turnledger")


class Watcher:
    """Hands on every event that is appended while it is awake, exactly once, in order of the cursor.

    While it sleeps it costs nothing.  It goes on where it was after the ledger could not be read for a while.
    """

    def __init__(
        self,
        reader: Callable[[], Reader],
        listener: Callable[[], Listener],
        hand_on: Callable[[Sequence[EventRow]], None],
    ) -> None:
        """``hand_on`` is called in the watcher's own thread, with one event at least."""
        self._reader = reader
        self._open_listener = listener
        self._hand_on = hand_on
        self._awake = threading.Event()
        self._stopped = threading.Event()
        self._reading = threading.Lock()
        self._cursor = 0
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, asleep."""
        self._thread = threading.Thread(target=self._run, name="turnledger-watcher", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Hand on everything that is appended after this call.  Raises LedgerError."""
        with self._reading:
            if not self._awake.is_set():
                self._cursor = self._reader().head_cursor()
                self._awake.set()

    def sleep(self) -> None:
        """Nobody is there to hand anything on to."""
        with self._reading:
            self._awake.clear()

    def stop(self) -> None:
        """End the thread and give its connection back.  Idempotent."""
        self._stopped.set()
        self._awake.set()
        listener = self._listener
        if listener is not None:
            listener.close()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        pause = LOOK_AGAIN_S
        while self._awake.wait() and not self._stopped.is_set():
            try:
                listener = self._listener
                if listener is None:
                    listener = self._listener = self._open_listener()
                has_news = listener.wait(pause)
                while self._read_on():
                    has_news = True
                pause = LOOK_AGAIN_S if has_news else min(pause * 2, LOOK_ANYWAY_S)
            except LedgerError as error:
                _log.warning("The live stream cannot read the ledger (%s).", error.code)
                self._stopped.wait(LOOK_ANYWAY_S)

    def _read_on(self) -> bool:
        """Hand on one portion; whether there may be another.  Raises LedgerError."""
        with self._reading:
            if not self._awake.is_set() or self._stopped.is_set():
                return False
            rows, self._cursor = self._reader().since(self._cursor, AT_ONCE, None)
            if rows:
                self._hand_on(rows)
            return bool(rows)
