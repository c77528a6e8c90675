"""What is being recorded here and now: a convenience beside the explicit handles, never their substitute.

Nothing is ever reset by token, so a generator that is closed in another task or thread leaves no error and
no stale turn behind: a turn that has ended is passed over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

from turnledger.errors import CaptureRefused

if TYPE_CHECKING:
    from turnledger.capture.conversation import Conversation
    from turnledger.capture.turn import Turn

    Scope: TypeAlias = Turn | Conversation

__all__ = ["PropagatingThreadPool", "current", "current_turn", "enter", "leave", "propagate"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Entered:
    scope: Scope
    outer: _Entered | None


_entered: ContextVar[_Entered | None] = ContextVar("turnledger_scope", default=None)


def _innermost() -> _Entered | None:
    entered = _entered.get()
    while entered is not None and not entered.scope.is_open:
        entered = entered.outer
    return entered


def _scopes() -> Iterator[Scope]:
    entered = _innermost()
    while entered is not None:
        if entered.scope.is_open:
            yield entered.scope
        entered = entered.outer


def enter(scope: Scope) -> None:
    """Make ``scope`` the current one of this context."""
    _entered.set(_Entered(scope, _innermost()))


def leave(scope: Scope) -> None:
    """Go back to what was around ``scope``, unless this is another context than the one that entered it."""
    entered = _entered.get()
    if entered is not None and entered.scope is scope:
        _entered.set(entered.outer)


def current_turn() -> Turn | None:
    """The innermost open turn of this context, or None."""
    from turnledger.capture.turn import Turn  # noqa: PLC0415  turns import this module

    return next((scope for scope in _scopes() if isinstance(scope, Turn)), None)


def current() -> Turn | Conversation:
    """The innermost open turn or conversation that was entered in this context.

    Raises CaptureRefused where there is neither: a step that belongs nowhere must not run unrecorded.
    """
    scope = next(_scopes(), None)
    if scope is not None:
        return scope
    msg = "No turn is open in this thread or task, so the step cannot be recorded and has not run."
    raise CaptureRefused(
        msg,
        next_step=(
            "Run it inside `with conversation.turn(…)`; for a function that an executor runs, "
            "wrap it in turnledger.propagate() or use turnledger.PropagatingThreadPool."
        ),
    )


def propagate(function: Callable[P, T]) -> Callable[P, T]:
    """``function`` bound to the turn that is current now, for threads that do not inherit the context.

    Needed for ``Executor.submit`` and ``loop.run_in_executor``; tasks and ``asyncio.to_thread`` inherit it.
    """
    entered = _innermost()

    @functools.wraps(function)
    def bound(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _entered.get()
        _entered.set(entered)
        try:
            return function(*args, **kwargs)
        finally:
            _entered.set(before)

    return bound


class PropagatingThreadPool(ThreadPoolExecutor):
    """A thread pool whose functions run in the turn that is current where they are submitted.

    Serves as the default executor of an event loop too (``loop.set_default_executor``).
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See ``concurrent.futures.Executor.submit``."""
        return super().submit(propagate(fn), *args, **kwargs)
