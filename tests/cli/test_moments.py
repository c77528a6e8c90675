"""O04: instants in a zone, days of 23 and 25 hours, times that the clocks showed twice."""

from __future__ import annotations

import pytest

from tests.cli.kit import Recorded
from turnledger.cli.moments import Zone, duration, gap
from turnledger.clock import from_iso
from turnledger.errors import UsageError

BERLIN = Zone.named("Europe/Berlin")
HOUR_MS = 3_600_000
NOW = from_iso("2026-11-30T12:00:00Z")


def test_o04_a_day_is_as_long_as_the_zone_says() -> None:
    def hours(zone: str, day: str, next_day: str) -> float:
        there = Zone.named(zone)
        return (there.parse(next_day, NOW) - there.parse(day, NOW)) / HOUR_MS

    assert hours("Europe/Berlin", "2026-10-25", "2026-10-26") == 25
    assert hours("Europe/Berlin", "2026-03-29", "2026-03-30") == 23
    assert hours("Asia/Tokyo", "2026-10-25", "2026-10-26") == 24
    assert hours("UTC", "2026-10-25", "2026-10-26") == 24


def test_o04_a_time_that_came_twice_is_told_apart_by_its_offset() -> None:
    first, second = from_iso("2026-10-25T02:30:00+02:00"), from_iso("2026-10-25T02:30:00+01:00")
    assert BERLIN.stamp(first) == "2026-10-25 02:30:00+02:00"
    assert BERLIN.stamp(second) == "2026-10-25 02:30:00+01:00"
    assert BERLIN.day(first) != BERLIN.day(second)
    assert BERLIN.parse("2026-10-25T02:30", NOW) == first
    assert BERLIN.parse("2026-10-25T02:30", NOW, end=True) == second


def test_an_instant_that_names_its_offset_means_the_same_everywhere() -> None:
    for zone in ("UTC", "Asia/Tokyo", "+05:30", "local"):
        assert Zone.named(zone).parse("2026-11-30T10:00:00+01:00", NOW) == from_iso("2026-11-30T09:00:00Z")


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("90s", 90_000),
        ("5m", 300_000),
        ("2h", 7_200_000),
        ("3d", 259_200_000),
        ("1w", 604_800_000),
        ("0s", 0),
    ],
)
def test_a_length_of_time_means_ago(text: str, ms: int) -> None:
    assert BERLIN.parse(text, NOW) == NOW - ms


@pytest.mark.parametrize(
    "text", ["", "soon", "5", "-5m", "2026-13-01", "25:00", "99999999999w", "2026-11-30Z1"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        BERLIN.parse(text, NOW)


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "+25:00", "UTC+1"])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        Zone.named(name)


def test_a_time_that_no_calendar_has_is_shown_as_its_number() -> None:
    beyond = 10**17
    assert BERLIN.stamp(beyond) == f"{beyond} ms"
    assert BERLIN.day(-beyond) == f"{-beyond} ms"
    assert BERLIN.time(beyond, millis=True) == "--:--:--.---"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "not recorded"),
        (0, "0 ms"),
        (999, "999 ms"),
        (1930, "1.93 s"),
        (12_500, "12.5 s"),
        (185_000, "3 min 05 s"),
        (8_040_000, "2 h 14 min"),
        (273_600_000, "3 d 4 h"),
        (-40, "-40 ms"),
    ],
)
def test_durations_have_units(ms: int | None, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, ""),
        (4, "+0.004"),
        (9_999, "+9.999"),
        (12_340, "+12.3s"),
        (125_000, "+2m05"),
        (7_500_000, "+2h05"),
        (10**9, "+11d"),
        (-5, "-0.005"),
    ],
)
def test_gaps_fit_their_column(ms: int | None, text: str) -> None:
    assert gap(ms) == text
    assert len(gap(ms)) <= 7


@pytest.mark.parametrize(
    ("since", "until"),
    [("2h", "3h"), ("2026-10-25", "2026-10-24"), ("2026-10-25T10:00", "2026-10-25T10:00")],
)
@pytest.mark.parametrize("command", [("list",), ("list", "--turns"), ("reprice",)])
def test_a_span_that_ends_before_it_begins_is_refused(
    support: Recorded, command: tuple[str, ...], since: str, until: str
) -> None:
    """It holds nothing, which is not the same as that nothing was found."""
    refused = support.run(*command, "--since", since, "--until", until)
    assert (refused.status, refused.out) == (2, "")
    assert "--until" in refused.err
