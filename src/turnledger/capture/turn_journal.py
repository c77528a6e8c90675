"""Appending to a turn's journal, whose only writer this is for as long as it holds the lease.

Being alone it knows the place of each event before it is sent, so events can refer to one another while
they are still on their way.  After the first failure the turn refuses every further step.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from turnledger.capture.composer import Composed
from turnledger.capture.conversation_journal import ConversationJournal
from turnledger.capture.prompts import PromptSnapshot
from turnledger.capture.refusals import LOST, lost, refusal, unreachable
from turnledger.capture.waiting import Work
from turnledger.errors import CaptureRefused, LedgerError, TurnLost
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Draft, Journal, Lease, Placed, Refusal
from turnledger.model.events import Approval, ModelCall
from turnledger.model.vocabulary import ApprovalDecision, JournalKind

if TYPE_CHECKING:
    from turnledger.capture.arrivals import Incoming
    from turnledger.capture.core import Core

__all__ = ["TurnJournal"]

_YES = frozenset({BatchStatus.APPENDED, BatchStatus.DUPLICATE})


class TurnJournal:
    """The journal of one turn, from its opening (or takeover) to its end.  Safe to use from many threads."""

    def __init__(
        self, turn: UUID, conversation: ConversationJournal, lease: Lease, next_seq: int = 0
    ) -> None:
        self.turn = turn
        self.conversation = conversation
        self.lease = lease
        self.prompts: dict[str, int] = {}
        """Digest of each snapshot in this turn, and the seq of its PROMPT."""
        self.problem: CaptureRefused | None = None
        """What the first failure was; every further step is refused for it."""
        self.ended = False
        self.is_parked = False
        """Whether the last event was a request for approval, so that the lease waits with the turn."""
        self._next = next_seq
        self._journal = Journal(JournalKind.TURN, turn)
        self._lock = threading.Lock()
        self._pid = os.getpid()

    @property
    def is_inherited(self) -> bool:
        """Whether the turn was opened by the process that this one was forked from."""
        return self._pid != os.getpid()

    def check(self, what: str) -> None:
        """Raise CaptureRefused or TurnLost where ``what`` cannot be recorded in this turn any more."""
        if self.is_inherited:
            msg = f"{what} is refused: turn {self.turn} belongs to the process that this one was forked from."
            raise TurnLost(
                msg, next_step="Open a turn in this process, with parent=turn.handoff() if it is a part."
            )
        self._check_open(what)

    def _check_open(self, what: str) -> None:
        if self.problem is not None:
            kind = TurnLost if isinstance(self.problem, TurnLost) else CaptureRefused
            msg = f"{what} is refused like every further step of turn {self.turn}. {self.problem.message}"
            raise kind(msg, next_step=self.problem.next_step) from self.problem
        if self.ended:
            msg = f"{what} is refused: turn {self.turn} has ended, or its block was left while it waits."
            raise CaptureRefused(
                msg, next_step="Open another turn; one that waits goes on with agent.resume()."
            )

    def lose(self) -> None:
        """Another writer holds the turn, or ended it."""
        if not self.ended:
            self._fail(lost(f"The next step of turn {self.turn}"))

    def keep_arriving(self, core: Core, incoming: Incoming) -> None:
        """Have what arrives of a reply kept from now on, while the turn is this writer's."""
        if not self.is_inherited:
            core.arrivals.add(incoming, self.conversation, self.turn, self.lease)

    # --- appending -----------------------------------------------------------------------------

    def append(
        self, what: str, *events: Composed, beside: tuple[Draft, ...] = ()
    ) -> Work[tuple[Placed, ...]]:
        """Append events, and drafts for the conversation's journal in the same batch."""
        with self._lock:
            self._check_open(what)
            future = self._send(events, beside)
        return (yield from self._confirmed(what, future))

    def append_call(self, what: str, call: Composed, prompt: PromptSnapshot | None) -> Work[Placed]:
        """Append a MODEL_CALL, and in the same batch its PROMPT if that is new in the turn."""
        with self._lock:
            self._check_open(what)
            future = self._send(self._with_prompt(call, prompt))
        placed = yield from self._confirmed(what, future)
        return placed[-1]

    def open(self, opened: Draft, intake: Composed) -> Work[None]:
        """Append TURN_OPENED and INTAKE."""
        with self._lock:
            drafts = (opened, self._draft(intake, 0))
            self._next = 1
            future = self._queued(Batch(drafts))
        yield from self._confirmed(f"Turn {self.turn}", future)

    def close(self, what: str, *events: Composed, beside: tuple[Draft, ...] = ()) -> Work[tuple[Placed, ...]]:
        """Append the last events; after a failure too, if the turn is still this writer's."""
        with self._lock:
            if self.ended or isinstance(self.problem, TurnLost):
                self._check_open(what)
            self.ended = True
            future = self._send(events, beside, placed=self.problem is None)
        try:
            return (yield from self._confirmed(what, future))
        except CaptureRefused:
            self.ended = False
            raise

    def conclude(self, what: str, outcome: Composed, late: Callable[[], Composed]) -> Work[Placed | None]:
        """Append the outcome of a step that has run; gives None where it came late.

        Where the turn has ended or is another writer's, it goes into the conversation's journal.
        Raises CaptureRefused where it could not be recorded at all.
        """
        if not self._is_over():
            with self._lock:
                future = self._send((outcome,), placed=self.problem is None)
            result = yield from self._answered(what, future)
            if result.refusal is Refusal.OUT_OF_PLACE:  # an event before it failed: the place matters no more
                result = yield from self._answered(what, self._queued(Batch((self._draft(outcome, None),))))
            if result.status in _YES:
                return result.placed[0]
            if result.refusal not in LOST:
                raise self._fail(refusal(what, result))
            self.lose()
        yield from self.conversation.append(what, late())
        return None

    def _is_over(self) -> bool:
        return self.ended or isinstance(self.problem, TurnLost)

    # --- sending -------------------------------------------------------------------------------

    def _with_prompt(self, call: Composed, prompt: PromptSnapshot | None) -> tuple[Composed, ...]:
        if prompt is None or not isinstance(call.event, ModelCall):
            return (call,)
        digest = prompt.digest(self.conversation.agent)
        seq = self.prompts.get(digest)
        if seq is not None:
            return (call.saying(replace(call.event, prompt=seq)),)
        self.prompts[digest] = self._next
        return prompt.compose(self.conversation.agent), call.saying(replace(call.event, prompt=self._next))

    def _send(
        self, events: tuple[Composed, ...], beside: tuple[Draft, ...] = (), *, placed: bool = True
    ) -> Future[BatchResult]:
        drafts = [
            self._draft(event, self._next + number if placed else None) for number, event in enumerate(events)
        ]
        self._next += len(events)
        last = events[-1].event
        self.is_parked = isinstance(last, Approval) and last.decision is ApprovalDecision.REQUESTED
        return self._queued(Batch((*drafts, *beside)))

    def _draft(self, event: Composed, place: int | None) -> Draft:
        owner = self.conversation
        return event.draft(self._journal, owner.agent, owner.conversation, place=place, lease=self.lease)

    def _queued(self, batch: Batch) -> Future[BatchResult]:
        try:
            return self.conversation.sink.append(batch)
        except LedgerError as error:
            failed: Future[BatchResult] = Future()
            failed.set_exception(error)
            return failed

    def _answered(self, what: str, future: Future[BatchResult]) -> Work[BatchResult]:
        try:
            result: BatchResult = yield future
        except Exception as error:
            raise self._fail(unreachable(what, error)) from error
        return result

    def _confirmed(self, what: str, future: Future[BatchResult]) -> Work[tuple[Placed, ...]]:
        result = yield from self._answered(what, future)
        if result.status in _YES:
            return result.placed
        if result.refusal is Refusal.OUT_OF_PLACE and self.problem is None:
            raise self._fail(
                lost(what)
            )  # no event of ours failed before this one, so somebody else's stands there
        raise self._fail(refusal(what, result))

    def _fail(self, problem: CaptureRefused) -> CaptureRefused:
        if self.problem is None:
            self.problem = problem
        return problem
