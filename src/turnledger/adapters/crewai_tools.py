"""Tools of CrewAI: each run is on record before the tool's function is called; cached answers are none."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from turnledger.adapters.crewai import as_a_stop
from turnledger.adapters.methods import inside, is_inside, put_around, put_around_all
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.content import plain_form

if TYPE_CHECKING:
    from turnledger.capture.tool_call import ToolCallStep

__all__ = [
    "ASKING",
    "STRUCTURED",
    "TEXTS",
    "TOOLS",
    "record_asking",
    "record_structured",
    "record_texts",
    "record_tools",
]

TOOLS: Final = "crewai.tools.base_tool"
STRUCTURED: Final = "crewai.tools.structured_tool"
TEXTS: Final = "crewai.tools.tool_usage"
ASKING: Final = ("crewai.utilities.agent_utils", "crewai.agents.agent_executor")

_MARK: Final = "_turnledger_recorded"
_MADE_UP: Final = re.compile(r"call_\d+")
"""Ids of calls that had none."""


class _Asked(NamedTuple):
    """What a model asked for."""

    tool: str | None
    """The name that it wrote, None where it stands in the text."""
    call_id: str | None
    supplied: object


_asked: ContextVar[_Asked | None] = ContextVar("turnledger_crewai_asked", default=None)


def record_tools(module: ModuleType, role: str | None) -> None:  # noqa: ARG001  as all patches are called
    """Record every run of a tool, whichever class of its user's it is."""
    for name in ("run", "arun"):
        put_around_all(module.BaseTool, name, _watching)
    for name in ("_run", "_arun"):
        put_around_all(module.BaseTool, name, _recorded_method, but=(module.BaseTool, module.Tool))
    put_around(module.BaseTool, "_validate_kwargs", _validating)


def record_structured(module: ModuleType, role: str | None) -> None:  # noqa: ARG001
    """The same of the form that tools have for models that write their calls as text."""
    for name in ("invoke", "ainvoke"):
        put_around(module.CrewStructuredTool, name, _watching)
    put_around(module.CrewStructuredTool, "_parse_args", _validating)


def record_asking(module: ModuleType, role: str | None) -> None:  # noqa: ARG001
    """Keep what a model wrote for a call until the tool runs; have it on record where it is no JSON."""
    put_around(module, "parse_tool_call_args", _parsing)


def record_texts(module: ModuleType, role: str | None) -> None:  # noqa: ARG001
    """Keep the arguments of a call that stands in a reply's text until the tool runs."""
    for name in ("use", "ause"):
        put_around(module.ToolUsage, name, _using)


# --- what a model asked for --------------------------------------------------------------------------


def _parsing(parse: Any) -> Callable[..., Any]:
    def parsed(supplied: Any, tool: str, call_id: str, *args: Any, **kwargs: Any) -> Any:
        known = None if _MADE_UP.fullmatch(call_id) else call_id
        _asked.set(_Asked(tool, known, supplied if isinstance(supplied, str) else None))
        told = parse(supplied, tool, call_id, *args, **kwargs)
        if told[0] is None:
            with as_a_stop():
                _record_invalid(tool, supplied, told[1]["result"])
        return told

    return parsed


def _using(use: Any) -> Callable[..., Any]:
    def used(usage: Any, calling: Any, tool_string: str) -> Any:
        found = sys.modules["crewai.agents.constants"].ACTION_INPUT_REGEX.search(tool_string)
        _asked.set(None if found is None else _Asked(None, None, found[2].strip()))
        return use(usage, calling, tool_string)

    return used


def _validating(validate: Any) -> Callable[..., Any]:
    def validated(tool: Any, given: Any) -> Any:
        try:
            return validate(tool, given)
        except Exception as error:
            _record_invalid(_name(tool), given, str(error))
            raise

    return validated


def _record_invalid(tool: str, given: object, problem: str) -> None:
    asked = _asked_for(tool)
    supplied = given if asked is None else asked.supplied
    call_id = None if asked is None else asked.call_id
    with tool_step(tool, supplied=supplied, valid=False, call_id=call_id) as step:
        step.result(problem, status="invalid")


