"""``python -m bench.provider PORT``: answers chat completions at once, in a process of its own.

The model's name says how: ``whole`` is one reply, ``stream-200`` is 200 pieces of a stream.  Every event is a
piece of its own for the client, though all are sent together.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from functools import cache

_MODEL = re.compile(rb'"model": ?"([a-z]+)(?:-(\d+))?"')
_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d+)", re.IGNORECASE)
_USAGE = {"prompt_tokens": 1204, "completion_tokens": 88, "total_tokens": 1292}
_TEXT = "Your order is on its way and should be with you by Thursday at the latest. "


class Provider(asyncio.Protocol):
    """One kept-alive connection, one request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio."""
        self._transport = transport
        self._taken = b""

    def data_received(self, data: bytes) -> None:
        """Answer, once the request is there."""
        self._taken += data
        head, found, body = self._taken.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if found and len(body) >= (0 if length is None else int(length[1])):
            self._taken = b""
            model = _MODEL.search(body)
            assert isinstance(self._transport, asyncio.Transport)  # noqa: S101  it is one of TCP
            self._transport.write(_whole() if model is None or not model[2] else _stream(int(model[2])))


@cache
def _whole() -> bytes:
    message = {"role": "assistant", "content": _TEXT * 4}
    body = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1792836000,
            "model": "whole-2026",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": _USAGE,
        }
    ).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    return head + body


@cache
def _stream(pieces: int) -> bytes:
    words = _TEXT.split(" ")
    events = [_event({"content": words[number % len(words)] + " "}) for number in range(pieces)]
    parts = [*events, _event({}, "stop"), b"data: [DONE]\n\n"]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    chunk: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1792836000,
        "model": "stream-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if finish is not None:
        chunk["usage"] = _USAGE
    return b"data: %b\n\n" % json.dumps(chunk).encode()


async def main(port: int) -> None:
    """Serve until it is ended."""
    server = await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
