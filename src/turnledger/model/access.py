"""Who may ask a ledger's server: people, programs, and what each of them may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

__all__ = ["Grant", "OperatorRow", "Scope", "TokenRow"]


class Scope(StrEnum):
    """What a caller may do; reading bodies includes reading skeletons, the others include nothing."""

    CAPTURE = "capture"
    VIEW_AUDIT_LOG = "view_audit_log"
    VIEW_BODIES = "view_bodies"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Grant:
    """Scopes, and the agents they hold for; ``agents`` None: all, also those to come."""

    scopes: frozenset[Scope]
    agents: frozenset[UUID] | None = None

    def may(self, scope: Scope) -> bool:
        """Whether this allows ``scope`` for any agent."""
        implied = scope is Scope.VIEW_AUDIT_LOG and Scope.VIEW_BODIES in self.scopes
        return implied or scope in self.scopes

    def covers(self, agent: UUID) -> bool:
        """Whether this holds for ``agent``."""
        return self.agents is None or agent in self.agents


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """A person; ``removed_ms`` is set once they may not log in any more."""

    id: UUID
    name: str
    grant: Grant
    created_ms: int
    removed_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A program's credential, without its secret."""

    id: UUID
    name: str
    grant: Grant
    created_ms: int
    used_ms: int | None = None
    revoked_ms: int | None = None
