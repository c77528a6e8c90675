"""The answer to one request as its client gets it, and how much of it the client has."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

import httpx2

from turnledger.adapters.exchange import step_of
from turnledger.gateway.answers import Answer
from turnledger.gateway.headers import Header, to_client

__all__ = ["Reply", "Send"]

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_WITHOUT_BODY: Final = frozenset({204, 304})


class Reply:
    """What the client gets."""

    def __init__(self, send: Send) -> None:
        self.has_reader = True
        """Whether the client is there; what is sent to one that has left reaches nobody."""
        self.is_whole = False
        """Whether the client has all of the answer, of which nothing but the record of its end is to come."""
        self.status: int | None = None
        """Of the answer, once it has begun."""
        self.passed = 0
        """Bytes of its body that were handed on."""
        self._send = send
        self._has_mark = False
        self._is_behind = False

    async def pass_on(self, response: httpx2.Response) -> None:
        """Status, headers and body to the letter, each piece as soon as it is there.

        Returns also where the client leaves at the mark that ends a stream, or at an error in it, without
        waiting for what follows.
        """
        left = _length(response)
        try:
            await self._begin(response.status_code, to_client(response.headers.raw))
            self.is_whole = left == 0 and self.has_reader
            async for piece in response.aiter_raw():
                self._is_behind = True
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
                self._is_behind = False
                self.passed += len(piece)
                if left is not None:
                    left -= len(piece)
                if self.has_reader:
                    self.is_whole = left == 0
                    self._has_mark = _is_complete(response)
            await self._send({"type": "http.response.body", "body": b""})
            self.is_whole = self.is_whole or self.has_reader
        except asyncio.CancelledError:
            if not (self._has_mark or self._has_late_mark(response) or self._has_error(response)):
                raise
        finally:
            await response.aclose()

    def _has_late_mark(self, response: httpx2.Response) -> bool:
        """In a body that is compressed the mark is looked for when nothing more comes."""
        return "content-encoding" in response.headers and not self._is_behind and _is_complete(response)

    def _has_error(self, response: httpx2.Response) -> bool:
        """Clients leave at the error that a stream breaks off with, which they have then."""
        step = step_of(response.extensions)
        return not self._is_behind and step is not None and step.error is not None

    async def say(self, answer: Answer) -> None:
        """An answer of the gateway's own.

        Where one has begun it stays without its end: the connection is closed, by which the client sees that.
        """
        if self.status is not None:
            return
        length = b"%d" % len(answer.body)
        await self._begin(
            answer.status, [(b"content-type", b"application/json"), (b"content-length", length)]
        )
        await self._send({"type": "http.response.body", "body": answer.body})

    async def _begin(self, status: int, headers: list[Header]) -> None:
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": headers})


def _length(response: httpx2.Response) -> int | None:
    """How many bytes the body has, by which a client knows its end; None where only its end tells."""
    if response.status_code in _WITHOUT_BODY:
        return 0
    said = response.headers.get("content-length", "")
    return int(said) if said.isdecimal() else None


def _is_complete(response: httpx2.Response) -> bool:
    """Whether what was read so far is complete by its own mark."""
    step = step_of(response.extensions)
    return step is not None and step.has_result
