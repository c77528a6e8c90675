"""Bodies that are a sequence of JSON objects: server-sent events, AWS event streams, JSON lists and lines."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Final

import msgspec

from turnledger.providers.document import as_list, as_map, as_text, parse, without_mark
from turnledger.providers.format import Stream, StreamEvent
from turnledger.providers.frames import Frame, frames
from turnledger.providers.sse import event_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnledger.providers.document import Document
    from turnledger.providers.exchange import ReplyFlag

__all__ = [
    "FRAMES_MEDIA_TYPE",
    "frame_stream",
    "line_stream",
    "list_stream",
    "looks_like_lines",
    "sse_stream",
    "torn_list_stream",
]

FRAMES_MEDIA_TYPE: Final = "application/vnd.amazon.eventstream"

_DONE = b"[DONE]"
_SPACE = " \t\r\n,"


class _Events:
    """Gathers the readable events, and the flags of those that were not."""

    def __init__(self) -> None:
        self.events: list[StreamEvent] = []
        self.flags: list[ReplyFlag] = []
        self.done = False

    def take(self, data: bytes, name: str | None = None) -> None:
        """One event; ``name`` is the key that its object stands under where a frame says it."""
        document: Document = parse(data)
        if not document.readable:
            self.flags.append("bad-event")
            return
        value = as_map(document.value)
        self.events.append(StreamEvent(data, value if name is None else {name: value}))
        self.flags += document.flags

    def stream(self) -> tuple[Stream, tuple[ReplyFlag, ...]]:
        return Stream(self.events, self.done), tuple(dict.fromkeys(self.flags))


def sse_stream(body: bytes) -> tuple[Stream, tuple[ReplyFlag, ...]]:
    """The events of a body of server-sent events."""
    found = _Events()
    for data in event_data(body):
        if data.strip() == _DONE:
            found.done = True
        else:
            found.take(data)
    return found.stream()


def looks_like_lines(body: bytes) -> bool:
    """Whether the body begins with a JSON object that fills its first line, and has more lines."""
    first, _, more = without_mark(body).partition(b"\n")
    return first.startswith(b"{") and bool(more.strip()) and parse(first).readable


def line_stream(body: bytes) -> tuple[Stream, tuple[ReplyFlag, ...]]:
    """The events of a body that holds one on each line."""
    found = _Events()
    for line in without_mark(body).splitlines():
        if line.strip():
            found.take(line)
    return found.stream()


def frame_stream(body: bytes) -> tuple[Stream, tuple[ReplyFlag, ...]]:
    """The events of an AWS event stream: ``{event type: payload}``, and what a ``chunk`` holds as it is."""
    found = _Events()
    for frame in frames(body):
        if frame is None:
            found.flags.append("cut")
        elif not frame.sound:
            found.flags.append("bad-event")
        else:
            _take_frame(found, frame)
    return found.stream()


def _take_frame(found: _Events, frame: Frame) -> None:
    kind = frame.headers.get(":event-type")
    failure = frame.headers.get(":exception-type") or frame.headers.get(":error-code")
    if failure is not None:
        told = as_map(parse(frame.payload).value).get("message") or frame.headers.get(":error-message")
        found.events.append(StreamEvent(frame.payload, {"error": {"type": failure, "message": told}}))
    elif kind == "chunk":
        encoded = as_text(as_map(parse(frame.payload).value).get("bytes")) or ""
        try:
            found.take(b64decode(encoded))
        except ValueError:
            found.flags.append("bad-event")
    else:
        found.take(frame.payload, kind)


def list_stream(body: bytes, value: object) -> Stream:
    """The objects of a whole JSON list; ``value`` is ``body`` parsed."""
    items = [as_map(item) for item in as_list(value)]
    try:
        texts = [bytes(raw) for raw in msgspec.json.decode(without_mark(body), type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        texts = [b""] * len(items)
    return Stream([StreamEvent(text, item) for text, item in zip(texts, items, strict=True)], done=True)


def torn_list_stream(body: bytes) -> Stream:
    """The whole objects of a JSON list that has no end, or that breaks within one of them."""
    text = without_mark(body).decode("utf-8", "surrogateescape").removeprefix("[")
    found = [StreamEvent(data, as_map(value)) for data, value in _whole_objects(text)]
    return Stream(found, done=False)


def _whole_objects(text: str) -> Iterator[tuple[bytes, object]]:
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while True:
        while at < len(text) and text[at] in _SPACE:
            at += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict):
            return
        yield text[at:end].encode("utf-8", "surrogateescape"), value
        at = end
