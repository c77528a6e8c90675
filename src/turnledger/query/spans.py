"""Stretches of time as people ask for them: instants, calendar days of a zone, buckets of a calendar."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from turnledger.clock import from_datetime, from_iso, to_iso
from turnledger.errors import GrammarError

__all__ = ["Bucket", "Span", "bucket_edges", "fitting_bucket", "span_of", "zone_named"]

BUCKETS: Final = 400

_HOUR_MS: Final = 3_600_000
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST_MS, _LAST_MS = 0, 253_402_300_799_999  # 9999-12-31T23:59:59.999Z


class Bucket(StrEnum):
    """How wide the buckets of a plot are; days and weeks are the zone's calendar's, not 24 or 168 hours."""

    MINUTE = "minute"
    QUARTER = "quarter"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


_WIDTH_MS: Final = {
    Bucket.MINUTE: 60_000,
    Bucket.QUARTER: 900_000,
    Bucket.HOUR: _HOUR_MS,
    Bucket.DAY: 24 * _HOUR_MS,
    Bucket.WEEK: 168 * _HOUR_MS,
}


@dataclass(frozen=True, slots=True)
class Span:
    """From ``since_ms`` on and short of ``until_ms``; None leaves an end open."""

    since_ms: int | None = None
    until_ms: int | None = None


def zone_named(name: str) -> tzinfo:
    """The time zone of the IANA database with this name, or UTC.  Raises GrammarError."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        msg = f"{name[:40]!r} is no time zone."
        raise GrammarError(msg, next_step="Use a name such as Europe/Berlin, or UTC.") from error


def span_of(
    since: str | None = None, until: str | None = None, day: str | None = None, zone: str = "UTC"
) -> Span:
    """The stretch from ``since`` to ``until`` (ISO 8601 with a zone), or one calendar ``day`` of ``zone``.

    A day on which clocks are put back has 25 hours.  Raises GrammarError for what is no time or no zone, for
    an end before the beginning, and for both kinds at once.
    """
    if day is None:
        span = Span(_instant(since), _instant(until))
        if span.since_ms is not None and span.until_ms is not None and span.since_ms > span.until_ms:
            msg = f"since ({to_iso(span.since_ms)}) is after until ({to_iso(span.until_ms)})."
            raise GrammarError(msg, next_step="Ask for a beginning before the end.")
        return span
    if since is not None or until is not None:
        msg = "A day and a beginning or end were asked for at once."
        raise GrammarError(msg, next_step="Ask for one or the other.")
    if _DAY.fullmatch(day) is None:
        msg = f"{day[:40]!r} is no day."
        raise GrammarError(msg, next_step="Write it like 2026-11-30.")
    calendar = zone_named(zone)
    try:
        begin = datetime.fromisoformat(day).replace(tzinfo=calendar)
        return Span(from_datetime(begin), from_datetime(begin + timedelta(days=1)))
    except (ValueError, OverflowError) as error:
        msg = f"{day} is no day of the calendar."
        raise GrammarError(msg, next_step="Write it like 2026-11-30.") from error


def _instant(text: str | None) -> int | None:
    # In a URL an unquoted plus sign arrives as a space.
    return None if text is None else from_iso(text.strip().replace(" ", "+"))


def fitting_bucket(span_ms: int) -> Bucket:
    """The narrowest bucket that makes a plot of at most 100 points."""
    return next((bucket for bucket, width in _WIDTH_MS.items() if span_ms <= 100 * width), Bucket.WEEK)


def bucket_edges(since_ms: int, until_ms: int, bucket: Bucket, zone: tzinfo) -> list[int]:
    """Where buckets begin and end: the first at or before ``since_ms``, the last at or after ``until_ms``.

    Raises GrammarError where that would be more than 400 buckets, or beyond the calendar.
    """
    if not _FIRST_MS <= since_ms <= until_ms <= _LAST_MS:
        msg = "The stretch of time ends before it begins, or lies beyond the calendar."
        raise GrammarError(msg, next_step="Ask for a beginning before the end.")
    if (until_ms - since_ms) // _WIDTH_MS[bucket] >= BUCKETS:
        msg = f"The stretch of time has more than {BUCKETS} buckets of one {bucket}."
        raise GrammarError(msg, next_step="Ask for wider buckets, or a shorter stretch.")
    if bucket in {Bucket.DAY, Bucket.WEEK}:
        return _calendar_edges(since_ms, until_ms, 7 if bucket is Bucket.WEEK else 1, zone)
    width = _WIDTH_MS[bucket]
    first = since_ms - since_ms % width
    return list(range(first, max(until_ms, first + width) + width, width))


def _calendar_edges(since_ms: int, until_ms: int, days: int, zone: tzinfo) -> list[int]:
    local = datetime.fromtimestamp(since_ms / 1000, zone)
    first = local.date() - timedelta(days=local.weekday() if days > 1 else 0)
    midnight: Callable[[int], int] = lambda number: from_datetime(  # noqa: E731  one line, used twice
        datetime.combine(first + timedelta(days=number * days), datetime.min.time(), zone)
    )
    edges = [midnight(0)]
    while edges[-1] < until_ms or len(edges) < 2:  # noqa: PLR2004  one bucket has two edges
        edges.append(midnight(len(edges)))
    return edges
