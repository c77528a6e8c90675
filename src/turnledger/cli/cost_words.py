"""What calls cost, in words: exact amounts with their currency, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable

from turnledger.cli.screen import note
from turnledger.engine.price_book import has_list_prices, has_prices, no_prices
from turnledger.model.costs import CostReason, CostState, CostSums
from turnledger.model.money import amount_text

__all__ = ["amounts_text", "cost_text", "note_why_none"]

NOT_RECORDED = "not recorded"


def amounts_text(sums: CostSums) -> str:
    """The amounts, a currency each; nothing where nothing is priced."""
    return ", ".join(f"{amount_text(nano)} {currency}" for currency, nano in sorted(sums.nano.items()))


def cost_text(sums: CostSums | None, *, brief: bool = False) -> str:
    """The amounts and what is not in them; ``brief`` counts the calls without a price, else says why."""
    if sums is None or not sums.calls:
        return NOT_RECORDED
    parts = [amounts_text(sums)] if sums.priced else []
    if sums.unpriced:
        parts.append(
            f"{sums.unpriced} unpriced"
            if brief
            else f"{sums.unpriced} unpriced{_why(sums, CostState.UNPRICED)}"
        )
    elif not sums.priced:
        parts.append("not billed" if brief else f"not billed{_why(sums, CostState.UNBILLED)}")
    return " + ".join(parts)


def _why(sums: CostSums, state: CostState) -> str:
    reasons = ", ".join(sums.reasons_of(state))
    return f": {reasons}" if reasons else ""


def note_why_none(shown: Iterable[CostSums | None]) -> None:
    """Say what would give the costs that are missing in those shown, each of what has model calls."""
    sums = list(shown)
    lacking = any(one is not None and CostReason.NO_PRICE_LIBRARY in one.reasons for one in sums)
    unknown = any(one is None or not one.calls for one in sums)
    if (lacking and not has_list_prices()) or (unknown and not has_prices()):
        note(f"{no_prices().message} {no_prices().next_step} Then run `turnledger reprice`.")
    elif lacking or unknown:
        note("Model calls without a cost were not priced yet: run `turnledger reprice`.")
