"""A step: its intent is durable before the block runs, its outcome when the block has ended.

The same object serves ``with`` and ``async with``.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import ClassVar, Self
from uuid import UUID

from turnledger.capture.composer import Composed, compose
from turnledger.capture.content import Content
from turnledger.capture.conversation_journal import ConversationJournal
from turnledger.capture.failure import stop_code
from turnledger.capture.pen import Pen
from turnledger.capture.receipts import Pending
from turnledger.capture.results import result_id
from turnledger.capture.turn_journal import TurnJournal
from turnledger.capture.waiting import Started, Work, finished, spawn
from turnledger.errors import CaptureRefused, ConflictError, OutcomeUnrecorded, UsageError
from turnledger.ids import new_id
from turnledger.model.draft import Placed
from turnledger.model.events import CaptureError, Late, ModelResult, ToolResult
from turnledger.model.tokens import cut_value
from turnledger.model.vocabulary import Assurance

__all__ = ["Outcome", "Step"]

_log = logging.getLogger("turnledger")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a step before it is composed; as LATE it says the same.

    ``arrived``: what was kept of a reply as it arrived goes with it.
    """

    event: ModelResult | ToolResult
    payload: Content | None = None
    slots: Mapping[str, Content] = field(default_factory=dict[str, Content])
    facts: Mapping[str, object] = field(default_factory=dict[str, object])
    arrived: bool = False

    def compose(self, event_id: UUID | None = None) -> Composed:
        """The event for the journal of the step."""
        composed = compose(self.event, self.payload, slots=self.slots, facts=self.facts, event_id=event_id)
        return composed._replace(arrived=True) if self.arrived else composed

    def compose_late(self, turn: UUID | None) -> Composed:
        """The event for the conversation, after the turn's end; without a turn, after its call was lost."""
        late = Late(turn=turn, type=self.event.TYPE, call=self.event.call)
        facts = {**self.facts, "tokens": self.event.summary(Assurance.WRITE_AHEAD)}
        return compose(late, self.payload, slots=self.slots, facts=facts)


