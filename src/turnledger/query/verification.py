"""What verification of a ledger finds: one finding per journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from turnledger.ids import NIL
from turnledger.integrity.verdict import Caveat, Reason, Verdict
from turnledger.model.rows import DamagedRow
from turnledger.model.vocabulary import JournalKind

__all__ = ["ALWAYS_UNCOVERED", "DATABASE", "BodyCounts", "Verification", "damaged", "faulty", "unreadable"]

ALWAYS_UNCOVERED: Final = (
    "tail cut at rest",
    "whole-journal rewrite by a privileged user",
    "order across journals",
)

DATABASE: Final = "database"
"""The kind of a finding about what is in no journal."""


@dataclass(slots=True)
class BodyCounts:
    """What became of the bodies that the events speak of."""

    checked: int = 0
    pruned: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """Finding about one journal of a ledger; see ``ChainReport`` for the fields they share.

    ``not_covered`` names attacks that this level of proof does not detect: without a checkpoint kept
    elsewhere an intact chain is no proof that nothing is missing at its end.  ``damage`` is the row that
    holds what it cannot; the finding is then about what that row is about (the nil UUID where it does not
    tell), which may be an agent.  ``agent`` is whose journal the rows say it is; None where they do not.
    """

    kind: str
    id: UUID
    verdict: Verdict
    broken_at_seq: int
    reason: Reason
    warnings: tuple[Caveat, ...] = ()
    events: int = 0
    bodies: BodyCounts = field(default_factory=BodyCounts)
    not_covered: tuple[str, ...] = ALWAYS_UNCOVERED
    head: str = ""
    damage: DamagedRow | None = None
    agent: UUID | None = None

    @property
    def sound(self) -> bool:
        """Whether no fault was found (an empty journal has none to find)."""
        return self.verdict not in {Verdict.BROKEN, Verdict.MALFORMED}


def faulty(
    kind: JournalKind, journal: UUID, reason: Reason, events: int = 0, agent: UUID | None = None
) -> Verification:
    """The finding about a journal that is at fault as a whole."""
    return Verification(kind, journal, Verdict.BROKEN, -1, reason, events=events, agent=agent)


def unreadable(kind: str, journal: UUID, agent: UUID | None = None) -> Verification:
    """The finding about what the database cannot read, because a page of it is damaged."""
    return Verification(kind, journal, Verdict.MALFORMED, -1, Reason.UNREADABLE, agent=agent)


def damaged(row: DamagedRow) -> Verification:
    """The finding about a row that holds what it cannot."""
    kind = row.table.removesuffix("s")
    return Verification(kind, row.id or NIL, Verdict.MALFORMED, -1, Reason.ROW_GRAMMAR, damage=row)
