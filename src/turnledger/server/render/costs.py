"""Costs as answers."""

from __future__ import annotations

from collections.abc import Sequence

from turnledger.model.costs import CallCost, CostSums
from turnledger.model.money import amount_text
from turnledger.server.answers import turns
from turnledger.server.answers.form import Cost, Money, instant

__all__ = ["call_cost_answer", "cost_answer"]


def cost_answer(sums: CostSums | None) -> Cost:
    """Sums over calls; all of it empty where nothing has a record."""
    known = sums or CostSums()
    return Cost(
        amounts=[
            Money(currency=currency, amount=amount_text(nano))
            for currency, nano in sorted(known.nano.items())
        ],
        priced=known.priced,
        unpriced=known.unpriced,
        unbilled=known.unbilled,
        reasons=dict(sorted(known.reasons.items())),
    )


def call_cost_answer(records: Sequence[CallCost]) -> turns.CallCost | None:
    """The record of a call that counts; None where there is none."""
    if not records:
        return None
    current = records[-1]
    return turns.CallCost(
        state=current.state.value,
        amount=_amount(current),
        currency=current.currency,
        reason=current.reason,
        provider=current.provider,
        model=current.model,
        prices=current.prices,
        priced_at=instant(current.priced_ms),
        earlier=[
            turns.EarlierCost(
                state=record.state.value,
                amount=_amount(record),
                currency=record.currency,
                reason=record.reason,
                prices=record.prices,
                priced_at=instant(record.priced_ms),
            )
            for record in records[:-1]
        ],
    )


def _amount(record: CallCost) -> str | None:
    return None if record.nano is None else amount_text(record.nano)
