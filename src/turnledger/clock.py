"""The only module that reads time or monotonic counters; tests hand in their own ``Clock``."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from turnledger.errors import GrammarError

__all__ = ["SYSTEM", "Clock", "SystemClock", "from_iso", "to_iso"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Where a ledger gets its time from."""

    def epoch_ms(self) -> int:
        """Wall clock: milliseconds since 1970-01-01T00:00:00Z, floored."""
        ...

    def monotonic_us(self) -> int:
        """Steady microseconds for durations; the zero point means nothing."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds."""
        ...


class SystemClock:
    """The machine's clocks."""

    def epoch_ms(self) -> int:
        """See ``Clock``."""
        return time.time_ns() // 1_000_000

    def monotonic_us(self) -> int:
        """See ``Clock``."""
        return time.monotonic_ns() // 1_000

    def sleep(self, seconds: float) -> None:
        """See ``Clock``."""
        time.sleep(seconds)


SYSTEM = SystemClock()


def to_iso(epoch_ms: int) -> str:
    """Milliseconds since the epoch as RFC 3339 with three digits and ``Z``."""
    moment = _EPOCH + timedelta(milliseconds=epoch_ms)
    text = moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
    return f"{text}Z"


def from_iso(text: str) -> int:
    """An aware ISO 8601 text as epoch milliseconds, floored.

    Raises GrammarError for text that is no instant or has no zone.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is not an ISO 8601 time."
        raise GrammarError(msg, next_step="Write it like 2026-11-30T12:00:00Z.") from error
    if moment.utcoffset() is None:
        msg = f"{text!r} has no time zone, so it names no instant."
        step = "Write it in ISO 8601 with a zone, such as 2026-11-30T12:00:00Z or 2026-11-30T13:00:00+01:00."
        raise GrammarError(msg, next_step=step)
    return from_datetime(moment)


def from_datetime(moment: datetime) -> int:
    """An aware datetime as epoch milliseconds, floored.

    Raises GrammarError for a naive datetime: two readers would take it for two instants.
    """
    if moment.utcoffset() is None:
        msg = f"{moment.isoformat()} has no time zone, so it names no instant."
        raise GrammarError(msg, next_step="Pass an aware datetime, such as datetime.now(UTC).")
    return (moment - _EPOCH) // timedelta(milliseconds=1)
