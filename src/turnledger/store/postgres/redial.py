"""Opening links: patient where a server restarts, quick where it is known to be away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerUnavailableError
from turnledger.store.postgres.link import Link

__all__ = ["Redial"]

_PAUSES: Final = (
    0.05,
    0.1,
    0.2,
    0.4,
    0.8,
    1.6,
    1.6,
)  # about 5 seconds: a server that restarts is back by then
_HOLD_OFF_US: Final = 1_000_000


class Redial:
    """Opens links; waits once in an outage, so that a queue of appends is not held up by each of them."""

    def __init__(
        self, open_link: Callable[[], Link], clock: Clock = SYSTEM, pauses: Sequence[float] = _PAUSES
    ) -> None:
        self._open_link = open_link
        self._clock = clock
        self._pauses = pauses
        self._outage: tuple[int, LedgerUnavailableError] | None = None

    def open(self, *, patient: bool) -> Link:
        """A new link.  Raises LedgerUnavailableError.

        A patient caller tries again for some seconds where nobody else did since the last link was made.
        For a second after a failure everybody gets its error at once.
        """
        pauses = self._pauses if patient and self._outage is None else ()
        if self._outage is not None and self._clock.monotonic_us() - self._outage[0] < _HOLD_OFF_US:
            raise LedgerUnavailableError(self._outage[1].message, next_step=self._outage[1].next_step)
        for pause in pauses:
            try:
                return self._opened()
            except LedgerUnavailableError:
                self._clock.sleep(pause)
        return self._opened()

    def _opened(self) -> Link:
        try:
            link = self._open_link()
        except LedgerUnavailableError as error:
            self._outage = (self._clock.monotonic_us(), error)
            raise
        self._outage = None
        return link
