"""Appending on the assumption that nobody else wrote: planned from memory, checked inside the transaction.

A turn has one writer, and mostly a conversation has one too.  So what this connection wrote last is mostly
still true, and reading it again would cost a round trip.  The database locks the rows and compares them
before anything is written; where one is not as remembered the transaction fails, and the append is planned
again from what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from turnledger.store.postgres.link import Call
from turnledger.store.postgres.statements import call
from turnledger.store.state import Changes, Found

__all__ = ["Assumption", "queue_up"]


def queue_up(conversations: Iterable[bytes]) -> Call:
    """Wait for the writers of these conversations (ids) that came before, as every append does first.

    Conversations with the same last 16 bits share a place in the queue.
    """
    return call("queue_up", sorted({int.from_bytes(one[-2:], "big") for one in conversations}))


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a plan rests on, as it was before the plan: checks of the moment, and of rows by small key."""

    events: frozenset[UUID]
    moment: Call
    conversations: dict[int, Call]
    journals: dict[int, Call]

    @staticmethod
    def of(found: Found, events: set[UUID]) -> Assumption:
        """That ``found`` is so, and that none of ``events`` is on record."""
        return Assumption(
            frozenset(events),
            call("check_moment", found.prunes, found.now_ms),
            {
                state.cid: call("hold_conversation", state.cid, state.next_position)
                for state in found.conversations.values()
            },
            {
                state.jid: call("hold_journal", state.jid, state.next_seq, state.epoch, state.until_ms)
                for state in found.journals.values()
            },
        )

    def covers(self, changes: Changes) -> bool:
        """Whether every event that was asked for is being inserted, so that a unique key speaks for it.

        Else one was refused, or is there already, and that has to be decided from what is on record.
        """
        return self.events <= {event.event_id for event in changes.events}

    def checks(self, changes: Changes) -> list[Call]:
        """Lock the rows that change, in the order of a load, and fail where one is not as remembered."""
        conversations = sorted(changes.conversations.values(), key=lambda state: state.id.int)
        journals = sorted(changes.journals.values(), key=lambda state: state.id.int)
        return [
            queue_up([state.id.bytes for state in conversations]),
            self.moment,
            *[self.conversations[state.cid] for state in conversations],
            *[self.journals[state.jid] for state in journals],
        ]
