"""``install()``: clients of SDKs are recorded from the moment they are made, also of SDKs imported later."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from turnledger.adapters.clients import record, record_http

__all__ = ["install"]

_CLIENTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "openai._base_client": {"SyncAPIClient": ("_client",), "AsyncAPIClient": ("_client",)},
    "anthropic._base_client": {"SyncAPIClient": ("_client",), "AsyncAPIClient": ("_client",)},
    "google.genai._api_client": {"BaseApiClient": ("_httpx_client", "_async_httpx_client")},
}
"""Modules of SDKs, the classes in them that clients are made from, and where those keep HTTP clients."""

_MARK: Final = "_turnledger_installed"


def install(*, role: str | None = "primary") -> None:
    """Record every client of OpenAI, Anthropic and Google that is made from now on; see ``record``.

    SDKs that are imported later are included, and none is imported for it.  Clients that a framework makes
    for itself are clients too.  ``role`` says what they are used for.  Doing it twice does nothing more.
    """
    later = [name for name in _CLIENTS if name not in sys.modules]
    for name in _CLIENTS.keys() - later:
        _patch(sys.modules[name], role)
    if later and not any(isinstance(finder, _Later) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Later(role))


class _Later(MetaPathFinder):
    """Finds what the finders after it find, and has it patched once it has run."""

    def __init__(self, role: str | None) -> None:
        self._role = role
        self._is_asking = False

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  as the import system calls it
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """See ``importlib.abc.MetaPathFinder``."""
        if fullname not in _CLIENTS or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            self._patch_after(spec.loader)
        return spec

    def _patch_after(self, loader: Any) -> None:  # noqa: ANN401  its method is replaced
        run: Callable[[ModuleType], None] = loader.exec_module

        def run_and_patch(module: ModuleType) -> None:
            run(module)
            _patch(module, self._role)

        loader.exec_module = run_and_patch


def _patch(module: ModuleType, role: str | None) -> None:
    for name, attributes in _CLIENTS[module.__name__].items():
        kind = getattr(module, name)
        for attribute in attributes:
            if not isinstance(vars(kind).get(attribute), _HttpClient):
                setattr(kind, attribute, _HttpClient(attribute, module.__name__.partition(".")[0], role))
        _record_when_made(kind, role)


class _HttpClient:
    """An attribute for an HTTP client, which is recorded from when it is set; frameworks set another one."""

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


def _record_when_made(kind: Any, role: str | None) -> None:  # noqa: ANN401  its method is replaced
    make = kind.__init__
    if hasattr(make, _MARK):
        return

    @functools.wraps(make)
    def make_recorded(self: object, *args: object, **kwargs: object) -> None:
        make(self, *args, **kwargs)
        record(self, role=role)

    setattr(make_recorded, _MARK, True)
    kind.__init__ = make_recorded
