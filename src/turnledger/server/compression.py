"""Compressed answers: zstd or gzip, for whole texts that are worth it.  Never for streams or bodies."""

from __future__ import annotations

import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnledger.wire.transport_coding import gzip_bytes, zstd_bytes

__all__ = ["Compression", "chosen_encoding"]

SMALLEST: Final = 1024

_WORTH_IT: Final = re.compile(
    rb"(?:application/(?:json|javascript)|text/(?:html|css|javascript)|image/svg\+xml)\b"
)
_PACKERS: Final = {"zstd": zstd_bytes, "gzip": gzip_bytes}
_OFFER: Final = re.compile(r"\s*([a-z]+|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*")


def chosen_encoding(accepted: str) -> str | None:
    """The encoding to use for a header ``Accept-Encoding``; None where it allows neither zstd nor gzip."""
    weights: dict[str, float] = {}
    for offer in accepted.lower().split(","):
        match = _OFFER.fullmatch(offer)
        if match is not None:
            weights[match[1]] = float(match[2] or 1)
    return next((name for name in ("zstd", "gzip") if weights.get(name, 0) > 0), None)


class Compression:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["path"].endswith("/session"):
            # Beside what an attacker may choose, the length of a secret must not be told by its compression.
            await self._app(scope, receive, send)
            return
        accepted = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"")
        encoding = chosen_encoding(accepted.decode("latin-1"))
        await self._app(scope, receive, send if encoding is None else _Compressing(send, encoding))


class _Compressing:
    """Holds the start of an answer back until its first piece shows whether it is the whole."""

    def __init__(self, send: Send, encoding: str) -> None:
        self._send = send
        self._encoding = encoding
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            if message["type"] == "http.response.body" and _is_worth_it(start, message):
                start, message = self._compressed(start, message)
            await self._send(start)
        await self._send(message)

    def _compressed(self, start: Message, message: Message) -> tuple[Message, Message]:
        body = _PACKERS[self._encoding](message["body"])
        headers = [
            *[pair for pair in start["headers"] if pair[0].lower() != b"content-length"],
            (b"content-encoding", self._encoding.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"vary", b"Accept-Encoding"),
        ]
        return {**start, "headers": headers}, {**message, "body": body}


def _is_worth_it(start: Message, message: Message) -> bool:
    if start["status"] != 200 or message.get("more_body") or len(message.get("body", b"")) < SMALLEST:  # noqa: PLR2004
        return False
    headers = {name.lower(): value for name, value in start["headers"]}
    kind = headers.get(b"content-type", b"")
    return b"content-encoding" not in headers and _WORTH_IT.match(kind) is not None
