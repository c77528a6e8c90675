"""What hooks of frameworks need of a turn: who asked for a tool that runs, and whether a model was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.capture.tool_call import ToolCallStep, read_arguments

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.turn import Turn

__all__ = ["last_model_call", "tool_intent"]


def last_model_call(turn: Turn) -> ModelCallStep | None:
    """The model call of this turn whose result was recorded last."""
    return turn._pen.last_call  # noqa: SLF001  the same room


def tool_intent(
    turn: Turn,
    tool: str,
    *,
    supplied: object = None,
    validated: object = None,
    valid: bool | None = None,
    call_id: str | None = None,
) -> ToolCallStep:
    """The step of a run of ``tool``, not entered yet; see ``Turn.tool_call`` for what is given.

    Which reply asked is told by ``call_id``, also where other replies came since.  ``supplied`` is taken from
    there where the framework has only what it was parsed to.
    """
    pen = turn._pen  # noqa: SLF001  the same room
    asked, text = pen.who_asked(call_id)
    return ToolCallStep(
        pen,
        tool=tool,
        arguments=read_arguments(text if supplied is None else supplied, validated, valid=valid),
        call_id=call_id,
        asked=asked,
    )