def _asked_for(tool: str) -> _Asked | None:
    asked = _asked.get()
    return asked if asked is not None and asked.tool in {None, tool} else None


def _name(tool: Any) -> str:
    """The name that models know it by."""
    name: str = sys.modules["crewai.utilities.string_utils"].sanitize_tool_name(tool.name)
    return name


# --- runs --------------------------------------------------------------------------------------------


def _watching(run: Any) -> Callable[..., Any]:
    """Have the function that a tool is made of recorded before the tool runs for the first time."""
    if inspect.iscoroutinefunction(run):

        async def watched_async(tool: Any, *args: Any, **kwargs: Any) -> Any:
            _watch(tool)
            return await run(tool, *args, **kwargs)

        return watched_async

    def watched(tool: Any, *args: Any, **kwargs: Any) -> Any:
        _watch(tool)
        return run(tool, *args, **kwargs)

    return watched


def _watch(tool: Any) -> None:
    original = getattr(tool, "_original_tool", None)
    if original is not None:
        _watch(original)
        vars(tool)["func"] = original._run  # noqa: SLF001  as it was made
        return
    function = vars(tool).get("func")
    is_all = isinstance(tool, (sys.modules[TOOLS].Tool, sys.modules[STRUCTURED].CrewStructuredTool))
    if is_all and function is not None and not hasattr(function, _MARK):
        made = functools.update_wrapper(_recorded_function(tool, function), function)
        setattr(made, _MARK, True)
        vars(tool)["func"] = made


def _recorded_function(tool: Any, function: Any) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        async def recorded_async(*args: Any, **kwargs: Any) -> Any:
            return await _run_async(tool, function, function, args, kwargs)

        return recorded_async

    def recorded(*args: Any, **kwargs: Any) -> Any:
        return _run(tool, function, function, args, kwargs)

    return recorded


def _recorded_method(method: Any) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(method):

        async def recorded_async(tool: Any, *args: Any, **kwargs: Any) -> Any:
            return await _run_async(tool, method, functools.partial(method, tool), args, kwargs)

        return recorded_async

    def recorded(tool: Any, *args: Any, **kwargs: Any) -> Any:
        return _run(tool, method, functools.partial(method, tool), args, kwargs)

    return recorded


def _run(tool: Any, method: object, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if is_inside(tool, method):
        return function(*args, **kwargs)
    with ExitStack() as stack:
        step = stack.enter_context(_step(tool, args, kwargs))
        with _running(tool, method):
            result = function(*args, **kwargs)
        if not inspect.isawaitable(result):
            return _take(step, result)
        stack.pop_all()  # the step goes on until the awaitable is done
    return _finish(step, tool, method, result)


async def _finish(step: ToolCallStep, tool: Any, method: object, awaitable: Awaitable[Any]) -> Any:
    async with AsyncExitStack() as stack:
        stack.push_async_exit(step)
        with _running(tool, method):
            return _take(step, await awaitable)


async def _run_async(
    tool: Any, method: object, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if is_inside(tool, method):
        return await function(*args, **kwargs)
    async with _step(tool, args, kwargs) as step:
        with _running(tool, method):
            return _take(step, await function(*args, **kwargs))


def _step(tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCallStep:
    name = _name(tool)
    asked = _asked_for(name) or _Asked(name, None, None)
    validated = dict(zip(tool.args_schema.model_fields, args, strict=False)) | kwargs
    return tool_step(name, supplied=asked.supplied, validated=validated, call_id=asked.call_id)


@contextmanager
def _running(tool: Any, method: object) -> Generator[None]:
    token = _asked.set(None)  # what it calls was not asked for
    try:
        with running(_name(tool)), inside(tool, method):
            yield
    finally:
        _asked.reset(token)


def _take(step: ToolCallStep, result: Any) -> Any:
    is_failure = isinstance(result, sys.modules["crewai.tools.tool_failure"].ToolFailure)
    step.result(plain_form(result), status="error" if is_failure else "ok")
    return result
