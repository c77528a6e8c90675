"""Costs in the JSON form of the API: exact decimals as text, one amount for each currency."""

from __future__ import annotations

from collections.abc import Sequence

from turnledger.model.costs import CallCost, CostSums
from turnledger.model.money import amount_text
from turnledger.query.row_json import instant

__all__ = ["call_cost_object", "cost_object"]


def cost_object(sums: CostSums | None) -> dict[str, object]:
    """Sums over calls; all of it empty where nothing has a record."""
    known = sums or CostSums()
    return {
        "amounts": [
            {"currency": currency, "amount": amount_text(nano)}
            for currency, nano in sorted(known.nano.items())
        ],
        "priced": known.priced,
        "unpriced": known.unpriced,
        "unbilled": known.unbilled,
        "reasons": dict(sorted(known.reasons.items())),
    }


def call_cost_object(records: Sequence[CallCost]) -> dict[str, object] | None:
    """The record of a call that counts, and under ``earlier`` those before it; None where there is none."""
    if not records:
        return None
    *earlier, current = [_record(record) for record in records]
    return {**current, "earlier": earlier}


def _record(record: CallCost) -> dict[str, object]:
    return {
        "state": record.state.value,
        "amount": None if record.nano is None else amount_text(record.nano),
        "currency": record.currency,
        "reason": record.reason,
        "provider": record.provider,
        "model": record.model,
        "prices": record.prices,
        "pricedAt": instant(record.priced_ms),
    }
