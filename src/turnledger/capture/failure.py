"""Exceptions as facts: the class for tokens, the text for the payload, a digest that groups equal stacks."""

from __future__ import annotations

import hashlib
import traceback
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from turnledger.capture.content import snapshot
from turnledger.wire.value_kinds import type_name

if TYPE_CHECKING:
    from turnledger.capture.content import Content

__all__ = ["Failure", "failure_of", "stop_code"]


@dataclass(frozen=True, slots=True)
class Failure:
    """What is recorded of an exception; ``payload`` holds its class and text."""

    error_class: str
    payload: Content
    stack: str

    def facts(self) -> dict[str, object]:
        """The part that goes into a detail record."""
        return {"errorClass": self.error_class, "stack": self.stack}


def failure_of(error: BaseException) -> Failure:
    """What there is to record of ``error``; never raises for what its methods do."""
    name = type_name(type(error)).removeprefix("builtins.")
    payload = snapshot({"type": name, "message": _text(error)})
    return Failure(name, payload, _stack_digest(error))


def stop_code(error: BaseException) -> str | None:
    """How ``error`` stops a program from outside its own logic; None for an ordinary exception."""
    if isinstance(error, Exception):
        return None
    if isinstance(error, GeneratorExit):
        return "consumer_stopped"
    if isinstance(error, KeyboardInterrupt):
        return "interrupt"
    if isinstance(error, SystemExit):
        return "exit"
    return "cancelled"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as broken:  # noqa: BLE001  a caller's __str__ may raise anything
        return f"<{type_name(type(broken))} while asking for the text>"


def _stack_digest(error: BaseException) -> str:
    digest = hashlib.sha256()
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        digest.update(f"{PurePath(code.co_filename).name}:{code.co_qualname}:{line}\n".encode())
    return digest.hexdigest()
