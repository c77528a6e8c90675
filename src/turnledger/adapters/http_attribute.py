"""Attributes of an SDK's classes that hold HTTP clients, which are recorded from when they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from turnledger.adapters.clients import record, record_http
from turnledger.adapters.methods import put_around

__all__ = ["record_when_made", "record_when_set"]


def record_when_set(kind: Any, names: Iterable[str], role: str | None) -> None:  # noqa: ANN401
    """Record whatever is set as one of these attributes of ``kind``; frameworks set another client."""
    for name in names:
        if not isinstance(vars(kind).get(name), _HttpClient):
            setattr(kind, name, _HttpClient(name, kind.__module__.partition(".")[0], role))


def record_when_made(kind: Any, role: str | None) -> None:  # noqa: ANN401  its method is replaced
    """Record every object of ``kind`` once it is made."""

    def recorded(make: Callable[..., None]) -> Callable[..., None]:
        def make_recorded(self: object, *args: object, **kwargs: object) -> None:
            make(self, *args, **kwargs)
            record(self, role=role)

        return make_recorded

    put_around(kind, "__init__", recorded)


class _HttpClient:
    """An attribute for an HTTP client."""

    def __init__(self, name: str, package: str, role: str | None) -> None:
        self._name = name
        self._package = package
        self._role = role

    def __get__(self, owner: object, kind: type | None = None) -> object:
        if owner is None:
            return self
        try:
            return vars(owner)[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, owner: object, http: object) -> None:
        vars(owner)[self._name] = http
        record_http(http, self._package, self._role)
