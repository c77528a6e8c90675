"""The way back from a batch that is refused half way: what it changed is put back as it was."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from turnledger.store.state import AgentState, Changes, ConversationState, JournalState

__all__ = ["Undo"]

_State = AgentState | ConversationState | JournalState

_READ: dict[type[_State], Callable[[_State], tuple[object, ...]]] = {
    AgentState: attrgetter(*AgentState.CHANGING),
    JournalState: attrgetter(*JournalState.CHANGING),
    ConversationState: lambda state: tuple([getattr(state, name) for name in ConversationState.CHANGING]),
}


class Undo:
    """Remembers one batch's changes from its start."""

    __slots__ = ("_added", "_changes", "_marks", "_states")

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._marks = [len(rows) for rows in _lists(changes)]
        self._states: dict[int, tuple[_State, tuple[object, ...]]] = {}
        self._added: list[tuple[dict[Any, Any], object]] = []

    def touch(self, state: _State) -> None:
        """Remember a state before it changes for the first time."""
        if id(state) not in self._states:
            self._states[id(state)] = (state, _READ[type(state)](state))

    def added(self, table: dict[Any, Any], key: object) -> None:
        """Remember that a table has a new key."""
        self._added.append((table, key))

    def back(self) -> None:
        """Put everything back."""
        for state, values in self._states.values():
            for name, value in zip(state.CHANGING, values, strict=True):
                setattr(state, name, value)
        for table, key in reversed(self._added):
            table.pop(key, None)
        for rows, mark in zip(_lists(self._changes), self._marks, strict=True):
            del rows[mark:]


def _lists(changes: Changes) -> tuple[list[Any], ...]:
    """What a batch adds to."""
    return (
        changes.aliases,
        changes.events,
        changes.bodies,
        changes.leaves,
        changes.settled,
        changes.ended,
    )
