"""HEAD: the status and headers that GET would have, and no body.  No route has to know of it."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Heads"]


class Heads:
    """ASGI middleware; asks the application as GET, and is gone for it once the headers are out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        is_answered = False

        async def receive_on() -> Message:
            # An answer that goes on, such as the live stream, ends when its reader goes.
            return {"type": "http.disconnect"} if is_answered else await receive()

        async def send_on(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                await send(message)
                is_answered = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app({**scope, "method": "GET"}, receive_on, send_on)
