"""Values beside the limits of their hints, down to the fields and items in them."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Annotated, Any, Final, cast, get_args, get_origin

import msgspec

from turnledger.adapters.fitting import HELD, UNIONS, fits, unnamed
from turnledger.adapters.limits import Limit, limits_of

__all__ = ["broken", "limits_in"]

_WRAPPERS: Final = ("Required", "NotRequired", "ReadOnly")


def broken(value: object, hint: Any, at: str = "") -> str:  # noqa: ANN401  a type hint is any object
    """The first limit in ``hint`` that ``value``, which fits it otherwise, does not keep; empty for none.

    ``at`` is where in an argument the value stands.
    """
    return next(_broken(value, hint, at, ()), "")


def _broken(value: object, hint: Any, at: str, above: tuple[int, ...]) -> Iterator[str]:  # noqa: ANN401
    hint = _bare(hint)
    if get_origin(hint) is Annotated:
        for limit in limits_of(hint.__metadata__):
            if not limit.is_kept(value):
                yield f"{at or 'it'} has to be {limit.words}"
        yield from _broken(value, hint.__origin__, at, above)
        return
    origin, args = get_origin(hint), get_args(hint)
    if origin in UNIONS:
        found = [broken(value, one, at) for one in args if fits(value, one)]
        if found and all(found):
            yield found[0]
    elif id(value) not in above:  # what contains itself is looked through once
        for where, item, of in _held(value, origin or hint, args):
            yield from _broken(item, of, f"{at or 'it'}{where}", (*above, id(value)))


def _bare(hint: Any) -> Any:  # noqa: ANN401
    """A hint without the names that it goes by, and without what only says whether there has to be one."""
    hint = unnamed(hint)
    while getattr(get_origin(hint), "_name", None) in _WRAPPERS:
        hint = unnamed(get_args(hint)[0])
    return hint


def _held(value: object, kind: Any, args: tuple[Any, ...]) -> Iterator[tuple[str, object, Any]]:  # noqa: ANN401
    """What is in a value whose hint is ``kind[args]``: where, the item, and its hint."""
    entries = cast("Mapping[object, object]", value if isinstance(value, Mapping) else {})
    for name, hint in _fields(kind).items():
        if name in entries:
            yield f".{name}", entries[name], hint
        elif hasattr(value, name):
            yield f".{name}", getattr(value, name), hint
    if not args or not isinstance(kind, type):
        return
    if entries and issubclass(kind, Mapping):
        of_keys, of_items = (*args, int)[:2]  # a Counter has one
        for key, item in entries.items():
            yield "'s key", key, of_keys
            yield "[…]", item, of_items
    elif isinstance(value, HELD):
        hints = args if kind is tuple and args[-1] is not Ellipsis else repeat(args[0])
        yield from ((f"[{place}]", *pair) for place, pair in enumerate(zip(value, hints, strict=False)))


def _fields(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The fields of a class whose objects are made of the hints that it has."""
    is_record = (
        typing.is_typeddict(kind)
        or dataclasses.is_dataclass(kind)
        or hasattr(kind, "__attrs_attrs__")
        or (isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or hasattr(kind, "_fields")))
    )
    if not is_record:
        return {}
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except Exception:  # noqa: BLE001  a name that is for type checkers only: nothing is known then
        return {}


def limits_in(hint: Any, above: tuple[Any, ...] = ()) -> Iterator[Limit]:  # noqa: ANN401
    """All limits in a hint, also those of what it is made of."""
    hint = _bare(hint)
    if any(hint is one for one in above):
        return
    if get_origin(hint) is Annotated:
        yield from limits_of(hint.__metadata__)
        yield from limits_in(hint.__origin__, above)
        return
    kind = get_origin(hint) or hint
    for part in (*get_args(hint), *_fields(kind).values()):
        yield from limits_in(part, (*above, hint))
