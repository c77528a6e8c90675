"""What the ledger's answers mean to an agent: its own three errors, with the ledger's reason inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from turnledger.capture.sink import Sink
from turnledger.capture.waiting import Work
from turnledger.errors import CaptureRefused, ConflictError, LedgerError, LedgerUnavailableError, TurnLost
from turnledger.model.draft import Batch, BatchResult, BatchStatus, Refusal

__all__ = ["accepted", "looked_up", "lost", "refusal", "unreachable"]

T = TypeVar("T")

LOST = frozenset({Refusal.TURN_LOST, Refusal.TURN_CLOSED})

_VERIFY: Final = "Run `turnledger verify` on its conversation."
_NEXT_STEPS: Final = {
    Refusal.TURN_EXISTS: "Begin another turn; `turnledger show` tells what is in this one.",
    Refusal.NOT_EXPIRED: "Try again when the writer that holds the turn has ended it, or its lease ran out.",
    Refusal.UNKNOWN_JOURNAL: "Check that TURNLEDGER_URL names the ledger that it was begun in.",
    Refusal.FOREIGN_AGENT: "Check that TURNLEDGER_URL names the ledger that it was begun in.",
    Refusal.OUT_OF_PLACE: _VERIFY,
    Refusal.GRAMMAR: "Change what is recorded as the reason says; with a server, compare its version too.",
    Refusal.NOT_ALLOWED: (
        "Set TURNLEDGER_TOKEN to one that does: `turnledger token create --scope capture --agent NAME`."
    ),
    Refusal.TOO_LARGE: "Record less at once, or where it is kept instead of the whole.",
    Refusal.UNKNOWN_BASE: "Record it again.",
}

_NO = frozenset({BatchStatus.REFUSED, BatchStatus.CONFLICT})


def unreachable(what: str, error: Exception) -> CaptureRefused:
    """``what`` could not be recorded because the ledger failed; raise it ``from`` the error."""
    reason = (
        error.message if isinstance(error, LedgerError) else f"The ledger failed ({type(error).__name__})."
    )
    next_step = error.next_step if isinstance(error, LedgerError) else ""
    return CaptureRefused(
        f"{what} could not be recorded: {reason}",
        next_step=next_step or "Run `turnledger doctor`.",
    )


def refusal(what: str, result: BatchResult) -> CaptureRefused:
    """``what`` was answered with no."""
    if result.refusal in LOST:
        return lost(what)
    reason = result.reason or "The ledger gave no reason."
    problem = CaptureRefused(
        f"{what} could not be recorded: {reason}",
        next_step=_VERIFY if result.refusal is None else _NEXT_STEPS[result.refusal],
    )
    if result.status is BatchStatus.CONFLICT:
        problem.__cause__ = ConflictError(reason)
    return problem


def lost(what: str) -> TurnLost:
    """``what`` belongs to a turn that another writer holds or ended."""
    return TurnLost(
        f"{what} was refused: the turn's lease ran out, and another writer took it over or ended it.",
        next_step="Stop this run; `turnledger show` tells what became of the turn.",
    )


def looked_up(what: str, look_up: Callable[..., T], *asked: object) -> T:
    """What the ledger answers to a look-up without which ``what`` cannot be recorded.

    Raises CaptureRefused where it could not be reached.
    """
    try:
        return look_up(*asked)
    except LedgerUnavailableError as error:
        raise unreachable(what, error) from error


def accepted(sink: Sink, batch: Batch, what: str) -> Work[BatchResult]:
    """Append a batch; its result where the ledger said yes.

    Raises CaptureRefused or TurnLost where it said no or could not be reached.
    """
    try:
        result: BatchResult = yield sink.append(batch)
    except Exception as error:
        raise unreachable(what, error) from error
    if result.status in _NO:
        raise refusal(what, result)
    return result
