"""Credentials: made once, shown once, kept as digests, and turned back into who is asking."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final
from uuid import UUID

from turnledger.capture.names import checked_name
from turnledger.clock import SYSTEM, Clock
from turnledger.errors import NotFoundError, UsageError
from turnledger.ids import NIL, new_id
from turnledger.model.access import Grant, OperatorRow, Scope, TokenRow
from turnledger.model.draft import AliasKind, Batch, Claim
from turnledger.store.access import AccessTables
from turnledger.store.ledger_store import Store

__all__ = ["TOKEN_PREFIX", "Access", "Caller", "agent_ids", "checked_scopes"]

TOKEN_PREFIX: Final = "tl_"  # noqa: S105  how a token begins, so that scanners and people know one
SESSION_MS: Final = 14 * 86_400_000
LOGIN_CODE_MS: Final = 24 * 3_600_000
USED_EVERY_MS: Final = 60_000
RECENT_US: Final = 1_000_000
NAME_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking; ``csrf`` and ``expires_ms`` are set for sessions of a browser only."""

    kind: str
    id: UUID
    name: str
    grant: Grant
    credential: bytes
    csrf: str | None = None
    expires_ms: int | None = None


class Access:
    """Who may ask one ledger's server.  Safe to use from many threads."""

    def __init__(self, store: Store, clock: Clock = SYSTEM) -> None:
        self.tables = AccessTables(store)
        self._clock = clock
        self._used: dict[UUID, int] = {}
        self._recent: dict[bytes, tuple[Caller, int]] = {}
        self._lock = threading.Lock()

    # --- operators -----------------------------------------------------------------------------

    def add_operator(self, name: str, grant: Grant) -> OperatorRow:
        """A new operator.  Raises UsageError for a name that cannot be one, or is taken."""
        operator = OperatorRow(new_id(), _checked_name(name), grant, self._clock.epoch_ms())
        if not self.tables.add_operator(operator):
            msg = f"There is an operator {name!r} already."
            raise UsageError(msg, next_step="Choose another name, or make a new login link for that one.")
        return operator

    def operator(self, name: str) -> OperatorRow | None:
        """The operator with this name who was not removed."""
        living = (row for row in self.tables.operators() if row.removed_ms is None)
        return next((row for row in living if row.name == name), None)

    def operator_by_id(self, operator: UUID) -> OperatorRow:
        """The operator with this id, removed or not.  Raises NotFoundError."""
        found = next((row for row in self.tables.operators() if row.id == operator), None)
        if found is None:
            msg = f"There is no operator {operator}."
            raise NotFoundError(msg, next_step="See the list of operators.")
        return found

    def login_code(self, operator: UUID) -> tuple[str, int]:
        """A code that logs the operator in once, and when it runs out (epoch ms)."""
        code = secrets.token_urlsafe(32)
        expires_ms = self._clock.epoch_ms() + LOGIN_CODE_MS
        self.tables.add_login_code(_digest(code), operator, expires_ms)
        return code, expires_ms

    def log_in(self, code: str) -> str | None:
        """A session's secret for a login code; None where the code is not good (any more)."""
        now_ms = self._clock.epoch_ms()
        operator = self.tables.use_login_code(_digest(code), now_ms)
        if operator is None or self.operator_by_id(operator).removed_ms is not None:
            return None
        secret = secrets.token_urlsafe(32)
        self.tables.add_session(_digest(secret), operator, now_ms, now_ms + SESSION_MS)
        return secret

    def log_out(self, caller: Caller) -> None:
        """End the session."""
        self.tables.end_session(caller.credential)

    def remove_operator(self, operator: UUID) -> None:
        """Bar an operator, and end the sessions.  Raises NotFoundError where there is none to be barred."""
        if not self.tables.remove_operator(operator, self._clock.epoch_ms()):
            msg = f"There is no operator {operator}, or not any more."
            raise NotFoundError(msg, next_step="See the list of operators.")

    # --- tokens --------------------------------------------------------------------------------

    def add_token(self, name: str, grant: Grant) -> tuple[str, TokenRow]:
        """A new token: its secret, which is kept nowhere, and what is known of it."""
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = TokenRow(new_id(), _checked_name(name), grant, self._clock.epoch_ms())
        self.tables.add_token(token, _digest(secret))
        return secret, token

    def revoke_token(self, token: UUID) -> None:
        """Make a token worthless.  Raises NotFoundError where there is none that is worth something."""
        self._recent.clear()
        if not self.tables.revoke_token(token, self._clock.epoch_ms()):
            msg = f"There is no token {token}, or it was revoked before."
            raise NotFoundError(msg, next_step="See the list of tokens.")

    # --- who is asking -------------------------------------------------------------------------

    def by_token(self, secret: str) -> Caller | None:
        """Who has this token; None where it is none, or was revoked."""
        digest = _digest(secret)
        caller = self._token_caller(digest)
        if caller is None:
            self._recent.pop(digest, None)
        else:
            self._recent[digest] = caller, self._clock.monotonic_us()
        return caller

    def recent(self, secret: str) -> Caller | None:
        """Who had this token within the last second; never asks the ledger.

        For requests that come by the hundred: another server's revocation is heard of a second late.
        """
        caller, asked_us = self._recent.get(_digest(secret), (None, 0))
        return caller if self._clock.monotonic_us() - asked_us < RECENT_US else None

    def by_session(self, secret: str) -> Caller | None:
        """Whose session this is; None where it has ended."""
        return self._session_caller(_digest(secret), csrf_token(secret))

    def still(self, caller: Caller) -> Caller | None:
        """The same caller as of now; None where the credential is worth nothing any more."""
        if caller.kind == "token":
            return self._token_caller(caller.credential)
        return self._session_caller(caller.credential, caller.csrf)

    def _token_caller(self, digest: bytes) -> Caller | None:
        row = self.tables.token(digest)
        if row is None or row.revoked_ms is not None:
            return None
        self._note_use(row)
        return Caller("token", row.id, row.name, row.grant, digest)

    def _session_caller(self, digest: bytes, csrf: str | None) -> Caller | None:
        found = self.tables.session(digest, self._clock.epoch_ms())
        if found is None:
            return None
        row, expires_ms = found
        return Caller("operator", row.id, row.name, row.grant, digest, csrf, expires_ms)

    def _note_use(self, row: TokenRow) -> None:
        now_ms = self._clock.epoch_ms()
        with self._lock:
            if now_ms - self._used.get(row.id, row.used_ms or 0) < USED_EVERY_MS:
                return
            self._used[row.id] = now_ms
        self.tables.mark_used(row.id, now_ms)


