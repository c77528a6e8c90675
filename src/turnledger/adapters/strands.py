"""Strands Agents: ``Agent(model, tools=…, plugins=[…, Recording()])``, as the last one."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false
# (it is in an environment of its own)
from __future__ import annotations

import functools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.adapters.methods import put_around
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.adapters.translation import translation_for
from turnledger.capture.content import plain_form
from turnledger.capture.context import current
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable

    from strands.plugins import Plugin

    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]

_ERRORS: Final = "strands.types.exceptions"
_MAKER: Final = "_get_client"  # of models that have a client for each request


class Middlewares:
    """A plugin that records what the agent does, in the turn that is open where it runs.

    ``role`` says what its model is used for.  Given as the last one it stands innermost, so that what other
    middlewares change is recorded changed, and what they try again is recorded as often as it is tried.
    """

    name = "turnledger"

    def __init__(self, *, role: str | None = "primary") -> None:
        super().__init__()
        self.role = role

    def init_agent(self, agent: Any) -> None:
        """Stand around its models and tools."""
        from strands.middleware import ExecuteToolStage, InvokeModelStage  # noqa: PLC0415  it is imported

        agent.add_middleware(InvokeModelStage, self.around_model)
        agent.add_middleware(ExecuteToolStage, self.around_tool)
        if not self._records_itself(agent.model):
            put_around(agent.model, "structured_output", functools.partial(self._around_structured, agent))

    async def around_model(
        self, context: Any, next_fn: Callable[[Any], AsyncIterator[Any]]
    ) -> AsyncGenerator[Any]:
        """See that the request is on record before it leaves; raises CaptureRefused where that fails."""
        try:
            if self._records_itself(context.model):
                async for event in next_fn(context):
                    yield event
                return
            asked = {
                "system": context.system_prompt,
                "messages": context.messages,
                "tools": context.tool_specs,
                "toolChoice": context.tool_choice,
            }
            async with self._model_step(context.model, asked, stream=True) as step:
                async for event in next_fn(context):
                    kind = type(event).__name__
                    if kind == "ModelStopReason":
                        _take(step, event)
                    elif kind == "TextStreamEvent":
                        step.chunk(event["data"])
                    yield event
        except LedgerError as refusal:
            error: Any = translation_for(_ERRORS)(refusal)
            error.original_exception, error.request_state = refusal, {}
            raise error from refusal

    async def around_tool(
        self, context: Any, next_fn: Callable[[Any], AsyncIterator[Any]]
    ) -> AsyncGenerator[Any]:
        """Have the call on record; raises CaptureRefused where that fails, and the tool does not run."""
        asked = context.tool_use
        name, call_id = asked["name"], asked.get("toolUseId")
        async with tool_step(name, validated=asked.get("input"), call_id=call_id) as step:
            events = next_fn(context)
            while True:
                with running(name):
                    event = await anext(events, None)
                if event is None:
                    return
                kind = type(event).__name__
                if kind == "ToolResultEvent":
                    await _observe(step, event)
                elif kind == "ToolInterruptEvent":  # it starts again later, as a call of its own
                    step.result([plain_form(one.to_dict()) for one in event.interrupts], status="cancelled")
                yield event

    def _records_itself(self, model: Any) -> bool:
        if is_recordable(model):
            record(model, role=self.role)
            return True
        make = getattr(model, _MAKER, None)
        if make is None:
            return False
        if _MAKER not in vars(model):
            setattr(model, _MAKER, lambda: _recorded(make(), self.role))
        return True

    def _around_structured(self, agent: Any, ask: Callable[..., Any]) -> Callable[..., Any]:
        """Record what a model without such a client is asked past the middlewares."""

        async def recorded(kind: Any, messages: Any, *args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
            system = kwargs.get("system_prompt")
            asked = {"system": system, "messages": messages, "output": getattr(kind, "__name__", str(kind))}
            async with self._model_step(agent.model, asked, stream=False) as step:
                async for event in ask(kind, messages, *args, **kwargs):
                    if "output" in event:
                        step.result(plain_form(event["output"]), status="ok")
                    yield event

        return recorded

    def _model_step(self, model: Any, asked: dict[str, Any], *, stream: bool) -> ModelCallStep:
        name = (model.get_config() or {}).get("model_id")
        name = name if isinstance(name, str) else type(model).__name__
        return current().model_call(request=plain_form(asked), role=self.role, model=name, stream=stream)


def _recorded(made: Any, role: str | None) -> Any:
    return record(made, role=role) if is_recordable(made) else _recorded_inside(made, role)


@asynccontextmanager
async def _recorded_inside(made: Any, role: str | None) -> AsyncGenerator[Any]:
    async with made as client:
        yield record(client, role=role)


def _take(step: ModelCallStep, event: Any) -> None:
    counts = event.usage
    usage = {
        "input_tokens": counts["inputTokens"],
        "output_tokens": counts["outputTokens"],
        "total_tokens": counts["totalTokens"],
    }
    step.result(plain_form(event.message), usage=usage if counts["totalTokens"] else None, status="ok")


async def _observe(step: ToolCallStep, event: Any) -> None:
    """Have the result on record, or what the tool raised before the framework made a text of it."""
    result, error = event.tool_result, event.exception
    if error is not None:
        await step.__aexit__(type(error), error, error.__traceback__)
        return
    content = result["content"]
    said = content[0]["text"] if len(content) == 1 and content[0].keys() == {"text"} else content
    step.result(plain_form(said), status="error" if result["status"] == "error" else "ok")


if TYPE_CHECKING:

    class Recording(Middlewares, Plugin):
        """See ``Middlewares``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from strands.plugins import Plugin  # noqa: PLC0415  whoever asks for it has it

        return joined(Middlewares, Plugin, name)
