"""OpenAI Responses, JSON and event stream.

Format: OpenAI API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts
from turnledger.providers.format import Stream, StreamEvent, WireFormat, reencoded
from turnledger.providers.messages import INSTRUCTING, request_facts, texts_of
from turnledger.providers.responses_items import Item, read_item
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "failed": "error",
}
_UNDER_WAY = frozenset({"queued", "in_progress"})
_DONE = {"done": "completed"}  # an event that has another name than the status
_COMPACTION = "response.compaction"
_TERMINAL = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done"}
)
_OTHERS = frozenset({"encoding_format", "dimensions", "input_type", "voice"})  # embeddings, speech


@dataclass(slots=True)
class _Response:
    """A response while it is put together.

    ``head`` is what response objects said so far, ``status`` how the event that ends a stream calls its end.
    """

    head: Mapping[str, object] = field(default_factory=dict[str, object])
    items: dict[int, Item] = field(default_factory=dict[int, Item])
    ended: bool = False
    status: str | None = None

    def take(self, event: StreamEvent) -> None:
        told = event.value
        kind, at = as_text(told.get("type")) or "", told.get("output_index")
        index = at if isinstance(at, int) else -1
        if isinstance(told.get("response"), dict):
            self._take_head(event, kind)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self.items[index] = read_item(as_map(told.get("item")), event.data, ["item"])
        elif "delta" in told:
            self.items.setdefault(index, Item(kind="")).extend(kind, told)

    def _take_head(self, event: StreamEvent, kind: str) -> None:
        """The last response object repeats every item; some servers leave its list of them empty."""
        told = {key: value for key, value in as_map(event.value.get("response")).items() if value is not None}
        self.head = {**self.head, **told}  # the last one of some servers holds little but the usage
        self.ended = self.ended or kind in _TERMINAL
        self.status = kind.removeprefix("response.") if kind in _TERMINAL else self.status
        output = as_list(self.head.get("output"))
        if output and kind in _TERMINAL:
            self.items = dict(enumerate(_items(output, event.data, ["response", "output"])))

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        items = [self.items[index] for index in sorted(self.items)]
        waiting = [item.call for item in items if item.call is not None and not item.hosted]
        hosted = [item.call for item in items if item.call is not None and item.hosted]
        texts = [text for item in items for text in item.texts("text")]
        refusal = "".join(text for item in items for text in item.texts("refusal"))
        reasons = [text for item in items for text in item.thoughts()]
        finish_raw = self._finish_raw()
        asks = any(item.kind == "mcp_approval_request" for item in items)
        finish = _finish(finish_raw, asks=asks, calls=bool(waiting), refuses=bool(refusal))
        if finish_raw is None and as_text(self.head.get("status")) in _UNDER_WAY and "cut" not in flags:
            flags += ("pending",)
        return Reply(
            served_model=as_text(self.head.get("model")),
            response_id=as_text(self.head.get("id")),
            service_tier=as_text(self.head.get("service_tier")),
            finish=finish,
            finish_raw=finish_raw,
            text="".join(texts) if texts else None,
            refusal=refusal or None,
            reasoning_text="\n\n".join(reasons) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(waiting)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=normalise_usage(self.head.get("usage")),
            tool_usage=_tool_usage(self.head),
            flags=(*flags, *reencoded([*waiting, *hosted]), *self._missing()),
        )

    def _finish_raw(self) -> str | None:
        """Why it is incomplete, else its status once that is final."""
        status = as_text(self.head.get("status"))
        if self.status is not None and status in (None, *_UNDER_WAY):
            status = _DONE.get(self.status, self.status)
        reason = as_text(as_map(self.head.get("incomplete_details")).get("reason"))
        return reason or (None if status in _UNDER_WAY else status)

    def _missing(self) -> tuple[ReplyFlag, ...]:
        """A shortened history is the work of a model, but not its reply."""
        model: tuple[ReplyFlag, ...] = ("model-absent",) if as_text(self.head.get("model")) is None else ()
        return (*model, "no-reply") if self.head.get("object") == _COMPACTION else model


def _finish(raw: str | None, *, asks: bool, calls: bool, refuses: bool) -> Finish | None:
    """The format has no word for why a complete response ended; what is in it tells."""
    if raw != "completed":
        return None if raw is None else _FINISH.get(raw, "other")
    return "pause" if asks else "tool_calls" if calls else "refusal" if refuses else "stop"


def _items(output: Sequence[object], data: bytes, path: list[str | int]) -> list[Item]:
    return [read_item(as_map(entry), data, [*path, number]) for number, entry in enumerate(output)]


def _tool_usage(head: Mapping[str, object]) -> dict[str, int]:
    """What is billed beside the tokens: searches, and tokens of the model that made images."""
    told = as_map(head.get("tool_usage"))
    counts = {
        "searches": as_map(told.get("web_search")).get("num_requests"),
        "image_tokens": as_map(told.get("image_gen")).get("total_tokens"),
    }
    return {key: count for key, count in counts.items() if isinstance(count, int) and count > 0}


def _claims_reply(document: Mapping[str, object]) -> bool:
    """Some servers leave out what kind of object it is; then its first item tells."""
    kind = document.get("object")
    if kind is not None or "choices" in document:
        return kind in ("response", _COMPACTION)
    return "type" in as_map(next(iter(as_list(document.get("output"))), None))


def _claims_event(document: Mapping[str, object]) -> bool:
    kind = document.get("type")
    return isinstance(kind, str) and kind.startswith("response.")


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    items = _items(as_list(document.get("output")), body, ["output"])
    told = "status" in document or document.get("object") == _COMPACTION
    status = None if told else "completed"  # some servers leave it out
    return _Response(head=document, items=dict(enumerate(items)), status=status).reply(())


def _read_stream(stream: Stream) -> Reply:
    response = _Response()
    for event in stream.events:
        response.take(event)
    return response.reply(() if response.ended else ("cut",))


def _claims_request(request: Mapping[str, object]) -> bool:
    """An ``input`` is also what embeddings, moderation and speech are made of."""
    given = request.get("input")
    return (
        ("model" in request or "prompt" in request)
        and not _OTHERS.intersection(request)
        and (
            isinstance(given, str)
            or (isinstance(given, (list, tuple)) and all(isinstance(entry, dict) for entry in given))
        )
        and "embed" not in (as_text(request.get("model")) or "")
    )


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    """Instructions are ``instructions`` and all system and developer items."""
    instructions, items = request.get("instructions"), as_list(request.get("input"))
    instructing = [entry for entry in items if isinstance(entry, dict) and entry.get("role") in INSTRUCTING]
    texts = texts_of(instructions)
    for entry in instructing:
        texts += texts_of(entry.get("content"))
    return request_facts(
        request,
        [*([instructions] if instructions else []), *instructing],
        as_list(request.get("tools")),
        messages=len(items) if items else 1,
        texts=texts,
    )


FORMAT = WireFormat(
    name="openai-responses",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
