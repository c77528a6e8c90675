"""A turn: one run of the agent, from its trigger to its end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

from turnledger.capture import closing
from turnledger.capture.approval import Approval
from turnledger.capture.composer import compose, name_token
from turnledger.capture.content import Attachment, snapshot
from turnledger.capture.context import enter, leave
from turnledger.capture.given import attachments_given, count_given, flag_given, handle_given, own_given
from turnledger.capture.handoff import Handoff
from turnledger.capture.message import Message, Recorded
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.names import checked_name
from turnledger.capture.receipts import Pending, Receipt
from turnledger.capture.recording import Recording
from turnledger.capture.tool_call import ToolCallStep, read_arguments
from turnledger.capture.tool_run import check_function, run_tool
from turnledger.capture.waiting import Started, Work, spawn
from turnledger.capture.words import word
from turnledger.errors import CaptureRefused, UsageError
from turnledger.model.events import Abort, Budget, Commit, Progress, Superseded, Verify
from turnledger.model.vocabulary import BudgetOutcome, TurnStatus, VerifyVerdict

if TYPE_CHECKING:
    from turnledger.capture.turn_journal import TurnJournal
    from turnledger.capture.turn_pen import TurnPen
    from turnledger.model.draft import Placed

__all__ = ["Turn"]

T = TypeVar("T")

_log = logging.getLogger("turnledger")


class Turn(Recording):
    """One run of an agent; use it once, with ``with`` or ``async with``.

    Leaving the block without ``commit`` or ``abort`` ends the turn: as ``failed`` with the exception or
    as uncommitted, as ``cancelled`` where it was stopped from outside.  A turn that waits for an approval
    when its block is left goes on waiting, and ``agent.resume(turn.id)`` takes it up, in any process.
    """

    def __init__(self, pen: TurnPen, begin: Callable[[TurnPen], Work[TurnJournal]]) -> None:
        super().__init__(pen)
        self._pen = pen
        self._begin = begin
        self._begun = False
        self._was_left = False
        self._reply: Message | None = None

    @property
    def id(self) -> UUID:
        """The turn's id, and its journal's."""
        return self._pen.id

    @property
    def is_open(self) -> bool:
        """Whether steps can be recorded in it: it has begun, and neither ended nor was left."""
        journal = self._pen.journal
        return journal is not None and not journal.ended and not self._was_left

    @property
    def reply(self) -> Message | None:
        """The outbound message that ``commit`` recorded, for ``reply.delivery(…)``; None without one."""
        return self._reply

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """Approvals that were asked for in this turn, by this process or, in a resumed turn, before it."""
        return tuple(self._pen.approvals)

    @property
    def open_tools(self) -> tuple[ToolCallStep, ...]:
        """Tool calls without an outcome; in a resumed turn those that the process before left open.

        Entering one of those runs it under its first intent, with the same idempotency key.
        """
        return tuple(self._pen.open_tools())

    def handoff(self) -> str:
        """Text for ``agent.turn(parent=…)``, in another process or machine; holds ids only."""
        owner = self._pen.opened().conversation
        return str(Handoff(owner.agent, owner.conversation, self.id))

    # --- tools ---------------------------------------------------------------------------------

    def tool_call(
        self,
        tool: str,
        *,
        supplied: object = None,
        validated: object = None,
        valid: bool | None = None,
        ordinal: int | None = None,
        call_id: str | None = None,
        call: ModelCallStep | None = None,
    ) -> ToolCallStep:
        """A tool run, to be used with ``with`` or ``async with``: durable before the block runs.

        ``supplied`` is the exact text of the arguments as the model wrote it, ``validated`` what they became
        (the JSON object in the text where it is not given); ``valid=False`` says that they were refused.
        ``call`` is the model call that asked (the last one otherwise), ``ordinal`` which of its requests this
        is, ``call_id`` the provider's id of it.
        """
        asking = own_given(self._pen, ModelCallStep, call, "call", "what turn.model_call(…) gave")
        return ToolCallStep(
            self._pen,
            tool=tool,
            arguments=read_arguments(supplied, validated, valid=flag_given(valid, "valid")),
            ordinal=count_given(ordinal, "ordinal"),
            call_id=call_id,
            asked=self._pen.asked if asking is None else asking.asked,
        )

    def tool(
        self,
        tool: str,
        function: Callable[..., T],
        *,
        supplied: object = None,
        validated: object = None,
        ordinal: int | None = None,
        call_id: str | None = None,
        call: ModelCallStep | None = None,
    ) -> T:
        """Run ``function`` as a tool and give back what it returns.

        It is called with the validated arguments as keywords.  What an async function returns is to be
        awaited, what a generator function returns to be iterated, like its own.  A plain function runs at
        once and blocks an event loop as it always does, and so do the records before and after it.
        Raises UsageError where the arguments are no JSON object; the function has not run then, and the
        record says ``invalid``.
        """
        check_function(function)
        step = self.tool_call(
            tool, supplied=supplied, validated=validated, ordinal=ordinal, call_id=call_id, call=call
        )
        return run_tool(step, function)

    def approval(self, subject: ToolCallStep | None = None, *, question: object = None) -> Approval:
        """Record that somebody is asked whether ``subject`` may run; the turn waits for the decision."""
        waiting = own_given(self._pen, ToolCallStep, subject, "subject", "what turn.tool_call(…) gave")
        approval = Approval(self._pen, waiting)
        approval.request(question)
        if subject is not None:
            subject.decision = approval.decision
        self._pen.approvals.append(approval)
        return approval

    # --- what else happens -----------------------------------------------------------------------

    def progress(self, text: str, *, kind: str = "progress") -> Receipt:
        """Record a text before it is shown ahead of the answer: ``ack`` or ``progress``."""
        facts: dict[str, object] = {}
        content = snapshot(text)
        event = Progress(kind=name_token(facts, "kind", kind), chars=content.count_chars())
        return self._pen.record(compose(event, content, facts=facts))

    def verify(self, check: str, verdict: str, *, finding: object = None) -> Receipt:
        """Record the agent's own check of its work: ``pass``, ``fail`` or ``warn``."""
        facts: dict[str, object] = {}
        event = Verify(check=name_token(facts, "check", check), verdict=word(VerifyVerdict, verdict))
        return self._pen.record(compose(event, None if finding is None else snapshot(finding), facts=facts))

    def budget(self, budget: str, *, limit: float, used: float, outcome: str) -> Receipt:
        """Record that a budget (steps, tokens, cost, wall, tools) is near (``warn``) or ``exhausted``.

        Of amounts with a fraction the summary has the whole part, the detail all of it.
        """
        facts: dict[str, object] = {}
        name = name_token(facts, "budget", budget)
        event = Budget(
            budget=name,
            limit=_amount(limit, "limit", facts),
            used=_amount(used, "used", facts),
            outcome=word(BudgetOutcome, outcome),
        )
        return self._pen.record(compose(event, facts=facts))

    # --- its end -------------------------------------------------------------------------------

    def commit(
        self,
        answer: object = None,
        *,
        reply: bool = True,
        status: str = "completed",
        actor: str | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> Receipt:
        """End the turn with its answer, exactly as it goes out, and record the outbound message with it.

        ``reply=False`` where nothing is sent.  ``status`` is ``completed`` or ``exhausted``.
        ``actor`` is the outside name that the agent answers under.
        """
        state = word(TurnStatus, status)
        if state not in {TurnStatus.COMPLETED, TurnStatus.EXHAUSTED}:
            msg = f"A turn with an answer is completed or exhausted, not {state}."
            raise UsageError(msg, next_step="Use turn.abort(…).")
        name = None if actor is None else checked_name(actor, "actor")
        files = attachments_given(attachments)
        content = None if answer is None else snapshot(answer)
        chars = None if content is None else content.count_chars()
        event = compose(Commit(status=state, chars=chars), content)
        sent = content if flag_given(reply, "reply") else None
        closed = spawn(closing.commit(self._pen, event, sent, files, name))
        if sent is not None:
            recorded = Pending(spawn(_place_of_reply(closed)))
            recorded.was_awaited = True  # the receipt says it too
            self._reply = Message(self._pen.conversation, sent, files, recorded)
        return self._pen.send(event.event_id, _first_place(closed))

    def abort(self, reason: object = None, *, code: str = "aborted", status: str = "failed") -> Receipt:
        """End the turn without an answer.

        ``reason`` is kept as content; ``code`` is a short word for lists.  ``status`` is ``failed``,
        ``cancelled``, ``exhausted``, ``superseded`` or ``refused``.
        """
        state = word(TurnStatus, status)
        payload = None if reason is None else snapshot(reason)
        facts: dict[str, object] = {}
        short = name_token(facts, "reason", code)
        event = compose(Abort(status=state, reason=short), payload, facts=facts)
        closed = spawn(closing.abort(self._pen, ended=event, status=state, code=short))
        return self._pen.send(event.event_id, _last_place(closed))

    def supersede(self, by: Turn | UUID | None = None) -> Receipt:
        """End the turn because a newer one takes its place."""
        other = handle_given(UUID, by.id if type(by) is Turn else by, "by", "the newer turn, or its id")
        before = compose(Superseded(by=other))
        state = TurnStatus.SUPERSEDED
        event = compose(Abort(status=state, reason="superseded"))
        closed = spawn(closing.abort(self._pen, before, ended=event, status=state, code="superseded"))
        return self._pen.send(event.event_id, _last_place(closed))

    # --- with, async with ------------------------------------------------------------------------

    def __enter__(self) -> Self:
        begun = self._start()
        try:
            begun.wait()
        except BaseException as error:
            spawn(self._abandoned(begun.future, error))
            raise
        enter(self)
        return self

    async def __aenter__(self) -> Self:
        self._pen.is_async = True
        begun = self._start()
        try:
            await begun.settled()
        except BaseException as error:
            spawn(self._abandoned(begun.future, error))
            raise
        enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()
        try:
            Started(closing.finish(self._pen, error)).wait()
        except CaptureRefused as failure:
            self._say_unfinished(failure, error)
        if error is None:
            self._pen.raise_unseen()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()
        try:
            await Started(closing.finish(self._pen, error)).settled()
        except CaptureRefused as failure:
            self._say_unfinished(failure, error)
        if error is None:
            self._pen.raise_unseen()

    def _start(self) -> Started[None]:
        if self._begun:
            msg = "A turn is used once, and this one was entered before."
            raise UsageError(msg, next_step="Open another with conversation.turn(…).")
        self._begun = True
        return Started(self._open())

    def _open(self) -> Work[None]:
        pen = self._pen
        journal = yield from self._begin(pen)
        pen.journal = journal
        pen.core.heartbeat.add(journal)

    def _leave(self) -> None:
        self._was_left = True
        leave(self)

    def _abandoned(self, begun: Future[None], error: BaseException) -> Work[None]:
        yield begun
        yield from closing.finish(self._pen, error)

    def _say_unfinished(self, failure: CaptureRefused, error: BaseException | None) -> None:
        if error is None:
            raise failure
        _log.warning("Turnledger could not record how a turn ended: %s", failure.message)
        error.add_note(f"Turnledger: the end of turn {self.id} is not on record. {failure.message}")


def _amount(value: object, what: str, facts: dict[str, object]) -> int:
    amount = count_given(value, what, facts, what)
    if amount is None:
        msg = f"A budget without its {what} says nothing."
        raise UsageError(msg, next_step=f"Give {what}=… a number from 0 on.")
    return amount


def _first_place(closed: Future[tuple[Placed, ...]]) -> Work[Placed]:
    placed: tuple[Placed, ...] = yield closed
    return placed[0]


def _last_place(closed: Future[tuple[Placed, ...]]) -> Work[Placed]:
    placed: tuple[Placed, ...] = yield closed
    return placed[-1]


def _place_of_reply(closed: Future[tuple[Placed, ...]]) -> Work[Recorded]:
    placed: tuple[Placed, ...] = yield closed
    return Recorded(placed[1].seq, placed[1].event_id, is_duplicate=False)
