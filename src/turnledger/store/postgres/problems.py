"""What PostgreSQL complains about, told apart by SQLSTATE and said in the ledger's own errors.

Only a message's first line is passed on: its detail lines may quote rows.
"""

from __future__ import annotations

from typing import Final

from turnledger.errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerUnavailableError,
)
from turnledger.store.contract import RowConflictError

__all__ = ["LinkLostError", "ServerError", "explain", "unreachable"]


class LinkLostError(Exception):
    """The connection broke; whatever was sent and not answered may or may not have happened."""


class ServerError(Exception):
    """The server refused a statement and undid the transaction it was in."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(f"{message} ({sqlstate})")
        self.sqlstate = sqlstate
        self.message = message


# Unique keys, failed checks of a plan's assumptions (a division by zero rows, the logarithm of none),
# serialization failures and deadlocks: another writer was there first, plan again.
_CONFLICTS: Final = frozenset({"23505", "22012", "2201E", "40001", "40P01"})
_BUSY: Final = frozenset({"55P03", "57014"})
_CORRUPT: Final = frozenset({"XX001", "XX002"})
_EXISTS: Final = "42P07"
_MISSING: Final = frozenset({"42P01", "42703", "42883", "3F000"})

_NEXT_STEPS: Final = {
    "25006": "Name the primary in the URL (all hosts, target_session_attrs=read-write), or allow writes.",
    "42501": "Grant the role what the message names, or use a role that owns the ledger's tables.",
    "53100": "Free disk space on the database server.",
    "53200": "Give the database server more memory.",
    "53300": "Raise max_connections, or close other programs' connections.",
}


def explain(error: ServerError, label: str) -> LedgerError | RowConflictError:
    """The error of the contract for what the server said about a statement at ``label``."""
    state = error.sqlstate
    if state in _CONFLICTS:
        return RowConflictError(str(error))
    if state in _BUSY:
        return LedgerBusyError(
            f"{label} kept a statement waiting too long: {error.message}.",
            next_step="Try again; if it goes on, look for a stuck session in pg_stat_activity.",
        )
    if state in _CORRUPT:
        return LedgerCorruptError(
            f"{label} is damaged: {error}.", next_step="Stop writing and restore the database from a backup."
        )
    if state in _MISSING:
        return LedgerCorruptError(
            f"{label} is damaged: a part of its schema is missing ({error.message}).",
            next_step="`turnledger doctor` says all that is missing. Restore the database from a backup, "
            "and run `turnledger verify --all` on it.",
        )
    if state == _EXISTS:
        return LedgerCorruptError(
            f"{label} is damaged: its list of migrations lacks one that was applied ({error.message}).",
            next_step="Stop writing and restore the database from a backup.",
        )
    next_step = _NEXT_STEPS.get(state, "Look at the database server's log.")
    return LedgerUnavailableError(f"{label} refused: {error}.", next_step=next_step)


def unreachable(label: str, reason: str, next_step: str = "") -> LedgerUnavailableError:
    """The error for a server that cannot be reached, or that broke the connection."""
    return LedgerUnavailableError(
        f"{label} cannot be reached: {reason if reason.endswith('?') else reason.rstrip('.') + '.'}",
        next_step=next_step or "Check that the server runs and that the URL names it.",
    )
