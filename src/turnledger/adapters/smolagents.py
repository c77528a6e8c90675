"""smolagents: ``turnledger.record(agent)``, or a model of it alone."""

from __future__ import annotations

import functools
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters import clients, litellm
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import current, current_turn
from turnledger.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnledger.capture.model_call import ModelCallStep

__all__ = ["record"]

_MARK: Final = "_turnledger_recorded"
_CONTEXT: Final = "_turnledger_context"


def record(thing: Any, role: str | None = "primary") -> None:
    """Record what an agent does from now on, its managed agents included; or what a model is asked.

    It belongs to the turn that is open where the agent runs; without one it is refused, and nothing is asked.
    Raises UsageError for a model that asks through LiteLLM where that is not recorded.
    """
    tools = getattr(thing, "tools", None)
    if not isinstance(tools, dict):
        _record_model(thing, role)
        return
    _record_model(thing.model, role)
    for tool in tools.values():
        _replace(tool, "forward", functools.partial(_recorded_tool, tool))
    for managed in thing.managed_agents.values():
        record(managed, role)
    _replace(thing, "run", functools.partial(_recorded_run, thing))


def _replace(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Put what ``make`` makes of a method of ``owner`` in its place, once."""
    method = getattr(owner, name, None)
    if method is None or hasattr(method, _MARK):
        return
    made = functools.wraps(method)(make(method))
    setattr(made, _MARK, True)
    setattr(owner, name, made)


# --- models ------------------------------------------------------------------------------------------


def _record_model(model: Any, role: str | None) -> None:
    client = getattr(model, "client", None)
    if clients.is_recordable(client):
        clients.record(client, role=role)
    elif clients.package_of(client) == "litellm":
        if not litellm.is_recorded():
            msg = f"A {type(model).__qualname__} asks through LiteLLM, which is not recorded."
            raise UsageError(msg, next_step="Call turnledger.install() before LiteLLM is imported.")
    else:
        _replace(model, "generate", functools.partial(_recorded_generate, model, role))
        _replace(model, "generate_stream", functools.partial(_recorded_stream, model, role))


def _recorded_generate(model: Any, role: str | None, generate: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(messages: Any, *args: Any, **kwargs: Any) -> Any:
        with _model_step(model, role, messages, kwargs, stream=False) as step:
            said = generate(messages, *args, **kwargs)
            step.result(plain_form(said.content), usage=_usage(said), status="ok")
            return said

    return recorded


def _recorded_stream(model: Any, role: str | None, generate: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(messages: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        with _model_step(model, role, messages, kwargs, stream=True) as step:
            said = ""
            for delta in generate(messages, *args, **kwargs):
                said += delta.content or ""
                yield delta
            step.result(said, status="ok")

    return recorded


def _model_step(
    model: Any, role: str | None, messages: Any, asked: dict[str, Any], *, stream: bool
) -> ModelCallStep:
    tools = [tool.name for tool in asked.get("tools_to_call_from") or ()]
    request = {"messages": [plain_form(message) for message in messages], "tools": tools}
    name = getattr(model, "model_id", None)
    name = name if isinstance(name, str) else type(model).__name__
    return current().model_call(request=request, role=role, model=name, stream=stream)


def _usage(said: Any) -> dict[str, object] | None:
    counts = said.token_usage
    if counts is None:
        return None
    return {"input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}


# --- tools and runs ----------------------------------------------------------------------------------


def _recorded_tool(tool: Any, forward: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(zip(tool.inputs, args, strict=False)) | kwargs
        with tool_step(tool.name, validated=arguments) as step, running(tool.name):
            result = forward(*args, **kwargs)
            step.result(plain_form(result))
            return result

    def recorded(*args: Any, **kwargs: Any) -> Any:
        context: Context | None = vars(tool).get(_CONTEXT)
        if current_turn() is not None or context is None:
            return run(*args, **kwargs)
        return context.copy().run(run, *args, **kwargs)

    return recorded


def _recorded_run(agent: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    """A run whose turn its tools find in any thread, and out of which our errors come as they are."""

    def recorded(*args: Any, **kwargs: Any) -> Any:
        context = copy_context()
        for tool in agent.tools.values():  # code that the model wrote runs in a thread without it
            setattr(tool, _CONTEXT, context)
        with _ours_first():
            told = run(*args, **kwargs)
        return _steps(told) if isinstance(told, Generator) else told

    return recorded


def _steps(told: Iterator[Any]) -> Iterator[Any]:
    with _ours_first():
        yield from told


@contextmanager
def _ours_first() -> Generator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001  it is raised again, if nothing else
        below: BaseException | None = error
        while below is not None and not isinstance(below, LedgerError):
            below = below.__cause__
        raise below or error  # noqa: B904  which it is the cause of
