"""Arguments of a tool, made to fit the type hints of its function."""

from __future__ import annotations

import inspect
import logging
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from turnledger.adapters.fitting import fits, words
from turnledger.adapters.limited import broken, limits_in
from turnledger.errors import UsageError

__all__ = ["Fitted", "Parameters"]

_NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SCALARS: Final = (str, bytes, int, float)
_UNCHECKED: Final = (
    "Tool %r does not check the limit of its parameter %r that says %s: Turnledger does not know how. "
    "Check it in the function."
)

_log = logging.getLogger("turnledger")


class Fitted(NamedTuple):
    """Arguments by name as the function takes them; ``problem`` says why they do not fit, else empty."""

    values: dict[str, object]
    problem: str = ""


class Parameters:
    """What a function takes.

    Raises UsageError for a function with parameters that have no name: a model supplies names.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        self.signature = inspect.signature(function)
        self._hints = _hints(function)
        self._limited = _limited(function)
        self._takes_any = False
        for parameter in self.signature.parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                self._takes_any = True
            elif parameter.kind not in _NAMED:
                msg = f"{function!r} takes {parameter}, which has no name that a model could supply."
                raise UsageError(msg, next_step="Give a tool named parameters only.")

    def named(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Arguments of a call by name.  Raises TypeError as the call itself would."""
        given: dict[str, object] = {}
        for name, value in self.signature.bind(*args, **kwargs).arguments.items():
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                given.update(value)
            else:
                given[name] = value
        return given

    def fit(self, supplied: Mapping[str, object], *, written: bool = False) -> Fitted:
        """Supplied arguments in the types that the function hints at, such as ``7`` for ``"7"``.

        What fits already, or is the default, stays the very object that was given; ``written`` says that a
        model wrote them, and all are converted.
        """
        taken = {name for name, one in self.signature.parameters.items() if one.kind in _NAMED}
        unknown = sorted(supplied.keys() - taken)
        if unknown and not self._takes_any:
            return Fitted({}, f"it takes no {', '.join(unknown)[:200]}")
        missing = [name for name in taken - supplied.keys() if self._is_needed(name)]
        if missing:
            return Fitted({}, f"it needs {', '.join(sorted(missing))}")
        values: dict[str, object] = {}
        for name, value in supplied.items():
            if self._is_default(name, value):
                values[name] = value
                continue
            hint = self._hints.get(name, Any)
            try:
                values[name] = value if not written and fits(value, hint) else _converted(value, hint)
            except (msgspec.ValidationError, ValueError, TypeError) as error:
                return Fitted({}, f"{name} does not fit: {_misfit(value, hint, error)}")
            problem = broken(values[name], self._limited[name]) if name in self._limited else ""
            if problem:
                return Fitted({}, f"{name} does not fit: {problem}")
        return Fitted(values)

    def _is_default(self, name: str, value: object) -> bool:
        parameter = self.signature.parameters.get(name)
        if parameter is None:
            return False
        default = parameter.default
        return value is default or (
            type(value) is type(default) and isinstance(value, _SCALARS) and value == default
        )

    def _is_needed(self, name: str) -> bool:
        return self.signature.parameters[name].default is inspect.Parameter.empty


def _hints(function: Callable[..., object]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # noqa: BLE001  a name that is for type checkers only: nothing is known then
        return {}


def _limited(function: Callable[..., object]) -> dict[str, Any]:
    """The hints with limits in them; says so where one cannot be checked."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001  see above
        return {}
    limits = {name: list(limits_in(hint)) for name, hint in hints.items() if name != "return"}
    for name, found in limits.items():
        for limit in found:
            if limit.keeps is None:
                _log.warning(_UNCHECKED, getattr(function, "__name__", function), name, limit.words)
    return {name: hints[name] for name, found in limits.items() if found}


def _misfit(value: object, hint: Any, error: Exception) -> str:  # noqa: ANN401
    given = "null" if value is None else type(value).__name__
    where = ""
    if isinstance(value, (Mapping, list, tuple)) and isinstance(error, msgspec.ValidationError):
        where = f" ({error})"
    return f"{words(hint)[:200]} is needed, {given} was given{where[:200]}"


def _converted(value: object, hint: Any) -> object:  # noqa: ANN401  a type hint is any object
    if hint is Any or hint is inspect.Parameter.empty:
        return value
    try:
        return msgspec.convert(value, hint, strict=False, dec_hook=_foreign)
    except TypeError:
        return value  # a hint that cannot be checked


def _foreign(hint: Any, value: object) -> object:  # noqa: ANN401
    """``value`` as a type that is not built in: one of pydantic's models, else an instance as it is."""
    validate = getattr(hint, "model_validate", None)
    if callable(validate):
        return validate(value)
    if isinstance(hint, type) and not isinstance(value, hint):
        msg = f"not a {hint.__name__}"
        raise ValueError(msg)  # noqa: TRY004  which msgspec passes on as an invalid value
    return value
