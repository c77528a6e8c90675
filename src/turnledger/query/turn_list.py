"""Lists of turns, and the conversation that somebody means by a session's id or key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.errors import NotFoundError
from turnledger.model.draft import AliasKind
from turnledger.model.rows import TurnRow
from turnledger.query.live_cursor import ledger_cursor
from turnledger.query.paging import Listed, ListKind
from turnledger.store.contract import Page, Reader, TurnFilter

__all__ = ["TurnPage", "find_session", "turn_page"]

_KIND: Final = ListKind("turns", 2)


@dataclass(frozen=True, slots=True)
class TurnPage:
    """One page, and where to begin the stream without a gap."""

    listed: Listed[TurnRow]
    live_cursor: str


def turn_page(reader: Reader, where: TurnFilter, limit: int, after: str | None) -> TurnPage:
    """Turns, latest opening first.  Raises GrammarError for a cursor of another list."""
    key = _KIND.key(after)
    with reader.snapshot():
        live = ledger_cursor(reader.head_cursor())
        rows = reader.turns(where, Page(limit + 1, key))
        return TurnPage(_KIND.page(rows, limit, reader.turn_key), live)


def find_session(reader: Reader, agent: UUID, session: str) -> UUID:
    """The agent's conversation with this id or outside key.  Raises NotFoundError."""
    found = reader.alias(AliasKind.CONVERSATION, agent, session)
    if found is None:
        try:
            row = reader.conversation(UUID(session))
        except ValueError:
            row = None
        found = row.id if row is not None and row.agent == agent else None
    if found is None:
        msg = f"The agent has no conversation {session[:80]!r}."
        raise NotFoundError(msg, next_step="Give a conversation's id, or its key as the recorder named it.")
    return found
