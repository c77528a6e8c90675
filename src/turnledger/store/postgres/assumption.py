"""Appending on the assumption that nobody else wrote: planned from memory, checked inside the transaction.

A turn has one writer, and mostly a conversation has one too.  So what this connection wrote last is mostly
still true, and reading it again would cost a round trip.  The checks run under the rows' locks before
anything is written; where one fails the transaction does, and the append is planned again from what is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from turnledger.store.postgres.link import Call
from turnledger.store.postgres.statements import call
from turnledger.store.state import Changes, Found

__all__ = ["Assumption"]


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a plan rests on: the time, the count of prunes, and the rows as they were remembered by key."""

    now_ms: int
    prunes: int
    events: frozenset[UUID]
    positions: dict[int, int]
    journals: dict[int, tuple[int, int, int | None]]

    @staticmethod
    def of(found: Found, events: set[UUID]) -> Assumption:
        """What a plan of ``events`` will rest on; taken before the planner moves the states."""
        return Assumption(
            found.now_ms,
            found.prunes,
            frozenset(events),
            {state.cid: state.next_position for state in found.conversations.values()},
            {state.jid: (state.next_seq, state.epoch, state.until_ms) for state in found.journals.values()},
        )

    def covers(self, changes: Changes) -> bool:
        """Whether every event that was asked for is being inserted.

        Else one was refused or is there already, and that has to be decided from what is on record.
        """
        return self.events <= {event.event_id for event in changes.events}

    def checks(self, changes: Changes) -> list[Call]:
        """Lock what is changed, in the order of a load, and fail where it is not as remembered."""
        conversations = sorted(changes.conversations.values(), key=lambda state: state.id.int)
        journals = sorted(changes.journals.values(), key=lambda state: state.id.int)
        return [
            call("check_moment", self.prunes, self.now_ms),
            *[call("hold_conversation", state.cid, self.positions[state.cid]) for state in conversations],
            *[call("hold_journal", state.jid, *self.journals[state.jid]) for state in journals],
        ]
