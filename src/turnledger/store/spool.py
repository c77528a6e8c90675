"""The local spool: what is written where the ledger cannot be reached, until it is forwarded.

Places in journals that only the ledger can give are unknown meanwhile.  An event without a place of its own
has a negative stand-in for it, which later events may name, and which is exchanged when they are forwarded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from turnledger.model.draft import Batch, BatchResult, Refusal

__all__ = [
    "EVENTS_AT_MOST",
    "Gap",
    "GapMaker",
    "Refused",
    "Settlement",
    "Spool",
    "SpoolCounts",
    "SpoolRow",
    "stand_in",
    "turn_of",
]

EVENTS_AT_MOST: Final = 1 << 16
"""Events in one batch."""


def stand_in(row: int, number: int) -> int:
    """What stands for the place of a row's event while that is unknown; negative, never used twice."""
    return -(row * EVENTS_AT_MOST + number)


class SpoolRow(NamedTuple):
    """A batch that waits.

    ``tried``: it was sent to the ledger before, and nobody knows whether it arrived.  ``kept``: the numbers
    that its events had in the batch as it was written, where a part of that was refused.
    """

    id: int
    batch: Batch
    tried: bool = False
    kept: tuple[int, ...] | None = None

    def stand_ins(self) -> list[int]:
        """One for each event."""
        numbers = range(len(self.batch.drafts)) if self.kept is None else self.kept
        return [stand_in(self.id, number) for number in numbers]


class Gap(NamedTuple):
    """How many events of a conversation the spool had no room for."""

    agent: UUID
    conversation: UUID
    events: int


GapMaker = Callable[[Gap], Batch]


class Refused(NamedTuple):
    """Events that the ledger said no to when they were forwarded."""

    batch: Batch
    refusal: Refusal | None
    reason: str


@dataclass(slots=True)
class Settlement:
    """What became of rows that were forwarded, to be kept in one transaction.

    ``places`` maps stand-ins to seqs (None: the event is not in the ledger), ``ids`` those that a name was
    given in the spool to the one it had already.
    """

    done: list[int] = field(default_factory=list[int])
    places: dict[int, int | None] = field(default_factory=dict[int, int | None])
    ids: dict[UUID, UUID] = field(default_factory=dict[UUID, UUID])
    refused: list[Refused] = field(default_factory=list[Refused])


class SpoolCounts(NamedTuple):
    """How a spool stands: batches that wait and their events, bytes in use, events refused and not kept."""

    waiting: int
    events: int
    bytes: int
    refused: int
    not_kept: int
    since_ms: int | None


def turn_of(batch: Batch) -> UUID | None:
    """The turn that a batch adds to under its writer's lease; None where it is of a conversation."""
    if batch.arrived is not None:
        return batch.arrived.journal
    return next((draft.journal.id for draft in batch.drafts if draft.lease is not None), None)


class Spool(Protocol):
    """One durable queue, shared by the processes that record into one ledger.

    Safe to use from many threads; a forked child opens the file anew.  Every method raises LedgerError where
    the spool itself fails.
    """

    label: str
    """Where it is, for people."""
    cap: int
    """Bytes that it may use."""

    def is_empty(self) -> bool:
        """Whether nothing waits; quick, and makes no file."""
        ...

    def append(self, batches: Sequence[tuple[Batch, bool]], make_gap: GapMaker) -> list[BatchResult | None]:
        """Keep batches (each with whether it was ``tried``), durable on return; None for one without room.

        A claim of a name that waits already is answered with its owner.  What had no room is counted; where
        there is room again ``make_gap``'s batches go in first.
        """
        ...

    def flush_gaps(self, make_gap: GapMaker) -> bool:
        """Put what was counted into the queue; whether there was any."""
        ...

    def count_gaps(self, gaps: Sequence[Gap]) -> None:
        """Count events that had no room."""
        ...

    def oldest(self, limit: int, size: int) -> list[SpoolRow]:
        """The first rows, in order; their details and bodies not much more than ``size`` bytes."""
        ...

    def rewrite(self, row: SpoolRow, refused: Refused) -> None:
        """Let what is left of a row take its place, and keep what was refused of it."""
        ...

    def settle(self, settlement: Settlement, make_gap: GapMaker) -> None:
        """Remove what was forwarded, keep what was learnt; if nothing is left, what was counted goes in."""
        ...

    def place(self, stand_in: int) -> int | None:
        """The seq of an event that was forwarded; None where it is not in the ledger."""
        ...

    def ids(self) -> Mapping[UUID, UUID]:
        """Ids that turned out to be others."""
        ...

    def message(self, event_id: UUID) -> int | None:
        """The stand-in of a waiting message that has an outside id."""
        ...

    def holds_turn(self, turn: UUID) -> bool:
        """Whether a turn's beginning waits here."""
        ...

    def holds_more(self, turn: UUID, row: int) -> bool:
        """Whether events of a turn wait behind a row."""
        ...

    def revision(self, event_id: UUID) -> int | None:
        """The revision that a memory write was given when it was forwarded, if it was."""
        ...

    def keep_revision(self, row: int, event_id: UUID, revision: int) -> None:
        """Keep it, so that a second try sends the same."""
        ...

    def counts(self) -> SpoolCounts:
        """How it stands."""
        ...

    def lead(self) -> bool:
        """Become the one process that forwards; False where another one is."""
        ...

    def follow(self) -> None:
        """Let another process forward."""
        ...

    def close(self) -> None:
        """Give the file back.  Idempotent."""
        ...
