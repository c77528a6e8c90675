"""Stretches of time: days of a zone's calendar, half-open, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.clock import from_iso
from turnledger.errors import GrammarError
from turnledger.query.spans import BUCKETS, Bucket, Span, bucket_edges, fitting_bucket, span_of, zone_named

HOUR = 3_600_000
BERLIN = ZoneInfo("Europe/Berlin")


def test_o04_the_day_on_which_clocks_go_back_has_25_hours() -> None:
    span = span_of(day="2026-10-25", zone="Europe/Berlin")
    assert span == Span(from_iso("2026-10-24T22:00:00Z"), from_iso("2026-10-25T23:00:00Z"))
    both = from_iso("2026-10-25T02:30:00+02:00"), from_iso("2026-10-25T02:30:00+01:00")
    assert span.since_ms is not None
    assert span.until_ms is not None
    assert span.since_ms <= both[0] < both[1] < span.until_ms
    assert both[1] - both[0] == HOUR


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        ("2026-03-29", "Europe/Berlin", 23),
        ("2026-10-25", "UTC", 24),
        ("2026-10-25", "Asia/Tokyo", 24),
        ("2028-02-29", "Asia/Kathmandu", 24),
    ],
)
def test_o04_each_zone_has_its_own_days(day: str, zone: str, hours: int) -> None:
    span = span_of(day=day, zone=zone)
    assert span.since_ms is not None
    assert span.until_ms is not None
    assert span.until_ms - span.since_ms == hours * HOUR
    begin = datetime.fromtimestamp(span.since_ms / 1000, zone_named(zone))
    assert begin.isoformat()[:16] == f"{day}T00:00"


@pytest.mark.parametrize(
    "text", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00 02:00", "2026-10-25T00:30:00Z"]
)
def test_instants_are_read_also_where_a_url_ate_the_plus(text: str) -> None:
    assert span_of(since=text).since_ms == from_iso("2026-10-25T00:30:00Z")


@pytest.mark.parametrize(
    "asked",
    [
        {"since": "2026-10-25T02:30:00"},
        {"since": "yesterday"},
        {"day": "2026-10-25", "since": "2026-10-25T00:00:00Z"},
        {"day": "2026-13-01"},
        {"day": "2026-02-30"},
        {"day": "25.10.2026"},
        {"day": "9999-12-31", "zone": "America/Los_Angeles"},
        {"day": "2026-10-25", "zone": "Mars/Olympus"},
        {"day": "2026-10-25", "zone": "../../etc/passwd"},
        {"day": "2026-10-25", "zone": ""},
    ],
)
def test_what_is_no_time_is_refused(asked: dict[str, str]) -> None:
    with pytest.raises(GrammarError):
        span_of(**asked)


def test_days_of_a_month_with_a_change_of_clocks_have_no_gap() -> None:
    since, until = from_iso("2026-10-01T00:00:00+02:00"), from_iso("2026-11-01T00:00:00+01:00")
    edges = bucket_edges(since, until, Bucket.DAY, BERLIN)
    assert (edges[0], edges[-1], len(edges)) == (since, until, 32)
    lengths = {(later - edge) // HOUR for edge, later in pairwise(edges)}
    assert lengths == {24, 25}


def test_weeks_begin_on_monday() -> None:
    edges = bucket_edges(from_iso("2026-11-25T12:00:00Z"), from_iso("2026-12-01T00:00:00Z"), Bucket.WEEK, UTC)
    assert [datetime.fromtimestamp(edge / 1000, UTC).isoweekday() for edge in edges] == [1, 1, 1]


@given(
    since=st.integers(0, 4_000_000_000_000),
    length=st.integers(0, 30 * 24 * HOUR),
    bucket=st.sampled_from(list(Bucket)),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"]),
)
def test_edges_rise_and_cover_what_was_asked_for(since: int, length: int, bucket: Bucket, zone: str) -> None:
    until = since + length
    try:
        edges = bucket_edges(since, until, bucket, zone_named(zone))
    except GrammarError:
        assert length // 60_000 >= BUCKETS
        return
    assert edges[0] <= since
    assert edges[-1] >= until
    assert len(edges) >= 2
    assert all(edge < later for edge, later in pairwise(edges))


@pytest.mark.parametrize(
    ("hours", "bucket"),
    [
        (1, Bucket.MINUTE),
        (24, Bucket.QUARTER),
        (72, Bucket.HOUR),
        (24 * 60, Bucket.DAY),
        (24 * 9999, Bucket.WEEK),
    ],
)
def test_the_bucket_fits_the_plot(hours: int, bucket: Bucket) -> None:
    assert fitting_bucket(hours * HOUR) is bucket


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(GrammarError):
        bucket_edges(5, 4, Bucket.MINUTE, UTC)
