"""What the gateway tells whoever runs it of a request that went wrong: one line, and what is on record."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import httpx2

from turnledger.errors import OutcomeUnrecorded

if TYPE_CHECKING:
    from turnledger.capture.turn import Turn
    from turnledger.errors import LedgerError
    from turnledger.gateway.reply import Reply

__all__ = [
    "cause_of",
    "client_left",
    "provider_failed",
    "request_left",
    "say_it_once",
    "stopped",
    "unrecorded",
]

_log = logging.getLogger("turnledger.gateway")

_CUT: Final = "ASGI callable returned without completing response."
"""What uvicorn says of each answer that breaks off; the gateway has said by then which and why."""


def cause_of(error: httpx2.HTTPError) -> str:
    """Why a provider failed; without the error's text where that may quote what the provider sent."""
    name = type(error).__name__
    said = " ".join(str(error).split()) if isinstance(error, httpx2.ConnectError) else ""
    return f"{name} ({said})" if said else name


def provider_failed(
    upstream: str, error: httpx2.HTTPError, reply: Reply, turn: Turn | None, status: str
) -> None:
    """A provider gave no answer, or broke it off; ``turn`` is None for what is not recorded."""
    cause, record = cause_of(error), _record(turn, status, error)
    if reply.status is None:
        _log.warning("No answer from %s: %s. The program gets status 502. %s", upstream, cause, record)
    else:
        what = "%s broke off its answer after %d bytes of its body: %s. The program's ends there too. %s"
        _log.warning(what, upstream, reply.passed, cause, record)


def unrecorded(upstream: str, error: LedgerError, reply: Reply) -> None:
    """The ledger refused a request, or what came of it."""
    if reply.status is not None:
        what = "An answer of %s could not be recorded and was cut off after %d bytes of its body. %s"
        _log.warning(what, upstream, reply.passed, error.message)
    elif isinstance(error, OutcomeUnrecorded):
        what = "What became of a request to %s could not be recorded. %s The program gets status 403."
        _log.warning(what, upstream, error.message)
    else:
        _log.warning("%s was asked nothing. %s The program gets status 403.", upstream, error.message)


def client_left(upstream: str, turn: Turn, error: BaseException) -> None:
    """A program left before it had the answer, and the provider was left too."""
    record = _record(turn, "cancelled", error)
    _log.info("A program left before the end of its answer from %s. %s", upstream, record)


def request_left(upstream: str) -> None:
    """A program left while it was asking."""
    _log.info("A program left before its request to %s was whole. Nothing is on record.", upstream)


def stopped(upstream: str, turn: Turn | None, error: BaseException) -> None:
    """The gateway ends, and an answer with it."""
    record = _record(turn, "cancelled", error)
    _log.warning("The gateway was stopped before the end of an answer from %s. %s", upstream, record)


def say_it_once() -> None:
    """Leave out uvicorn's line on an answer that the gateway has had a line for."""
    logging.getLogger("uvicorn.error").addFilter(_is_new)


def _is_new(record: logging.LogRecord) -> bool:
    return record.msg != _CUT


def _record(turn: Turn | None, status: str, error: BaseException) -> str:
    if turn is None:
        return "Nothing is on record, as it was no model request."
    notes: list[str] = getattr(error, "__notes__", [])  # which say it where the end could not be recorded
    return " ".join(notes) if notes else f"On record: turn {turn.id}, {status}."
