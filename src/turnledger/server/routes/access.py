"""Logging in and out; people and tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from turnledger.server.answers.access import LoginLink, NewToken, OperatorList, Session, TokenList
from turnledger.server.caller import COOKIE, AnyCaller, Manager
from turnledger.server.question import question
from turnledger.server.render.access import (
    login_link,
    operators_answer,
    session_answer,
    token_answer,
    tokens_answer,
)
from turnledger.server.reply import Reply, answers, in_body, reply
from turnledger.server.routes.parameters import OperatorId, TokenId
from turnledger.server.service import service_of
from turnledger.server.sign_in import NewGrant, SignIn, check_given, granted, signed_in

__all__ = ["router"]

router = APIRouter(prefix="/api", default_response_class=Reply)

_NEW_EXAMPLE = {"name": "ada", "scopes": ["view_audit_log", "view_bodies"], "agents": None}

AskedGrant = Annotated[NewGrant, Depends(question(NewGrant))]


@router.post(
    "/session",
    tags=["session"],
    responses=answers(Session, 400, 415),
    openapi_extra=in_body(SignIn, {"code": "the code of a login link"}),
)
def log_in(request: Request, asked: Annotated[SignIn, Depends(question(SignIn))]) -> Reply:
    """Log in with the code of a login link, which works once."""
    return signed_in(request, service_of(request), asked)


@router.get("/session", tags=["session"], responses=answers(Session))
def get_session(asking: AnyCaller) -> Reply:
    """Who the caller is, and what they may do."""
    return reply(session_answer(asking.caller, asking.service.prices))


@router.delete("/session", tags=["session"], status_code=204, responses=answers(None, status=204))
def log_out(asking: AnyCaller) -> Response:
    """Log out: the session and its streams end."""
    asking.service.access.log_out(asking.caller)
    asking.service.live.drop(asking.caller.credential)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.get("/operators", tags=["access"], responses=answers(OperatorList))
def list_operators(asking: Manager) -> Reply:
    """Everybody who may log in, or might once."""
    return reply(operators_answer(asking.service.access.tables.operators()))


@router.post(
    "/operators",
    tags=["access"],
    status_code=201,
    responses=answers(LoginLink, 400, 415, status=201),
    openapi_extra=in_body(NewGrant, _NEW_EXAMPLE),
)
def add_operator(asking: Manager, asked: AskedGrant) -> Reply:
    """Let somebody in; gives the link that logs them in."""
    access = asking.service.access
    operator = access.add_operator(asked.name, granted(asking.caller, asked))
    return reply(login_link(operator, *access.login_code(operator.id)), 201)


@router.post(
    "/operators/{operatorId}/login-link",
    tags=["access"],
    status_code=201,
    responses=answers(LoginLink, 404, status=201),
)
def new_login_link(asking: Manager, operator_id: OperatorId) -> Reply:
    """Another link for an operator, such as for another browser."""
    access = asking.service.access
    operator = access.operator_by_id(operator_id)
    check_given(asking.caller.grant, operator.grant)
    return reply(login_link(operator, *access.login_code(operator.id)), 201)


@router.delete(
    "/operators/{operatorId}", tags=["access"], status_code=204, responses=answers(None, 404, status=204)
)
def remove_operator(asking: Manager, operator_id: OperatorId) -> Response:
    """Bar an operator; sessions and streams end."""
    asking.service.access.remove_operator(operator_id)
    asking.service.live.recheck()
    return Response(status_code=204)


@router.get("/tokens", tags=["access"], responses=answers(TokenList))
def list_tokens(asking: Manager) -> Reply:
    """All tokens, without their secrets."""
    return reply(tokens_answer(asking.service.access.tables.tokens()))


@router.post(
    "/tokens",
    tags=["access"],
    status_code=201,
    responses=answers(NewToken, 400, 415, status=201),
    openapi_extra=in_body(NewGrant, {**_NEW_EXAMPLE, "name": "support bot", "scopes": ["capture"]}),
)
def add_token(asking: Manager, asked: AskedGrant) -> Reply:
    """A new token; its secret is in this answer only."""
    secret, token = asking.service.access.add_token(asked.name, granted(asking.caller, asked))
    return reply(NewToken(token=secret, about=token_answer(token)), 201)


@router.delete(
    "/tokens/{tokenId}", tags=["access"], status_code=204, responses=answers(None, 404, status=204)
)
def revoke_token(asking: Manager, token_id: TokenId) -> Response:
    """Make a token worthless; its streams end."""
    asking.service.access.revoke_token(token_id)
    asking.service.live.recheck()
    return Response(status_code=204)
