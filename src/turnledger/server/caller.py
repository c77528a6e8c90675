"""Who is asking, and may they: every route of the API begins here."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from turnledger.engine.access import Caller
from turnledger.errors import NotAllowedError, NotAuthenticatedError, NotFoundError
from turnledger.model.access import Scope
from turnledger.model.rows import AgentRow, ConversationRow, EventRow, TurnRow
from turnledger.server.service import Service, service_of
from turnledger.store.contract import Reader

__all__ = [
    "COOKIE",
    "CSRF_HEADER",
    "AnyCaller",
    "Asking",
    "BodyViewer",
    "Manager",
    "Needs",
    "OftenRecorder",
    "Recorder",
    "Viewer",
]

COOKIE: Final = "turnledger_session"
CSRF_HEADER: Final = "X-CSRF-Token"

_OTHER_SCHEME: Final = (
    "The header Authorization holds no Bearer token, which is the only kind that is accepted."
)
_SAFE = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Asking:
    """A caller who may ask this, and what the answer comes from.  Objects of other agents are not found."""

    caller: Caller
    service: Service

    @property
    def reader(self) -> Reader:
        """Read access to the ledger."""
        return self.service.reader

    @property
    def sees_bodies(self) -> bool:
        """Whether the answer may hold what was said."""
        return self.caller.grant.may(Scope.VIEW_BODIES)

    def agent(self, agent: UUID) -> AgentRow:
        """The agent, if there is one and the caller may see it.  Raises NotFoundError."""
        row = self.service.figures.agent(self.covered(agent))
        if row is None:
            raise _missing(agent, "agent")
        return row

    def covered(self, agent: UUID) -> UUID:
        """The id, if the caller may see that agent; there may be none with it.  Raises NotFoundError."""
        if not self.caller.grant.covers(agent):
            raise _missing(agent, "agent")
        return agent

    def conversation(self, agent: UUID, conversation: UUID) -> ConversationRow:
        """The agent's conversation.  Raises NotFoundError."""
        row = self.reader.conversation(conversation)
        if row is None or row.agent != self.covered(agent):
            raise _missing(conversation, "conversation")
        return row

    def turn(self, agent: UUID, turn: UUID) -> TurnRow:
        """The agent's turn.  Raises NotFoundError."""
        row = self.reader.turn(turn)
        if row is None or row.agent != self.covered(agent):
            raise _missing(turn, "turn")
        return row

    def event(self, agent: UUID, event: UUID) -> EventRow:
        """The agent's event.  Raises NotFoundError."""
        row = self.reader.event(event)
        if row is None or row.agent != self.covered(agent):
            raise _missing(event, "event")
        return row

    def everywhere(self) -> Asking:
        """The same, if the caller may see all agents.  Raises NotAllowedError."""
        if self.caller.grant.agents is not None:
            msg = "This concerns all agents, and the caller may see some only."
            raise NotAllowedError(msg, next_step="Ask an operator who may see all agents.")
        return self


def _missing(wanted: UUID, kind: str) -> NotFoundError:
    return NotFoundError(f"There is no {kind} {wanted} here.", next_step="Check the id and the agent's id.")


class Needs:
    """A dependency: the caller, who has to have one scope (None: any credentials will do)."""

    def __init__(self, scope: Scope | None) -> None:
        self.scope = scope

    def __call__(self, request: Request) -> Asking:
        """Raises NotAuthenticatedError and NotAllowedError."""
        service = service_of(request)
        caller = _authenticated(request, service)
        if self.scope is not None and not caller.grant.may(self.scope):
            msg = f"This needs the scope {self.scope}, which {caller.kind} {caller.name!r} does not have."
            raise NotAllowedError(msg, next_step="Ask someone who manages this server.")
        return Asking(caller, service)


class NeedsOften(Needs):
    """The same for requests that come by the hundred: asks the ledger once a second, beside the loop."""

    async def __call__(self, request: Request) -> Asking:  # type: ignore[override]  # awaited by the framework
        """Raises NotAuthenticatedError and NotAllowedError."""
        service = service_of(request)
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        caller = service.access.recent(secret.strip()) if scheme.lower() == "bearer" else None
        if caller is not None and self.scope is not None and caller.grant.may(self.scope):
            return Asking(caller, service)
        return await run_in_threadpool(super().__call__, request)


def _authenticated(request: Request, service: Service) -> Caller:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    session = request.cookies.get(COOKIE)
    caller: Caller | None = None
    if scheme:
        is_bearer = scheme.lower() == "bearer"
        msg = "The token is unknown or was revoked." if is_bearer else _OTHER_SCHEME
        caller = service.access.by_token(secret.strip()) if is_bearer else None
    elif session is not None:
        msg = "The session has ended."
        caller = service.access.by_session(session)
    else:
        msg = "This request has neither a session nor a token."
    if caller is None:
        next_step = "Log in with a link from `turnledger operator`, or send Authorization: Bearer <token>."
        raise NotAuthenticatedError(msg, next_step=next_step)
    if caller.csrf is not None and request.method not in _SAFE:
        _check_origin(request, caller.csrf)
    return caller


def _check_origin(request: Request, csrf: str) -> None:
    """A change asked for by a browser has to come from our own page."""
    sent = request.headers.get(CSRF_HEADER, "")
    foreign = request.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}
    if foreign or not hmac.compare_digest(sent.encode(), csrf.encode()):
        msg = f"A change needs the header {CSRF_HEADER} with the session's token, from the server's own page."
        raise NotAllowedError(msg, next_step="Get the token from GET /api/session.")


AnyCaller = Annotated[Asking, Depends(Needs(None))]
Viewer = Annotated[Asking, Depends(Needs(Scope.VIEW_AUDIT_LOG))]
BodyViewer = Annotated[Asking, Depends(Needs(Scope.VIEW_BODIES))]
Manager = Annotated[Asking, Depends(Needs(Scope.MANAGE))]
Recorder = Annotated[Asking, Depends(Needs(Scope.CAPTURE))]
OftenRecorder = Annotated[Asking, Depends(NeedsOften(Scope.CAPTURE))]
