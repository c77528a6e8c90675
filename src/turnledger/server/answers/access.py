"""Who is asking: sessions, operators, tokens."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.form import Answer, Moment

__all__ = ["LoginLink", "NewToken", "Operator", "OperatorList", "Session", "Token", "TokenList"]

ScopeName = Literal["capture", "view_audit_log", "view_bodies", "manage"]


class Session(Answer):
    """Who the caller is and what they may do; ``agents`` is null where that is all of them."""

    kind: Literal["operator", "token"]
    id: UUID
    name: str
    scopes: list[ScopeName]
    agents: list[UUID] | None
    csrf_token: Annotated[
        str | None, msgspec.Meta(description="For the header X-CSRF-Token of requests that change something.")
    ]
    expires_at: Moment | None
    prices: Annotated[
        str | None,
        msgspec.Meta(
            description="By which prices model calls get their cost as they come in; null: there are none."
        ),
    ]


class Operator(Answer):
    """A person who may log in."""

    id: UUID
    name: str
    scopes: list[ScopeName]
    agents: list[UUID] | None
    created_at: Moment
    removed_at: Moment | None


class OperatorList(Answer):
    """All operators, oldest first."""

    items: list[Operator]
    has_more: bool


class LoginLink(Answer):
    """A link that logs in once; whoever has it is that operator."""

    operator: Operator
    path: Annotated[str, msgspec.Meta(description="To be put behind the server's address.")]
    expires_at: Moment


class Token(Answer):
    """A program's credential; the secret itself is not kept."""

    id: UUID
    name: str
    scopes: list[ScopeName]
    agents: list[UUID] | None
    created_at: Moment
    used_at: Annotated[Moment | None, msgspec.Meta(description="Last use, to the minute.")]
    revoked_at: Moment | None


class TokenList(Answer):
    """All tokens, oldest first."""

    items: list[Token]
    has_more: bool


class NewToken(Answer):
    """A token with its secret, shown this once."""

    token: str
    about: Token
