"""Appending on the assumption that nobody else wrote: planned from memory, checked inside the transaction.

A turn has one writer, and mostly a conversation has one too.  So what this connection wrote last is mostly
still true, and reading it again would cost a round trip.  The database locks the rows and compares them
before anything is written; where one is not as remembered the transaction fails, and the append is planned
again from what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from turnledger.store.postgres.link import Call
from turnledger.store.postgres.statements import call
from turnledger.store.sql_mapping import Values, head_values
from turnledger.store.state import Changes, Found, JournalState

__all__ = ["MOVED", "Assumption", "queue_up"]

MOVED: Final = frozenset({"update_conversation", "update_journal"})
"""What is written by the checks already."""


def queue_up(conversations: Iterable[bytes]) -> list[Call]:
    """Wait for the writers of these conversations (ids) that came before, as every append does first.

    Conversations with the same last 16 bits share a place in the queue.
    """
    places = sorted({int.from_bytes(one[-2:], "big") for one in conversations})
    return [call("queue_up", place) for place in places or (None,)]


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a plan rests on, as it was before the plan; ``new_parts`` are keys of parts taken to be new."""

    events: frozenset[UUID]
    moment: Call
    conversations: dict[int, Values]
    journals: dict[int, Values]
    new_parts: dict[int, list[int]] = field(default_factory=dict)

    @staticmethod
    def of(found: Found, events: set[UUID]) -> Assumption:
        """That ``found`` is so, and that none of ``events`` is on record."""
        return Assumption(
            frozenset(events),
            call("check_moment", found.prunes, found.now_ms),
            {state.cid: (state.next_position,) for state in found.conversations.values()},
            {state.jid: (state.next_seq, state.epoch, state.until_ms) for state in found.journals.values()},
        )

    def covers(self, changes: Changes) -> bool:
        """Whether every event that was asked for is being inserted, so that a unique key speaks for it.

        Else one was refused, or is there already, and that has to be decided from what is on record.
        """
        return self.events <= {event.event_id for event in changes.events}

    def checks(self, changes: Changes) -> list[Call]:
        """Move the rows that were there, in the order of a load, and fail where one is not as remembered."""
        conversations = sorted(changes.conversations.values(), key=lambda state: state.id.int)
        journals = sorted(changes.journals.values(), key=lambda state: state.id.int)
        return [
            *queue_up([state.id.bytes for state in conversations]),
            self.moment,
            *[
                call("move_conversation", state.next_position, state.cid, *self.conversations[state.cid])
                for state in conversations
            ],
            *[self._journal(state) for state in journals],
            *[call("miss_parts", keys, aid) for aid, keys in self.new_parts.items()],
        ]

    def _journal(self, state: JournalState) -> Call:
        before = self.journals[state.jid]
        if state.closed:
            return call("hold_journal", state.jid, *before)
        return call("move_journal", *head_values(state), state.jid, *before)
