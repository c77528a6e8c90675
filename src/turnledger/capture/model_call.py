"""One request to a model: the body before it leaves, what came back or arrived of it, usage as reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast, overload

from turnledger.capture.arrivals import Incoming
from turnledger.capture.asked import Asked
from turnledger.capture.composer import compose, name_token
from turnledger.capture.content import EVENTS, Content, plain_form, snapshot, snapshot_body
from turnledger.capture.decoding import read_reply, read_request
from turnledger.capture.failure import failure_of, stop_code
from turnledger.capture.given import flag_given, own_given, text_given
from turnledger.capture.prompts import snapshot_of_request
from turnledger.capture.receipts import Receipt
from turnledger.capture.results import model_result
from turnledger.capture.steps import Outcome, Step
from turnledger.capture.words import word
from turnledger.errors import UsageError
from turnledger.model.events import ModelCall, ModelResult
from turnledger.model.vocabulary import Form, ModelStatus
from turnledger.providers.document import as_map, parse
from turnledger.providers.endpoint import endpoint_of
from turnledger.providers.exchange import ProviderError, Reply, ToolRequest, Usage
from turnledger.providers.usage import normalise_usage
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from turnledger.capture.pen import Pen
    from turnledger.capture.waiting import Work
    from turnledger.model.draft import Placed

__all__ = ["ModelCallStep"]

T = TypeVar("T")

FIRST_FAILURE = 400
_ARRIVED: Final = object()
_FAILED: Final = frozenset({ModelStatus.ERROR, ModelStatus.NOT_STARTED, ModelStatus.CUT})


class ModelCallStep(Step):
    """A model call; use it with ``with`` or ``async with`` and give it what came back.

    Inside the block either ``result(reply)``, or ``chunk(piece)`` for each piece of a stream and ``result()``
    at its end.  A block left without it is recorded as ``aborted`` with what arrived, or as the error that
    left it.  ``incoming`` is what of the reply is kept while it arrives.
    """

    STAGE: ClassVar[str] = "model_call"
    _ended: ModelStatus | None = None

    def __init__(
        self,
        pen: Pen,
        *,
        request: object,
        role: str | None,
        model: str | None,
        stream: bool | None,
        provider: str | None,
        prompt: Receipt | None,
        retry_of: ModelCallStep | None,
        media_type: str | None,
        url: str | None,
    ) -> None:
        super().__init__(pen)
        own_given(pen, ModelCallStep, retry_of, "retry_of", "the model call that failed")
        own_given(pen, Receipt, prompt, "prompt", "what prompt(…) gave")
        stream = flag_given(stream, "stream")
        url = text_given(url, "url")
        provider = text_given(provider, "provider") or endpoint_of(url).provider
        body = snapshot_body(request, media_type)
        asked, trouble = read_request(request, body, url)
        self._note_trouble("request", trouble)
        self.attempt: int = 1 if retry_of is None else retry_of.attempt + 1
        """1 for the first try, one more for each retry."""
        self.asked: Asked | None = None
        """The tools that the reply asked for, once it is on record."""
        self.prompt_digest: str | None = None
        self._provider = provider
        self._url = url
        self._prompt = prompt
        self._snapshot = None if prompt is not None else snapshot_of_request(asked, role)
        self._reply: Reply | None = None
        self._body: Content | None = None
        self._usage: Usage | None = None
        self._status: ModelStatus | None = None
        self._http_status: int | None = None
        self.incoming = Incoming(self.event_id)
        self._pieces = self.incoming.pieces
        self._pieces_encoded = False
        self._ttft_us: int | None = None
        facts: dict[str, object] = {
            "provider": provider,
            "wire": asked.wire,
            "messages": asked.messages,
            "retryOf": None if retry_of is None else retry_of.seq,
        }
        if model is None or (type(model) is str and not model):
            model = asked.model
        event = ModelCall(
            role=None if role is None else name_token(facts, "role", role),
            model=None if model is None else name_token(facts, "model", model),
            attempt=self.attempt,
            bytes=len(body.data),
            stream=asked.stream if stream is None else stream,
            form=Form.ENCODED if body.encoded else Form.WIRE,
        )
        self._intent = compose(
            event, body, facts=facts, event_id=self.event_id, lane=f"MODEL_CALL {role or ''}"[:200]
        )

    # --- what came back ------------------------------------------------------------------------

    def chunk(self, piece: T, *, is_output: bool = True) -> T:
        """Keep one piece of a streamed reply as it arrived (bytes, text or an object), and give it back.

        The first one that ``is_output`` sets the time to the first token.  Pieces are held in memory and
        recorded when the block ends; they are durable within a second, so that a process that is killed in
        the middle of a stream leaves what arrived until then, as ``cut``.
        """
        if is_output is not False and self._ttft_us is None:
            core = self._pen.core
            self._ttft_us = core.clock.monotonic_us() - (self._began_us or 0)
            if self._journal is not None:
                self._journal.keep_arriving(core, self.incoming)
        content = snapshot(plain_form(piece))
        if content.encoded:
            self._pieces_encoded = True
            self._pieces.append(b"data: " + content.data + b"\n\n")
        else:
            self._pieces.append(content.data)
        return piece

    @overload
    def result(
        self,
        *,
        usage: object = None,
        http_status: int | None = None,
        status: str | None = None,
    ) -> None: ...

    @overload
    def result(
        self,
        reply: T,
        *,
        usage: object = None,
        media_type: str | None = None,
        http_status: int | None = None,
        status: str | None = None,
    ) -> T: ...

    def result(
        self,
        reply: object = _ARRIVED,
        *,
        usage: object = None,
        media_type: str | None = None,
        http_status: int | None = None,
        status: str | None = None,
    ) -> object:
        """Take the reply (bytes, text or an object) and give it back; without one, the pieces are all of it.

        Usage, served model, finish reason and tool requests are read from it.  ``usage`` is the provider's
        usage object where it came another way.  ``status`` overrides what the reply says of itself:
        ``ok``, ``error`` or ``cut``.
        """
        if self._body is not None:
            msg = "This model call has its result already."
            raise UsageError(msg, next_step="A retry is a call of its own: model_call(retry_of=…).")
        is_number = issubclass(type(http_status), int)  # isinstance would ask the object for its __class__
        self._http_status = int(cast("int", http_status)) if is_number else None
        self._usage = None if usage is None else _read_usage(usage)
        if reply is _ARRIVED:
            self._body = self._arrived() or Content(b"", EVENTS)
            reply = None
        else:
            self._body = snapshot_body(reply, media_type)
            self._value = reply
        # Last: a wrong status must not lose the reply.
        self._status = None if status is None else word(ModelStatus, status)
        return reply

    def was_not_sent(self) -> None:
        """Say that nothing of the request left: it ends as ``not_started``, with the error that says why."""
        self._status = ModelStatus.NOT_STARTED

    @property
    def has_result(self) -> bool:
        """Whether all of the reply was given."""
        return self._body is not None

    @property
    def has_failed(self) -> bool:
        """Whether it has ended without what was asked for, so that to ask again is another attempt."""
        return self._ended in _FAILED

    @property
    def reply(self) -> Reply:
        """What could be read from the reply; raises UsageError before there is one."""
        if self._body is None:
            msg = "There is no reply yet."
            raise UsageError(msg, next_step="Call result(…) first.")
        return self._decoded(self._body)

    @property
    def tool_requests(self) -> tuple[ToolRequest, ...]:
        """The tools that the reply asks for, with the exact text of their arguments."""
        return self.reply.tool_requests

    @property
    def served_model(self) -> str | None:
        """The model that answered, as the provider names it."""
        return None if self._reply is None else self._reply.served_model

    @property
    def finish(self) -> str | None:
        """Why the model stopped, in the closed vocabulary of ``providers``."""
        return None if self._reply is None else self._reply.finish

    @property
    def error(self) -> ProviderError | None:
        """The error that the provider reported, once what arrived was read; None without one."""
        return None if self._reply is None else self._reply.error

    @property
    def is_arriving(self) -> bool:
        """Whether some of its reply is there already."""
        return bool(self._pieces)

    @property
    def arrived(self) -> bytes:
        """The pieces so far, one behind the other."""
        return b"".join(self._pieces)

    def _arrived(self) -> Content | None:
        if not self._pieces:
            return None
        data = self.arrived
        if self._pieces_encoded:
            return Content(data, EVENTS, encoded=True)
        return snapshot_body(data)

    def _decoded(self, body: Content) -> Reply:
        if self._reply is None:
            self._reply, trouble = read_reply(body, self._provider, self._http_status, self._url)
            self._note_trouble("reply", trouble)
        return self._reply

    # --- its two events ------------------------------------------------------------------------

    def _begin(self) -> Work[Placed]:
        what = "The model call (it has not run)"
        journal = yield from self._pen.journal_for(what)
        self._journal = journal
        call, event = self._intent, self._intent.event
        if self._prompt is not None and isinstance(event, ModelCall):
            placed: Placed = yield self._prompt.future
            call = call.saying(replace(event, prompt=placed.seq))
        elif self._snapshot is not None:
            agent = yield from self._pen.agent_id()
            self.prompt_digest = self._snapshot.digest(agent)
        return (yield from journal.append_call(what, call, self._snapshot))

    def _outcome(self, error: BaseException | None, us: int) -> Outcome:
        body = self._body or self._arrived()
        facts: dict[str, object] = {"us": us, "chunks": len(self._pieces) or None}
        slots: dict[str, Content] = {}
        payload = body
        if error is not None and self._body is None:
            failure = failure_of(error)
            facts |= failure.facts()
            if body is None:
                payload = failure.payload
            else:
                slots["attachment-0"] = failure.payload
        reply = Reply(flags=("usage-absent",)) if body is None else self._decoded(body)
        self._ended = self._status_of(reply, body, error)
        event = self._event(reply, self._ended, us, facts)
        return Outcome(event, payload, slots, facts, arrived=self.incoming.settle())

    def _status_of(self, reply: Reply, body: Content | None, error: BaseException | None) -> ModelStatus:
        if self._status is not None:
            return self._status
        # What the provider says went wrong counts, however its reply was left.
        if reply.error is not None or (self._http_status or 0) >= FIRST_FAILURE:
            return ModelStatus.ERROR
        if self._body is not None:
            return ModelStatus.CUT if "cut" in reply.flags else ModelStatus.OK
        if error is not None:
            return ModelStatus.ERROR if stop_code(error) is None else ModelStatus.ABORTED
        if body is None:
            return ModelStatus.UNKNOWN
        complete = reply.wire is not None and "cut" not in reply.flags
        return ModelStatus.OK if complete else ModelStatus.ABORTED

    def _event(self, reply: Reply, status: ModelStatus, us: int, facts: dict[str, object]) -> ModelResult:
        usage = self._usage or reply.usage
        event, said = model_result(self.seq, status, reply, usage, us=us, ttft_us=self._ttft_us)
        facts |= said
        facts["httpStatus"] = self._http_status
        return event

    def _missing(self, *, started: bool) -> Outcome:
        body = self._arrived()
        if body is None:
            status = ModelStatus.UNKNOWN if started else ModelStatus.NOT_STARTED
            return Outcome(ModelResult(call=self.seq, status=status), arrived=self.incoming.settle())
        # Not for good: all of it may come yet, and is recorded late then.
        reply, _ = read_reply(body, self._provider, None, self._url)
        us = self._pen.core.clock.monotonic_us() - (self._began_us or 0)
        event, facts = model_result(
            self.seq, self._status_of(reply, body, None), reply, reply.usage, us=us, ttft_us=self._ttft_us
        )
        return Outcome(event, body, facts=facts, arrived=self.incoming.settle())

    def _settle(self, placed: Placed | None) -> None:
        if placed is not None:
            requests = self._reply.tool_requests if self._reply is not None else ()
            self.asked = Asked(placed.seq, [(request.id, request.name) for request in requests])
            self._pen.step_settled(self)


def _read_usage(usage: object) -> Usage:
    raw = as_map(parse(encode_value(plain_form(usage)).data).value)
    return normalise_usage(raw) or Usage(raw=raw, flags=("no-counts",))
