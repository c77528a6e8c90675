"""Attributes of an SDK's classes that hold HTTP clients, which are recorded from when they are there."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Final

from turnledger.adapters.clients import record, record_http

__all__ = ["record_when_made", "record_when_set"]

_MARK: Final = "_turnledger_installed"


def record_when_set(kind: Any, names: Iterable[str], role: str | None) -> None:  # noqa: ANN401
    """Record whatever is set as one of these attributes of ``kind``; frameworks set another client."""
    for name in names:
        if not isinstance(vars(kind).get(name), _HttpClient):
            setattr(kind, name, _HttpClient(name, kind.__module__.partition(".")[0], role))


def record_when_made(kind: Any, role: str | None) -> None:  # noqa: ANN401  its method is replaced
    """Record every object of ``kind`` once it is made."""
    make = kind.__init__
    if hasattr(make, _MARK):
        return

    @functools.wraps(make)
    def make_recorded(self: object, *args: object, **kwargs: object) -> None:
        make(self, *args, **kwargs)
        record(self, role=role)

    setattr(make_recorded, _MARK, True)
    kind.__init__ = make_recorded


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
