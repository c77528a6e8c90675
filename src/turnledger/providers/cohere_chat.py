"""Cohere chat, version 2, JSON and event stream.

Format: Cohere API reference, "Chat (v2)" and "Chat with Streaming (v2)".  Requests are written as those of
OpenAI chat; the reply does not say which model served.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag
from turnledger.providers.format import Arguments, Stream, StreamEvent, WireFormat, reencoded
from turnledger.providers.messages import has_messages, read_messages
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FINISH", "FORMAT"]

FINISH: Final[Mapping[str, Finish]] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "ERROR_LIMIT": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR_TOXIC": "content_filter",
    "ERROR": "error",
    "TIMEOUT": "error",
}
"""Reasons of both versions."""

_EVENTS = frozenset(
    {
        "message-start",
        "content-start",
        "content-delta",
        "content-end",
        "tool-plan-delta",
        "tool-call-start",
        "tool-call-delta",
        "tool-call-end",
        "citation-start",
        "citation-end",
        "message-end",
    }
)
_REQUEST_KEYS = ("documents", "citation_options", "safety_mode", "strict_tools", "p", "k")


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together; ``open`` finds the call that an index of the stream means."""

    response_id: str | None = None
    finish: str | None = None
    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: list[Arguments] = field(default_factory=list[Arguments])
    open: dict[int, Arguments] = field(default_factory=dict[int, Arguments])
    usage: object = None
    ended: bool = False

    def add_content(self, content: object) -> None:
        """A content, or a list of them; the model's plan before its calls is reasoning, too."""
        if isinstance(content, str):
            self.text.append(content)
        for entry in as_list(content) or [content]:
            part = as_map(entry)
            for target, text in ((self.text, part.get("text")), (self.thoughts, part.get("thinking"))):
                if isinstance(text, str):
                    target.append(text)

    def add_plan(self, plan: object) -> None:
        if isinstance(plan, str):
            self.thoughts.append(plan)

    def begin(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> Arguments:
        function = as_map(told.get("function"))
        call = Arguments(id=as_text(told.get("id")), name=as_text(function.get("name")) or "")
        call.add(function.get("arguments"), data, [*path, "function", "arguments"])
        self.calls.append(call)
        return call

    def take(self, event: StreamEvent) -> None:
        told = event.value
        delta, number = as_map(told.get("delta")), told.get("index")
        message, index = as_map(delta.get("message")), number if isinstance(number, int) else 0
        path = ["delta", "message", "tool_calls"]
        self.add_content(message.get("content"))
        self.add_plan(message.get("tool_plan"))
        match told.get("type"):
            case "message-start":
                self.response_id = as_text(told.get("id"))
            case "tool-call-start":
                self.open[index] = self.begin(as_map(message.get("tool_calls")), event.data, path)
            case "tool-call-delta":
                more = as_map(as_map(message.get("tool_calls")).get("function")).get("arguments")
                call = self.open.get(index) or self.begin({}, event.data, path)
                self.open[index] = call
                call.add(more, event.data, [*path, "function", "arguments"])
            case "message-end":
                self.ended = True
                self.finish = as_text(delta.get("finish_reason"))
                self.usage = delta.get("usage")
            case _:
                return

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        return Reply(
            response_id=self.response_id,
            finish=FINISH.get(self.finish, "other") if self.finish else None,
            finish_raw=self.finish,
            text="".join(self.text) if self.text else None,
            reasoning_text="".join(self.thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(self.calls)),
            usage=normalise_usage(self.usage),
            flags=(*flags, "model-absent", *reencoded(self.calls)),
        )


def _claims_reply(document: Mapping[str, object]) -> bool:
    message = document.get("message")
    return (
        isinstance(message, dict)
        and "done" not in document
        and bool({"finish_reason", "id"} & document.keys())
    )


def _claims_event(document: Mapping[str, object]) -> bool:
    return as_text(document.get("type")) in _EVENTS


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    answer = _Answer(response_id=as_text(document.get("id")), finish=as_text(document.get("finish_reason")))
    message = as_map(document.get("message"))
    answer.add_plan(message.get("tool_plan"))
    answer.add_content(message.get("content"))
    for number, entry in enumerate(as_list(message.get("tool_calls"))):
        answer.begin(as_map(entry), body, ["message", "tool_calls", number])
    answer.usage = document.get("usage")
    return answer.reply(())


def _read_stream(stream: Stream) -> Reply:
    answer = _Answer()
    for event in stream.events:
        answer.take(event)
    return answer.reply(() if answer.ended else ("cut",))


def _claims_request(request: Mapping[str, object]) -> bool:
    return has_messages(request) and any(key in request for key in _REQUEST_KEYS)


FORMAT = WireFormat(
    name="cohere-chat",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=read_messages,
)
