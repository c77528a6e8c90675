"""What asking for a call's price gave."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Final, TypeAlias

from turnledger.model.costs import CostReason
from turnledger.model.money import NANO

__all__ = ["EXACT", "Answer", "NoPrice", "Quote", "nano_of"]

EXACT: Final = Context(prec=60)
"""Digits enough for a count of 2^53 tokens times any price: sums and products lose nothing."""

_LARGEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class Quote:
    """An amount in billionths of ``currency``; ``provider`` and ``model`` are what it was priced as.

    ``provider`` is None where neither the recorder nor the entry names one.
    """

    nano: int
    currency: str
    provider: str | None
    model: str


@dataclass(frozen=True, slots=True)
class NoPrice:
    """Nothing fits, and why."""

    reason: CostReason


Answer: TypeAlias = Quote | NoPrice


def nano_of(amount: Decimal) -> int | None:
    """An amount in billionths, rounded half to even where it is finer; None where it is no amount."""
    if not amount.is_finite() or amount < 0:
        return None
    with localcontext(EXACT):
        nano = int((amount * NANO).to_integral_value(ROUND_HALF_EVEN))
    return nano if nano <= _LARGEST else None
