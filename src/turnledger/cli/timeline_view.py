"""A timeline on the screen: time, gap, number, brackets of the turns, then what happened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from turnledger.cli.line import MARKS, QUIET, WARN, Line, Room
from turnledger.cli.moments import Zone, duration, gap
from turnledger.cli.screen import Screen
from turnledger.model.vocabulary import Assurance
from turnledger.query.timeline import Entry

__all__ = ["TimelineView", "room_of"]

_LEVELS: Final = {
    Assurance.SPOOLED: "spooled: durable before it happened, in a local spool",
    Assurance.OBSERVED: "observed: recorded after it had started",
    Assurance.IMPORTED: "imported: taken from a file, only as good as that",
}
_IDLE_MS: Final = 60_000
_LANES: Final = 6
_BRACKETS: Final = {True: ("┌", "│", "└", "├"), False: ("/", "|", "\\", "|")}
_RULE: Final = {True: "──", False: "--"}
_LEAST_CHARS, _MOST_CHARS, _BESIDE_CHARS = 24, 100, 45


def room_of(screen: Screen) -> Room:
    """How much a line of a timeline may quote."""
    if screen.width is None:
        return Room(_MOST_CHARS)
    return Room(max(_LEAST_CHARS, min(_MOST_CHARS, screen.width - _BESIDE_CHARS)), screen.narrow)


class TimelineView:
    """Prints lines as they come; ``with_brackets`` where several turns may be open at once."""

    def __init__(self, screen: Screen, zone: Zone, *, with_brackets: bool) -> None:
        self._screen = screen
        self._zone = zone
        self._brackets = _BRACKETS[screen.draws] if with_brackets else None
        self._lanes: list[UUID | None] = []
        self._day = ""
        self._last_ms: int | None = None
        self._lower: set[Assurance] = set()

    def show(self, lines: Iterable[Line]) -> None:
        """Print them all."""
        for line in lines:
            self.show_line(line)

    def show_line(self, line: Line, before: str = "") -> None:
        """Print one line; ``before`` stands between number and brackets."""
        first, last = line.entries[0], line.entries[-1]
        since = None if self._last_ms is None or line.derived else first.row.created_ms - self._last_ms
        if not line.derived:
            self._separate(first.row.created_ms, since)
        idle = since is not None and since >= _IDLE_MS and not any(self._lanes)
        gutter = self._gutter(line)
        drawn, plain = MARKS[line.mark]
        mark = drawn if self._screen.draws else plain
        style = "bold red" if line.mark == "problem" else QUIET if line.mark in {"note", "prompt"} else "bold"
        time = self._zone.time(first.row.created_ms, millis=not self._screen.narrow)
        levels = line.lower_levels()
        self._lower.update(levels)
        self._screen.line(
            (" " * len(time) if line.derived else time, ""),
            (f" {'' if idle else gap(since):>7}", WARN if since is not None and since < 0 else QUIET),
            (f" {_numbers(line.entries):>6} ", QUIET),
            (f"{''.join(levels)[:1] or ' '} ", WARN),
            (before, ""),
            (gutter, QUIET),
            (f"{mark} ", style),
            *line.words,
        )
        if not line.derived:
            self._last_ms = last.row.created_ms

    def _separate(self, created_ms: int, since: int | None) -> None:
        rule = _RULE[self._screen.draws]
        if since is not None and since >= _IDLE_MS and not any(self._lanes):
            self._screen.line((f"{rule} {duration(since)} idle {rule}", QUIET))
        day = self._zone.day(created_ms)
        if day != self._day:
            self._screen.line((f"{rule} {day} {rule}", "bold"))
            self._day = day

    def legend(self) -> None:
        """Say what the letters behind the numbers mean, where there were any."""
        for level in Assurance:
            if level in self._lower:
                self._screen.line((f"{level.value} ", WARN), (_LEVELS[level], QUIET))

    def still_open(self) -> list[UUID]:
        """Turns whose end was not shown."""
        return [turn for turn in self._lanes if turn is not None]

    # --- brackets --------------------------------------------------------------------------------

    def _gutter(self, line: Line) -> str:
        if self._brackets is None:
            return ""
        opening, along, closing, at = self._brackets
        kind = line.entries[0].row.type
        lane = self._lane(line.entries[0])
        opens = kind == "TURN_OPENED" and lane is None
        if opens:
            lane = self._open(line.entries[0])
        many = sum(turn is not None for turn in self._lanes) > 1
        drawn = [along if turn is not None else " " for turn in self._lanes]
        if lane is not None:
            own = opening if opens else closing if kind == "TURN_CLOSED" else at if many else along
            drawn[lane] = own
            if kind == "TURN_CLOSED":
                self._close(lane)
        return "".join(drawn or [" "]) + " "

    def _lane(self, entry: Entry) -> int | None:
        turn = entry.turn or _turn_of(entry)
        return self._lanes.index(turn) if turn is not None and turn in self._lanes else None

    def _open(self, entry: Entry) -> int | None:
        turn = _turn_of(entry)
        if turn is None:
            return None
        if None in self._lanes:
            lane = self._lanes.index(None)
            self._lanes[lane] = turn
            return lane
        if len(self._lanes) == _LANES:
            return None
        self._lanes.append(turn)
        return len(self._lanes) - 1

    def _close(self, lane: int) -> None:
        self._lanes[lane] = None
        while self._lanes and self._lanes[-1] is None:
            self._lanes.pop()


def _turn_of(entry: Entry) -> UUID | None:
    try:
        return UUID(entry.tokens.get("turn", ""))
    except ValueError:
        return None


def _numbers(entries: tuple[Entry, ...]) -> str:
    """``#4``, or ``#4-5`` where a line stands for several events of one journal."""
    first, last = entries[0].row, entries[-1].row
    if len(entries) > 1 and first.journal == last.journal:
        return f"#{first.seq}-{last.seq}"
    return f"#{first.seq}"
