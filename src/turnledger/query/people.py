"""Who writes to an agent, and what each of them wrote."""

from __future__ import annotations

from operator import attrgetter
from typing import Final
from uuid import UUID

from turnledger.model.figures import ActorMessage, ActorRow
from turnledger.query.paging import Listed, ListKind
from turnledger.store.figures import FiguresReader

__all__ = ["actor_messages", "actor_page"]

_ACTORS: Final = ListKind("actors", 3)
_MESSAGES: Final = ListKind("actor messages", 3)
_HALF: Final = 1 << 64

_key = attrgetter("key")


def actor_page(figures: FiguresReader, agent: UUID, limit: int, after: str | None) -> Listed[ActorRow]:
    """Actors of an agent, latest message first.  Raises GrammarError."""
    key = _ACTORS.key(after)
    place = None if key is None else (key[0], UUID(int=key[1] % _HALF * _HALF + key[2] % _HALF))
    return _ACTORS.page(figures.actors(agent, place, limit + 1), limit, _actor_key)


def _actor_key(row: ActorRow) -> tuple[int, ...]:
    """An id as two numbers of 64 bits, as cursors have them."""
    return row.last_ms, *[half - _HALF if half >= _HALF >> 1 else half for half in divmod(row.id.int, _HALF)]


def actor_messages(
    figures: FiguresReader, agent: UUID, actor: UUID, limit: int, after: str | None
) -> Listed[ActorMessage]:
    """One actor's messages in all conversations with the agent, newest first.  Raises GrammarError."""
    rows = figures.messages_of(agent, actor, _MESSAGES.key(after), limit + 1)
    return _MESSAGES.page(rows, limit, _key)
