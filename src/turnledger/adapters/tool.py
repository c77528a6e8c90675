"""``@turnledger.tool``: a function that is recorded as a tool of the current turn whenever it is called."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

from turnledger.adapters.arguments import Fitted, Parameters
from turnledger.adapters.tool_hook import is_running, open_turn
from turnledger.capture.tool_call import read_arguments
from turnledger.capture.tool_run import run_tool
from turnledger.errors import UsageError

if TYPE_CHECKING:
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Tool", "tool"]

P = ParamSpec("P")
T = TypeVar("T")


class Tool(Generic[P, T]):
    """The function, recorded: durable before it runs, its result before it is given back.

    Plain, async, generator and async generator functions stay what they are.  Raises CaptureRefused where
    no turn is open, and UsageError for arguments that do not fit its type hints; it has not run then.
    """

    __name__: str

    def __init__(self, function: Callable[P, T], name: str) -> None:
        self.__name__ = name
        functools.update_wrapper(self, function)
        _look_like(self, function)
        self.function = function
        """The function itself, which records nothing."""
        self.name = name
        self._parameters = Parameters(function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call it with Python objects, which reach the function as they are where they fit its type hints.

        Where that framework's adapter records the call already, it stays one.
        """
        if is_running(self.name):
            return self.function(*args, **kwargs)
        supplied = self._parameters.named(args, kwargs)
        return self._run(supplied, self._parameters.fit(supplied), None, None)

    def call(self, supplied: str | bytes, *, call_id: str | None = None, ordinal: int | None = None) -> T:
        """Call it with the exact text that the model wrote: a JSON object of arguments.

        ``call_id`` and ``ordinal`` say which request of the last model call this answers.
        """
        given = read_arguments(supplied, None)
        if not given.valid:
            return self._run(supplied, Fitted({}, "they are no JSON object"), call_id, ordinal)
        arguments = cast("Mapping[str, object]", given.value if isinstance(given.value, Mapping) else {})
        return self._run(supplied, self._parameters.fit(arguments, written=True), call_id, ordinal)

    def __get__(self, owner: object, kind: type | None = None) -> Tool[..., T]:
        """As a method: bound to its object."""
        if owner is None:
            return self
        return Tool(cast("Callable[..., T]", self.function.__get__(owner, kind)), self.name)

    def _run(self, supplied: object, fitted: Fitted, call_id: str | None, ordinal: int | None) -> T:
        step = open_turn().tool_call(
            self.name,
            supplied=supplied,
            validated=None if fitted.problem else fitted.values,
            valid=not fitted.problem,
            call_id=call_id,
            ordinal=ordinal,
        )
        if fitted.problem:
            raise self._invalid(step, fitted.problem)
        return run_tool(step, self.function)

    def _invalid(self, step: ToolCallStep, problem: str) -> UsageError:
        msg = f"Tool {self.name!r} was not run: its arguments do not fit, {problem}."
        with step:
            step.result(msg, status="invalid")
        return UsageError(msg, next_step="Tell the model, which may try again.")


def _look_like(made: object, function: object) -> None:
    """By these ``inspect`` and ``asyncio`` tell what kind a callable is, and frameworks what to await."""
    while isinstance(function, functools.partial):
        function = function.func
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        if hasattr(function, name):
            setattr(made, name, getattr(function, name))


@overload
def tool(function: Callable[P, T]) -> Tool[P, T]: ...


@overload
def tool(*, name: str | None = None) -> Callable[[Callable[P, T]], Tool[P, T]]: ...


def tool(function: Callable[..., Any] | None = None, *, name: str | None = None) -> Any:
    """Record every call of a function as a tool of the current turn: ``@tool`` or ``@tool(name="…")``.

    Arguments are made to fit its type hints; what was supplied and what it became are both on record.
    Raises UsageError for what is no function, or has no name and is given none.
    """
    return functools.partial(_made, name) if function is None else _made(name, function)


def _made(name: str | None, function: object) -> Tool[..., Any]:
    named = name or getattr(function, "__name__", None)
    if not callable(function) or named is None:
        kind = type(function).__qualname__
        wrong = "has no name" if callable(function) else "is no function"
        msg = f"A tool cannot be made of this: a {kind} {wrong}."
        raise UsageError(
            msg, next_step='Give a function, or for a callable object @turnledger.tool(name="…").'
        )
    return Tool(function, named)