def agent_ids(store: Store, names: Collection[str], *, make: bool) -> frozenset[UUID]:
    """The agents with these names; with ``make`` those that there are not are put on record, all or none.

    Raises NotFoundError for a name that nobody has, GrammarError for what is no name.
    """
    checked = [checked_name(name, "agent's name") for name in names]
    found = {name: store.reader.alias(AliasKind.AGENT, NIL, name) for name in checked}
    unknown = [name for name, agent in found.items() if agent is None]
    if unknown and not make:
        msg = f"The ledger knows no agent {unknown[0][:80]!r}."
        raise NotFoundError(msg, next_step=_instead(store, unknown[0]))
    made = [_made(store, name) for name in unknown]
    return frozenset([*made, *[agent for agent in found.values() if agent is not None]])


def _instead(store: Store, name: str) -> str:
    known = [row.name for row in store.reader.agents()]
    close = [repr(other) for other in get_close_matches(name, known)]
    return f"Is it {' or '.join(close)}?" if close else "See `turnledger list` for those it knows."


def _made(store: Store, name: str) -> UUID:
    claim = Claim(AliasKind.AGENT, NIL, name, new_id())
    return store.append(Batch(claim=claim)).result().target or claim.target


def csrf_token(session_secret: str) -> str:
    """What a browser's requests prove their origin by: bound to the session, useless without it."""
    return hmac.digest(session_secret.encode(), b"turnledger/csrf/v1", "sha256").hex()


def checked_scopes(words: Collection[str]) -> frozenset[Scope]:
    """The scopes with these names.  Raises UsageError for none at all, and for one that there is not."""
    known = {str(scope): scope for scope in Scope}
    unknown = sorted(set(words) - known.keys())
    if unknown or not words:
        msg = f"{unknown[0][:40]!r} is no scope." if unknown else "No scope was given."
        raise UsageError(msg, next_step=f"Use one or more of: {', '.join(known)}.")
    return frozenset(known[word] for word in words)


def _checked_name(name: str) -> str:
    printable = name.isprintable() and name.strip() == name
    if not name or not printable or len(name.encode("utf-8", "replace")) > NAME_BYTES:
        msg = f"A name is printable text of 1 to {NAME_BYTES} bytes without space around it."
        raise UsageError(msg, next_step="Choose another name.")
    return name


def _digest(secret: str) -> bytes:
    """A secret of 256 random bits needs no salt and no slow hash: there is nothing to guess."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
