"""One request through the gateway: on record, then sent, and the answer passed on as it comes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import httpx2

from turnledger.adapters.clients import record
from turnledger.adapters.endpoints import is_model_request
from turnledger.errors import LedgerError
from turnledger.gateway import log
from turnledger.gateway.answers import no_upstream, not_recorded, stopping, unreachable
from turnledger.gateway.headers import to_upstream
from turnledger.gateway.reply import Reply, Send
from turnledger.gateway.upstreams import Target, target_of

if TYPE_CHECKING:
    from turnledger.capture.turn import Turn

__all__ = ["Proxy", "Scope", "tell"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

CONNECT_S: Final = 30.0


class Proxy(ABC):
    """The application (ASGI): what is asked of ``/<upstream>/…`` is asked of that upstream.

    A request to a model is recorded by ``_record``.  Anything else passes unrecorded.
    """

    def __init__(self, upstreams: Mapping[str, str]) -> None:
        self._upstreams = upstreams
        timeout = httpx2.Timeout(
            None, connect=CONNECT_S
        )  # how long an answer may take is the client's to say
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=64)
        client = httpx2.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
        self._client = record(client)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the start and end of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        reply = Reply(send)
        target = target_of(scope["raw_path"].decode("latin-1"), self._upstreams)
        if target is None:
            await reply.say(no_upstream(scope["path"], sorted(self._upstreams)))
            return
        try:
            if is_model_request(scope["method"], scope["path"]):
                request = self._request(scope, target, await _whole(receive))
                await _until_gone(self._recorded(scope, target, request, reply), receive, reply)
            else:
                await self._passed(target, self._request(scope, target, _pieces(receive)), reply)
        except _ClientLeftError:
            log.request_left(target.upstream)
        except asyncio.CancelledError:  # which only the end of the server does
            await reply.say(stopping())

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._client.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    def _request(self, scope: Scope, target: Target, body: bytes | AsyncIterator[bytes]) -> httpx2.Request:
        query = scope["query_string"].decode("latin-1")
        headers = to_upstream(scope["headers"])
        if not isinstance(body, bytes):
            headers += [(name, value) for name, value in scope["headers"] if name == b"content-length"]
        url = f"{target.url}?{query}" if query else target.url
        return httpx2.Request(scope["method"], url, headers=headers, content=body)

    async def _passed(self, target: Target, request: httpx2.Request, reply: Reply) -> None:
        try:
            await reply.pass_on(await self._client.send(request, stream=True))
        except httpx2.HTTPError as error:
            await tell(target, error, reply, None)
        except asyncio.CancelledError as error:
            log.stopped(target.upstream, None, error)
            raise

    async def _recorded(self, scope: Scope, target: Target, request: httpx2.Request, reply: Reply) -> None:
        try:
            await self._record(scope, target, request, reply)
        except LedgerError as error:
            log.unrecorded(target.upstream, error, reply)
            await reply.say(not_recorded(error))

    @abstractmethod
    async def _record(self, scope: Scope, target: Target, request: httpx2.Request, reply: Reply) -> None:
        """Send a request once it is on record, and pass the answer on; raises LedgerError otherwise."""

    async def _ask(self, request: httpx2.Request, reply: Reply) -> httpx2.Response:
        """Ask in the current turn, and pass the answer on."""
        response = await self._client.send(request, stream=True)
        await reply.pass_on(response)
        return response


class _ClientLeftError(Exception):
    """A client left before its request was whole."""


async def tell(
    target: Target, error: httpx2.HTTPError, reply: Reply, turn: Turn | None, status: str = "failed"
) -> None:
    """Whoever runs the gateway, and the client, that the provider failed; ``status`` is what the turn is."""
    log.provider_failed(target.upstream, error, reply, turn, status)
    await reply.say(unreachable(target.upstream, log.cause_of(error)))


async def _whole(receive: Receive) -> bytes:
    return b"".join([piece async for piece in _pieces(receive)])


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientLeftError
        yield message.get("body", b"")
        more = message.get("more_body", False)


async def _until_gone(work: Coroutine[Any, Any, None], receive: Receive, reply: Reply) -> None:
    """Run ``work``, and cancel it when the client leaves: nobody pays for an answer that nobody reads.

    A client that has the whole answer leaves when it likes: how it ended is still to be recorded.
    """
    serving = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive, reply))
    try:
        await asyncio.wait({serving, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            if not reply.is_whole:
                serving.cancel()
            await asyncio.wait({serving})
        if not serving.cancelled():
            serving.result()
    finally:
        leaving.cancel()
        serving.cancel()
        await asyncio.wait({serving})


async def _left(receive: Receive, reply: Reply) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    reply.has_reader = False
