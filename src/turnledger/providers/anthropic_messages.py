"""Anthropic messages, JSON and event stream.

Format: Anthropic API reference, "Messages" and "Streaming messages".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag
from turnledger.providers.format import Arguments, Stream, StreamEvent, WireFormat, reencoded
from turnledger.providers.messages import looks_like_anthropic, read_messages
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
    "refusal": "refusal",
    "pause_turn": "pause",
    "compaction": "pause",
}
_HOSTED = frozenset({"server_tool_use", "mcp_tool_use"})
_CALLING = _HOSTED | {"tool_use"}
_EVENTS = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    }
)


@dataclass(slots=True)
class _Block:
    """One content block while it is put together; ``begun`` is the stream event that it began with."""

    kind: str
    call: Arguments = field(default_factory=Arguments)
    text: list[str] = field(default_factory=list[str])
    begun: StreamEvent | None = None

    def add_text(self, told: Mapping[str, object]) -> None:
        for key in ("text", "thinking"):
            value = told.get(key)
            if isinstance(value, str):
                self.text.append(value)

    def settle_input(self) -> None:
        """At its end a call whose input never came in fragments has the input that its block began with."""
        if self.begun is not None and not self.call.supplied:
            value = as_map(self.begun.value.get("content_block")).get("input")
            self.call.add(value, self.begun.data, ["content_block", "input"])


def _block(told: Mapping[str, object], begun: StreamEvent | None = None) -> _Block:
    call = Arguments(id=as_text(told.get("id")), name=as_text(told.get("name")) or "")
    block = _Block(as_text(told.get("type")) or "", call, begun=begun)
    block.add_text(told)
    return block


@dataclass(slots=True)
class _Message:
    """A message while it is put together; ``open`` finds the block that an index of the stream means."""

    head: Mapping[str, object] = field(default_factory=dict[str, object])
    blocks: list[_Block] = field(default_factory=list[_Block])
    open: dict[int, _Block] = field(default_factory=dict[int, _Block])
    finish: str | None = None
    model: str | None = None
    refusal: str | None = None
    usage: dict[str, object] = field(default_factory=dict[str, object])
    stopped: bool = False

    def count(self, usage: object) -> None:
        """Counts of a stream are cumulative, so the last one that is given stands."""
        self.usage.update({key: value for key, value in as_map(usage).items() if value is not None})

    def end(self, told: Mapping[str, object]) -> None:
        """Why it ended, from the message or the delta that says it."""
        self.finish = as_text(told.get("stop_reason")) or self.finish
        self.refusal = as_text(as_map(told.get("stop_details")).get("explanation")) or self.refusal

    def hand_over(self, told: Mapping[str, object]) -> None:
        """A block that says that another model goes on (fallback)."""
        if told.get("type") == "fallback":
            self.model = as_text(as_map(told.get("to")).get("model")) or self.model

    def whole(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """The message as it stands at ``path`` of ``data``: all of it, or what a stream begins with."""
        self.head = told
        self.model = as_text(told.get("model")) or self.model
        self.end(told)
        self.count(told.get("usage"))
        for index, entry in enumerate(as_list(told.get("content"))):
            block = _block(as_map(entry))
            self.hand_over(as_map(entry))
            self.blocks.append(block)
            if block.kind in _CALLING:
                block.call.add(as_map(entry).get("input"), data, [*path, "content", index, "input"])

    def begin(self, index: int, block: _Block) -> None:
        self.blocks.append(block)
        self.open[index] = block

    def extend(self, index: int, delta: Mapping[str, object]) -> None:
        fragment = delta.get("partial_json")
        if index not in self.open:
            kind = "tool_use" if fragment is not None else "thinking" if "thinking" in delta else "text"
            self.begin(index, _Block(kind))
        block = self.open[index]
        if isinstance(fragment, str):
            block.call.pieces.append(fragment)
        block.add_text(delta)

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        texts = [piece for block in self.blocks if block.kind == "text" for piece in block.text]
        thoughts = [piece for block in self.blocks if block.kind == "thinking" for piece in block.text]
        waiting = [block.call for block in self.blocks if block.kind == "tool_use"]
        hosted = [block.call for block in self.blocks if block.kind in _HOSTED]
        return Reply(
            served_model=self.model,
            response_id=as_text(self.head.get("id")),
            finish=_FINISH.get(self.finish, "other") if self.finish else None,
            finish_raw=self.finish,
            text="".join(texts) if texts else None,
            refusal=self.refusal,
            reasoning_text="".join(thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(waiting)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=normalise_usage(self.usage),
            flags=flags + reencoded([*waiting, *hosted]),
        )


def _claims_reply(document: Mapping[str, object]) -> bool:
    return document.get("type") == "message" and isinstance(document.get("content"), list)


def _claims_event(document: Mapping[str, object]) -> bool:
    return as_text(document.get("type")) in _EVENTS


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    message = _Message()
    message.whole(document, body, [])
    return message.reply(())


def _read_stream(stream: Stream) -> Reply:
    message = _Message(stopped=stream.done)
    for event in stream.events:
        _take(message, event)
    return message.reply(() if message.stopped else ("cut",))


def _take(message: _Message, event: StreamEvent) -> None:
    told = event.value
    number = told.get("index")
    index = number if isinstance(number, int) else -1
    match told.get("type"):
        case "message_start":
            if not message.head:  # some proxies send it twice
                message.whole(as_map(told.get("message")), event.data, ["message"])
        case "content_block_start":
            message.hand_over(as_map(told.get("content_block")))
            message.begin(index, _block(as_map(told.get("content_block")), event))
        case "content_block_delta":
            message.extend(index, as_map(told.get("delta")))
        case "content_block_stop":
            message.open.get(index, _Block("")).settle_input()
        case "message_delta":
            message.end(as_map(told.get("delta")))
            message.count(told.get("usage"))
        case "message_stop":
            message.stopped = True
        case _:  # pings and kinds of event that came later than this decoder
            return


FORMAT = WireFormat(
    name="anthropic-messages",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=looks_like_anthropic,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=read_messages,
)
