"""What a writer remembers of the rows it locked and wrote, while nobody else has written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar
from uuid import UUID

from turnledger.store.state import AgentState, Changes, ConversationState, Found, IdKind, JournalState, Wants

__all__ = ["Heads"]

REMEMBERED: Final = 20_000

_T = TypeVar("_T")


class Heads:
    """Heads of agents, conversations and journals, the last small keys, and the count of prunes.

    A state is the very object that the planner changed; so after a rollback everything is forgotten.
    The keys are ``UUID.int``, which hashes ten times as fast as the UUID.
    """

    def __init__(self) -> None:
        self.agents: dict[int, AgentState] = {}
        self.conversations: dict[int, ConversationState] = {}
        self.journals: dict[int, JournalState] = {}
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
        _put(read.agents, self.agents, found.agents)
        _put(read.conversations, self.conversations, found.conversations)
        _put(read.journals, self.journals, found.journals)

    def keep(self, changes: Changes) -> None:
        """Remember what was committed."""
        if len(self.journals) > REMEMBERED:
            self.forget()
            return
        for agent in changes.agents.values():
            agent.new = False
            self.agents[agent.id.int] = agent
        for conversation in changes.conversations.values():
            conversation.new = False
            self.conversations[conversation.id.int] = conversation
        for journal in changes.journals.values():
            journal.new = False
            self.journals[journal.id.int] = journal


def _take(wanted: set[UUID], remembered: Mapping[int, _T], found: dict[UUID, _T]) -> set[UUID]:
    missing: set[UUID] = set()
    for key in wanted:
        state = remembered.get(key.int)
        if state is None:
            missing.add(key)
        else:
            found[key] = state
    return missing


def _put(read: dict[UUID, _T], remembered: dict[int, _T], found: dict[UUID, _T]) -> None:
    if read:
        remembered.update({key.int: state for key, state in read.items()})
        found.update(read)
