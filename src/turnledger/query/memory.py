"""What agents remember: entries and their revisions, page by page."""

from __future__ import annotations

from operator import attrgetter
from typing import Final
from uuid import UUID

from turnledger.errors import NotFoundError
from turnledger.model.figures import MemoryPlace
from turnledger.query.paging import Listed, ListKind
from turnledger.store.figures import FiguresReader

__all__ = ["memory_page", "revision_page"]

_MEMORY: Final = ListKind("memory", 3)
_REVISIONS: Final = ListKind("revisions", 3)

_key = attrgetter("key")


def memory_page(
    figures: FiguresReader, agent: UUID, conversation: UUID | None, limit: int, after: str | None
) -> Listed[MemoryPlace]:
    """Revisions of all entries, newest first.  Raises GrammarError."""
    rows = figures.memory(agent, conversation, _MEMORY.key(after), limit + 1)
    return _MEMORY.page(rows, limit, _key)


def revision_page(
    figures: FiguresReader, agent: UUID, entry: UUID, limit: int, after: str | None
) -> Listed[MemoryPlace]:
    """Revisions of one entry, highest first.  Raises GrammarError, NotFoundError."""
    rows = figures.revisions(agent, entry, _REVISIONS.key(after), limit + 1)
    if not rows and after is None:
        msg = f"The agent has no memory entry {entry}."
        raise NotFoundError(msg, next_step="See the list of its memory.")
    return _REVISIONS.page(rows, limit, _key)
