"""Methods of an SDK with something of ours around them, also in classes that extend its own later."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

__all__ = ["Around", "inside", "is_inside", "is_put_around", "put_around", "put_around_all"]

Around = Callable[[Any], Callable[..., Any]]
"""Makes of a function another one, which calls it."""

_MARK: Final = "_turnledger_recorded"


def put_around(owner: Any, name: str, around: Around) -> None:  # noqa: ANN401  its attribute is replaced
    """Have ``around(function)`` in the place of a function of a module, or a method of an object, once.

    Of a class it is a method that the class itself has.
    """
    function = vars(owner).get(name) if inspect.isclass(owner) else getattr(owner, name, None)
    if not callable(function) or isinstance(function, staticmethod) or is_put_around(function):
        return
    made = functools.wraps(function)(around(function))
    setattr(made, _MARK, True)
    setattr(owner, name, made)


def is_put_around(function: object) -> bool:
    """Whether something of ours is around it."""
    return hasattr(function, _MARK)


def put_around_all(
    kind: Any,  # noqa: ANN401  its attribute is replaced
    name: str,
    around: Around,
    *,
    but: tuple[type, ...] = (),
) -> None:
    """The same with a method of ``kind`` and those that override it, in classes that are made later too.

    Those of the classes in ``but`` are left as they are.
    """
    for one in _family(kind):
        if one not in but:
            put_around(one, name, around)
    tell = kind.__init_subclass__.__func__

    def tell_and_put(cls: type[Any], /, **kwargs: object) -> None:
        tell(cls, **kwargs)
        put_around(cls, name, around)

    functools.update_wrapper(tell_and_put, tell)
    kind.__init_subclass__ = classmethod(tell_and_put)


def _family(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    one: type[Any]
    for one in kind.__subclasses__():
        yield from _family(one)


class _Frame(NamedTuple):
    subject: object
    methods: frozenset[object]


_frame: ContextVar[_Frame | None] = ContextVar("turnledger_method", default=None)


def is_inside(subject: object, method: object) -> bool:
    """Whether a call of ``method`` is a part of what ``subject`` is doing here, on record already.

    So is what an override calls of the class that it extends; the same method once more is not.
    """
    frame = _frame.get()
    return frame is not None and frame.subject is subject and method not in frame.methods


@contextmanager
def inside(subject: object, method: object) -> Generator[None]:
    """``subject`` is doing this now, and nothing else that may be around it."""
    frame = _frame.get()
    is_part = frame is not None and frame.subject is subject and method not in frame.methods
    around = frame.methods if is_part and frame is not None else frozenset[object]()
    token = _frame.set(_Frame(subject, around | {method}))
    try:
        yield
    finally:
        _frame.reset(token)
