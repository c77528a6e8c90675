"""How long the demo takes over things: no time at all while it records, a person's time while agents talk."""

from __future__ import annotations

import threading
from typing import Final

__all__ = ["AT_ONCE", "Pace"]

_CHARS_PER_S: Final = 40.0
_LONGEST_S: Final = 7.0


class Pace:
    """Pauses of one or more agents, on their threads; ``speed`` 1 is a person's, None leaves them out."""

    def __init__(self, speed: float | None = None) -> None:
        self._speed = speed
        self._stop = threading.Event()

    @property
    def has_stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> None:
        """Pause.  Raises KeyboardInterrupt once ``stop`` was called, so an open turn says *cancelled*."""
        if self._speed is not None and self._stop.wait(seconds / self._speed):
            raise KeyboardInterrupt

    def write(self, text: str | None) -> None:
        """Pause for as long as somebody takes to write ``text``."""
        self.wait(min(1 + len(text or "") / _CHARS_PER_S, _LONGEST_S))

    def stop(self) -> None:
        """End all pauses, now and from now on."""
        self._stop.set()


AT_ONCE: Final = Pace()
"""No pauses at all."""
