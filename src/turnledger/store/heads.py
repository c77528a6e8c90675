"""What a writer remembers of the rows it locked and wrote, while nobody else has written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar
from uuid import UUID

from turnledger.store.state import AgentState, Changes, ConversationState, Found, IdKind, JournalState, Wants

__all__ = ["Heads"]

REMEMBERED: Final = 1_000  # of each kind; about a MB of memory together

_T = TypeVar("_T")
_State = TypeVar("_State", AgentState, ConversationState, JournalState)


class Heads:
    """Heads of agents, conversations and journals used last, the last small keys, and the count of prunes.

    A state is the very object that the planner changed; so after a rollback everything is forgotten.
    The keys are ``UUID.int``, which hashes ten times as fast as the UUID.
    """

    def __init__(self) -> None:
        self.agents: OrderedDict[int, AgentState] = OrderedDict()
        self.conversations: OrderedDict[int, ConversationState] = OrderedDict()
        self.journals: OrderedDict[int, JournalState] = OrderedDict()
        self.prunes = -1  # not known
        self.last_part = 0
        self.last_keys: dict[IdKind, int] = {}

    def forget(self) -> None:
        """Remember nothing."""
        self.agents.clear()
        self.conversations.clear()
        self.journals.clear()
        self.prunes = -1
        self.last_keys.clear()

    def take(self, wants: Wants) -> tuple[Wants, Found]:
        """What of ``wants`` has to be read, and what of it is remembered."""
        found = Found(0, self.prunes)
        missing = Wants(
            _take(wants.agents, self.agents, found.agents),
            _take(wants.conversations, self.conversations, found.conversations),
            _take(wants.journals | wants.conversations, self.journals, found.journals),
            wants.events,
            wants.aliases,
        )
        return missing, found

    def add(self, read: Found, found: Found) -> None:
        """Remember what was read, and put it with what was remembered."""
        _remember(read.agents.values(), self.agents)
        _remember(read.conversations.values(), self.conversations)
        _remember(read.journals.values(), self.journals)
        found.agents.update(read.agents)
        found.conversations.update(read.conversations)
        found.journals.update(read.journals)

    def keep(self, changes: Changes) -> None:
        """Remember what was committed."""
        _remember(changes.agents.values(), self.agents)
        _remember(changes.conversations.values(), self.conversations)
        _remember(changes.journals.values(), self.journals)


def _take(wanted: set[UUID], remembered: Mapping[int, _T], found: dict[UUID, _T]) -> set[UUID]:
    missing: set[UUID] = set()
    for key in wanted:
        state = remembered.get(key.int)
        if state is None:
            missing.add(key)
        else:
            found[key] = state
    return missing


def _remember(states: Iterable[_State], remembered: OrderedDict[int, _State]) -> None:
    for state in states:
        state.new = False
        remembered[state.id.int] = state
        remembered.move_to_end(state.id.int)
    while len(remembered) > REMEMBERED:
        remembered.popitem(last=False)
