"""Operators, tokens, sessions and login codes in the database: rows in, rows out.

Only digests of secrets come here.  Changes go through the store's writer, each in a transaction of its own.
"""

from __future__ import annotations

from uuid import UUID

from turnledger.model.access import Grant, OperatorRow, Scope, TokenRow
from turnledger.store.ledger_store import Store
from turnledger.store.sql_mapping import Row, name_bytes, name_text

__all__ = ["AccessTables"]

_ID_BYTES = 16


class AccessTables:
    """The tables of one ledger.  Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # --- operators -----------------------------------------------------------------------------

    def add_operator(self, operator: OperatorRow) -> bool:
        """Insert; False where an operator who was not removed has the name."""
        params = {"id": operator.id.bytes, "created_ms": operator.created_ms}
        grant = _grant_columns(operator.name, operator.grant)
        return bool(self._store.change("insert_operator", {**params, **grant}))

    def remove_operator(self, operator: UUID, now_ms: int) -> bool:
        """Bar an operator for good; False where there is none."""
        return bool(self._store.change("remove_operator", {"id": operator.bytes, "now_ms": now_ms}))

    def operators(self) -> list[OperatorRow]:
        """All of them, oldest first."""
        return [_operator(row) for row in self._store.reader.ask("list_operators")]

    # --- tokens --------------------------------------------------------------------------------

    def add_token(self, token: TokenRow, digest: bytes) -> None:
        """Insert."""
        params = {"digest": digest, "id": token.id.bytes, "created_ms": token.created_ms}
        self._store.change("insert_token", {**params, **_grant_columns(token.name, token.grant)})

    def token(self, digest: bytes) -> TokenRow | None:
        """The token with this secret, revoked or not."""
        rows = self._store.reader.ask("get_token", digest=digest)
        return _token(rows[0]) if rows else None

    def mark_used(self, token: UUID, now_ms: int) -> None:
        """Note when a token was used last."""
        self._store.change("mark_token_used", {"id": token.bytes, "now_ms": now_ms})

    def revoke_token(self, token: UUID, now_ms: int) -> bool:
        """Make a token worthless; False where there is none, or it is already."""
        return bool(self._store.change("revoke_token", {"id": token.bytes, "now_ms": now_ms}))

    def tokens(self) -> list[TokenRow]:
        """All of them, oldest first."""
        return [_token(row) for row in self._store.reader.ask("list_tokens")]

    # --- sessions ------------------------------------------------------------------------------

    def add_login_code(self, digest: bytes, operator: UUID, expires_ms: int) -> None:
        """A code that logs this operator in once."""
        params = {"digest": digest, "operator": operator.bytes, "expires_ms": expires_ms}
        self._store.change("insert_login_code", params)

    def use_login_code(self, digest: bytes, now_ms: int) -> UUID | None:
        """Whom the code logs in; None where there is no such code, it was used or it ran out."""
        rows = self._store.change("use_login_code", {"digest": digest, "now_ms": now_ms})
        return UUID(bytes=rows[0][0]) if rows else None

    def add_session(self, digest: bytes, operator: UUID, now_ms: int, expires_ms: int) -> None:
        """Open a session."""
        params = {
            "digest": digest,
            "operator": operator.bytes,
            "created_ms": now_ms,
            "expires_ms": expires_ms,
        }
        self._store.change("insert_session", params)

    def session(self, digest: bytes, now_ms: int) -> tuple[OperatorRow, int] | None:
        """Whose session it is and when it ends; None where it ended or the operator was removed."""
        rows = self._store.reader.ask("get_session", digest=digest, now_ms=now_ms)
        return None if not rows else (_operator(rows[0][:6]), rows[0][6])

    def end_session(self, digest: bytes) -> None:
        """Log out."""
        self._store.change("end_session", {"digest": digest})


def _grant_columns(name: str, grant: Grant) -> dict[str, object]:
    agents = None if grant.agents is None else b"".join(sorted(agent.bytes for agent in grant.agents))
    return {"name": name_bytes(name), "scopes": " ".join(sorted(grant.scopes)), "agents": agents}


def _grant(scopes: str, agents: bytes | None) -> Grant:
    known = set(Scope)
    allowed = frozenset(Scope(word) for word in scopes.split() if word in known)
    if agents is None:
        return Grant(allowed)
    starts = range(0, len(agents), _ID_BYTES)
    return Grant(allowed, frozenset(UUID(bytes=agents[start : start + _ID_BYTES]) for start in starts))


def _operator(row: Row) -> OperatorRow:
    operator, name, scopes, agents, created_ms, removed_ms = row
    return OperatorRow(UUID(bytes=operator), name_text(name), _grant(scopes, agents), created_ms, removed_ms)


def _token(row: Row) -> TokenRow:
    token, name, scopes, agents, *times = row
    return TokenRow(UUID(bytes=token), name_text(name), _grant(scopes, agents), *times)
