"""Bedrock Converse, JSON and AWS event stream; also ``InvokeModel`` of Amazon's own models, which is alike.

Format: Amazon Bedrock API reference, "Converse" and "ConverseStream".  The model asked for stands in the
address.  Which one served, the reply says only where a prompt router chose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts
from turnledger.providers.format import Arguments, Stream, StreamEvent, WireFormat, reencoded
from turnledger.providers.messages import has_messages, request_facts, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_model_output": "error",
    "malformed_tool_use": "error",
}
_HOSTED = "server_tool_use"
_EVENTS = frozenset(
    {
        "messageStart",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockStop",
        "messageStop",
        "metadata",
    }
)
_REQUEST_KEYS = ("toolConfig", "inferenceConfig", "additionalModelRequestFields", "modelId")
_BLOCKS = frozenset({"text", "image", "document", "video", "audio", "toolUse", "toolResult", "cachePoint"})


@dataclass(slots=True)
class _Block:
    """One content block while it is put together."""

    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    call: Arguments | None = None
    hosted: bool = False

    def add(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """What a block, or a delta of one, holds; reasoning stands in a delta without its wrapper."""
        reasoning = as_map(told.get("reasoningContent"))
        for target, text in (
            (self.text, told.get("text")),
            (self.thoughts, as_map(reasoning.get("reasoningText")).get("text")),
            (self.thoughts, reasoning.get("text")),
        ):
            if isinstance(text, str):
                target.append(text)
        self.text += texts_of(as_map(told.get("citationsContent")).get("content"))
        use = as_map(told.get("toolUse"))
        if use:
            if self.call is None:
                self.call = Arguments(id=as_text(use.get("toolUseId")), name=as_text(use.get("name")) or "")
            self.hosted = self.hosted or use.get("type") == _HOSTED
            self.call.add(use.get("input"), data, [*path, "toolUse", "input"])


@dataclass(slots=True)
class _Message:
    """A message while it is put together."""

    blocks: dict[int, _Block] = field(default_factory=dict[int, _Block])
    model: str | None = None
    finish: str | None = None
    tier: str | None = None
    usage: object = None
    counted: bool = False

    def take(self, event: StreamEvent) -> None:
        told = event.value
        for key in _EVENTS & told.keys():
            part = as_map(told.get(key))
            number = part.get("contentBlockIndex")
            index = number if isinstance(number, int) else 0
            match key:
                case "contentBlockStart":
                    self._block(index).add(as_map(part.get("start")), event.data, ["start"])
                case "contentBlockDelta":
                    self._block(index).add(as_map(part.get("delta")), event.data, ["delta"])
                case "messageStop":
                    self.finish = as_text(part.get("stopReason")) or self.finish
                case "metadata":
                    self.counted = True
                    self.usage = part.get("usage")
                    self.model = _router_model(part) or self.model
                    self.tier = _tier(part)
                case _:
                    continue

    def _block(self, index: int) -> _Block:
        return self.blocks.setdefault(index, _Block())

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        blocks = [self.blocks[index] for index in sorted(self.blocks)]
        texts = [piece for block in blocks for piece in block.text]
        waiting = [block.call for block in blocks if block.call is not None and not block.hosted]
        hosted = [block.call for block in blocks if block.call is not None and block.hosted]
        if self.model is None:
            flags += ("model-absent",)
        return Reply(
            served_model=self.model,
            service_tier=self.tier,
            finish=_FINISH.get(self.finish, "other") if self.finish else None,
            finish_raw=self.finish,
            text="".join(texts) if texts else None,
            reasoning_text="".join(piece for block in blocks for piece in block.thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(waiting)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=normalise_usage(self.usage),
            flags=flags + reencoded([*waiting, *hosted]),
        )


def _router_model(document: Mapping[str, object]) -> str | None:
    router = as_map(as_map(document.get("trace")).get("promptRouter"))
    return as_text(router.get("invokedModelId"))


def _tier(document: Mapping[str, object]) -> str | None:
    """The tier that served; optimised latency has prices of its own, too."""
    if as_map(document.get("performanceConfig")).get("latency") == "optimized":
        return "latency-optimized"
    return as_text(as_map(document.get("serviceTier")).get("type"))


def _claims_reply(document: Mapping[str, object]) -> bool:
    return isinstance(as_map(document.get("output")).get("message"), dict)


def _claims_event(document: Mapping[str, object]) -> bool:
    return any(isinstance(document.get(key), dict) for key in _EVENTS & document.keys())


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    message = _Message(
        model=_router_model(document),
        finish=as_text(document.get("stopReason")),
        tier=_tier(document),
        usage=document.get("usage"),
    )
    content = as_list(as_map(as_map(document.get("output")).get("message")).get("content"))
    for index, entry in enumerate(content):
        message.blocks[index] = _Block()
        message.blocks[index].add(as_map(entry), body, ["output", "message", "content", index])
    return message.reply(())


def _read_stream(stream: Stream) -> Reply:
    """The counts come last, behind the end of the message."""
    message = _Message()
    for event in stream.events:
        message.take(event)
    return message.reply(() if message.counted else ("cut",))


def _claims_request(request: Mapping[str, object]) -> bool:
    """A plain request is told by its first block, which has no ``type``."""
    if not has_messages(request):
        return False
    if any(key in request for key in _REQUEST_KEYS):
        return True
    content = as_list(as_map(next(iter(as_list(request.get("messages"))), None)).get("content"))
    block = as_map(next(iter(content), None))
    return "type" not in block and not _BLOCKS.isdisjoint(block)


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    system = as_list(request.get("system"))
    return request_facts(
        {"model": request.get("modelId"), "stream": request.get("stream")},
        list(system),
        as_list(as_map(request.get("toolConfig")).get("tools")),
        messages=len(as_list(request.get("messages"))),
        texts=texts_of(system),
    )


FORMAT = WireFormat(
    name="bedrock-converse",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
