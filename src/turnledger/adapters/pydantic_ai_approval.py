"""Tools of Pydantic AI that somebody has to approve: the call waits on record, and goes on when it runs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from turnledger.adapters.tool_hook import open_turn, tool_step
from turnledger.capture.content import snapshot
from turnledger.errors import UsageError
from turnledger.model.vocabulary import ApprovalDecision

if TYPE_CHECKING:
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["approved_step", "ask_for_approval", "supplied_text"]


def supplied_text(call: Any) -> str | None:
    """The arguments as the model wrote them; None where they are parsed, and the reply has the text."""
    return call.args if isinstance(call.args, str) else None


async def ask_for_approval(call: Any, question: object) -> None:
    """Record a call that has not run, and that somebody is asked about it."""
    parsed = call.args if isinstance(call.args, dict) else None
    step = tool_step(
        call.tool_name, supplied=supplied_text(call), validated=parsed, call_id=call.tool_call_id or None
    )
    await step.__aenter__()
    await open_turn().approval(step, question=question or None)


async def approved_step(call: Any) -> ToolCallStep | None:
    """The call that waited, entered and with its decision on record; None where none did in this turn."""
    turn = open_turn()
    waited = [step for step in turn.open_tools if step.name == call.tool_name and step.decision is not None]
    step = next((step for step in waited if _is_same(step, call)), None)
    if step is None:
        return None
    approval = next(approval for approval in turn.approvals if approval.subject is step)
    if approval.decision is ApprovalDecision.REQUESTED:
        await approval.decide("granted")
    with suppress(UsageError):  # in the process that asked it is entered already
        await step.__aenter__()
    return step


def _is_same(step: ToolCallStep, call: Any) -> bool:
    supplied = step.arguments.supplied  # unknown of a call that another process recorded
    return supplied is None or not isinstance(call.args, str) or supplied == snapshot(call.args)
