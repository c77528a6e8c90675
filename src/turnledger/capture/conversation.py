"""A conversation of an agent: messages in both directions, turns, and steps outside of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import UUID

from turnledger.capture.composer import attachment_slots, compose
from turnledger.capture.content import Attachment, Content, snapshot
from turnledger.capture.context import enter, leave
from turnledger.capture.conversation_pen import ConversationPen
from turnledger.capture.given import attachments_given, count_given, handle_given, traceparent_facts
from turnledger.capture.handoff import Handoff
from turnledger.capture.message import Message, Recorded, message_event, seq_in, shed_event
from turnledger.capture.names import checked_name
from turnledger.capture.opening import Opening
from turnledger.capture.receipts import Pending, Receipt
from turnledger.capture.recording import Recording
from turnledger.capture.refusals import looked_up
from turnledger.capture.turn import Turn
from turnledger.capture.turn_pen import TurnPen
from turnledger.capture.waiting import Work, settled, spawn
from turnledger.clock import from_datetime
from turnledger.errors import CaptureRefused
from turnledger.ids import new_id
from turnledger.model.draft import AliasKind, BatchStatus, Claim
from turnledger.model.vocabulary import Direction

if TYPE_CHECKING:
    from turnledger.capture.core import Core

__all__ = ["Conversation"]


class Conversation(Recording):
    """One conversation.  A handle costs nothing; the conversation is opened with its first event.

    Entered with ``with`` it is where steps go that are recorded without a turn; entered with ``async with``
    its methods do not block the event loop.
    """

    def __init__(self, core: Core, pen: ConversationPen, facts: Mapping[str, object]) -> None:
        super().__init__(pen)
        self._core = core
        self._pen = pen
        self._facts = facts
        self._entered = 0

    @property
    def id(self) -> UUID:
        """The ledger's id of it; opens the conversation if need be."""
        return spawn(self._pen.journal_for("The conversation")).result().conversation

    @property
    def is_open(self) -> bool:
        """Always: a conversation has no end."""
        return True

    # --- messages ------------------------------------------------------------------------------

    def inbound(
        self,
        content: object,
        *,
        actor: str | None = None,
        external_id: str | None = None,
        attachments: Sequence[Attachment] = (),
        reply_to: Message | None = None,
        at: datetime | None = None,
    ) -> Message:
        """Record a message that came in: text, bytes, or any value.

        ``actor`` is the outside name of who wrote it.  A message with an ``external_id`` that was recorded
        before is not recorded again: ``is_duplicate`` of what you get says so.  ``at`` is the time that the
        sender claims; it needs a time zone.
        """
        return self._message(
            Direction.INBOUND,
            snapshot(content),
            attachments_given(attachments),
            actor,
            external_id,
            reply_to,
            at,
        )

    def outbound(
        self,
        content: object,
        *,
        actor: str | None = None,
        external_id: str | None = None,
        attachments: Sequence[Attachment] = (),
        reply_to: Message | None = None,
        at: datetime | None = None,
    ) -> Message:
        """Record a message before it goes out, other than a turn's answer, which ``turn.commit`` records."""
        return self._message(
            Direction.OUTBOUND,
            snapshot(content),
            attachments_given(attachments),
            actor,
            external_id,
            reply_to,
            at,
        )

    def _message(
        self,
        direction: Direction,
        content: Content,
        attachments: tuple[Attachment, ...],
        actor: str | None,
        external_id: str | None,
        reply_to: Message | None,
        at: datetime | None,
    ) -> Message:
        who = None if actor is None else checked_name(actor, "actor")
        outside = None if external_id is None else checked_name(external_id, "external id")
        handle_given(Message, reply_to, "reply_to", "what inbound(…) or outbound(…) gave")
        handle_given(datetime, at, "at", "an aware datetime, such as datetime.now(UTC)")
        facts = {"at": None if at is None else from_datetime(at)}
        event_id = new_id()
        pen = self._pen

        def work() -> Work[Recorded]:
            journal = yield from pen.journal_for("The message")
            author = None if who is None else (yield from pen.actor_id(who))
            answered = None if reply_to is None else (yield from seq_in(pen, reply_to))
            event = message_event(direction, content, actor=author, reply_to=answered)
            slots = attachment_slots(attachments)
            message = compose(event, content, slots=slots, facts=facts, event_id=event_id)
            scope = journal.conversation
            claim = None if outside is None else Claim(AliasKind.MESSAGE, scope, outside, event_id)
            result = yield from journal.claim("The message", claim, message)
            if result.status is BatchStatus.EXISTING and result.target is not None:
                return self._recorded_before(result.target)
            return Recorded(result.placed[0].seq, event_id, is_duplicate=False)

        pending = Pending(pen.start(work()))
        if pen.is_async:
            pen.track(pending)
        return Message(pen, content, attachments, pending)

    def _recorded_before(self, event_id: UUID) -> Recorded:
        row = looked_up("The message", self._core.sink.event, event_id)
        if row is None:
            msg = "The ledger knows the message's external id, but not the message."
            raise CaptureRefused(msg, next_step="Run `turnledger doctor`.")
        return Recorded(row.seq, event_id, is_duplicate=True)

    def shed(
        self,
        reason: str,
        *,
        age_ms: float | None = None,
        stale_ms: float | None = None,
        depth: int | None = None,
        collapsed: int | None = None,
    ) -> Receipt:
        """Record that a trigger which is no message was dropped without a turn; see ``Message.shed``."""
        facts: dict[str, object] = {}
        event = shed_event(reason, age_ms, stale_ms, depth, collapsed, facts)(None)
        return self._pen.record(compose(event, facts=facts))

    # --- turns ---------------------------------------------------------------------------------

    def turn(
        self,
        trigger: Message | str = "api",
        *,
        content: object = None,
        attachments: Sequence[Attachment] = (),
        tools: int | None = None,
        tags: object = None,
        parent: str | None = None,
        traceparent: str | None = None,
    ) -> Turn:
        """A run of the agent, to be used with ``with`` or ``async with``.

        ``trigger`` is the message that is answered, or a word such as ``timer`` or ``api``; then ``content``
        is what came with it.  ``tools`` is how many tools the agent has, ``tags`` anything to find the turn
        by.  ``parent`` is another turn's ``handoff()``, ``traceparent`` the W3C trace context it runs in; one
        that is none is not kept, and the detail says so.
        """
        opening = Opening(
            trigger=trigger,
            content=None if content is None else snapshot(content),
            attachments=attachments_given(attachments),
            tools=count_given(tools, "tools"),
            tags=None if tags is None else snapshot(tags),
            parent=None if parent is None else Handoff.parse(parent),
            facts={**self._facts, **traceparent_facts(traceparent)},
        )
        return Turn(TurnPen(self._core, self._pen), opening.open)

    # --- with, async with ------------------------------------------------------------------------

    def __enter__(self) -> Self:
        spawn(self._pen.journal_for("The conversation")).result()
        enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        leave(self)

    async def __aenter__(self) -> Self:
        await settled(spawn(self._pen.journal_for("The conversation")))
        self._entered += 1
        self._pen.is_async = True
        enter(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        leave(self)
        self._entered -= 1
        self._pen.is_async = self._entered > 0
        await settled(spawn(self._pen.drained()))
        if error is None:
            self._pen.raise_unseen()
