"""How a turn or a conversation writes: one event after another, waited for now or at the end of the block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from turnledger.capture.composer import Composed
from turnledger.capture.receipts import Pending, Receipt
from turnledger.capture.waiting import Started, Work, finished
from turnledger.model.draft import AliasKind, Placed

if TYPE_CHECKING:
    from turnledger.capture.conversation_journal import ConversationJournal
    from turnledger.capture.core import Core
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.steps import Step
    from turnledger.capture.turn_journal import TurnJournal

__all__ = ["Pen"]

T = TypeVar("T")


class Pen(ABC):
    """What a handle and its steps share.  Safe to use from many threads."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.is_async = False
        """Whether the handle was entered with ``async with``."""
        self._unsettled: deque[Pending[Any]] = deque()

    @abstractmethod
    def journal_for(self, what: str) -> Work[TurnJournal | ConversationJournal]:
        """The journal, once it is on record; raises CaptureRefused where ``what`` cannot go into it."""

    @abstractmethod
    def shares_journal(self, other: Pen) -> bool:
        """Whether ``other`` is known to write to the same journal, so that its places are places here."""

    @abstractmethod
    def agent_id(self) -> Work[UUID]:
        """Id of the agent, once it is known."""

    def actor_id(self, name: str) -> Work[UUID]:
        """Id of a person or bot of this agent."""
        agent = yield from self.agent_id()
        return (yield from self.core.names.resolve(AliasKind.ACTOR, agent, name))

    # --- steps that stand in it ------------------------------------------------------------------

    @abstractmethod
    def step_began(self, step: Step) -> None:
        """A step's intent was sent."""

    @abstractmethod
    def step_ended(self, step: Step, error: BaseException | None) -> None:
        """A step's outcome is about to be sent, or it was given up."""

    @abstractmethod
    def step_settled(self, step: ModelCallStep) -> None:
        """A model call's result is on record in its turn."""

    # --- sending -------------------------------------------------------------------------------

    def append(self, what: str, event: Composed) -> Work[Placed]:
        """Append one event."""
        journal = yield from self.journal_for(what)
        placed = yield from journal.append(what, event)
        return placed[-1]

    def record(self, event: Composed) -> Receipt:
        """Append one event, now or on its way."""
        return self.send(event.event_id, self.append(f"The {event.event.TYPE}", event))

    def send(self, event_id: UUID, work: Work[Placed]) -> Receipt:
        """Start ``work``; wait for its end unless the handle was entered with ``async with``."""
        receipt = Receipt(event_id, self.start(work), self)
        if self.is_async:
            self.track(receipt)
        return receipt

    def start(self, work: Work[T]) -> Future[T]:
        """The same for what is no event; inside ``async with`` it is for the caller to ``track`` it."""
        started = Started(work)
        if not self.is_async:
            started.wait()
        return started.future

    def track(self, pending: Pending[Any]) -> None:
        """Have the end of the block wait for this too."""
        while self._unsettled and _is_well(self._unsettled[0]):
            self._unsettled.popleft()
        self._unsettled.append(pending)

    def drained(self) -> Work[None]:
        """Wait for everything that is under way, whatever comes of it."""
        for pending in list(self._unsettled):
            yield finished(pending.future)

    def raise_unseen(self) -> None:
        """Raise the first failure that nobody asked for."""
        unsettled, self._unsettled = self._unsettled, deque()
        for pending in unsettled:
            if not pending.was_awaited:
                pending.wait()


def _is_well(pending: Pending[Any]) -> bool:
    return pending.is_done and pending.future.exception() is None
