"""Triggers that were dropped or folded into others, and reports on deliveries."""

from __future__ import annotations

import heapq
from itertools import chain
from operator import attrgetter
from typing import Final
from uuid import UUID

from turnledger.model.figures import NoticeRow
from turnledger.model.rows import Rows
from turnledger.query.paging import Listed, ListKind
from turnledger.query.spans import Span
from turnledger.store.figures import LAST, FiguresReader

__all__ = ["delivery_page", "disposal_page"]

_DISPOSALS: Final = ListKind("disposals", 3)
_DELIVERIES: Final = ListKind("deliveries", 3)
_TYPES: Final = {"shed": ("SHED",), "collapsed": ("COLLAPSED",), None: ("SHED", "COLLAPSED")}

_key = attrgetter("key")


def disposal_page(
    figures: FiguresReader, agent: UUID, kind: str | None, span: Span, limit: int, after: str | None
) -> Listed[NoticeRow]:
    """SHED (kind ``shed``) and COLLAPSED (``collapsed``) events, newest first.  Raises GrammarError."""
    begin = _begin(_DISPOSALS.key(after), span)
    lists = [
        figures.notices(agent, type_, None, span.since_ms or 0, begin, limit + 1) for type_ in _TYPES[kind]
    ]
    damaged = chain.from_iterable(one.damaged for one in lists)
    return _DISPOSALS.page(Rows(heapq.merge(*lists, key=_key, reverse=True), damaged), limit, _key)


def delivery_page(
    figures: FiguresReader, agent: UUID, status: str | None, span: Span, limit: int, after: str | None
) -> Listed[NoticeRow]:
    """DELIVERY events, newest first.  Raises GrammarError."""
    begin = _begin(_DELIVERIES.key(after), span)
    rows = figures.notices(agent, "DELIVERY", status, span.since_ms or 0, begin, limit + 1)
    return _DELIVERIES.page(rows, limit, _key)


def _begin(after: tuple[int, ...] | None, span: Span) -> tuple[int, ...]:
    bounds = [(LAST, LAST, LAST)]
    if after is not None:
        bounds.append((after[0], after[1], after[2]))
    if span.until_ms is not None:
        bounds.append((span.until_ms, -1, -1))
    return min(bounds)
