"""Pages of lists: one row more than asked for is read, so that there is no guessing whether there is more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from turnledger.model.rows import DamagedRow, Rows
from turnledger.query.cursor import cursor_text, read_cursor

__all__ = ["ListKind", "Listed"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """One page; ``next`` leads to the page behind it, None where there is none.

    ``damaged`` are rows that were met on the way and left out.
    """

    items: tuple[T, ...]
    has_more: bool
    next: str | None
    damaged: tuple[DamagedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of list: its name in cursors, and of how many numbers its keys are."""

    name: str
    numbers: int

    def key(self, after: str | None) -> tuple[int, ...] | None:
        """The key in a cursor of this kind; None where there is no cursor.  Raises GrammarError."""
        return None if after is None else read_cursor(self.name, after, self.numbers)

    def page(self, rows: Rows[T], limit: int, key: Callable[[T], tuple[int, ...]]) -> Listed[T]:
        """A page of ``rows``, of which there is one more than ``limit`` where there is more behind it."""
        items, has_more = tuple(rows[:limit]), len(rows) > limit
        following = cursor_text(self.name, key(items[-1])) if has_more else None
        return Listed(items, has_more, following, tuple(rows.damaged))
