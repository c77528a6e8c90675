"""One request through the gateway: on record, then sent, and the answer passed on as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import httpx2

from turnledger.adapters.clients import record
from turnledger.adapters.endpoints import is_model_request
from turnledger.adapters.exchange import step_of
from turnledger.errors import LedgerError
from turnledger.gateway.answers import Answer, no_upstream, not_recorded, unreachable
from turnledger.gateway.headers import Header, own_words, to_client, to_upstream
from turnledger.gateway.upstreams import Target, target_of

if TYPE_CHECKING:
    from turnledger.capture.ledger import Ledger
    from turnledger.capture.turn import Turn

__all__ = ["Gateway"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

CONNECT_S: Final = 30.0


class Gateway:
    """The application (ASGI): what is asked of ``/<upstream>/…`` is asked of that upstream.

    A request to a model is a turn of its own, in the conversation that the header
    ``turnledger-conversation`` names (else one for each upstream), of the agent in ``turnledger-agent``.
    ``turnledger-parent`` takes the ``handoff()`` of a turn that it is a part of.  Anything else passes
    unrecorded.
    """

    def __init__(self, ledger: Ledger, upstreams: Mapping[str, str], agent: str) -> None:
        self._ledger = ledger
        self._upstreams = upstreams
        self._agent = agent
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
        reply = _Reply(send)
        target = target_of(scope["raw_path"].decode("latin-1"), self._upstreams)
        if target is None:
            await reply.say(no_upstream(scope["path"], sorted(self._upstreams)))
        elif is_model_request(scope["method"], scope["path"]):
            request = self._request(scope, target, await _whole(receive))
            await _until_gone(self._recorded(scope, target, request, reply), receive)
        else:
            await self._passed(target, self._request(scope, target, _pieces(receive)), reply)

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

    async def _passed(self, target: Target, request: httpx2.Request, reply: _Reply) -> None:
        try:
            await reply.pass_on(await self._client.send(request, stream=True))
        except httpx2.HTTPError as error:
            await reply.say(unreachable(target.upstream, error))

    async def _recorded(self, scope: Scope, target: Target, request: httpx2.Request, reply: _Reply) -> None:
        try:
            async with self._turn(scope, target) as turn:
                response = await self._client.send(request, stream=True)
                await reply.pass_on(response)
                await _end(turn, response)
        except LedgerError as error:
            await reply.say(not_recorded(error))
        except httpx2.HTTPError as error:
            await reply.say(unreachable(target.upstream, error))

    def _turn(self, scope: Scope, target: Target) -> Turn:
        words = own_words(scope["headers"])
        agent = self._ledger.agent(words.get("agent", self._agent))
        parent = words.get("parent")
        if parent is not None:
            return agent.turn(parent=parent)
        key = words.get("conversation", f"gateway:{target.upstream}")
        return agent.conversation(key, connector="gateway").turn()


async def _end(turn: Turn, response: httpx2.Response) -> None:
    """The turn ends as its one call did."""
    step = step_of(response.extensions)
    if response.is_error:
        await turn.abort(code=f"http_{response.status_code}")
    else:
        await turn.commit(None if step is None else step.reply.text, reply=False)


class _Reply:
    """What the client gets."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._has_begun = False

    async def pass_on(self, response: httpx2.Response) -> None:
        """Status, headers and body to the letter, each piece as soon as it is there."""
        try:
            await self._begin(response.status_code, to_client(response.headers.raw))
            async for piece in response.aiter_raw():
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
            await self._send({"type": "http.response.body", "body": b""})
        finally:
            await response.aclose()

    async def say(self, answer: Answer) -> None:
        """An answer of the gateway's own; where one has begun, the client sees that it breaks off."""
        if self._has_begun:
            msg = f"an answer was cut: {answer.body.decode()}"
            raise ConnectionAbortedError(msg)
        length = b"%d" % len(answer.body)
        await self._begin(
            answer.status, [(b"content-type", b"application/json"), (b"content-length", length)]
        )
        await self._send({"type": "http.response.body", "body": answer.body})

    async def _begin(self, status: int, headers: list[Header]) -> None:
        self._has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})


async def _whole(receive: Receive) -> bytes:
    return b"".join([piece async for piece in _pieces(receive)])


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise asyncio.CancelledError
        yield message.get("body", b"")
        more = message.get("more_body", False)


async def _until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Run ``work``, and cancel it when the client leaves: nobody pays for an answer that nobody reads."""
    serving = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({serving, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            serving.cancel()
            await asyncio.wait({serving})
        if not serving.cancelled():
            serving.result()
    finally:
        leaving.cancel()
        serving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
