"""How a turn begins: TURN_OPENED in its conversation and INTAKE in its own journal, in one batch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnledger.capture.composer import attachment_slots, compose
from turnledger.capture.content import Attachment, Content
from turnledger.capture.handoff import Handoff
from turnledger.capture.message import Message, seq_in
from turnledger.capture.turn_journal import TurnJournal
from turnledger.errors import GrammarError
from turnledger.model.draft import Lease
from turnledger.model.events import Intake, TurnOpened

if TYPE_CHECKING:
    from turnledger.capture.turn_pen import TurnPen
    from turnledger.capture.waiting import Work

__all__ = ["Opening"]

_CAUSE = re.compile(r"[a-z][a-z0-9_.-]{0,31}")


@dataclass(frozen=True, slots=True)
class Opening:
    """What a turn begins with."""

    trigger: Message | str
    content: Content | None = None
    attachments: tuple[Attachment, ...] = ()
    tools: int | None = None
    tags: Content | None = None
    parent: Handoff | None = None
    facts: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        kind = type(self.trigger)  # isinstance would ask the object for its __class__
        is_word = issubclass(kind, str) and _CAUSE.fullmatch(str(self.trigger)) is not None
        if not (is_word or issubclass(kind, Message)):
            msg = "A trigger is a message, or a short lower-case word such as timer or api."
            raise GrammarError(msg, next_step="What came with it goes into content=….")

    def open(self, pen: TurnPen) -> Work[TurnJournal]:
        """Append both events; the lease begins."""
        conversation = yield from pen.conversation.journal_for("The turn")
        cause: int | str
        if isinstance(self.trigger, Message):
            cause = yield from seq_in(pen.conversation, self.trigger)
            pen.trigger = cause
        else:
            cause = self.trigger
        lease = Lease(pen.core.holder, 1, pen.core.ttl_ms)
        journal = TurnJournal(pen.id, conversation, lease)
        opened = compose(TurnOpened(turn=pen.id, trigger=cause), self.tags)
        content, attachments = self._input()
        facts = {
            **self.facts,
            "trigger": pen.trigger,
            "parent": None if self.parent is None else str(self.parent),
        }
        intake = compose(
            Intake(
                message_chars=None if content is None else content.count_chars(),
                attachments=len(attachments),
                tools=self.tools,
                collapsed=self._collapsed(),
                parent_turn=None if self.parent is None else self.parent.turn,
            ),
            content,
            slots=attachment_slots(attachments),
            facts=facts,
        )
        yield from journal.open(conversation.draft(opened), intake)
        pen.began_us = pen.core.clock.monotonic_us()
        return journal

    def _input(self) -> tuple[Content | None, tuple[Attachment, ...]]:
        if isinstance(self.trigger, Message) and self.content is None:
            return self.trigger.content, self.trigger.attachments + self.attachments
        return self.content, self.attachments

    def _collapsed(self) -> int | None:
        return (self.trigger.collapsed_count or None) if isinstance(self.trigger, Message) else None
