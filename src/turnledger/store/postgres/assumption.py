"""Appending on the assumption that nobody else wrote: planned from memory, checked inside the transaction.

A turn has one writer, and mostly a conversation has one too.  So what this connection wrote last is mostly
still true, and waiting for it to be read again would cost a round trip.  The database locks the rows and
compares them while the plan is being made; where one is not as remembered the transaction fails, and the
append is planned again from what is there.
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
    """What a plan rests on: ``found`` is what is remembered, ``events`` are not on record."""

    found: Found
    events: frozenset[UUID]

    def checks(self) -> list[Call]:
        """Lock the rows, in the order of a load, and fail where one is not as remembered."""
        found = self.found
        conversations = sorted(found.conversations.values(), key=lambda state: state.id.int)
        journals = sorted(found.journals.values(), key=lambda state: state.id.int)
        return [
            call("check_moment", found.prunes, found.now_ms),
            *[call("hold_conversation", state.cid, state.next_position) for state in conversations],
            *[
                call("hold_journal", state.jid, state.next_seq, state.epoch, state.until_ms)
                for state in journals
            ],
        ]

    def covers(self, changes: Changes) -> bool:
        """Whether every event that was asked for is being inserted, so that a unique key speaks for it.

        Else one was refused, or is there already, and that has to be decided from what is on record.
        """
        return self.events <= {event.event_id for event in changes.events}
