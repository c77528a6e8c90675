"""The answer that does not end: server-sent events until the reader goes, or may not read any more."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from turnledger.errors import LedgerError, UsageError
from turnledger.server.caller import Asking
from turnledger.server.live import LiveFeed
from turnledger.server.stream_form import EVENT_STREAM, HEARTBEAT, OPENING
from turnledger.server.subscription import Subscription, Topic

__all__ = ["StreamAnswer", "stream_answer"]

HEARTBEAT_S: Final = 15.0

_HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}


def stream_answer(
    asking: Asking, conversation: UUID | None, agent: UUID | None, scope: str | None, after: str | None
) -> Response:
    """Subscribe to one topic.  Raises UsageError for none or several, NotFoundError for another agent's."""
    if sum(one is not None for one in (conversation, agent, scope)) != 1:
        msg = "A stream is about one conversation, one agent, or the whole installation."
        raise UsageError(msg, next_step="Give one of conversation, agent and scope=install.")
    live = asking.service.live
    topic = _topic(asking, conversation, agent)
    return StreamAnswer(live, live.subscribe(topic, asking.caller, after))


def _topic(asking: Asking, conversation: UUID | None, agent: UUID | None) -> Topic:
    if conversation is not None:
        row = asking.reader.conversation(conversation)
        asking.conversation(UUID(int=0) if row is None else row.agent, conversation)
        return Topic(conversation=conversation)
    if agent is not None:
        return Topic(agents=frozenset([asking.agent(agent).id]))
    return Topic(agents=asking.caller.grant.agents)


class StreamAnswer(Response):
    """Sends what a subscription gets, and a comment where nothing came for a while."""

    def __init__(self, live: LiveFeed, subscription: Subscription) -> None:
        super().__init__(None, 200, _HEADERS, EVENT_STREAM)
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._live = live
        self._subscription = subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        del scope
        gone = asyncio.create_task(self._until_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": OPENING, "more_body": True})
            while not self._subscription.ended:
                chunk = await self._next()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            self._live.unsubscribe(self._subscription)

    async def _next(self) -> bytes:
        """What came, or a comment where nothing did."""
        one = self._subscription
        try:
            if one.must_look:
                await asyncio.to_thread(self._live.look, one)
        except LedgerError:
            one.ended = True  # the reader comes back with its cursor, and misses nothing
        waiting = self._live.take(one)
        if waiting or one.ended:
            return waiting
        one.news.clear()
        try:
            async with asyncio.timeout(HEARTBEAT_S):  # in this very task: wait_for makes one more each time
                await one.news.wait()
        except TimeoutError:
            return HEARTBEAT
        return self._live.take(one)

    async def _until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._subscription.ended = True
        self._subscription.news.set()
