"""The Claude Agent SDK: ``query(prompt=…, options=Recording().options(ClaudeAgentOptions(…)))`` in a turn.

It runs a program that asks the model and runs the tools; hooks of that program are called before and after
each tool.  What the model is asked passes the recording gateway, where one is named.
"""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false
# (it is in an environment of its own)
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.tool_hook import open_turn, tool_step
from turnledger.capture.content import plain_form
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]

_HEADERS: Final = "ANTHROPIC_CUSTOM_HEADERS"


class Recording:
    """Hooks that record which tools the program runs, in the turn that is open where it is started.

    ``gateway`` is the address of the recording gateway's ``/anthropic``: each request to the model is then a
    turn there, which has this one as its parent.
    """

    def __init__(self, *, gateway: str | None = None) -> None:
        self.gateway = gateway
        self._open: dict[str | None, ToolCallStep] = {}

    def options(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """The options with the hooks, beside those that they have.

        Raises CaptureRefused where a gateway is named and no turn is open.
        """
        from claude_agent_sdk import HookMatcher  # noqa: PLC0415  its user has imported it

        hooks: dict[Any, list[Any]] = dict(options.hooks or {})
        for event, hook in {
            "PreToolUse": self._before,
            "PostToolUse": self._after,
            "PostToolUseFailure": self._failed,
        }.items():
            hooks[event] = [*hooks.get(event, []), HookMatcher(hooks=[hook], on_failure="block")]
        return dataclasses.replace(options, hooks=hooks, env=options.env | self._environment(options.env))

    def _environment(self, given: dict[str, str]) -> dict[str, str]:
        if self.gateway is None:
            return {}
        parent = f"turnledger-parent: {open_turn().handoff()}"
        more = given.get(_HEADERS)
        return {"ANTHROPIC_BASE_URL": self.gateway, _HEADERS: f"{more}\n{parent}" if more else parent}

    async def _before(self, asked: Any, call_id: str | None, _: Any) -> Any:
        """Have the call on record, else deny it and end the run."""
        try:
            step = tool_step(asked["tool_name"], validated=asked["tool_input"], call_id=call_id)
            await step.__aenter__()
        except LedgerError as refusal:
            denied = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
            return {
                **_stop(refusal),
                "hookSpecificOutput": {**denied, "permissionDecisionReason": str(refusal)},
            }
        self._open[call_id] = step
        return {}

    async def _after(self, told: Any, call_id: str | None, _: Any) -> Any:
        return await self._end(call_id, told["tool_response"], "ok")

    async def _failed(self, told: Any, call_id: str | None, _: Any) -> Any:
        return await self._end(call_id, told["error"], "cancelled" if told.get("is_interrupt") else "error")

    async def _end(self, call_id: str | None, result: object, status: str) -> Any:
        """Have what came of a call on record before the model is told, else end the run."""
        step = self._open.pop(call_id, None)
        if step is None:
            return {}
        step.result(plain_form(result), status=status)
        try:
            await step.__aexit__(None, None, None)
        except LedgerError as unrecorded:
            return _stop(unrecorded)
        return {}


def _stop(error: LedgerError) -> dict[str, object]:
    return {"continue_": False, "stopReason": str(error)}
