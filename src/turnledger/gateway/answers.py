"""What the gateway says itself: errors, in a form that clients of OpenAI and Anthropic both understand."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from turnledger.errors import LedgerError

__all__ = ["Answer", "no_upstream", "not_recorded", "stopping", "unreachable"]


class Answer(NamedTuple):
    """Status and JSON body."""

    status: int
    body: bytes


def _answer(status: int, kind: str, message: str) -> Answer:
    return Answer(status, msgspec.json.encode({"type": "error", "error": {"type": kind, "message": message}}))


def no_upstream(path: str, names: list[str]) -> Answer:
    """The path names no provider."""
    first = path.lstrip("/").partition("/")[0][:60]
    message = f"The gateway knows no upstream {first!r}. Ask for /<upstream>/…, one of {', '.join(names)}."
    return _answer(404, "turnledger_no_upstream", message)


def not_recorded(error: LedgerError) -> Answer:
    """The request could not be recorded, so it was not sent.

    403, because clients try again after 5xx and 429, and nothing changes by that.
    """
    return _answer(403, f"turnledger_{error.code.replace('-', '_')}", str(error))


def unreachable(upstream: str, cause: str) -> Answer:
    """The provider gave no answer."""
    message = f"The gateway got no answer from {upstream}: {cause}."
    return _answer(502, "turnledger_upstream_unreachable", message)


def stopping() -> Answer:
    """The gateway ends before there is an answer."""
    return _answer(503, "turnledger_stopping", "The gateway was stopped before the provider answered.")
