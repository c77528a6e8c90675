"""Whether a Python object fits a type hint as it is, and hints in words that a model understands."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

__all__ = ["HELD", "UNIONS", "fits", "unnamed", "words"]

UNIONS: Final = (Union, types.UnionType)
HELD: Final = (list, tuple, set, frozenset, deque)
"""What can be looked through; others may be lazy, or end after one look."""


def fits(value: object, hint: Any) -> bool:  # noqa: ANN401  a type hint is any object
    """Whether ``value`` is what ``hint`` says, down to the items of built-in collections."""
    hint = _plain(hint)
    if hint is Any or hint is inspect.Parameter.empty:
        return True
    origin, args = get_origin(hint), get_args(hint)
    if origin in UNIONS:
        return any(fits(value, one) for one in args)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in args)
    if typing.is_typeddict(origin or hint):
        return _fits_typed_dict(value, origin or hint)
    try:
        return isinstance(value, origin or hint) and _fits_items(value, origin, args)
    except TypeError:
        return True  # a hint that cannot be checked, as a protocol that is not for run time


def _plain(hint: Any) -> Any:  # noqa: ANN401
    """A hint without the names that it goes by, and without what is beside it in ``Annotated``."""
    hint = unnamed(hint)
    while get_origin(hint) is Annotated:
        hint = unnamed(hint.__origin__)
    return hint


def unnamed(hint: Any) -> Any:  # noqa: ANN401
    """A hint without the names that it goes by."""
    while True:
        if hint is None:
            return types.NoneType
        if isinstance(hint, TypeVar):
            hint = Union[hint.__constraints__] if hint.__constraints__ else hint.__bound__ or Any  # noqa: UP007
        elif isinstance(hint, typing.NewType):
            hint = hint.__supertype__
        elif type(hint).__name__ == "TypeAliasType":  # `type X = …`, of Python 3.12
            hint = hint.__value__
        else:
            return hint


def _fits_typed_dict(value: object, hint: Any) -> bool:  # noqa: ANN401
    if not isinstance(value, dict) or not hint.__required_keys__ <= value.keys():
        return False
    hints = typing.get_type_hints(hint)
    return all(fits(item, hints.get(key, Any)) for key, item in value.items())


def _fits_items(value: object, origin: Any, args: tuple[Any, ...]) -> bool:  # noqa: ANN401
    if not isinstance(origin, type) or not args:
        return True
    if isinstance(value, dict) and issubclass(origin, Mapping):
        kinds = (args * 2)[:2] if len(args) == 2 else (args[0], int)  # noqa: PLR2004  a Counter has one
        return all(fits(key, kinds[0]) and fits(item, kinds[1]) for key, item in value.items())
    if origin is tuple and isinstance(value, tuple) and args[-1] is not Ellipsis:
        return len(value) == len(args) and all(map(fits, value, args))
    if isinstance(value, HELD) and issubclass(origin, Iterable):
        return all(fits(item, args[0]) for item in value)
    return True


def words(hint: Any) -> str:  # noqa: ANN401
    """A hint as a model would write of it: ``list[int]``, ``one of "short", "long"``, ``int or null``."""
    hint = _plain(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in UNIONS:
        return " or ".join(map(words, args))
    if origin is Literal:
        return _choice(args)
    if hint is types.NoneType:
        return "null"
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choice(tuple(one.value for one in hint))
    if origin is None:
        return getattr(hint, "__name__", None) or inspect.formatannotation(hint)
    inner = ", ".join("…" if one is Ellipsis else words(one) for one in args if not isinstance(one, list))
    return f"{getattr(origin, '__name__', origin)}[{inner}]"


def _choice(values: tuple[object, ...]) -> str:
    written = ", ".join("null" if one is None else repr(one) for one in values)
    return f"one of {written}" if len(values) > 1 else written
