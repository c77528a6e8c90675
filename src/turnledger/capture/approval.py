"""Asking somebody: the turn waits, for as long as it takes, and is not taken for dead meanwhile."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Self

from turnledger.capture.composer import Composed, compose
from turnledger.capture.content import snapshot
from turnledger.capture.names import checked_name
from turnledger.capture.words import word
from turnledger.errors import UsageError
from turnledger.ids import new_id
from turnledger.model.draft import Placed
from turnledger.model.events import Approval as ApprovalEvent
from turnledger.model.vocabulary import ApprovalDecision

if TYPE_CHECKING:
    from turnledger.capture.pen import Pen
    from turnledger.capture.receipts import Receipt
    from turnledger.capture.tool_call import ToolCallStep
    from turnledger.capture.waiting import Work

__all__ = ["Approval"]


class Approval:
    """An approval that was asked for; ``decide`` tells what came of it.

    ``await`` it inside ``async with`` to know that the question is on record before you ask it.
    """

    def __init__(self, pen: Pen, subject: ToolCallStep | None) -> None:
        self.subject = subject
        """The tool call that waits for it, None where it is about the turn as a whole."""
        self.decision = ApprovalDecision.REQUESTED
        """How it stands."""
        self._pen = pen
        self._asked: Receipt | None = None

    def request(self, question: object) -> None:
        """Record the question; the turn waits from here on."""
        payload = None if question is None else snapshot(question)
        subject = None if self.subject is None else self.subject.seq
        event = ApprovalEvent(subject=subject, decision=ApprovalDecision.REQUESTED)
        self._asked = self._pen.record(compose(event, payload))

    def reminder(self) -> Composed:
        """The same request once more, to end a stretch of other events with the turn waiting."""
        subject = None if self.subject is None else self.subject.seq
        return compose(ApprovalEvent(subject=subject, decision=ApprovalDecision.REQUESTED))

    def __await__(self) -> Generator[Any, None, Self]:
        if self._asked is not None:
            yield from self._asked.__await__()
        return self

    def decide(self, decision: str, *, by: str | None = None, reason: object = None) -> Receipt:
        """Record the decision: ``granted``, ``denied`` or ``expired``, who took it and why.

        Raises UsageError where it was decided before.
        """
        decided = word(ApprovalDecision, decision)
        if self.decision is not ApprovalDecision.REQUESTED or decided is ApprovalDecision.REQUESTED:
            msg = f"This approval is {self.decision}; {decided} cannot follow."
            raise UsageError(msg, next_step="Request another approval.")
        name = None if by is None else checked_name(by, "name of who decided")
        payload = None if reason is None else snapshot(reason)
        event_id = new_id()
        self.decision = decided
        if self.subject is not None:
            self.subject.decision = decided

        def work() -> Work[Placed]:
            who = None if name is None else (yield from self._pen.actor_id(name))
            seq = None if self.subject is None else self.subject.seq
            event = ApprovalEvent(subject=seq, decision=decided, by=who)
            composed = compose(event, payload, event_id=event_id)
            return (yield from self._pen.append("The decision", composed))

        return self._pen.send(event_id, work())
