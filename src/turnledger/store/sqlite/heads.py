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
    """

    def __init__(self) -> None:
        self.agents: dict[UUID, AgentState] = {}
        self.conversations: dict[UUID, ConversationState] = {}
        self.journals: dict[UUID, JournalState] = {}
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

    def missing(self, wants: Wants) -> Wants:
        """What of ``wants`` has to be read."""
        return Wants(
            wants.agents - self.agents.keys(),
            wants.conversations - self.conversations.keys(),
            (wants.journals | wants.conversations) - self.journals.keys(),
            wants.events,
            wants.aliases,
        )

    def complete(self, wants: Wants, found: Found) -> None:
        """Remember what was found, and add to it what was wanted and is remembered."""
        self.agents |= found.agents
        self.conversations |= found.conversations
        self.journals |= found.journals
        _add(wants.agents, self.agents, found.agents)
        _add(wants.conversations, self.conversations, found.conversations)
        _add(wants.journals | wants.conversations, self.journals, found.journals)

    def keep(self, changes: Changes) -> None:
        """Remember what was committed."""
        if len(self.journals) > REMEMBERED:
            self.forget()
            return
        for agent in changes.agents.values():
            agent.new = False
            self.agents[agent.id] = agent
        for conversation in changes.conversations.values():
            conversation.new = False
            self.conversations[conversation.id] = conversation
        for journal in changes.journals.values():
            journal.new = False
            self.journals[journal.id] = journal


def _add(wanted: set[UUID], remembered: Mapping[UUID, _T], found: dict[UUID, _T]) -> None:
    for key in wanted:
        state = remembered.get(key)
        if state is not None:
            found[key] = state
