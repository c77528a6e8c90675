"""Objects with fields: which classes are asked for them, and how, once and no more."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from turnledger.wire.value_kinds import Unreadable, mro, type_name

__all__ = ["FieldsReader", "fields_reader"]

_MEMBERS = type.__dict__["__dict__"].__get__
_ARRAYS = {"numpy.generic", "numpy.ndarray"}


class FieldsReader(NamedTuple):
    """``ask`` has the object's value; ``lossy`` says that it leaves something out."""

    ask: Callable[[Any], object]
    lossy: bool = False


def fields_reader(kind: type) -> FieldsReader | None:
    """What asks an object of class ``kind`` for its value, or None where nothing may be asked.

    Known by what a class says of itself, without importing the library it comes from: pydantic models,
    dataclasses, NumPy's scalars and arrays.
    """
    for base in mro(kind):
        members: Mapping[str, Any] = _MEMBERS(base)
        if "__pydantic_serializer__" in members:
            return FieldsReader(_by_serializer(members["__pydantic_serializer__"]))
        if "__dataclass_fields__" in members:
            return FieldsReader(_dataclass_fields)
        if "tolist" in members and type_name(base) in _ARRAYS:
            return FieldsReader(members["tolist"], lossy=True)  # the dtype or unit is not in the answer
    return None


class _Serializer(Protocol):
    to_python: Callable[..., object]


def _by_serializer(serializer: _Serializer) -> Callable[[Any], object]:
    def read(model: object) -> object:
        to_python = serializer.to_python
        signature = getattr(to_python, "__text_signature__", None) or ""
        # Silent, and by the classes the fields hold, not the ones they declare, which may have fewer fields.
        wanted = {"warnings": False, "serialize_as_any": True}
        options = {name: setting for name, setting in wanted.items() if f" {name}=" in signature}
        return to_python(model, mode="python", **options)

    return read


def _dataclass_fields(value: object) -> dict[str, object]:
    return {field.name: _attribute(value, field.name) for field in dataclasses.fields(type(value))}  # type: ignore[arg-type]


def _attribute(value: object, name: str) -> object:
    try:
        return getattr(value, name)
    except Exception as error:  # noqa: BLE001  a property may raise anything
        return Unreadable(type(error))
