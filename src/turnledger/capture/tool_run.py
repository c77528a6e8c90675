"""Running a function as a tool: plain, async, generator and async generator, each recorded as one call."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from types import TracebackType
from typing import Any, TypeVar, cast

from turnledger.capture.tool_call import ToolCallStep
from turnledger.errors import UsageError

__all__ = ["check_function", "run_tool"]

T = TypeVar("T")


def run_tool(step: ToolCallStep, function: Callable[..., T]) -> T:
    """Call ``function`` with the step's arguments once the call is on record, and record what it returns.

    A function that returns something to wait for or to iterate over gives back its like: the step ends when
    that does.  Raises UsageError where the arguments are invalid; the tool has not run then.
    """
    if inspect.iscoroutinefunction(function):
        return cast("T", _run_coroutine(step, cast("Callable[..., Awaitable[object]]", function)))
    if inspect.isasyncgenfunction(function):
        return cast("T", _run_async_generator(step, function))
    if inspect.isgeneratorfunction(function):
        return cast("T", _run_generator(step, function))
    return _run_plain(step, function)


def check_function(function: object) -> None:
    """Raise UsageError for what cannot be called, before anything is recorded."""
    if not callable(function):
        msg = f"A tool is a function, and this is of type {type(function).__name__}."
        raise UsageError(msg, next_step="Pass the function itself, not what it returns.")


def _run_plain(step: ToolCallStep, function: Callable[..., T]) -> T:
    with contextlib.ExitStack() as stack:
        stack.enter_context(step)
        value = _call(step, function)
        if not _is_awaitable(value):
            return step.result(value)
        stack.pop_all()  # the step goes on until the awaitable is done
    return cast("T", _finish_awaitable(step, cast("Awaitable[object]", value)))


def _is_awaitable(value: object) -> bool:
    try:
        return inspect.isawaitable(value)
    except Exception:  # noqa: BLE001  an object that will not answer is a result like any other
        return False


def _call(step: ToolCallStep, function: Callable[..., T]) -> T:
    arguments = step.arguments
    if not arguments.valid:
        msg = f"The arguments supplied for tool {step.name[:80]!r} are no JSON object, so it was not run."
        step.result(msg, status="invalid")
        raise UsageError(msg, next_step="Tell the model, or validate them yourself and pass validated=….")
    if arguments.value is None:
        return function()
    if issubclass(type(arguments.value), Mapping):  # isinstance would ask the object for its __class__
        return function(**cast("Mapping[str, object]", arguments.value))
    return function(arguments.value)


async def _run_coroutine(step: ToolCallStep, function: Callable[..., Awaitable[T]]) -> T:
    async with step:
        return step.result(await _call(step, function))


async def _finish_awaitable(step: ToolCallStep, awaitable: Awaitable[T]) -> T:
    async with _Entered(step):
        return step.result(await awaitable)


class _Entered:
    """The rest of a step that was entered already."""

    def __init__(self, step: ToolCallStep) -> None:
        self._step = step

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._step.__aexit__(kind, error, trace)


def _run_generator(
    step: ToolCallStep, function: Callable[..., Generator[T, Any, Any]]
) -> Generator[T, Any, Any]:
    with step, contextlib.closing(_call(step, function)) as items:
        returned = yield from _Observed(step, items)
        step.finish_observing()
    return returned


class _Observed(Generator[T, Any, Any]):
    """A tool's generator, each item of which the step keeps; what is sent or thrown reaches the tool."""

    def __init__(self, step: ToolCallStep, items: Generator[T, Any, Any]) -> None:
        self._step = step
        self._items = items

    def send(self, value: object, /) -> T:
        return self._step.observe(self._items.send(value))

    def throw(self, *error: Any) -> T:  # noqa: ANN401  an exception, or its older form of three
        return self._step.observe(self._items.throw(*error))

    def close(self) -> None:
        self._items.close()


async def _run_async_generator(
    step: ToolCallStep, function: Callable[..., AsyncGenerator[T, Any]]
) -> AsyncGenerator[T, Any]:
    async with step, contextlib.aclosing(_call(step, function)) as items:
        try:
            item = await anext(items)
            while True:
                try:
                    sent = yield step.observe(item)
                except GeneratorExit:
                    raise  # closing the tool's generator is what closes this one
                except BaseException as error:  # noqa: BLE001  whatever was thrown in is for the tool
                    item = await items.athrow(error)
                else:
                    item = await items.asend(sent)
        except StopAsyncIteration:
            step.finish_observing()
