"""The one exception tree.

Every message says what happened, to what, and what to do next; ``next_step`` carries the last part
on its own so that the command line and the API can show it apart.  No message ever holds a body.
"""

from __future__ import annotations

from uuid import UUID

__all__ = [
    "CaptureRefused",
    "CommitUnknownError",
    "ConflictError",
    "DamagedRowError",
    "ForeignFileError",
    "GrammarError",
    "LedgerBusyError",
    "LedgerClosedError",
    "LedgerCorruptError",
    "LedgerError",
    "LedgerUnavailableError",
    "LedgerVersionError",
    "NotAllowedError",
    "NotAuthenticatedError",
    "NotFoundError",
    "OutcomeUnrecorded",
    "TurnLost",
    "UsageError",
]


class LedgerError(Exception):
    """Root of everything Turnledger raises.

    ``code`` is stable and machine-readable; ``next_step`` is one sentence for a person.
    """

    code = "ledger"

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(f"{message} {next_step}".strip())
        self.message = message
        self.next_step = next_step


# --- the three an agent may meet (they never derive from a network error: clients retry those) ---


class CaptureRefused(LedgerError):  # noqa: N818  a public name of the contract
    """The step could not be recorded, so it has not run and must not run."""

    code = "capture-refused"


class OutcomeUnrecorded(LedgerError):  # noqa: N818  a public name of the contract
    """The effect happened but its outcome could not be stored; ``result`` carries it."""

    code = "outcome-unrecorded"

    def __init__(self, message: str, *, result: object = None, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.result = result


class TurnLost(CaptureRefused):
    """Another writer holds this turn now (its lease ran out): stop before the next effect."""

    code = "turn-lost"


# --- the ledger itself ---


class LedgerUnavailableError(LedgerError):
    """The ledger cannot be reached or cannot be written: connection, permission, disk."""

    code = "unavailable"


class LedgerBusyError(LedgerUnavailableError):
    """Another program holds the write lock longer than the time allowed."""

    code = "busy"


class LedgerClosedError(LedgerError):
    """The handle was closed, or its writer stopped after a failed commit."""

    code = "closed"


class CommitUnknownError(LedgerError):
    """A flush failed in the middle of a commit, so nobody knows what was written; never retried blindly."""

    code = "commit-unknown"


class LedgerVersionError(LedgerError):
    """The database was made by a newer Turnledger, or its migrations were edited."""

    code = "version"


class LedgerCorruptError(LedgerError):
    """The database itself is damaged (not the same as a broken chain, which is a verdict)."""

    code = "corrupt"


class DamagedRowError(LedgerCorruptError, LedgerUnavailableError):
    """A cell of one row holds what its column cannot: what the row is about cannot be read or continued.

    ``id`` is that of what the row is about, where it can be read.  What the cell holds is never told.
    """

    code = "damaged-row"

    def __init__(self, table: str, column: str, owner: UUID | None) -> None:
        whose = "a row whose id cannot be read" if owner is None else str(owner)
        super().__init__(
            f"The database is damaged: column {column} of table {table} holds what it cannot, for {whose}.",
            next_step="Run `turnledger doctor` to see all such rows, and restore them from a backup.",
        )
        self.table = table
        self.column = column
        self.id = owner


# --- wrong input ---


class UsageError(LedgerError, ValueError):
    """The call makes no sense as it stands: a wrong value, a step out of order."""

    code = "usage"


class GrammarError(UsageError):
    """A value is outside the closed grammar of the field it was given for."""

    code = "grammar"


class NotAuthenticatedError(LedgerError):
    """Nobody, or nobody any more, is behind the credentials of this request."""

    code = "not-authenticated"


class NotAllowedError(LedgerError):
    """The caller is known and may not do this."""

    code = "not-allowed"


class ConflictError(LedgerError):
    """An event id was seen before with other content; the conflict was recorded."""

    code = "conflict"


class NotFoundError(LedgerError, LookupError):
    """No such object for this agent (also said for objects of other agents)."""

    code = "not-found"


class ForeignFileError(LedgerError):
    """A file given to verify, import or open is not what it should be."""

    code = "foreign-file"
