"""LangChain and LangGraph: ``create_agent(model, tools, middleware=[…, Recording()])``, as the last one.

For a graph of one's own: ``ToolNode(tools, wrap_tool_call=recording.wrap_tool_call,
awrap_tool_call=recording.awrap_tool_call)``, and ``turnledger.record(model)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import current

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain.agents.middleware import AgentMiddleware

    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]


class Middleware:
    """A middleware that records what the agent does, in the turn that is open where it runs.

    ``role`` says what its model is used for.  Given as the last one it stands innermost, so that what other
    middlewares change is recorded changed, and what they try again is recorded as often as it is tried.
    """

    def __init__(self, *, role: str | None = "primary") -> None:
        super().__init__()
        self.role = role

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """See that the request is on record before it leaves; raises CaptureRefused where that fails."""
        if self._records_itself(request.model):
            return handler(request)
        with self._model_step(request) as step:
            return _took(step, handler(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same for asynchronous runs."""
        if self._records_itself(request.model):
            return await handler(request)
        async with self._model_step(request) as step:
            return _took(step, await handler(request))

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Have the call on record; raises CaptureRefused where that fails, and the tool does not run."""
        with _tool_step(request) as step, running(step.name):
            try:
                return _observed(step, handler(request))
            except Exception as error:
                _note_pause(step, error)
                raise

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same for asynchronous runs."""
        async with _tool_step(request) as step:
            with running(step.name):
                try:
                    return _observed(step, await handler(request))
                except Exception as error:
                    _note_pause(step, error)
                    raise

    def _records_itself(self, model: Any) -> bool:
        if not is_recordable(model):
            return False
        record(model, role=self.role)
        return True

    def _model_step(self, request: Any) -> ModelCallStep:
        model = request.model
        messages = [message for message in (request.system_message, *request.messages) if message is not None]
        asked = {
            "messages": _plain(messages),
            "settings": request.model_settings,
            "tools": [_tool(tool) for tool in request.tools],
        }
        name = getattr(model, "model_name", None) or getattr(model, "model", None)
        name = name if isinstance(name, str) else type(model).__name__
        return current().model_call(request=asked, role=self.role, model=name)


def _plain(messages: list[Any]) -> object:
    from langchain_core.messages import messages_to_dict  # noqa: PLC0415  its user has imported it

    return messages_to_dict(messages)


def _tool(tool: Any) -> object:
    from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415  (same)

    return convert_to_openai_tool(tool)


def _took(step: ModelCallStep, response: Any) -> Any:
    messages = getattr(response, "result", [response])
    usage = next((counts for message in messages if (counts := _usage(message)) is not None), None)
    step.result(_plain(messages), usage=usage, status="ok")
    return response


def _usage(message: Any) -> dict[str, object] | None:
    counts = getattr(message, "usage_metadata", None)
    if not counts:
        return None
    read, out = counts.get("input_token_details") or {}, counts.get("output_token_details") or {}
    return {
        "input_tokens": counts["input_tokens"],
        "output_tokens": counts["output_tokens"],
        "total_tokens": counts["total_tokens"],
        "input_tokens_details": {"cached_tokens": read.get("cache_read")},
        "output_tokens_details": {"reasoning_tokens": out.get("reasoning")},
    }


def _tool_step(request: Any) -> ToolCallStep:
    call = request.tool_call
    return tool_step(call["name"], validated=call["args"], call_id=call.get("id"))


def _observed(step: ToolCallStep, answer: Any) -> Any:
    failed = getattr(answer, "status", None) == "error"
    content = getattr(answer, "content", None)
    step.result(plain_form(answer) if content is None else content, status="error" if failed else "ok")
    return answer


def _note_pause(step: ToolCallStep, error: Exception) -> None:
    """A tool that stops to ask somebody has not failed; it starts again later, as a call of its own."""
    from langgraph.errors import GraphInterrupt, ParentCommand  # noqa: PLC0415  its user has imported it

    if isinstance(error, GraphInterrupt):
        step.result([plain_form(item) for argument in error.args for item in argument], status="cancelled")
    elif isinstance(error, ParentCommand):
        step.result([plain_form(argument) for argument in error.args])


if TYPE_CHECKING:

    class Recording(Middleware, AgentMiddleware[Any, Any, Any]):
        """See ``Middleware``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from langchain.agents.middleware import AgentMiddleware  # noqa: PLC0415  whoever asks for it has it

        return joined(Middleware, AgentMiddleware, name)
