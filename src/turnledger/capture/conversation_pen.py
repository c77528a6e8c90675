"""Opening a conversation at its first event, and writing to it."""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING
from uuid import UUID

from turnledger.capture.composer import Composed, compose
from turnledger.capture.content import snapshot
from turnledger.capture.conversation_journal import ConversationJournal
from turnledger.capture.core import Core
from turnledger.capture.names import checked_name
from turnledger.capture.pen import Pen
from turnledger.capture.waiting import Work, spawn
from turnledger.capture.words import word
from turnledger.errors import GrammarError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Claim
from turnledger.model.events import Opened
from turnledger.model.vocabulary import Shape

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.steps import Step

__all__ = ["ConversationPen"]

_CONNECTOR = re.compile(r"[!-~]{1,64}")


class ConversationPen(Pen):
    """Writes to one conversation; its OPENED is written when something first has to be."""

    def __init__(
        self, core: Core, agent: str, *, key: str | None, connector: str | None, shape: str, place: str | None
    ) -> None:
        super().__init__(core)
        if connector is not None and _CONNECTOR.fullmatch(checked_name(connector, "connector")) is None:
            msg = "A connector is a word of at most 64 ASCII characters, such as slack or email."
            raise GrammarError(msg, next_step="Outside names belong into key and place.")
        self.agent = agent
        self._key = None if key is None else checked_name(key, "key of the conversation")
        self._place = None if place is None else checked_name(place, "place")
        self._connector = connector
        self._shape = word(Shape, shape)
        self._id = new_id()
        self._journal: ConversationJournal | None = None
        self._opening: Composed | None = None
        self._under_way: Future[ConversationJournal] | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()

    @classmethod
    def known(cls, core: Core, agent: str, agent_id: UUID, conversation: UUID) -> ConversationPen:
        """Of a conversation that is on record."""
        pen = cls(core, agent, key=None, connector=None, shape=Shape.SESSION, place=None)
        pen._journal = ConversationJournal(core.sink, agent_id, conversation)
        return pen

    def step_began(self, step: Step) -> None:
        """See ``Pen``; a conversation has no end that would have to know of it."""

    def step_ended(self, step: Step, error: BaseException | None) -> None:
        """See ``Pen``."""

    def step_settled(self, step: ModelCallStep) -> None:
        """See ``Pen``; only turns have tools that a result can ask for."""

    def shares_journal(self, other: Pen) -> bool:
        """See ``Pen``."""
        if not isinstance(other, ConversationPen):
            return False
        mine = self.journal_id()
        if other is self or (mine is not None and mine == other.journal_id()):
            return True
        # The ledger may give one name two ids where it was away in between.
        return self._key is not None and other.name() == self.name() and other.core is self.core

    def journal_id(self) -> UUID | None:
        """Id of the conversation, once it is known."""
        return None if self._journal is None else self._journal.conversation

    def name(self) -> tuple[str, str | None]:
        """Its agent's name, and its own key if it has one."""
        return self.agent, self._key

    def agent_id(self) -> Work[UUID]:
        """See ``Pen``."""
        return (yield from self.core.names.resolve(AliasKind.AGENT, NIL, self.agent))

    def journal_for(self, what: str) -> Work[ConversationJournal]:
        """See ``Pen``; opens the conversation where it is new."""
        journal = self._journal
        if journal is None:
            with self._lock:
                if self._under_way is None or _has_failed(self._under_way) or self._pid != os.getpid():
                    self._under_way, self._pid = spawn(self._open(what)), os.getpid()
            journal = self._journal = yield self._under_way
        return journal

    def _open(self, what: str) -> Work[ConversationJournal]:
        agent = yield from self.agent_id()
        conversation = yield from self._conversation_id(what, agent)
        return ConversationJournal(self.core.sink, agent, conversation)

    def _conversation_id(self, what: str, agent: UUID) -> Work[UUID]:
        names, key = self.core.names, self._key
        known = None if key is None else names.known(AliasKind.CONVERSATION, agent, key)
        if known is not None:
            return known
        place = None
        if self._place is not None:
            place = yield from names.resolve(AliasKind.PLACE, agent, self._place)
        claim = None if key is None else Claim(AliasKind.CONVERSATION, agent, key, self._id)
        journal = ConversationJournal(self.core.sink, agent, self._id)
        result = yield from journal.claim(what, claim, self._opened(place))
        conversation = result.target or self._id
        if key is not None:
            names.remember(AliasKind.CONVERSATION, agent, key, conversation)
        return conversation

    def _opened(self, place: UUID | None) -> Composed:
        """Made once, so that it stays one event when it has to be sent again."""
        if self._opening is None:
            outside = {"key": self._key, "place": self._place}
            named = {kind: name for kind, name in outside.items() if name is not None}
            facts = {
                "connector": self._connector,
                "shape": self._shape.value,
                "place": None if place is None else str(place),
            }
            self._opening = compose(Opened(), snapshot(named) if named else None, facts=facts)
        return self._opening


def _has_failed(future: Future[ConversationJournal]) -> bool:
    return future.done() and future.exception() is not None
