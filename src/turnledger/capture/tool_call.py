"""One run of a tool: the text that the model supplied, the arguments that were validated, the observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from turnledger.capture.composer import compose, name_token
from turnledger.capture.content import Content, snapshot
from turnledger.capture.failure import failure_of, stop_code
from turnledger.capture.steps import Outcome, Step
from turnledger.capture.words import word
from turnledger.errors import UsageError
from turnledger.model.events import ToolCall, ToolResult
from turnledger.model.vocabulary import ApprovalDecision, ToolStatus
from turnledger.providers.document import parse
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.capture.asked import Asked
    from turnledger.capture.pen import Pen
    from turnledger.capture.waiting import Work
    from turnledger.model.draft import Placed

__all__ = ["Arguments", "ToolCallStep", "read_arguments"]

T = TypeVar("T")

_UNREADABLE: Final = object()


class Arguments:
    """Arguments as supplied and as validated.

    ``supplied`` is the model's text to the letter (an object stands for a caller that has only that),
    ``value`` what the tool is called with, ``valid`` whether it passed.
    """

    def __init__(self, supplied: object, validated: object, *, valid: bool | None) -> None:
        self.supplied = None if supplied is None else snapshot(supplied)
        self.value = validated if validated is not None else _parsed(self.supplied)
        if valid is None:
            valid = validated is not None or self.value is None or issubclass(type(self.value), Mapping)
        self.valid = valid and self.value is not _UNREADABLE

    @property
    def payload(self) -> Content | None:
        """Body of the intent: the validated arguments; the supplied text where they are not valid."""
        if not self.valid:
            return self.supplied
        return None if self.value is None else snapshot(self.value)


def read_arguments(supplied: object, validated: object, *, valid: bool | None = None) -> Arguments:
    """Arguments of a tool run.  Without ``validated`` they are the JSON object in ``supplied``.

    Text that is no JSON object makes them invalid; ``valid`` says the caller's own finding instead.
    """
    return Arguments(supplied, validated, valid=valid)


def _parsed(supplied: Content | None) -> object:
    if supplied is None:
        return None
    if not supplied.data.strip():  # how several providers write a call without arguments
        return {}
    document = parse(supplied.data)
    return document.value if document.readable and document.value is not None else _UNREADABLE


class ToolCallStep(Step):
    """A tool call; use it with ``with`` or ``async with``, run the tool inside and give it the result.

    A block left without a result is recorded as the error that left it, else as ``unknown``.
    """

    STAGE: ClassVar[str] = "tool"

    def __init__(
        self,
        pen: Pen,
        *,
        tool: str,
        arguments: Arguments,
        ordinal: int | None = None,
        call_id: str | None = None,
        asked: Asked | None = None,
    ) -> None:
        super().__init__(pen)
        self.name = tool
        """The tool's name."""
        self.arguments = arguments
        """What the tool is called with."""
        self.decision: ApprovalDecision | None = None
        """State of the approval that was asked for this call, None where none was."""
        self._tool_facts: dict[str, object] = {}
        self._token = name_token(self._tool_facts, "tool", tool)
        self._status: ToolStatus | None = None
        self._body: Content | None = None
        self._observed: list[bytes] = []
        self._observed_lossy = False
        supplied = arguments.supplied
        facts = {
            **self._tool_facts,
            "callId": None if type(call_id) is str and not call_id else call_id,
            "suppliedEncoded": True if supplied is not None and supplied.encoded else None,
        }
        event = ToolCall(
            tool=self._token,
            from_=None if asked is None else asked.seq,
            ordinal=ordinal if asked is None else asked.take(tool, call_id, ordinal),
            validated=arguments.valid,
        )
        slots = {} if supplied is None else {"supplied": supplied}
        self._intent = compose(event, arguments.payload, slots=slots, facts=facts, event_id=self.event_id)

    @classmethod
    def taken_over(cls, pen: Pen, *, tool: str, seq: int, event_id: UUID) -> ToolCallStep:
        """A call whose intent another process recorded; entering it appends nothing."""
        step = cls(pen, tool=tool, arguments=read_arguments(None, None))
        step._seq, step.event_id, step._is_taken_over = seq, event_id, True
        return step

    @property
    def idempotency_key(self) -> str:
        """The same text whenever this call is tried again, for services that can use one."""
        return str(self.event_id)

    def result(self, observation: T, *, status: str = "ok", media_type: str | None = None) -> T:
        """Take what the tool returned and give it back.

        ``status`` is ``ok``, or why there is no proper result: ``error``, ``invalid`` (the arguments were
        refused), ``denied``, ``timeout``, ``cancelled``, ``not_started``.
        """
        if self._body is not None:
            msg = "This tool call has its result already."
            raise UsageError(msg, next_step="Another run is a call of its own.")
        self._body = snapshot(observation, media_type)  # first: a wrong status must not lose it
        self._value = observation
        self._status = word(ToolStatus, status)
        return observation

    def observe(self, item: T) -> T:
        """Keep one of several observations, as a generator yields them, and give it back.

        All of them are one list on record; they stand for the result where the block is left early.
        """
        encoded = encode_value(item)
        self._observed.append(encoded.data)
        self._observed_lossy = self._observed_lossy or encoded.lossy
        return item

    def finish_observing(self) -> None:
        """There are no more observations: the list of them is the result."""
        self._status, self._body = ToolStatus.OK, self._list_of_observed()

    def _is_suspended(self) -> bool:
        return self._body is None and self.decision is ApprovalDecision.REQUESTED

    # --- its two events ------------------------------------------------------------------------

    def _begin(self) -> Work[Placed]:
        what = f"The call of tool {self._token} (it has not run)"
        self._journal = journal = yield from self._pen.journal_for(what)
        placed = yield from journal.append(what, self._intent)
        return placed[0]

    def _outcome(self, error: BaseException | None, us: int) -> Outcome:
        facts: dict[str, object] = {**self._tool_facts, "us": us}
        slots: dict[str, Content] = {}
        payload = self._body or (self._list_of_observed() if self._observed else None)
        if error is not None and self._body is None:
            failure = failure_of(error)
            facts |= failure.facts()
            if payload is None:
                payload = failure.payload
            else:
                slots["attachment-0"] = failure.payload
        event = ToolResult(
            call=self.seq,
            tool=self._token,
            status=self._status or self._status_without_result(error),
            ms=us // 1000,
            bytes=None if payload is None else len(payload.data),
        )
        return Outcome(event, payload, slots, facts)

    def _list_of_observed(self) -> Content:
        return Content(b"[" + b",".join(self._observed) + b"]", encoded=True, lossy=self._observed_lossy)

    def _status_without_result(self, error: BaseException | None) -> ToolStatus:
        if isinstance(error, TimeoutError):
            return ToolStatus.TIMEOUT
        if error is not None:
            return ToolStatus.ERROR if stop_code(error) is None else ToolStatus.CANCELLED
        return self._status_without_run()

    def _status_without_run(self) -> ToolStatus:
        if self.decision is ApprovalDecision.DENIED:
            return ToolStatus.DENIED
        if self.decision in {ApprovalDecision.REQUESTED, ApprovalDecision.EXPIRED}:
            return ToolStatus.NOT_STARTED
        return ToolStatus.UNKNOWN

    def _missing(self, *, started: bool) -> Outcome:
        status = self._status_without_run() if started else ToolStatus.NOT_STARTED
        return Outcome(ToolResult(call=self.seq, tool=self._token, status=status), facts=self._tool_facts)

    def _settle(self, placed: Placed | None) -> None:
        """Nothing refers to a tool's result."""
