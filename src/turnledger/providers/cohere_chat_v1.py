"""Cohere chat, version 1, JSON and JSON lines; Bedrock's InvokeModel of Command R answers in it, too.

Format: Cohere API reference, "Chat (v1)" and "Chat with Streaming (v1)".  Calls have no ids.  The event that
ends a stream repeats the whole reply, or only its counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnledger.providers.cohere_chat import FINISH
from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts, Usage
from turnledger.providers.format import (
    Arguments,
    Stream,
    StreamEvent,
    WireFormat,
    invocation_metrics,
    reencoded,
)
from turnledger.providers.messages import request_facts, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_EVENTS = frozenset(
    {
        "stream-start",
        "search-queries-generation",
        "search-results",
        "text-generation",
        "citation-generation",
        "tool-calls-chunk",
        "tool-calls-generation",
        "stream-end",
    }
)
_COUNTS = ("billed_units", "tokens", "cached_tokens")  # of ``meta``, which also holds texts


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together."""

    response_id: str | None = None
    finish: str | None = None
    text: list[str] = field(default_factory=list[str])
    calls: list[Arguments] = field(default_factory=list[Arguments])
    usage: Usage | None = None
    ended: bool = False

    def settle(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """A whole reply, or what there is of one: it stands in place of the fragments before it."""
        own_id = as_text(told.get("response_id")) or as_text(told.get("generation_id"))
        self.response_id = own_id or self.response_id
        self.finish = as_text(told.get("finish_reason")) or self.finish
        text, calls = told.get("text"), as_list(told.get("tool_calls"))
        if isinstance(text, str):
            self.text = [text]
        if calls:
            self.calls = [_call(as_map(entry), data, [*path, at]) for at, entry in enumerate(calls)]
        meta = as_map(told.get("meta"))
        usage = normalise_usage({key: meta[key] for key in _COUNTS if key in meta})
        self.usage = usage or invocation_metrics(told) or self.usage

    def take(self, event: StreamEvent) -> None:
        told = event.value
        match told.get("event_type"):
            case "stream-end":
                self.ended = True
                self.settle(as_map(told.get("response")), event.data, ["response", "tool_calls"])
                self.finish = as_text(told.get("finish_reason")) or self.finish
                self.usage = self.usage or invocation_metrics(told)
            case "tool-calls-generation":
                self.settle(told, event.data, ["tool_calls"])
            case "tool-calls-chunk":
                self._add_text(told)
                self._extend(as_map(told.get("tool_call_delta")))
            case "text-generation":
                self._add_text(told)
            case _:
                self.response_id = self.response_id or as_text(told.get("generation_id"))

    def _add_text(self, told: Mapping[str, object]) -> None:
        text = told.get("text")
        if isinstance(text, str):
            self.text.append(text)

    def _extend(self, delta: Mapping[str, object]) -> None:
        """A fragment of a call; the first one of each has its name."""
        name, parameters = as_text(delta.get("name")), as_text(delta.get("parameters"))
        if name is not None or (parameters is not None and not self.calls):
            self.calls.append(Arguments(name=name or ""))
        if parameters is not None:
            self.calls[-1].pieces.append(parameters)

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        return Reply(
            response_id=self.response_id,
            finish=_finish(self.finish, calls=bool(self.calls)),
            finish_raw=self.finish,
            text="".join(self.text) if self.text else None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(self.calls)),
            usage=self.usage,
            flags=(*flags, "model-absent", *reencoded(self.calls)),
        )


def _call(told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> Arguments:
    call = Arguments(name=as_text(told.get("name")) or "")
    call.add(told.get("parameters"), data, [*path, "parameters"])
    return call


def _finish(raw: str | None, *, calls: bool) -> Finish | None:
    """The format says COMPLETE of an answer that asks for tools, too."""
    if raw is None:
        return None
    return "tool_calls" if raw == "COMPLETE" and calls else FINISH.get(raw, "other")


def _claims_reply(document: Mapping[str, object]) -> bool:
    return isinstance(document.get("text"), str) and bool({"generation_id", "chat_history"} & document.keys())


def _claims_event(document: Mapping[str, object]) -> bool:
    return as_text(document.get("event_type")) in _EVENTS


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    answer = _Answer()
    answer.settle(document, body, ["tool_calls"])
    return answer.reply(())


def _read_stream(stream: Stream) -> Reply:
    answer = _Answer()
    for event in stream.events:
        answer.take(event)
    return answer.reply(() if answer.ended else ("cut",))


def _claims_request(request: Mapping[str, object]) -> bool:
    return isinstance(request.get("message"), str) and "messages" not in request


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    preamble = request.get("preamble")
    return request_facts(
        request,
        [preamble] if preamble else [],
        as_list(request.get("tools")),
        messages=len(as_list(request.get("chat_history"))) + 1,
        texts=texts_of(preamble),
    )


FORMAT = WireFormat(
    name="cohere-chat-v1",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
