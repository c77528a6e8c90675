"""Hooks of the program that the Claude Agent SDK runs: what it tells, before and after each effect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from turnledger.adapters.tool_hook import open_turn, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import current_turn
from turnledger.errors import CaptureRefused, LedgerError

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.tool_call import ToolCallStep
    from turnledger.capture.turn import Turn

__all__ = ["Hooks"]

Told = Mapping[str, Any]
Hook = Callable[[Any, str | None, Any], Awaitable[dict[str, Any]]]

_UNKNOWN: Final = object()

_EACH: Final = (
    "Call query(), or connect a ClaudeSDKClient, inside each `async with conversation.turn()`; "
    "resume=session_id goes on with an earlier session."
)


class Hooks:
    """Record what programs do, each in the turn that was open where it was started.

    ``asks`` says whether its requests to the model are recorded here, by what is added to the conversation
    before each and what came of it; ``model`` and ``role`` are said of them.
    """

    def __init__(self, *, asks: bool, model: str | None, role: str | None) -> None:
        self._asks = asks
        self._model = model
        self._role = role
        self._acting: WeakKeyDictionary[Turn, dict[tuple[object, object], _Acting]] = WeakKeyDictionary()

    @property
    def by_event(self) -> Mapping[str, Hook]:
        """The hooks, by the events that they are for."""
        return {
            "UserPromptSubmit": _or(_block, self._prompted),
            "SubagentStart": _or(_stop, self._delegated),
            "PreToolUse": _or(_deny, self._before_tool),
            "PostToolUse": _or(_stop, self._after_tool),
            "PostToolUseFailure": _or(_stop, self._tool_failed),
            "PostToolBatch": _or(_stop, self._after_tools),
            "Stop": _or(_stop, self._answered),
            "SubagentStop": _or(_stop, self._answered),
            "StopFailure": _or(_stop, self._failed),
        }

    def _who(self, told: Told) -> _Acting:
        """Who acts: sessions and ids of calls may repeat, in another turn or by another agent."""
        turn = current_turn()
        if turn is None:
            msg = "No turn is open where this program was started, or it has ended: the step has not run."
            raise CaptureRefused(msg, next_step=_EACH)
        acting = self._acting.setdefault(turn, {})
        return acting.setdefault((told.get("session_id"), told.get("agent_id")), _Acting())

    # --- requests to the model ---------------------------------------------------------------------

    async def _prompted(self, told: Told, _: str | None) -> None:
        await self._ask(told, {"prompt": told["prompt"]})

    async def _delegated(self, told: Told, _: str | None) -> None:
        await self._ask(told, {"agent": told.get("agent_type")})

    async def _ask(self, told: Told, added: object) -> None:
        who = self._who(told)
        await who.reply()
        if self._asks:
            step = open_turn().model_call(
                request=added, role=self._role, model=self._model, provider="anthropic", stream=True
            )
            await step.__aenter__()
            who.asking = step

    async def _answered(self, told: Told, _: str | None) -> None:
        await self._who(told).reply(told.get("last_assistant_message") or "")

    async def _failed(self, told: Told, _: str | None) -> None:
        await self._who(told).reply({"error": told.get("error")}, "error")

    # --- tools -------------------------------------------------------------------------------------

    async def _before_tool(self, asked: Told, call_id: str | None) -> None:
        who, name, given = self._who(asked), asked["tool_name"], asked["tool_input"]
        await who.reply({"tool_use": {"id": call_id, "name": name, "input": given}})
        step = tool_step(name, validated=given, call_id=call_id)
        await step.__aenter__()
        who.running.setdefault(call_id, []).append(step)
        who.begun.add(call_id)

    async def _after_tool(self, told: Told, call_id: str | None) -> None:
        await self._who(told).end(call_id, told["tool_response"], "ok")

    async def _tool_failed(self, told: Told, call_id: str | None) -> None:
        status = "cancelled" if told.get("is_interrupt") else "error"
        await self._who(told).end(call_id, told["error"], status)

    async def _after_tools(self, told: Told, _: str | None) -> None:
        """Record which calls did not run; the model is told of all of them next."""
        who, calls = self._who(told), told["tool_calls"]
        for call in calls:
            call_id, said = call["tool_use_id"], call.get("tool_response")
            if call_id in who.begun:  # but not allowed, where nothing came of it yet
                await who.end(call_id, said, "denied")
            else:
                await who.reply({"tool_use": {"id": call_id, "name": call["tool_name"]}})
                await _not_taken(call)
        who.begun.clear()
        results = [{"id": call["tool_use_id"], "result": call.get("tool_response")} for call in calls]
        await self._ask(told, {"toolResults": plain_form(results)})


class _Acting:
    """An agent of a program: the request that it waits for, and its tools that run."""

    def __init__(self) -> None:
        self.asking: ModelCallStep | None = None
        self.running: dict[str | None, list[ToolCallStep]] = {}
        self.begun: set[str | None] = set()
        self._one_by_one = asyncio.Lock()

    async def reply(self, reply: object = _UNKNOWN, status: str = "ok") -> None:
        """Have on record what came of the request, if one is under way, before anything that it asked for."""
        async with self._one_by_one:
            step, self.asking = self.asking, None
            if step is None:
                return
            if reply is not _UNKNOWN:
                step.result(plain_form(reply), status=status)
            await step.__aexit__(None, None, None)

    async def end(self, call_id: str | None, result: object, status: str) -> None:
        """Have on record what came of a tool, if it is not yet."""
        steps = self.running.get(call_id)
        if steps:
            step = steps.pop(0)
            step.result(plain_form(result), status=status)
            await step.__aexit__(None, None, None)


async def _not_taken(call: Told) -> None:
    """Record a call that no tool takes: there is none of the name, or what the model wrote is no JSON."""
    name, given, call_id = call["tool_name"], call["tool_input"], call["tool_use_id"]
    text = given.get("__unparsedToolInput", {}).get("raw")
    validated = given if text is None else None
    async with tool_step(name, supplied=text, validated=validated, valid=False, call_id=call_id) as step:
        step.result(plain_form(call.get("tool_response")), status="invalid")


def _or(
    refuse: Callable[[LedgerError], dict[str, Any]], act: Callable[[Any, str | None], Awaitable[None]]
) -> Hook:
    async def hook(told: Told, call_id: str | None, _: object) -> dict[str, Any]:
        try:
            await act(told, call_id)
        except LedgerError as error:
            return refuse(error)
        return {}

    return hook


def _stop(error: LedgerError) -> dict[str, Any]:
    """End the run."""
    return {"continue_": False, "stopReason": str(error)}


def _block(error: LedgerError) -> dict[str, Any]:
    """Have the model not asked, and end the run."""
    return {**_stop(error), "decision": "block", "reason": str(error)}


def _deny(error: LedgerError) -> dict[str, Any]:
    """Have the tool not run, and end the run."""
    denied = {"permissionDecision": "deny", "permissionDecisionReason": str(error)}
    return {**_stop(error), "hookSpecificOutput": {"hookEventName": "PreToolUse", **denied}}
