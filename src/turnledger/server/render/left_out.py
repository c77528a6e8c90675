"""Rows that were left out of an answer, as answers say it."""

from __future__ import annotations

from collections.abc import Iterable

from turnledger.model.rows import DamagedRow
from turnledger.query.left_out import left_out
from turnledger.server.answers import form
from turnledger.server.caller import Asking

__all__ = ["left_out_answer"]


def left_out_answer(asking: Asking, damaged: Iterable[DamagedRow]) -> form.LeftOut | None:
    """What to say of these: ids only to whom none are another agent's."""
    found = left_out(damaged)
    if found is None:
        return None
    shown = found.rows if asking.caller.grant.agents is None else ()
    return form.LeftOut(
        count=found.count,
        rows=[form.DamagedRow(table=row.table, column=row.column, id=row.id) for row in shown],
        next_step=found.next_step,
    )
