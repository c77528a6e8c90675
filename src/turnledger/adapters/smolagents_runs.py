"""Runs of smolagents' agents: their tools, the agents that they manage, and code that a model wrote."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from turnledger.adapters.methods import put_around
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import PropagatingThreadPool
from turnledger.errors import LedgerError

__all__ = ["record_runs"]

_LOCAL: Final = "smolagents.local_python_executor"


class _Call:
    """A call that a model asked for: the provider's id of it, and whether it is on record."""

    def __init__(self, call_id: str | None) -> None:
        self.call_id = call_id
        self.is_recorded = False


_call: ContextVar[_Call | None] = ContextVar("turnledger_smolagents_call", default=None)


def record_runs(agent: Any, prepare: Callable[[], None]) -> None:  # noqa: ANN401  methods are replaced
    """Record what the agent's tools do; ``prepare`` is called before each run, as an agent can be changed."""
    ids: dict[int, str] = {}
    put_around(agent, "run", functools.partial(_recorded_run, agent, prepare))
    put_around(agent, "process_tool_calls", functools.partial(_known_calls, ids))
    put_around(agent, "execute_tool_call", functools.partial(_recorded_call, agent, ids))
    local: Any = sys.modules.get(_LOCAL)
    if local is not None:  # which runs code that a model wrote in a thread of its own
        local.ThreadPoolExecutor = PropagatingThreadPool


def _recorded_run(
    agent: Any,  # noqa: ANN401
    prepare: Callable[[], None],
    run: Callable[..., Any],
) -> Callable[..., Any]:
    """A run out of which our errors come as they are."""

    def recorded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        prepare()
        for tool in agent.tools.values():
            put_around(tool, "forward", functools.partial(_recorded_tool, tool))
        with _ours_first():
            told = run(*args, **kwargs)
        return _steps(told) if isinstance(told, Generator) else told

    return recorded


def _steps(told: Iterator[Any]) -> Iterator[Any]:
    with _ours_first():
        yield from told


def _known_calls(ids: dict[int, str], process: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the ids of calls by their arguments, which are all that is handed on."""

    def known(message: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:  # noqa: ANN401
        calls = {id(call.function.arguments): call.id for call in message.tool_calls or ()}
        ids.update(calls)
        try:
            yield from process(message, *args, **kwargs)
        finally:
            for key in calls:
                ids.pop(key, None)

    return known


def _recorded_call(
    agent: Any,  # noqa: ANN401
    ids: dict[int, str],
    execute: Callable[..., Any],
) -> Callable[..., Any]:
    """A call that is on record also where no tool takes it, or where an agent does."""

    def recorded(name: str, arguments: Any) -> Any:  # noqa: ANN401
        call = _Call(ids.get(id(arguments)))
        before = _call.set(call)
        try:
            with _ours_first():
                if name in agent.managed_agents:
                    return _observed(call, name, arguments, functools.partial(execute, name, arguments))
                return execute(name, arguments)
        except LedgerError:
            raise
        except Exception as error:
            if not call.is_recorded:
                with tool_step(name, validated=arguments, valid=False, call_id=call.call_id) as step:
                    step.result(str(error), status="invalid")
            raise
        finally:
            _call.reset(before)

    return recorded


def _recorded_tool(tool: Any, forward: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ANN401
    def recorded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        arguments = dict(zip(tool.inputs, args, strict=False)) | kwargs
        call = _call.get()
        own = _Call(None) if call is None or call.is_recorded else call
        return _observed(own, tool.name, arguments, functools.partial(forward, *args, **kwargs))

    return recorded


def _observed(call: _Call, name: str, arguments: object, run: Callable[[], Any]) -> Any:  # noqa: ANN401
    with tool_step(name, validated=arguments, call_id=call.call_id) as step, running(name):
        call.is_recorded = True
        result = run()
        step.result(plain_form(result))
        return result


@contextmanager
def _ours_first() -> Generator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001  it is raised again, if nothing else
        below: BaseException | None = error
        while below is not None and not isinstance(below, LedgerError):
            below = below.__cause__
        raise below or error  # noqa: B904  which it is the cause of
