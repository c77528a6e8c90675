"""Turnledger: a flight recorder for AI agents.

``turnledger.open()`` records, ``turnledger.read()`` reads.  Nothing is loaded before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from turnledger.version import __version__

if TYPE_CHECKING:
    from turnledger.adapters.clients import record
    from turnledger.adapters.installing import install
    from turnledger.adapters.tool import tool
    from turnledger.capture.agent import Agent
    from turnledger.capture.approval import Approval
    from turnledger.capture.content import Attachment
    from turnledger.capture.context import PropagatingThreadPool, current, current_turn, propagate
    from turnledger.capture.conversation import Conversation
    from turnledger.capture.ledger import Ledger
    from turnledger.capture.message import Message
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.receipts import Receipt
    from turnledger.capture.tool_call import ToolCallStep
    from turnledger.capture.turn import Turn
    from turnledger.engine.reading import Reading
    from turnledger.engine.reading import open_reading as read
    from turnledger.engine.recorder import open_ledger as open  # noqa: A004  the contract's name
    from turnledger.errors import CaptureRefused, LedgerError, OutcomeUnrecorded, TurnLost, UsageError

__all__ = [
    "Agent",
    "Approval",
    "Attachment",
    "CaptureRefused",
    "Conversation",
    "Ledger",
    "LedgerError",
    "Message",
    "ModelCallStep",
    "OutcomeUnrecorded",
    "PropagatingThreadPool",
    "Reading",
    "Receipt",
    "ToolCallStep",
    "Turn",
    "TurnLost",
    "UsageError",
    "__version__",
    "current",
    "current_turn",
    "install",
    "open",
    "propagate",
    "read",
    "record",
    "tool",
]

_HOMES = {
    "Agent": "capture.agent",
    "Approval": "capture.approval",
    "Attachment": "capture.content",
    "CaptureRefused": "errors",
    "Conversation": "capture.conversation",
    "Ledger": "capture.ledger",
    "LedgerError": "errors",
    "Message": "capture.message",
    "ModelCallStep": "capture.model_call",
    "OutcomeUnrecorded": "errors",
    "PropagatingThreadPool": "capture.context",
    "Reading": "engine.reading",
    "Receipt": "capture.receipts",
    "ToolCallStep": "capture.tool_call",
    "Turn": "capture.turn",
    "TurnLost": "errors",
    "UsageError": "errors",
    "current": "capture.context",
    "current_turn": "capture.context",
    "install": "adapters.installing",
    "open": "engine.recorder:open_ledger",
    "propagate": "capture.context",
    "read": "engine.reading:open_reading",
    "record": "adapters.clients",
    "tool": "adapters.tool",
}


if not TYPE_CHECKING:  # type checkers shall know the names above and no others

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module, _, there = home.partition(":")
        value = getattr(import_module(f"{__name__}.{module}"), there or name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
