"""OpenAI Agents: ``Runner.run(agent, …, hooks=Recording())``.

The hooks record tool runs with the text that the model wrote.  Requests to models are recorded where they
leave: ``set_default_openai_client(turnledger.record(AsyncOpenAI()))``.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.adapters.methods import put_around
from turnledger.adapters.tool_hook import open_turn, running, tool_step
from turnledger.adapters.translation import translation_for
from turnledger.capture.content import plain_form, snapshot
from turnledger.capture.context import current_turn
from turnledger.capture.tool_intent import last_model_call
from turnledger.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from agents import RunHooks

    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.steps import Step
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]

_open: Final[WeakKeyDictionary[Any, dict[str, ToolCallStep]]] = WeakKeyDictionary()
"""Steps of the tools that run, by the context that they run in, and the provider's id of the call."""


class Hooks:
    """Hooks that record what the agent does, in the turn that is open where it runs.

    ``role`` says what its models are used for.
    """

    def __init__(self, *, role: str | None = "primary") -> None:
        super().__init__()
        self.role = role
        self._last: WeakKeyDictionary[Any, ModelCallStep | None] = WeakKeyDictionary()
        self._asking: WeakKeyDictionary[Any, ModelCallStep] = WeakKeyDictionary()

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: list[Any]
    ) -> None:
        """Record the client of a model that the agent was given as an object, or what that is asked."""
        turn, model = open_turn(), agent.model
        self._last[context] = last_model_call(turn)
        if is_recordable(model):
            record(model, role=self.role)
        elif model is not None and not isinstance(model, str):
            request = {"instructions": system_prompt, "input": input_items}
            name = getattr(model, "model", None)
            name = name if isinstance(name, str) else type(model).__name__
            step = turn.model_call(request=request, role=self.role, model=name)
            await _begin(step)
            self._asking[context] = step

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Record what such a model said; say it at once where a client that nobody records was asked."""
        step = self._asking.pop(context, None)
        if step is not None:
            step.result([plain_form(item) for item in response.output], usage=response.usage, status="ok")
            await _end(step, None)
        if last_model_call(open_turn()) is self._last.get(context):
            msg = f"Agent {agent.name!r} asked a model by a client that is not recorded."
            raise UsageError(
                msg,
                next_step="Use set_default_openai_client(turnledger.record(AsyncOpenAI())), or record its.",
            )

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Have the call on record; raises CaptureRefused where that fails, and the tool does not run."""
        supplied = getattr(context, "tool_arguments", None)
        call_id = getattr(context, "tool_call_id", None)
        try:
            step = tool_step(tool.name, supplied=supplied, call_id=call_id)
        except LedgerError as refusal:
            raise translation_for("agents")(refusal) from refusal
        await _begin(step)
        _open.setdefault(context, {})[_key(context, tool)] = step
        _watch(tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        """Have what the tool returned on record before the model is told."""
        step = _open.get(context, {}).pop(_key(context, tool), None)
        if step is not None:
            step.result(plain_form(result))
            await _end(step, None)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Record that another agent goes on."""
        await open_turn().progress(f"{from_agent.name} → {to_agent.name}", kind="handoff")


async def _begin(step: Step) -> None:
    try:
        await step.__aenter__()
    except LedgerError as refusal:
        raise translation_for("agents")(refusal) from refusal


async def _end(step: Step, error: BaseException | None) -> None:
    trace = None if error is None else error.__traceback__
    try:
        await step.__aexit__(None if error is None else type(error), error, trace)
    except LedgerError as unrecorded:
        raise translation_for("agents")(unrecorded) from unrecorded


def _watch(tool: Any) -> None:
    """See what a function tool raises before it is turned into a text for the model."""
    invoker = getattr(tool, "on_invoke_tool", None)
    if invoker is None:
        return
    holder, name = (
        (invoker, "_invoke_tool_impl") if hasattr(invoker, "_invoke_tool_impl") else (tool, "on_invoke_tool")
    )
    put_around(holder, name, functools.partial(_watched, tool))


def _watched(tool: Any, invoke: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def watched(context: Any, arguments: str) -> Any:
        step = _running_step(context, tool, arguments)
        if step is None:
            return await invoke(context, arguments)
        try:
            with running(tool.name):
                return await invoke(context, arguments)
        except BaseException as error:
            _open.get(context, {}).pop(_key(context, tool), None)
            if _is_refusal_of_arguments(error):
                step.result(str(error), status="invalid")
            await _end(step, error)
            raise

    return watched


def _key(context: Any, tool: Any) -> str:
    return str(getattr(context, "tool_call_id", None) or tool.name)


def _running_step(context: Any, tool: Any, arguments: str) -> ToolCallStep | None:
    """The open step of an invocation, whose context can be a reduced copy of the one that it runs in."""
    step = _open.get(context, {}).get(_key(context, tool))
    turn = current_turn()
    if step is not None or turn is None:
        return step
    same = (step for step in turn.open_tools if step.name == tool.name)
    return next((step for step in same if step.arguments.supplied == snapshot(arguments)), None)


def _is_refusal_of_arguments(error: BaseException) -> bool:
    from agents.exceptions import ModelBehaviorError  # noqa: PLC0415  its user has imported it

    return isinstance(error, ModelBehaviorError)


if TYPE_CHECKING:

    class Recording(Hooks, RunHooks[Any]):
        """See ``Hooks``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from agents.lifecycle import RunHooksBase  # noqa: PLC0415  whoever asks for it has it

        return joined(Hooks, RunHooksBase, name)
