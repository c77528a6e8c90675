from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnledger.clock import to_iso
from turnledger.integrity.grammar import is_summary, is_uuid, parse_instant

PREIMAGE = json.loads((Path(__file__).parents[3] / "vectors" / "preimage.json").read_text("utf-8"))


@pytest.mark.parametrize("row", PREIMAGE["instants"], ids=lambda row: row["createdAt"])
def test_instants_are_floored_to_milliseconds(row: dict[str, object]) -> None:
    instant = parse_instant(row["createdAt"])
    assert instant is not None
    assert instant[0] == row["epochMillis"]


@pytest.mark.parametrize("text", PREIMAGE["refusedInstants"])
def test_other_spellings_of_an_instant_are_refused(text: str) -> None:
    assert parse_instant(text) is None


@pytest.mark.parametrize(
    ("fraction", "finer"),
    [("", False), (".5", False), (".500000000", False), (".5004", True), (".000000001", True)],
)
def test_digits_below_the_millisecond_are_flagged(fraction: str, finer: bool) -> None:  # noqa: FBT001  a table column
    instant = parse_instant(f"2026-10-15T10:00:00{fraction}Z")
    assert instant is not None
    assert instant[1] is finer


@pytest.mark.parametrize("value", [None, 0, True, "0000-01-01T00:00:00Z", "2026-13-01T00:00:00Z"])
def test_what_names_no_day_is_no_instant(value: object) -> None:
    assert parse_instant(value) is None


@pytest.mark.parametrize("millis", [0, -1, 1_792_058_400_123, 253_402_300_799_999])
def test_the_ledgers_own_spelling_comes_back(millis: int) -> None:
    assert parse_instant(to_iso(millis)) == (millis, False)


@pytest.mark.parametrize("text", ["", "a|b", "x" * 4096, "\u20ac" * 1365, "עברית é 東京 🌍", "a\u2028b"])
def test_summaries_may_hold_any_plain_text(text: str) -> None:
    assert is_summary(text)


@pytest.mark.parametrize("code", [0, 0x1F, 0x7F, 0x80, 0x9F, 0x202A, 0x202E, 0x2066, 0x2069, 0xD800, 0xDFFF])
def test_summaries_hold_nothing_that_misleads_a_reader(code: int) -> None:
    assert not is_summary(f"a{chr(code)}b")


def test_uuids_are_lower_case_with_dashes() -> None:
    assert is_uuid("8cbd8a9f-33c5-4d09-8c12-d9640b09339d")
    assert not is_uuid("8CBD8A9F-33C5-4D09-8C12-D9640B09339D")
    assert not is_uuid("8cbd8a9f33c54d098c12d9640b09339d")
