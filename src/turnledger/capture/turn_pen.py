"""What is known of a turn while it runs: open steps, who asked for which tool, what failed."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

from turnledger.capture.asked import Asked
from turnledger.capture.conversation_pen import ConversationPen
from turnledger.capture.core import Core
from turnledger.capture.pen import Pen
from turnledger.capture.tool_call import ToolCallStep
from turnledger.errors import UsageError
from turnledger.ids import new_id
from turnledger.model.vocabulary import ApprovalDecision

if TYPE_CHECKING:
    from turnledger.capture.approval import Approval
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.steps import Step
    from turnledger.capture.turn_journal import TurnJournal
    from turnledger.capture.waiting import Work
    from turnledger.providers.exchange import ToolRequest

__all__ = ["TurnPen"]

_REPLIES: Final = 64


class _Reply(NamedTuple):
    asked: Asked
    requests: tuple[ToolRequest, ...]


class TurnPen(Pen):
    """Writes to one turn."""

    def __init__(self, core: Core, conversation: ConversationPen, turn: UUID | None = None) -> None:
        super().__init__(core)
        self.id = turn or new_id()
        self.conversation = conversation
        self.journal: TurnJournal | None = None
        self.trigger: int | None = None
        """Seq of the message that is answered."""
        self.asked: Asked | None = None
        """The tool requests of the last model result."""
        self._replies: deque[_Reply] = deque(maxlen=_REPLIES)
        self.last_call: ModelCallStep | None = None
        self.approvals: list[Approval] = []
        self.began_us: int | None = None
        """When it began, by the steady clock; None where that was in another process."""
        self._open_steps: dict[UUID, Step] = {}
        self._failed: tuple[BaseException, Step] | None = None

    def opened(self) -> TurnJournal:
        """The journal; raises UsageError before the turn was entered."""
        if self.journal is None:
            msg = "This turn has not begun."
            raise UsageError(msg, next_step="Enter it with `with` or `async with` first.")
        return self.journal

    def journal_for(self, what: str) -> Work[TurnJournal]:
        """See ``Pen``."""
        journal = self.opened()
        journal.check(what)
        yield from ()
        return journal

    def shares_journal(self, other: Pen) -> bool:
        """See ``Pen``."""
        return isinstance(other, TurnPen) and other.id == self.id

    def agent_id(self) -> Work[UUID]:
        """See ``Pen``."""
        yield from ()
        return self.opened().conversation.agent

    # --- steps ---------------------------------------------------------------------------------

    def open_steps(self) -> list[Step]:
        """Steps on record that have no outcome, in the order of their intents."""
        return [step for step in list(self._open_steps.values()) if step.is_on_record]

    def open_tools(self) -> list[ToolCallStep]:
        """Those of them that are tool calls."""
        return [step for step in self.open_steps() if isinstance(step, ToolCallStep)]

    def awaited(self) -> Approval | None:
        """An approval that was asked for and is not decided."""
        requested = ApprovalDecision.REQUESTED
        return next((approval for approval in self.approvals if approval.decision is requested), None)

    def step_began(self, step: Step) -> None:
        """See ``Pen``."""
        self._open_steps[step.event_id] = step

    def step_ended(self, step: Step, error: BaseException | None) -> None:
        """See ``Pen``."""
        self._open_steps.pop(step.event_id, None)
        if error is not None:
            self._failed = (error, step)

    def step_settled(self, step: ModelCallStep) -> None:
        """See ``Pen``."""
        self.last_call, self.asked = step, step.asked
        if step.asked is not None:
            with suppress(UsageError):  # nothing arrived
                self._replies.append(_Reply(step.asked, step.tool_requests))

    def who_asked(self, call_id: str | None) -> tuple[Asked | None, str | None]:
        """The reply that asked for the tool run with a provider's id, and the exact text of its arguments.

        Without such an id it is the last reply.  The text is unknown then, or where the id is there twice.
        """
        for reply in reversed(tuple(self._replies)):
            texts = {request.supplied for request in reply.requests if call_id and request.id == call_id}
            if texts:
                return reply.asked, texts.pop() if len(texts) == 1 else None
        return self.asked, None

    def failed_step(self, error: BaseException) -> Step | None:
        """The step that ``error`` came out of, if it was one."""
        return self._failed[1] if self._failed is not None and self._failed[0] is error else None

    def forget(self) -> None:
        """The turn is over: keep nothing that it does not need."""
        self._failed = None
