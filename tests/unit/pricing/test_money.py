"""Amounts are whole billionths and are written exactly."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.model.money import NANO, amount_text


@pytest.mark.parametrize(
    ("nano", "text"),
    [
        (0, "0.00"),
        (1, "0.000000001"),
        (57_000, "0.000057"),
        (5_700_000_000, "5.70"),
        (12 * NANO, "12.00"),
        (-1_500_000, "-0.0015"),
        (123_456_789_012_345_678, "123456789.012345678"),
    ],
)
def test_an_amount_is_written_exactly(nano: int, text: str) -> None:
    assert amount_text(nano) == text


@given(st.integers(-(2**63), 2**63 - 1))
def test_t07_nothing_is_rounded_to_be_shown(nano: int) -> None:
    assert Decimal(amount_text(nano)) * NANO == nano


def test_t07_a_hundred_thousand_tiny_costs_are_exactly_5_70() -> None:
    assert amount_text(sum([57_000] * 100_000)) == "5.70"
