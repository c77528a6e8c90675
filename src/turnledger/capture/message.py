"""A message of a conversation, and what became of it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from turnledger.capture.composer import compose, name_token
from turnledger.capture.content import Attachment, Content, snapshot
from turnledger.capture.given import count_given, handle_given
from turnledger.capture.receipts import Pending, Receipt
from turnledger.capture.waiting import Work
from turnledger.capture.words import word
from turnledger.errors import UsageError
from turnledger.ids import new_id
from turnledger.model.draft import Placed
from turnledger.model.events import Collapsed, Delivery, Event, Shed, Verdict
from turnledger.model.events import Message as MessageEvent
from turnledger.model.vocabulary import DeliveryStatus, Direction, InboundVerdict, ShedReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnledger.capture.pen import Pen

__all__ = ["Message", "Recorded", "message_event", "seq_in", "shed_event"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a message stands; ``is_duplicate`` where its external id was on record before."""

    seq: int
    event_id: UUID
    is_duplicate: bool


class Message:
    """A message that is on record (inside ``async with``: on its way; ``await`` it)."""

    def __init__(
        self,
        pen: Pen,
        content: Content,
        attachments: tuple[Attachment, ...],
        recorded: Pending[Recorded],
    ) -> None:
        self._pen = pen
        self.content = content
        self.attachments = attachments
        self.collapsed_count = 0
        """How many other messages were folded into this one by this handle."""
        self._recorded = recorded

    @property
    def pen(self) -> Pen:
        """What it is written with."""
        return self._pen

    @property
    def seq(self) -> int:
        """Its place in the conversation's journal; waits for it."""
        return self._recorded.wait().seq

    @property
    def event_id(self) -> UUID:
        """Id of its event; of the first one, where it is a duplicate."""
        return self._recorded.wait().event_id

    @property
    def is_duplicate(self) -> bool:
        """Whether its external id was on record before, so that it was not recorded again."""
        return self._recorded.wait().is_duplicate

    def __await__(self) -> Generator[Any, None, Self]:
        yield from self._recorded.__await__()
        return self

    def verdict(self, verdict: str, *, reason: object = None, by: str | None = None) -> Receipt:
        """Record what the agent decided: ``engage``, ``observe``, ``ignore`` or ``defer``.

        ``by`` names the rule or model that decided; ``reason`` is kept as content.
        """
        decided = word(InboundVerdict, verdict)
        facts: dict[str, object] = {}
        who = None if by is None else name_token(facts, "by", by)
        return self._follow_up(lambda seq: Verdict(message=seq, verdict=decided, by=who), reason, facts)

    def shed(
        self,
        reason: str,
        *,
        age_ms: float | None = None,
        stale_ms: float | None = None,
        depth: int | None = None,
    ) -> Receipt:
        """Record that the message was dropped without a turn.

        ``reason`` is ``queue_full``, ``shutting_down``, ``stale``, ``leased_elsewhere`` or
        ``lease_unavailable``; the numbers say how old it was, from what age on it is
        stale, and how many waited.
        """
        facts: dict[str, object] = {}
        event = shed_event(reason, age_ms, stale_ms, depth, self.collapsed_count or None, facts)
        return self._follow_up(event, None, facts)

    def collapsed(self, into: Message) -> Receipt:
        """Record that this message is dealt with as a part of another one."""
        if handle_given(Message, into, "into", "what conversation.inbound(…) gave") is None:
            msg = "A message is folded into another message, and there is none."
            raise UsageError(msg, next_step="Pass what conversation.inbound(…) gave.")
        into.collapsed_count += 1 + self.collapsed_count
        return self._follow_up(lambda seq: Collapsed(message=seq, into=into.seq), None, {}, into=into)

    def delivery(self, status: str, *, attempt: int = 1, problem: object = None) -> Receipt:
        """Record how an outbound message's delivery stands: ``sending``, ``delivered`` or ``failed``."""
        stands = word(DeliveryStatus, status)
        tries = count_given(attempt, "attempt") or 0
        return self._follow_up(lambda seq: Delivery(message=seq, status=stands, attempt=tries), problem, {})

    def on_record(self) -> Work[Recorded]:
        """Wait until it is on record."""
        recorded: Recorded = yield self._recorded.future
        return recorded

    def _follow_up(
        self,
        event: Callable[[int], Event],
        content: object,
        facts: dict[str, object],
        into: Message | None = None,
    ) -> Receipt:
        payload = None if content is None else snapshot(content)
        event_id = new_id()

        def work() -> Work[Placed]:
            recorded = yield from self.on_record()
            if into is not None:
                yield from self._foldable(into)
            composed = compose(event(recorded.seq), payload, facts=facts, event_id=event_id)
            return (yield from self._pen.append(f"The {composed.event.TYPE}", composed))

        return self._pen.send(event_id, work())

    def _foldable(self, into: Message) -> Work[None]:
        try:
            yield from seq_in(self._pen, into)
        except UsageError:
            into.collapsed_count -= 1 + self.collapsed_count
            raise


def seq_in(conversation: Pen, message: Message) -> Work[int]:
    """The place of a message, once it is on record, for an event of ``conversation``, which is open.

    Raises UsageError where it is a message of another conversation.
    """
    recorded = yield from message.on_record()
    if not conversation.shares_journal(message.pen):
        msg = "This is a message of another conversation, where its place means another event."
        raise UsageError(msg, next_step="Use the conversation that it came in by, or pass its content.")
    return recorded.seq


def message_event(
    direction: Direction,
    content: Content,
    *,
    actor: UUID | None = None,
    turn: UUID | None = None,
    reply_to: int | None = None,
) -> MessageEvent:
    """A MESSAGE with this content."""
    return MessageEvent(
        direction=direction, actor=actor, chars=content.count_chars(), turn=turn, reply_to=reply_to
    )


def shed_event(
    reason: str,
    age_ms: float | None,
    stale_ms: float | None,
    depth: int | None,
    collapsed: int | None,
    facts: dict[str, object],
) -> Callable[[int | None], Event]:
    """A SHED for the message at a seq, or for a trigger that is no message; ``facts`` gets broken numbers."""
    shed = Shed(
        reason=word(ShedReason, reason),
        age_ms=count_given(age_ms, "age_ms", facts, "ageMs"),
        stale_ms=count_given(stale_ms, "stale_ms", facts, "staleMs"),
        depth=count_given(depth, "depth"),
        collapsed=count_given(collapsed, "collapsed"),
    )
    return lambda seq: replace(shed, message=seq)
