"""The Model Context Protocol, from both sides.

``turnledger.record(session)`` records calls of a server's tools where they are made; in a server it is
``MCPServer(…, middleware=[Recording(conversation)])``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from turnledger.adapters.methods import put_around
from turnledger.adapters.tool_hook import is_running, running, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import current_turn
from turnledger.errors import UsageError

if TYPE_CHECKING:
    from turnledger.capture.conversation import Conversation

__all__ = ["Recording", "record"]


def record(session: Any, role: str | None = None) -> None:  # noqa: ARG001  as all doors are called
    """Record the tool calls of a ``ClientSession``, ``Client`` or ``ClientSessionGroup`` from now on.

    They belong to the turn that is open where they are made; without one they are refused, and the server is
    not asked.  A call that an adapter records already, because the tool belongs to an agent, stays one.
    ``role`` is for models, and says nothing here.  Raises UsageError for an object that calls no tools.
    """
    if not hasattr(session, "call_tool"):
        msg = f"A {type(session).__qualname__} calls no tools."
        raise UsageError(msg, next_step="Pass the ClientSession or Client that does.")
    put_around(session, "call_tool", _recorded)


def _recorded(call_tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def recorded(name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        if is_running(name):
            return await call_tool(name, arguments, *args, **kwargs)
        return await _run(name, arguments, lambda: call_tool(name, arguments, *args, **kwargs))

    return recorded


async def _run(name: str, arguments: Any, call: Callable[[], Awaitable[Any]]) -> Any:
    async with tool_step(name, validated=arguments) as step:
        with running(name):
            result = await call()
        step.result(plain_form(result), status="error" if _is_error(result) else "ok")
        return result


def _is_error(result: Any) -> bool:
    if isinstance(result, dict):
        return result.get("isError") is True
    return getattr(result, "is_error", False) is True


class Recording:
    """A middleware of a server, through which each tool call is on record before the tool runs.

    A call belongs to the turn that is open where the server runs, else it is a turn of ``conversation``.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Pass a message on, a tool call once it is on record; raises CaptureRefused where that fails."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        if current_turn() is not None:
            return await self._call(ctx, call_next)
        async with self.conversation.turn("mcp") as turn:
            result = await self._call(ctx, call_next)
            await turn.commit(reply=False)
        return result

    async def _call(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        params = ctx.params or {}
        return await _run(str(params.get("name")), params.get("arguments"), lambda: call_next(ctx))
