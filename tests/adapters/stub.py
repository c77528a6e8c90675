"""A provider on this machine: answers what it was told to, in order, and remembers what it was asked."""

from __future__ import annotations

import gzip
import json
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, TypeVar

from tests.patience import PATIENCE_S

__all__ = [
    "Asked",
    "Provider",
    "Reply",
    "anthropic_events",
    "anthropic_reply",
    "anthropic_tool_events",
    "any_answer",
    "chat_events",
    "chat_reply",
    "google_events",
    "google_reply",
    "responses_events",
    "responses_reply",
    "running",
]


class Closes(Protocol):
    """A client."""

    def close(self) -> None: ...


C = TypeVar("C", bound=Closes)


@dataclass(frozen=True)
class Asked:
    """One request that arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  whatever was sent
        return json.loads(self.body)


@dataclass
class Reply:
    """What is answered: ``pieces`` are sent one by one; ``hold`` is waited for before the last one."""

    pieces: list[bytes]
    media_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None
    cut: bool = False
    """Whether the connection breaks before the last piece."""

    @property
    def is_sized(self) -> bool:
        """Whether its head tells where it ends."""
        return "content-length" in self.headers or self.status == 204

    def sized(self) -> Reply:
        """The same, with its length in its head."""
        length = str(sum(map(len, self.pieces)))
        return replace(self, headers={**self.headers, "content-length": length})

    def zipped(self) -> Reply:
        """The same in a coding that clients undo."""
        whole = gzip.compress(b"".join(self.pieces))
        return Reply([whole[:20], whole[20:]], self.media_type, headers={"content-encoding": "gzip"})


class Provider:
    """The script and what was asked for."""

    def __init__(self) -> None:
        self.script: deque[Reply] = deque()
        self.asked: list[Asked] = []
        self.otherwise: Callable[[Asked], Reply] | None = None
        """Answers what the script has no answer for."""
        self.url = ""
        self._clients: list[Closes] = []

    def closes(self, client: C) -> C:
        """Close the client when this ends, and give it back."""
        self._clients.append(client)
        return client

    def end(self) -> None:
        """Close what is to be closed."""
        while self._clients:
            self._clients.pop().close()

    def answer(self, asked: Asked) -> Reply:
        """The next answer."""
        self.asked.append(asked)
        if self.otherwise is not None and not self.script:
            return self.otherwise(asked)
        return self.script.popleft()

    def says(self, *replies: Reply) -> None:
        """Answer these next."""
        self.script.extend(replies)


@contextmanager
def running() -> Generator[Provider]:
    """A provider that listens on a port of its own."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
            """Say nothing."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            with suppress(ConnectionError):  # a client may leave
                _answer(self, provider.answer(asked))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.end()
        server.shutdown()
        server.server_close()


def _answer(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(reply.status)
    framing = {} if reply.is_sized else {"transfer-encoding": "chunked"}
    for name, value in {"content-type": reply.media_type, **framing, **reply.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    for number, piece in enumerate(reply.pieces, 1):
        if number == len(reply.pieces):
            if reply.hold is not None:
                reply.hold.wait(PATIENCE_S)
            if reply.cut:
                handler.close_connection = True
                return
        handler.wfile.write(piece if reply.is_sized else b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.flush()
    if not reply.is_sized:
        handler.wfile.write(b"0\r\n\r\n")


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def chat_reply(text: str = "Hello", *, tool: tuple[str, str, str] | None = None) -> Reply:
    """A chat completion; ``tool`` is id, name and exact arguments of a call that it asks for."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if tool is not None:
        call_id, name, arguments = tool
        function = {"name": name, "arguments": arguments}
        message |= {
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        }
    choice = {"index": 0, "message": message, "finish_reason": "stop" if tool is None else "tool_calls"}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    head = {"id": "c-1", "object": "chat.completion", "created": 1, "model": "gpt-served"}
    return Reply([_json({**head, "choices": [choice], "usage": usage})])


def chat_events(*words: str, usage: bool = True, done: bool = True) -> Reply:
    """The same as a stream, an event a word."""
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-served"}
    deltas: list[dict[str, object]] = [
        {
            **head,
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}],
        }
        for word in words
    ]
    deltas.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if usage:
        counts = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        deltas.append({**head, "choices": [], "usage": counts})
    pieces = [b"data: " + _json(delta) + b"\n\n" for delta in deltas]
    return Reply([*pieces, b"data: [DONE]\n\n"] if done else pieces, "text/event-stream")


