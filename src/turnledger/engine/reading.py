"""``turnledger.read``: what is on record, for scripts and notebooks.  Not for the agent itself."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self
from uuid import UUID

from turnledger.capture.ledger import Ledger
from turnledger.engine.location import connect
from turnledger.engine.recorder import store_of_recorder
from turnledger.errors import NotFoundError
from turnledger.ids import NIL, parse_uuid
from turnledger.model.draft import AliasKind
from turnledger.model.rows import AgentRow, BodyRow, ConversationRow, TurnRow
from turnledger.query.timeline import Entry, TimelinePage, journal_entries, timeline
from turnledger.query.turn_report import TurnReport, turn_report
from turnledger.store.contract import ConversationFilter, Page, Reader, TurnFilter
from turnledger.store.ledger_store import Store

__all__ = ["Reading", "open_reading"]


class Reading:
    """A ledger, to be read.  Ids may be given as UUID or text, agents also by name."""

    def __init__(self, store: Store, *, owns_store: bool = True, recorder: Ledger | None = None) -> None:
        self.label = store.label
        """Where the ledger is, without credentials."""
        self._store = store
        self._owns_store = owns_store
        self._recorder = recorder  # kept, because a recorder that is dropped closes its store

    @property
    def reader(self) -> Reader:
        """The store's reader, which has every other look-up."""
        return self._store.reader

    def agents(self) -> list[AgentRow]:
        """All agents by name."""
        return self.reader.agents()

    def conversations(self, agent: str | UUID | None = None, *, limit: int = 50) -> list[ConversationRow]:
        """Conversations, latest activity first."""
        return self.reader.conversations(ConversationFilter(agent=self._agent(agent)), Page(limit))

    def turns(
        self, agent: str | UUID | None = None, *, conversation: str | UUID | None = None, limit: int = 50
    ) -> list[TurnRow]:
        """Turns, latest first."""
        where = TurnFilter(agent=self._agent(agent), conversation=_id(conversation))
        return self.reader.turns(where, Page(limit))

    def turn(self, turn: str | UUID) -> TurnReport:
        """One turn with its events, its steps and which of them are in doubt.  Raises NotFoundError."""
        return turn_report(self.reader, _uuid(turn))

    def timeline(
        self,
        conversation: str | UUID,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> TimelinePage:
        """Events of a conversation and its turns, interleaved, by position."""
        return timeline(self.reader, _uuid(conversation), after=after, before=before, limit=limit)

    def events(self, journal: str | UUID) -> list[Entry]:
        """All events of one turn's or conversation's journal, in order."""
        return journal_entries(self.reader, _uuid(journal))

    def body(self, event: str | UUID, slot: str = "payload") -> bytes | None:
        """Bytes of one body; None where it was pruned or erased.  NotFoundError for an unknown slot."""
        found = self.reader.body(_uuid(event), slot)
        if found is None:
            msg = f"Event {event} has no body {slot[:40]!r}."
            raise NotFoundError(msg, next_step="See `turnledger show` for what it has.")
        return None if isinstance(found, BodyRow) else b"".join(found.read())

    def close(self) -> None:
        """Give connections back.  Idempotent."""
        if self._owns_store:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _agent(self, agent: str | UUID | None) -> UUID | None:
        if not isinstance(agent, str):
            return agent
        found = self.reader.alias(AliasKind.AGENT, NIL, agent)
        return found or parse_uuid(agent, "agent")


def open_reading(source: str | os.PathLike[str] | Ledger | None = None) -> Reading:
    """Open the ledger at a URL (see ``turnledger.open``) for reading; nothing is made or changed.

    Given a recorder, what it recorded: the way to read ``memory:``.
    """
    if isinstance(source, Ledger):
        return Reading(store_of_recorder(source), owns_store=False, recorder=source)
    return Reading(connect(source))


def _uuid(value: str | UUID) -> UUID:
    return parse_uuid(value) if isinstance(value, str) else value


def _id(value: str | UUID | None) -> UUID | None:
    return None if value is None else _uuid(value)