class Step(ABC):
    """An intent and its outcome."""

    STAGE: ClassVar[str]

    def __init__(self, pen: Pen) -> None:
        self.event_id = new_id()
        """Id of the intent's event."""
        self._pen = pen
        self._journal: TurnJournal | ConversationJournal | None = None
        self._seq: int | None = None
        self._begun = False
        self._began_us: int | None = None
        self._has_ended = False
        self._is_taken_over = False
        self._value: object = None
        self._troubles: list[tuple[str, str]] = []

    @property
    def seq(self) -> int:
        """Place of the intent in its journal; raises UsageError before it is on record."""
        if self._seq is None:
            msg = "This step is not on record yet."
            raise UsageError(msg, next_step="Enter it with `with` or `async with` first.")
        return self._seq

    @property
    def pen(self) -> Pen:
        """What it is written with."""
        return self._pen

    @property
    def is_on_record(self) -> bool:
        """Whether the intent is durable."""
        return self._seq is not None

    @property
    def is_arriving(self) -> bool:
        """Whether some of its outcome is there already."""
        return False

    def given_up(self) -> Composed:
        """The outcome that the turn's end writes for a step which has none."""
        return self._missing(started=self._began_us is not None or self._is_taken_over).compose()

    # --- what kinds of step differ in ------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> Work[Placed]:
        """Append the intent."""

    @abstractmethod
    def _outcome(self, error: BaseException | None, us: int) -> Outcome:
        """What came of it; ``us`` is how long the block ran, in microseconds."""

    @abstractmethod
    def _missing(self, *, started: bool) -> Outcome:
        """The outcome of a step that was left without one."""

    @abstractmethod
    def _settle(self, placed: Placed | None) -> None:
        """The outcome is on record: in its turn at ``placed``, or late."""

    def _is_suspended(self) -> bool:
        """Whether leaving the block is no end, because something is waited for."""
        return False

    # --- with, async with ------------------------------------------------------------------------

    def __enter__(self) -> Self:
        begun = self._start()
        try:
            begun.wait()
        except BaseException:
            self._abandon(begun.future)
            raise
        self._began_us = self._pen.core.clock.monotonic_us()
        return self

    async def __aenter__(self) -> Self:
        begun = self._start()
        try:
            await begun.settled()
        except BaseException:
            self._abandon(begun.future)
            raise
        self._began_us = self._pen.core.clock.monotonic_us()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            Started(self._end(error)).wait()
        except CaptureRefused as failure:
            self._say_unrecorded(failure, error)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await Started(self._end(error)).settled()
        except CaptureRefused as failure:
            self._say_unrecorded(failure, error)

    def leave(self) -> None:
        """Leave the block without waiting until its outcome is on record; the turn's end waits for it."""
        self._pen.track(Pending(spawn(self._end(None))))

    def _start(self) -> Started[None]:
        if self._begun:
            msg = "This step was entered before."
            raise UsageError(
                msg, next_step="Make a new one for every try: model_call(retry_of=…) links them."
            )
        self._begun = True
        begun = Started(self._on_record())
        self._pen.step_began(self)
        return begun

    def _on_record(self) -> Work[None]:
        if self._is_taken_over:
            self._journal = yield from self._pen.journal_for("The step that was left open")
        else:
            self._seq = (yield from self._begin()).seq

    def _abandon(self, begun: Future[None]) -> None:
        """The block will not run: refused, or interrupted while waiting."""
        if self._has_ended:
            return
        self._has_ended = True
        self._pen.step_ended(self, None)
        self._pen.track(Pending(spawn(self._conclude_unstarted(begun))))

    def _conclude_unstarted(self, begun: Future[None]) -> Work[None]:
        yield finished(begun)
        if begun.exception() is None:
            yield from self._conclude(self._missing(started=False))

    def _end(self, error: BaseException | None) -> Work[None]:
        if self._has_ended or self._seq is None or self._is_inherited():
            return
        if error is None and self._is_suspended():
            return
        self._has_ended = True
        us = self._pen.core.clock.monotonic_us() - (self._began_us or 0)
        outcome = self._outcome(error, us)
        self._pen.step_ended(self, error)
        yield from self._conclude(outcome)

    def _is_inherited(self) -> bool:
        return isinstance(self._journal, TurnJournal) and self._journal.is_inherited

    def _conclude(self, outcome: Outcome) -> Work[None]:
        journal = self._journal
        if isinstance(journal, TurnJournal):
            turn, what = journal.turn, f"The {outcome.event.TYPE}"
            late = partial(outcome.compose_late, turn)
            placed = yield from journal.conclude(what, outcome.compose(), late)
            self._settle(placed)
            yield from self._tell_troubles(journal.conversation)
        elif journal is not None:
            yield from self._conclude_outside(journal, outcome)
            yield from self._tell_troubles(journal)

    def _conclude_outside(self, journal: ConversationJournal, outcome: Outcome) -> Work[None]:
        """Append the outcome of a call outside any turn; as LATE where it was taken for lost meanwhile."""
        try:
            yield from journal.append(f"The {outcome.event.TYPE}", outcome.compose(result_id(self.event_id)))
        except CaptureRefused as refused:
            if not isinstance(refused.__cause__, ConflictError):
                raise
            yield from journal.append("The LATE", outcome.compose_late(None))

    def _note_trouble(self, stage: str, error_class: str | None) -> None:
        if error_class is not None:
            self._troubles.append((stage, cut_value(error_class)[0]))

    def _tell_troubles(self, conversation: ConversationJournal) -> Work[None]:
        """Record what could not be captured faithfully; that this fails too must not harm the step."""
        for stage, error_class in self._troubles:
            event = compose(
                CaptureError(stage=stage, error_class=error_class), facts={"step": str(self.event_id)}
            )
            try:
                yield from conversation.append("The CAPTURE_ERROR", event)
            except CaptureRefused as failure:
                _log.warning("Turnledger could not record a capture error. %s", failure.message)

    def _say_unrecorded(self, failure: CaptureRefused, error: BaseException | None) -> None:
        kind = type(self).__name__
        if error is not None and stop_code(error) is not None:
            _log.warning("Turnledger could not record how a step ended: %s", failure.message)
            error.add_note(f"Turnledger: the outcome of this {kind} is not on record. {failure.message}")
            return
        msg = f"The step has run, but its outcome is not on record. {failure.message}"
        raise OutcomeUnrecorded(
            msg, result=self._value, next_step="The result is in this error's `result`."
        ) from (error or failure)
