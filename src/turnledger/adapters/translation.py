"""Our errors in the terms of an SDK, so that its client hands them on instead of trying again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from turnledger.adapters.joining import joined
from turnledger.errors import LedgerError

__all__ = ["Translate", "translation_for"]

Translate = Callable[[LedgerError], LedgerError]

_OWN_ERRORS: Final = {
    "agent_framework": "MiddlewareFailure",
    "agents": "AgentsException",
    "anthropic": "AnthropicError",
    "crewai.hooks.dispatch": "HookAborted",
    "openai": "OpenAIError",
    "strands.types.exceptions": "EventLoopException",
}
"""SDKs that try again after any other error of a transport, or make another one of it."""


def translation_for(sdk: str) -> Translate:
    """What makes an error of ours one of this SDK's as well, if that is needed; it stays one of ours."""
    base = getattr(sys.modules.get(sdk), _OWN_ERRORS.get(sdk, ""), None)
    if base is None:
        return lambda error: error
    return lambda error: _copied(error, joined(type(error), base, type(error).__name__))


def _copied(error: LedgerError, kind: type[LedgerError]) -> LedgerError:
    copy = kind.__new__(kind)
    copy.args = error.args
    copy.__dict__.update(error.__dict__)
    return copy
