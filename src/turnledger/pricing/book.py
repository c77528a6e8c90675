"""All prices that are at hand: the user's own table first, then the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from turnledger.model.costs import CostReason
from turnledger.pricing.call import BilledCall
from turnledger.pricing.quote import Answer, NoPrice, Quote
from turnledger.pricing.table import PriceTable

__all__ = ["PriceBook", "PriceSource"]


class PriceSource(Protocol):
    """Anything that knows prices."""

    version: str
    """Names the prices, so that a record says what it was made from."""

    def price(self, call: BilledCall) -> Answer:
        """The price of a call at its time."""
        ...


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Where prices are looked up; either may be missing."""

    table: PriceTable | None = None
    library: PriceSource | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look prices up in."""
        return self.table is None and self.library is None

    @property
    def version(self) -> str:
        """Names all of it."""
        named = [source.version for source in (self.table, self.library) if source is not None]
        return " + ".join(named) or "none"

    def price(self, call: BilledCall) -> tuple[Answer, str]:
        """The price of a call, and the version of what gave it (of all that was asked in vain)."""
        if self.table is not None:
            found = self.table.price(call)
            if isinstance(found, Quote) or found.reason is not CostReason.UNKNOWN_MODEL:
                return found, self.table.version
        if self.library is None:
            return NoPrice(CostReason.NO_PRICE_LIBRARY), self.version
        found = self.library.price(call)
        return found, self.library.version if isinstance(found, Quote) else self.version
