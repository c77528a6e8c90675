"""Lists of conversations: of one agent, of some, of all, narrowed by what people know of them."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final
from uuid import UUID

from turnledger.model.draft import AliasKind
from turnledger.model.rows import ConversationRow, DamagedRow, Rows
from turnledger.model.vocabulary import Shape
from turnledger.query.cursor import cursor_text
from turnledger.query.live_cursor import ledger_cursor
from turnledger.query.paging import ListKind
from turnledger.query.spans import Span
from turnledger.store.contract import ConversationFilter, Page, Reader

__all__ = ["ConversationPage", "ConversationQuestion", "conversation_page"]

_KIND: Final = ListKind("conversations", 2)
_AT_ONCE: Final = 200
_LOOKED_AT: Final = 10_000
"""Conversations that one page looks at when it searches their names."""


@dataclass(frozen=True, slots=True)
class ConversationQuestion:
    """What is known of the conversations; None leaves a field open.

    ``actor`` and ``place`` are ids or outside names; ``status`` is open, waiting, failed or owes;
    ``words`` is text in the conversation's key or place, in any case.
    """

    actor: str | None = None
    connector: str | None = None
    shape: Shape | None = None
    place: str | None = None
    status: str | None = None
    span: Span = Span()  # noqa: RUF009  immutable
    words: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """One page; it may hold fewer rows than asked for and still have more behind it.

    ``damaged`` are rows that were met on the way and left out.
    """

    rows: tuple[ConversationRow, ...]
    has_more: bool
    next: str | None
    live_cursor: str
    damaged: tuple[DamagedRow, ...] = ()


def conversation_page(
    reader: Reader,
    agents: Collection[UUID] | None,
    question: ConversationQuestion,
    limit: int,
    after: str | None,
) -> ConversationPage:
    """A page of the conversations of these agents (None: all), latest activity first.

    Raises GrammarError for a cursor of another list.
    """
    key = _KIND.key(after)
    with reader.snapshot():
        live = ledger_cursor(reader.head_cursor())
        scopes = _scopes(reader, agents, question)
        filters = [one for agent in scopes if (one := _filter(reader, agent, question))]
        rows, looked_at = _matching(reader, filters, question.words, limit, key)
        has_more = len(rows) > limit or looked_at is not None
        items = tuple(rows[:limit])
        last = items[-1] if len(rows) > limit else looked_at
        following = None if last is None else cursor_text(_KIND.name, reader.conversation_key(last))
    return ConversationPage(items, has_more, following, live, (*scopes.damaged, *rows.damaged))


def _scopes(
    reader: Reader, agents: Collection[UUID] | None, question: ConversationQuestion
) -> Rows[UUID | None]:
    """The agents to ask about one by one; None is all at once, to whom an outside name means nothing."""
    if agents is not None:
        return Rows(agents)
    if question.actor is question.place is None:
        return Rows([None])
    known = reader.agents()
    return Rows([row.id for row in known], known.damaged)


def _filter(reader: Reader, agent: UUID | None, question: ConversationQuestion) -> ConversationFilter | None:
    """The filter for one agent; None where it knows no such actor or place."""
    actor = place = None
    if question.actor is not None:
        actor = _named(reader, AliasKind.ACTOR, agent, question.actor)
        if actor is None:
            return None
    if question.place is not None:
        place = _named(reader, AliasKind.PLACE, agent, question.place)
        if place is None:
            return None
    return ConversationFilter(
        agent=agent,
        connector=question.connector,
        shape=question.shape,
        place=place,
        actor=actor,
        since_ms=question.span.since_ms,
        until_ms=question.span.until_ms,
        open_turns=question.status == "open",
        waiting_turns=question.status == "waiting",
        failed_turns=question.status == "failed",
        owes_reply=question.status == "owes",
    )


def _named(reader: Reader, kind: AliasKind, agent: UUID | None, text: str) -> UUID | None:
    """What ``text`` stands for: an id itself, else an outside name that the agent knows."""
    try:
        return UUID(text)
    except ValueError:
        pass
    return None if agent is None else reader.alias(kind, agent, text)


def _matching(
    reader: Reader,
    filters: list[ConversationFilter],
    words: str | None,
    limit: int,
    key: tuple[int, ...] | None,
) -> tuple[Rows[ConversationRow], ConversationRow | None]:
    """Up to ``limit`` + 1 rows, and the last row looked at where looking was given up before the end."""
    if words is None:
        lists = [reader.conversations(where, Page(limit + 1, key)) for where in filters]
        damaged = chain.from_iterable(one.damaged for one in lists)
        merged = lists[0] if len(lists) == 1 else _merged(reader, lists)
        return Rows(merged[: limit + 1], damaged), None
    wanted = words.casefold()
    found: Rows[ConversationRow] = Rows()
    for number, row in enumerate(_all(reader, filters, key, found.damaged), start=1):
        if any(wanted in (text or "").casefold() for text in (row.key, row.place)):
            found.append(row)
        if len(found) > limit:
            break
        if number >= _LOOKED_AT:
            return found, row
    return found, None


def _merged(reader: Reader, lists: Sequence[Sequence[ConversationRow]]) -> list[ConversationRow]:
    return list(heapq.merge(*lists, key=reader.conversation_key, reverse=True))


def _all(
    reader: Reader,
    filters: list[ConversationFilter],
    key: tuple[int, ...] | None,
    damaged: list[DamagedRow],
) -> Iterator[ConversationRow]:
    """All rows from beyond a key, read in pages as they are wanted; those left out go into ``damaged``."""

    def pages(where: ConversationFilter) -> Iterator[ConversationRow]:
        rows = reader.conversations(where, Page(_AT_ONCE, key))
        damaged.extend(rows.damaged)
        while rows:
            yield from rows
            rows = reader.conversations(where, Page(_AT_ONCE, reader.conversation_key(rows[-1])))
            damaged.extend(rows.damaged)

    if len(filters) == 1:
        return pages(filters[0])
    return heapq.merge(*[pages(where) for where in filters], key=reader.conversation_key, reverse=True)
