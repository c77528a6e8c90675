"""Money as whole billionths of a currency's unit: sums are exact, and nothing is rounded to be shown."""

from __future__ import annotations

from typing import Final

__all__ = ["NANO", "amount_text"]

NANO: Final = 1_000_000_000
"""Billionths in one unit: an amount of 57,000 USD-nano is 0.000057 US dollars."""

_DIGITS: Final = 9
_LEAST: Final = 2  # 5.7 is written 5.70, as money is


def amount_text(nano: int) -> str:
    """The exact decimal of an amount, with two digits behind the point at least: 0.000057, 5.70, 12.00."""
    sign = "-" if nano < 0 else ""
    whole, rest = divmod(abs(nano), NANO)
    digits = f"{rest:0{_DIGITS}d}".rstrip("0").ljust(_LEAST, "0")
    return f"{sign}{whole}.{digits}"
