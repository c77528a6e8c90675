"""What is said of rows that belong to an answer and are left out because the database is damaged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from turnledger.model.rows import DamagedRow

__all__ = ["NEXT_STEP", "SAVING", "LeftOut", "left_out"]

NEXT_STEP: Final = "Run `turnledger doctor` to see all such rows, and restore them from a backup."

SAVING: Final = (
    "Stop writing to it and copy its files before anything else. Restore it from a backup and run "
    "`turnledger verify --all` on that; without one, `turnledger export --all --bodies -o FILE` on the copy "
    "saves what can still be read."
)
"""What to do where a part of the database itself cannot be read or is gone."""

_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many rows were left out, the first of them, and where to look."""

    count: int
    rows: tuple[DamagedRow, ...]
    next_step: str = NEXT_STEP


def left_out(damaged: Iterable[DamagedRow]) -> LeftOut | None:
    """What to say of these; None where there are none.  One that was met twice and has an id counts once."""
    rows = list(damaged)
    named = [*dict.fromkeys(row for row in rows if row.id is not None)]
    found = [*named, *(row for row in rows if row.id is None)]
    return LeftOut(len(found), tuple(found[:_NAMED])) if found else None
