"""Cursors of the live stream: a place in the whole ledger, or in one conversation."""

from __future__ import annotations

from typing import Final

from turnledger.query.cursor import cursor_text, read_cursor

__all__ = ["flow_cursor", "ledger_cursor", "read_flow_cursor", "read_ledger_cursor"]

_LEDGER: Final = "ledger"
_FLOW: Final = "flow"


def ledger_cursor(cursor: int) -> str:
    """Behind the event with this cursor."""
    return cursor_text(_LEDGER, (cursor,))


def read_ledger_cursor(text: str) -> int:
    """The place that ``ledger_cursor`` wrote.  Raises GrammarError."""
    return read_cursor(_LEDGER, text, 1)[0]


def flow_cursor(position: int) -> str:
    """Behind the event at this position of a conversation; -1 is before the first."""
    return cursor_text(_FLOW, (position,))


def read_flow_cursor(text: str) -> int:
    """The position that ``flow_cursor`` wrote.  Raises GrammarError."""
    return read_cursor(_FLOW, text, 1)[0]
