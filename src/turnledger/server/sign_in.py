"""Logging in with a one-time code, and handing out rights: nobody gives what they do not have."""

from __future__ import annotations

from uuid import UUID

from starlette.requests import Request

from turnledger.engine.access import SESSION_MS, Caller, checked_scopes
from turnledger.errors import NotAllowedError, NotAuthenticatedError
from turnledger.model.access import Grant, Scope
from turnledger.server.caller import COOKIE
from turnledger.server.question import Question
from turnledger.server.render.access import session_answer
from turnledger.server.reply import Reply, reply
from turnledger.server.service import Service

__all__ = ["NewGrant", "SignIn", "check_given", "granted", "signed_in"]


class SignIn(Question):
    """The code of a login link."""

    code: str


class NewGrant(Question):
    """A name, scopes, and the agents they hold for; ``agents`` left out or null: all, also those to come."""

    name: str
    scopes: list[str]
    agents: list[UUID] | None = None


def signed_in(request: Request, service: Service, asked: SignIn) -> Reply:
    """The answer that opens a session.  Raises NotAuthenticatedError, NotAllowedError."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
        msg = "Another site cannot log somebody in here."
        raise NotAllowedError(msg, next_step="Open the login link itself.")
    secret = service.access.log_in(asked.code)
    caller = None if secret is None else service.access.by_session(secret)
    if secret is None or caller is None:
        msg = "This login code is unknown, was used before, or has run out."
        raise NotAuthenticatedError(msg, next_step="Get a new link with `turnledger operator link NAME`.")
    answer = reply(session_answer(caller, service.prices))
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=SESSION_MS // 1000,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer


def granted(caller: Caller, asked: NewGrant) -> Grant:
    """What was asked for, if the caller may give it.  Raises UsageError, NotAllowedError."""
    agents = None if asked.agents is None else frozenset(asked.agents)
    grant = Grant(checked_scopes(asked.scopes), agents)
    check_given(caller.grant, grant)
    return grant


def check_given(own: Grant, given: Grant) -> None:
    """Raise NotAllowedError where ``given`` is more than ``own``; recording may be given by any manager."""
    lacking = {scope for scope in given.scopes - {Scope.CAPTURE} if not own.may(scope)}
    wider = own.agents is not None and (given.agents is None or not given.agents <= own.agents)
    if lacking or wider:
        msg = "This gives rights that the caller does not have."
        raise NotAllowedError(msg, next_step="Ask an operator who has them.")
