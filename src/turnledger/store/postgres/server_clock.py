"""The database's clock, read between two of its answers."""

from __future__ import annotations

from typing import Final

from turnledger.clock import Clock

__all__ = ["ServerClock"]

TRUSTED_US: Final = 10_000_000  # two clocks drift apart by less than a millisecond in that time


class ServerClock:
    """Carries the server's time on by this machine's steady clock, for some seconds.

    An answer is always older than its arrival, so what is read here lags by that much and is not ahead.
    Nothing is recorded by it that the server has not checked.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answer: tuple[int, int] | None = None

    def set(self, server_us: int) -> int:
        """Take over an answer that just arrived; gives its milliseconds."""
        self._answer = server_us, self._clock.monotonic_us()
        return server_us // 1000

    def now_ms(self) -> int | None:
        """Epoch milliseconds, floored; None where the last answer is too old."""
        if self._answer is None:
            return None
        server_us, arrived_us = self._answer
        passed_us = self._clock.monotonic_us() - arrived_us
        return (server_us + passed_us) // 1000 if passed_us < TRUSTED_US else None
