"""Callers, operators and tokens as answers; never a secret, but where it is made."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from turnledger.engine.access import Caller
from turnledger.model.access import Grant, OperatorRow, TokenRow
from turnledger.pricing.book import PriceBook
from turnledger.server.answers import access
from turnledger.server.answers.form import instant, moment

__all__ = ["login_link", "login_path", "operators_answer", "session_answer", "token_answer", "tokens_answer"]


def login_path(code: str) -> str:
    """Where a login code is handed in: behind the hash, so that no server, log or referrer sees it."""
    return f"/login#{code}"


def session_answer(caller: Caller, prices: PriceBook) -> access.Session:
    """Who is asking, and by which prices the server goes."""
    return access.Session(
        kind="token" if caller.kind == "token" else "operator",
        id=caller.id,
        name=caller.name,
        scopes=_scopes(caller.grant),
        agents=_agents(caller.grant),
        csrf_token=caller.csrf,
        expires_at=moment(caller.expires_ms),
        prices=None if prices.is_empty else prices.version,
    )


def _scopes(grant: Grant) -> list[access.ScopeName]:
    return sorted(scope.value for scope in grant.scopes)


def _agents(grant: Grant) -> list[UUID] | None:
    return None if grant.agents is None else sorted(grant.agents)


def _operator(row: OperatorRow) -> access.Operator:
    return access.Operator(
        id=row.id,
        name=row.name,
        scopes=_scopes(row.grant),
        agents=_agents(row.grant),
        created_at=instant(row.created_ms),
        removed_at=moment(row.removed_ms),
    )


def operators_answer(rows: Iterable[OperatorRow]) -> access.OperatorList:
    """All operators."""
    return access.OperatorList(items=[_operator(row) for row in rows], has_more=False)


def login_link(row: OperatorRow, code: str, expires_ms: int) -> access.LoginLink:
    """A link that logs an operator in."""
    return access.LoginLink(operator=_operator(row), path=login_path(code), expires_at=instant(expires_ms))


def token_answer(row: TokenRow) -> access.Token:
    """A token without its secret."""
    return access.Token(
        id=row.id,
        name=row.name,
        scopes=_scopes(row.grant),
        agents=_agents(row.grant),
        created_at=instant(row.created_ms),
        used_at=moment(row.used_ms),
        revoked_at=moment(row.revoked_ms),
    )


def tokens_answer(rows: Iterable[TokenRow]) -> access.TokenList:
    """All tokens."""
    return access.TokenList(items=[token_answer(row) for row in rows], has_more=False)
