"""The one list of event types; adding a type is one class in ``events`` and one line here."""

from __future__ import annotations

from typing import Final

from turnledger.model import events
from turnledger.model.vocabulary import JournalKind

__all__ = ["EVENT_TYPES", "FINAL_TYPES", "INTENT_TYPES", "OUTCOME_TYPES", "known_types", "may_stand_in"]

EVENT_TYPES: Final[dict[str, type[events.Event]]] = {
    kind.TYPE: kind
    for kind in (
        events.Intake,
        events.Prompt,
        events.Guard,
        events.ModelCall,
        events.ModelResult,
        events.ToolCall,
        events.ToolResult,
        events.Approval,
        events.MemoryWrite,
        events.Progress,
        events.Verify,
        events.Superseded,
        events.Budget,
        events.Error,
        events.Commit,
        events.Abort,
        events.Opened,
        events.Message,
        events.Verdict,
        events.Collapsed,
        events.Shed,
        events.TurnOpened,
        events.TurnClosed,
        events.Delivery,
        events.Late,
        events.Gap,
        events.CaptureError,
        events.Pruned,
        events.Erased,
        events.Setting,
        events.Access,
        events.Repriced,
        events.Epoch,
    )
}

_KNOWN: Final = frozenset(EVENT_TYPES)
FINAL_TYPES: Final = frozenset({events.Commit.TYPE, events.Abort.TYPE})
INTENT_TYPES: Final = frozenset({events.ModelCall.TYPE, events.ToolCall.TYPE})
OUTCOME_TYPES: Final = frozenset({events.ModelResult.TYPE, events.ToolResult.TYPE})


def known_types() -> frozenset[str]:
    """Names of all event types of the contract."""
    return _KNOWN


def may_stand_in(type_name: str, journal: JournalKind) -> bool:
    """Whether the contract allows this type in that kind of journal (unknown types may stand anywhere)."""
    kind = EVENT_TYPES.get(type_name)
    return kind is None or journal in kind.JOURNALS
