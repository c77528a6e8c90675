"""The short way in for recorders, who ask by the hundred: past what routing costs.

``routes.capture.append_events`` describes the same answer, and gives it to all whom this lets pass.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from turnledger.engine.access import Caller
from turnledger.errors import LedgerError
from turnledger.model.access import Scope as Right
from turnledger.server.problems import HttpError, problem_of
from turnledger.server.service import Service

__all__ = ["CaptureDoor"]

_PATH = "/api/capture/events"
_BEARER = b"bearer "


class CaptureDoor:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        caller = self._known(scope)
        if caller is None:
            await self._app(scope, receive, send)
            return
        try:
            response = await self._service.intake.answer(Request(scope, receive), caller)
        except (LedgerError, HttpError) as error:
            response = problem_of(error)
        await response(scope, receive, send)

    def _known(self, scope: Scope) -> Caller | None:
        """Who sends events with a token that was looked up within the last second."""
        if scope["type"] != "http" or scope["path"] != _PATH or scope["method"] != "POST":
            return None
        sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if sent[: len(_BEARER)].lower() != _BEARER:
            return None
        caller = self._service.access.recent(sent[len(_BEARER) :].strip().decode("latin-1"))
        return caller if caller is not None and caller.grant.may(Right.CAPTURE) else None
