"""Microsoft Agent Framework: ``Agent(client=…, middleware=[Recording()])``."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false
# (it is in an environment of its own)
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.agent_framework_model import StreamedStep, is_stream, model_step, ours_in, take
from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.adapters.translation import translation_for
from turnledger.capture.content import plain_form
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from agent_framework import AgentMiddleware

    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]

_PAUSES: Final = frozenset({"MiddlewareTermination", "UserInputRequiredException"})
"""Errors that say that a tool is to be answered for by somebody else."""


class Middleware:
    """A middleware that records what the agent does, in the turn that is open where it runs.

    ``role`` says what its model is used for.  Wherever it is given, what records stands behind all other
    middlewares: what they change is recorded changed, and what they try again as often as it is tried.
    """

    def __init__(self, *, role: str | None = "primary") -> None:
        from agent_framework import ChatMiddleware, FunctionMiddleware  # noqa: PLC0415  it is imported

        super().__init__()
        requests = joined(Requests, ChatMiddleware, "RecordingRequests")(role)
        tools = joined(Tools, FunctionMiddleware, "RecordingTools")()
        self._recording: list[Any] = [tools, requests]

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Stand around the requests and the tools of a run."""
        others = [one for one in context.client_kwargs.get("middleware", ()) if one not in self._recording]
        context.client_kwargs["middleware"] = [*others, *self._recording]
        await call_next()


class Requests:
    """A middleware around each request to the model."""

    def __init__(self, role: str | None) -> None:
        self.role = role

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """See that the request is on record before it leaves; raises CaptureRefused where that fails."""
        try:
            if is_recordable(context.client):
                record(context.client, role=self.role)
                await call_next()
                if is_stream(context.result):
                    StreamedStep(None).stand_around(context.result)
                return
            await self._recorded(context, call_next)
        except Exception as error:
            refusal = ours_in(error)
            if refusal is None:
                raise
            raise refusal from error

    async def _recorded(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        step = model_step(context, self.role)
        await step.__aenter__()
        try:
            await call_next()
        except BaseException as error:
            await step.__aexit__(type(error), error, error.__traceback__)
            raise
        if is_stream(context.result):
            StreamedStep(step).stand_around(context.result)
            return
        if context.result is not None:
            take(step, context.result)
        await step.__aexit__(None, None, None)


class Tools:
    """A middleware around each run of a tool."""

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Have the call on record; raises CaptureRefused where that fails, and the tool does not run."""
        try:
            await _run(context, call_next)
        except LedgerError as refusal:
            raise translation_for("agent_framework")(refusal) from refusal


async def _run(context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
    tool, call_id = context.function, context.metadata.get("call_id")
    arguments, valid = _validated(tool, context.arguments)
    async with tool_step(tool.name, validated=arguments, valid=valid, call_id=call_id) as step:
        try:
            with running(tool.name):
                await call_next()
        except Exception as error:
            _note(step, error, valid=valid)
            raise
        step.result(_said(context.result))


def _validated(tool: Any, given: Any) -> tuple[Any, bool]:
    """The arguments that the tool runs with, and whether they are valid."""
    try:
        return tool._prepare_arguments(given), True  # noqa: SLF001  which is asked again before it runs
    except TypeError:
        return given, False


def _note(step: ToolCallStep, error: Exception, *, valid: bool) -> None:
    if not valid:
        step.result(str(error), status="invalid")
    elif any(kind.__name__ in _PAUSES for kind in type(error).__mro__):
        step.result(str(error) or type(error).__name__, status="cancelled")


def _said(result: Any) -> Any:
    """What the tool said: a text, or the parts of it."""
    if not isinstance(result, list):
        return plain_form(result)
    parts: list[Any] = [plain_form(part.to_dict() if hasattr(part, "to_dict") else part) for part in result]
    is_text = len(result) == 1 and getattr(result[0], "type", None) == "text"
    return result[0].text if is_text else parts


if TYPE_CHECKING:

    class Recording(Middleware, AgentMiddleware):
        """See ``Middleware``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from agent_framework import AgentMiddleware  # noqa: PLC0415  whoever asks for it has it

        return joined(Middleware, AgentMiddleware, name)
