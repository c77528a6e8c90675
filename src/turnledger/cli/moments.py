"""Instants as people write and read them: a zone, half-open ranges, and durations in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from turnledger.clock import from_datetime
from turnledger.errors import UsageError

__all__ = ["Zone", "duration", "gap", "time_column", "utc_offset"]

_STAMP: Final = len("2026-11-30 10:01:02")
_MONTH, _MINUTE = len("2026-"), len("2026-11-30 10:01")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AGO = re.compile(r"([0-9]{1,9}) ?(s|m|h|d|w)")
_UNIT_MS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_OFFSET = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")
_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000
_SECOND_MS = 1000
_DAY_MS = 86_400_000


class Zone:
    """A time zone to show and read times in; ``info`` None is the machine's own."""

    def __init__(self, info: tzinfo | None, name: str) -> None:
        self._info = info
        self.name = name

    @classmethod
    def named(cls, name: str) -> Zone:
        """``local``, ``UTC``, an offset such as ``+02:00``, or a name such as ``Europe/Berlin``.

        Raises UsageError for anything else.
        """
        if name.lower() == "local":
            return cls(None, "local time")
        if name.upper() in {"UTC", "Z"}:
            return cls(UTC, "UTC")
        offset = _OFFSET.fullmatch(name)
        if offset is not None:
            minutes = int(offset[2]) * 60 + int(offset[3])
            if minutes < 24 * 60:
                return cls(
                    timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes)), f"UTC{name}"
                )
        try:
            return cls(ZoneInfo(name), name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            msg = f"There is no time zone {name[:60]!r}."
            raise UsageError(
                msg, next_step="Say local, UTC, +02:00 or a name such as Europe/Berlin."
            ) from error

    def at(self, epoch_ms: int) -> datetime | None:
        """The instant in this zone; None where no calendar has it (a row that was tampered with)."""
        try:
            return (_EPOCH + timedelta(milliseconds=epoch_ms)).astimezone(self._info)
        except (OverflowError, OSError, ValueError):
            return None

    def day(self, epoch_ms: int) -> str:
        """Date and offset: what a clock time under it means, ``Mon 2026-11-30 UTC+01:00``."""
        moment = self.at(epoch_ms)
        if moment is None:
            return f"{epoch_ms} ms"
        return f"{moment:%a %Y-%m-%d} {utc_offset(moment.isoformat(timespec='seconds')[19:])}"

    def time(self, epoch_ms: int, *, millis: bool) -> str:
        """The clock time, ``10:01:02`` or ``10:01:02.114``."""
        moment = self.at(epoch_ms)
        if moment is None:
            return "--:--:--" + (".---" if millis else "")
        return f"{moment:%H:%M:%S}" + (f".{moment.microsecond // 1000:03d}" if millis else "")

    def stamp(self, epoch_ms: int) -> str:
        """Date, time and offset to the second, ``2026-11-30 10:01:02+01:00``."""
        moment = self.at(epoch_ms)
        return f"{epoch_ms} ms" if moment is None else moment.isoformat(" ", "seconds")

    def parse(self, text: str, now_ms: int, *, end: bool = False) -> int:
        """The instant that ``text`` names, in epoch milliseconds.

        ``90s``, ``5m``, ``2h``, ``3d``, ``1w`` ago; or an ISO date or time, in this zone unless it names its
        own.  Of a time that the clocks showed twice, the first is meant, or the second where it is the
        ``end`` of a range.  Raises UsageError for anything else.
        """
        ago = _AGO.fullmatch(text.strip())
        if ago is not None:
            return now_ms - int(ago[1]) * _UNIT_MS[ago[2]]
        try:
            moment = datetime.fromisoformat(text.strip())
            if moment.tzinfo is None:
                moment = moment.replace(fold=int(end))
                moment = moment.astimezone() if self._info is None else moment.replace(tzinfo=self._info)
            return from_datetime(moment)
        except (ValueError, OverflowError, OSError) as error:
            msg = f"{text[:60]!r} is no time."
            raise UsageError(
                msg, next_step="Write 5m, 2h, 3d, 2026-11-30 or 2026-11-30T10:01:02+01:00."
            ) from error

    def span(self, since: str | None, until: str | None, now_ms: int) -> tuple[int | None, int | None]:
        """A half-open range of time, epoch milliseconds; None where it has no such end.

        Raises UsageError where nothing can lie in it.
        """
        start = None if since is None else self.parse(since, now_ms)
        end = None if until is None else self.parse(until, now_ms, end=True)
        if start is not None and end is not None and end <= start:
            msg = f"Nothing lies between --since {since} and --until {until}, which is not later."
            raise UsageError(msg, next_step="Exchange them, or leave one out.")
        return start, end


def utc_offset(offset: str) -> str:
    """``+01:00`` as ``UTC+01:00``, and plain ``UTC`` for none."""
    return "UTC" if offset in {"", "+00:00"} else f"UTC{offset}"


def duration(ms: int | None) -> str:
    """A length of time: ``41 ms``, ``1.93 s``, ``12.5 s``, ``3 min 05 s``, ``2 h 14 min``, ``3 d 4 h``."""
    if ms is None:
        return "not recorded"
    return "-" + _length(-ms) if ms < 0 else _length(ms)


def _length(ms: int) -> str:
    if ms < _SECOND_MS:
        return f"{ms} ms"
    if ms < _MINUTE_MS:
        return f"{ms / 1000:.2f} s" if ms < 10 * _SECOND_MS else f"{ms / 1000:.1f} s"
    if ms < _HOUR_MS:
        return f"{ms // _MINUTE_MS} min {ms % _MINUTE_MS // 1000:02d} s"
    if ms < _DAY_MS:
        return f"{ms // _HOUR_MS} h {ms % _HOUR_MS // _MINUTE_MS:02d} min"
    return f"{ms // _DAY_MS} d {ms % _DAY_MS // _HOUR_MS} h"


def gap(ms: int | None) -> str:
    """The time since the line before, in at most seven characters; a step back in time is shown as such."""
    if ms is None:
        return ""
    if abs(ms) < 100 * _SECOND_MS:
        return f"{ms / 1000:+.3f}" if abs(ms) < 10 * _SECOND_MS else f"{ms / 1000:+.1f}s"
    sign, ms = ("-", -ms) if ms < 0 else ("+", ms)
    if ms < _HOUR_MS:
        return f"{sign}{ms // _MINUTE_MS}m{ms % _MINUTE_MS // 1000:02d}"
    if ms < 10 * _DAY_MS:
        return f"{sign}{ms // _HOUR_MS}h{ms % _HOUR_MS // _MINUTE_MS:02d}"
    return f"{sign}{ms // _DAY_MS}d"


def time_column(
    zone: Zone, moments: Iterable[int], *, narrow: bool = False
) -> tuple[str, Callable[[int], str]]:
    """The head of a column of times and how to write each: the offset once if it is the same for all."""
    stamps = [zone.stamp(moment) for moment in moments]
    offsets = {stamp[_STAMP:] for stamp in stamps}
    if len(offsets) != 1:
        return "", zone.stamp
    first, last = (_MONTH, _MINUTE) if narrow else (0, _STAMP)
    return f" {utc_offset(min(offsets))}", lambda moment: zone.stamp(moment)[first:last]