def anthropic_reply(text: str = "Hello") -> Reply:
    """A message."""
    return Reply([_json(_anthropic_message([{"type": "text", "text": text}], "end_turn"))])


def anthropic_events(*words: str) -> Reply:
    """The same as a stream."""
    deltas = [{"type": "text_delta", "text": word} for word in words]
    return _anthropic_block({"type": "text", "text": ""}, deltas, "end_turn")


def anthropic_tool_events(call_id: str, name: str, arguments: str) -> Reply:
    """A stream that asks for a tool."""
    block: dict[str, object] = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return _anthropic_block(block, [{"type": "input_json_delta", "partial_json": arguments}], "tool_use")


def _anthropic_block(block: dict[str, object], deltas: list[dict[str, str]], stop: str) -> Reply:
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": _anthropic_message([], None)},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
         "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]  # fmt: skip
    pieces = [b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), _json(event)) for event in events]
    return Reply(pieces, "text/event-stream")


def _anthropic_message(content: list[dict[str, object]], stop: str | None) -> dict[str, object]:
    return {
        "id": "m-1", "type": "message", "role": "assistant", "model": "claude-served", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 3},
    }  # fmt: skip


def responses_reply(text: str = "Hello", *, tool: tuple[str, str, str] | None = None) -> Reply:
    """A response of the Responses API; ``tool`` as of ``chat_reply``."""
    return Reply([_json(_response(_output(text, tool)))])


def responses_events(*words: str) -> Reply:
    """The same as a stream."""
    item = {"item_id": "m-1", "output_index": 0, "content_index": 0}
    text = {"type": "output_text", "text": "", "annotations": []}
    (message,) = _output("".join(words), None)
    begun = {**message, "status": "in_progress", "content": []}
    events: list[dict[str, object]] = [
        {"type": "response.created", "response": _response([], "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.content_part.added", **item, "part": text},
        *({"type": "response.output_text.delta", **item, "delta": word, "logprobs": []} for word in words),
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.completed", "response": _response([message])},
    ]
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    pieces = [b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), _json(event)) for event in numbered]
    return Reply(pieces, "text/event-stream")


def _output(text: str, tool: tuple[str, str, str] | None) -> list[dict[str, object]]:
    if tool is not None:
        call_id, name, arguments = tool
        call = {"type": "function_call", "id": "f-1", "call_id": call_id, "name": name}
        return [{**call, "arguments": arguments, "status": "completed"}]
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return [{"type": "message", "id": "m-1", "role": "assistant", "status": "completed", "content": content}]


def _response(output: list[dict[str, object]], status: str = "completed") -> dict[str, object]:
    return {
        "id": "r-1", "object": "response", "created_at": 1, "status": status, "model": "gpt-served",
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": None if status != "completed" else {
            "input_tokens": 9, "output_tokens": 3, "total_tokens": 12,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        },
    }  # fmt: skip


def google_reply(text: str = "Hello") -> Reply:
    """What a model of Google says."""
    return Reply([_json(_google(text, "STOP"))])


def google_events(*words: str) -> Reply:
    """The same as a stream, an event a word."""
    ends = {len(words): "STOP"}
    said = [_google(word, ends.get(number)) for number, word in enumerate(words, 1)]
    return Reply([b"data: " + _json(one) + b"\r\n\r\n" for one in said], "text/event-stream")


def _google(text: str, finish: str | None) -> dict[str, object]:
    content = {"parts": [{"text": text}], "role": "model"}
    candidate = {"content": content, "index": 0} | ({} if finish is None else {"finishReason": finish})
    counts = {"promptTokenCount": 20, "candidatesTokenCount": 30, "thoughtsTokenCount": 400}
    return {"candidates": [candidate], "usageMetadata": counts, "modelVersion": "gemini-served"}


def any_answer(asked: Asked) -> Reply:
    """What a provider answers in the format and the way that it was asked in."""
    path, _, query = asked.path.partition("?")
    streams = asked.json.get("stream") or "alt=sse" in query
    whole, events = next(forms for end, forms in _FORMS.items() if path.endswith(end))
    return events("On its ", "way.") if streams else whole("On its way.")


_FORMS: dict[str, tuple[Callable[[str], Reply], Callable[..., Reply]]] = {
    "/completions": (chat_reply, chat_events),
    "/responses": (responses_reply, responses_events),
    "/messages": (anthropic_reply, anthropic_events),
    "enerateContent": (google_reply, google_events),
}
