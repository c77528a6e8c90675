"""The gate before everything: names the server answers to, no credentials in URLs, headers on all answers.

It wraps the whole application, so that no route and no error page is without them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnledger.clock import Clock
from turnledger.server.meter import Meter
from turnledger.server.problems import problem

__all__ = ["CONTENT_POLICY", "Gate", "masked"]

CONTENT_POLICY: Final = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'"
)
_HEADERS: Final = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SECRET_NAMES: Final = frozenset(
    {
        "token",
        "access_token",
        "api_key",
        "apikey",
        "key",
        "auth",
        "authorization",
        "password",
        "secret",
        "code",
    }
)
_SECRET_VALUE: Final = re.compile(r"tl_[A-Za-z0-9_-]{20,}")
_HOST: Final = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+))(?::\d{1,5})?")

_log = logging.getLogger("turnledger.server")


def masked(path: str, query: str) -> str:
    """A request's target as it may be logged: without what stands behind the question mark."""
    path = _SECRET_VALUE.sub("[secret]", path)
    return f"{path}?…" if query else path


class Gate:
    """ASGI middleware; ``hosts`` are names the server answers to beside those of loopback."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], meter: Meter, clock: Clock) -> None:
        self._app = app
        self._hosts = _LOOPBACK | {host.lower() for host in hosts}
        self._meter = meter
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        began = self._clock.monotonic_us()
        state = {"status": 0}

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                message = {**message, "headers": _headers(message["headers"], scope["path"])}
            await send(message)

        try:
            refusal = self._refusal(scope)
            await (self._app if refusal is None else refusal)(scope, receive, send_on)
        except Exception as error:
            if not state["status"]:
                raise
            # The answer was under way, or was the problem itself; only the class may be told.
            _log.error("%s in %s", type(error).__name__, masked(scope["path"], ""))
        finally:
            self._note(scope, state["status"], self._clock.monotonic_us() - began)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
        match = _HOST.fullmatch(host)
        if match is None or (match[1] or match[2]).lower() not in self._hosts:
            detail = "The request names a host that this server does not answer to."
            return problem(421, "wrong-host", detail, "Name it with `turnledger serve --allow-host NAME`.")
        if _holds_secret(scope):
            detail = "A credential stands in the URL, where logs and histories keep it."
            next_step = "Send it in the header Authorization, revoke this one, and make another."
            return problem(401, "token-in-url", detail, next_step)
        return None

    def _note(self, scope: Scope, status: int, took_us: int) -> None:
        self._meter.add("turnledger_requests_total", f"{status // 100}xx" if status else "broken")
        target = masked(scope["path"], scope["query_string"].decode("latin-1"))
        _log.info("%s %s %s %.1f ms", scope["method"], target, status, took_us / 1000)


def _holds_secret(scope: Scope) -> bool:
    query = scope["query_string"].decode("latin-1")
    if _SECRET_VALUE.search(scope["path"]) or _SECRET_VALUE.search(query):
        return True
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=None)
    return any(name.lower() in _SECRET_NAMES for name, _ in pairs)


def _headers(given: Iterable[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
    headers = [*given, *_HEADERS]
    if path.startswith("/api") and not any(name.lower() == b"cache-control" for name, _ in headers):
        headers.append((b"cache-control", b"no-store"))
    return headers
