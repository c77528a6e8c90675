"""What all hooks of frameworks do with a tool run that they are told of."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from turnledger.capture.context import current_turn
from turnledger.capture.tool_intent import tool_intent
from turnledger.errors import CaptureRefused

if TYPE_CHECKING:
    from turnledger.capture.tool_call import ToolCallStep
    from turnledger.capture.turn import Turn

__all__ = ["is_running", "open_turn", "running", "tool_step"]

_running: ContextVar[tuple[str, ...]] = ContextVar("turnledger_running_tools", default=())

_ELSEWHERE: Final = (
    "Run the agent inside `with conversation.turn(…)`; in a thread that does not inherit the context, "
    "wrap it in turnledger.propagate()."
)


def open_turn() -> Turn:
    """The turn that a tool runs in; raises CaptureRefused where there is none, and it must not run."""
    turn = current_turn()
    if turn is None:
        msg = "No turn is open in this thread or task, so the step cannot be recorded and has not run."
        raise CaptureRefused(msg, next_step=_ELSEWHERE)
    return turn


def tool_step(
    tool: str,
    *,
    supplied: object = None,
    validated: object = None,
    valid: bool | None = None,
    call_id: str | None = None,
) -> ToolCallStep:
    """The step of a tool run in the current turn, not entered yet; see ``capture.tool_intent``."""
    return tool_intent(
        open_turn(), tool, supplied=supplied, validated=validated, valid=valid, call_id=call_id
    )


@contextmanager
def running(tool: str) -> Generator[None]:
    """Whatever this context does now belongs to a run of ``tool`` that is recorded."""
    token = _running.set((*_running.get(), tool))
    try:
        yield
    finally:
        _running.reset(token)


def is_running(tool: str) -> bool:
    """Whether a recorded run of ``tool`` is under way here, possibly under a name with a prefix."""
    return any(name == tool or name.endswith(("_" + tool, "." + tool, "/" + tool)) for name in _running.get())
