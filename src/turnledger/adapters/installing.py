"""``install()``: clients of SDKs are recorded from the moment they are made, also of SDKs imported later."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from turnledger.adapters import crewai, crewai_tools, litellm
from turnledger.adapters.http_attribute import record_when_made, record_when_set

__all__ = ["install"]

_CLIENTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "openai._base_client": {"SyncAPIClient": ("_client",), "AsyncAPIClient": ("_client",)},
    "anthropic._base_client": {"SyncAPIClient": ("_client",), "AsyncAPIClient": ("_client",)},
    "google.genai._api_client": {"BaseApiClient": ("_httpx_client", "_async_httpx_client")},
    litellm.HANDLERS: {"HTTPHandler": ("_client",), "AsyncHTTPHandler": ("_client",)},
}
"""Modules of SDKs, the classes in them that clients are made from, and where those keep HTTP clients."""

_MORE: Final[Mapping[str, Callable[[ModuleType, str | None], None]]] = {
    litellm.HANDLERS: litellm.record_stand_ins,
    litellm.ERRORS: litellm.hand_on_errors,
    crewai.MODELS: crewai.record_models,
    crewai_tools.TOOLS: crewai_tools.record_tools,
    crewai_tools.STRUCTURED: crewai_tools.record_structured,
    crewai_tools.TEXTS: crewai_tools.record_texts,
    **dict.fromkeys(crewai_tools.ASKING, crewai_tools.record_asking),
}
"""Modules of SDKs in which there is more to do."""

_PATCHED: Final = _CLIENTS.keys() | _MORE.keys()


def install(*, role: str | None = "primary") -> None:
    """Record every client of OpenAI, Anthropic, Google and LiteLLM that is made from now on; see ``record``.

    SDKs that are imported later are included, and none is imported for it.  Clients that a framework makes
    for itself are clients too; of CrewAI models and tools are recorded, also those that were made before.
    ``role`` says what they are used for.  Doing it twice does nothing more.
    """
    later = [name for name in _PATCHED if name not in sys.modules]
    for name in _PATCHED.difference(later):
        _patch(name, sys.modules[name], role)
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
        if fullname not in _PATCHED or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            self._patch_after(fullname, spec.loader)
        return spec

    def _patch_after(self, name: str, loader: Any) -> None:  # noqa: ANN401  its method is replaced
        run: Callable[[ModuleType], None] = loader.exec_module

        def run_and_patch(module: ModuleType) -> None:
            run(module)
            _patch(name, module, self._role)

        loader.exec_module = run_and_patch


def _patch(name: str, module: ModuleType, role: str | None) -> None:
    """Patch a module by the name that it is imported by: some give themselves another one."""
    for kind, attributes in _CLIENTS.get(name, {}).items():
        record_when_set(getattr(module, kind), attributes, role)
        record_when_made(getattr(module, kind), role)
    if name in _MORE:
        _MORE[name](module, role)
