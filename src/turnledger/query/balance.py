"""Every inbound message's fate, adding up; what nobody can account for is an alarm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.model.figures import UnaccountedRow
from turnledger.model.rows import DamagedRow, Rows
from turnledger.query.overview import closed_span
from turnledger.query.spans import Span
from turnledger.store.figures import FiguresReader

__all__ = ["FATES", "GRACE_MS", "MessageBalance", "balance"]

GRACE_MS: Final = 15 * 60_000
"""How long a message may wait for a decision, or an engaged one for its turn."""

_SHOWN: Final = 50

_NAMES: Final = {
    "completed": "answered",
    "exhausted": "failed",
    "refused": "failed",
    "interrupted": "failed",
    "cancelled": "failed",
    "running": "waiting",
    "observe": "observed",
    "ignore": "ignored",
    "defer": "deferred",
    "undecided": "unaccounted",
    "engaged_without_turn": "unaccounted",
    "turn_missing": "unaccounted",
}
FATES: Final[tuple[str, ...]] = (
    "answered",
    "observed",
    "ignored",
    "deferred",
    "collapsed",
    "shed",
    "superseded",
    "failed",
    "waiting",
    "unaccounted",
)


@dataclass(frozen=True, slots=True)
class MessageBalance:
    """``fates`` has every fate of ``FATES``; their sum is ``received``.

    ``damaged`` are unaccounted messages that cannot be shown.
    """

    agent: UUID
    since_ms: int
    until_ms: int
    received: int
    fates: dict[str, int]
    unaccounted: tuple[UnaccountedRow, ...]
    damaged: tuple[DamagedRow, ...] = ()

    @property
    def balanced(self) -> bool:
        """Whether every message has a fate."""
        return self.fates["unaccounted"] == 0 and sum(self.fates.values()) == self.received


def balance(figures: FiguresReader, agent: UUID, span: Span, now_ms: int) -> MessageBalance:
    """The balance of a stretch of time (default: the last 24 hours)."""
    ends = closed_span(span, now_ms)
    found = figures.fates(agent, ends, now_ms - GRACE_MS)
    fates: dict[str, int] = {fate: 0 for fate in FATES}  # noqa: C420  fromkeys would keep the words as types
    for fate, count in found.items():
        fates[_NAMES.get(fate, fate)] += count
    rows: Rows[UnaccountedRow] = Rows()
    if fates["unaccounted"]:
        rows = figures.unaccounted(agent, ends, now_ms - GRACE_MS, _SHOWN)
    return MessageBalance(agent, *ends, sum(found.values()), fates, tuple(rows), tuple(rows.damaged))
