"""``record(client)``: finds the HTTP clients behind an SDK's client and puts a recorder before them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar

from turnledger.adapters.registry import ADAPTERS
from turnledger.adapters.translation import Translate, translation_for
from turnledger.adapters.transport import AsyncRecordingTransport, RecordingTransport
from turnledger.errors import UsageError

__all__ = ["is_recordable", "package_of", "record", "record_http"]

T = TypeVar("T")

_HOLDERS: Final = (
    "_client",  # openai, anthropic and others made by the same generator; openai-agents' models
    "client",  # pydantic-ai's models
    "_custom_client",  # strands' models
    "_async_client",  # LangChain's models over anthropic
    "root_client",  # LangChain's models over openai
    "root_async_client",
    "_api_client",  # google-genai
    "_httpx_client",
    "_async_httpx_client",
    "sdk_configuration",  # mistralai
    "async_client",
    "_client_wrapper",  # cohere
    "httpx_client",
)
"""Where SDKs, and frameworks over them, keep what leads to their HTTP client."""

_DEPTH: Final = 4

_SHARING: Final = frozenset({"langchain_openai"})
"""Packages that give one HTTP client to all models with the same address, recorded or not."""

_OTHER_DOORS: Final = {"mcp": "turnledger.adapters.mcp", "smolagents": "turnledger.adapters.smolagents"}
"""Packages whose objects speak no HTTP that is known; the module named has a ``record`` of its own."""

_KNOWN: Final = _SHARING.union(name.partition(".")[0] for one in ADAPTERS for name in one.packages)


class _Held(NamedTuple):
    owner: Any
    name: str
    http: Any


def record(client: T, *, role: str | None = "primary") -> T:
    """Record what ``client`` asks of models from now on, and give it back: it stays what it is.

    Taken are clients of OpenAI, Anthropic, Google and others over ``httpx``, such a client itself, the models
    of frameworks that hold one, and a ``ClientSession`` of MCP, whose tool calls are recorded.
    What it asks belongs to the turn that is open where it is asked; without one it is refused.
    ``role`` says what the client is used for.  Doing it twice does nothing more.  Raises UsageError for an
    object without an HTTP client that is known.
    """
    package = package_of(client)
    if package in _OTHER_DOORS:
        import_module(_OTHER_DOORS[package]).record(client, role)
        return client
    found = list(_held(client))
    if not found:
        msg = f"No HTTP client is found in a {type(client).__module__}.{type(client).__qualname__}."
        raise UsageError(msg, next_step=_instead(package))
    for held in found:
        _keep_to_http(held.owner)
        http = _own(held) if package in _SHARING else held.http
        _put_before(http, role, translation_for(package_of(held.owner)))
    _keep_recorded(client, role)
    return client


def record_http(http: object, package: str, role: str | None) -> None:
    """Record an HTTP client of either library that an SDK's client uses; anything else is left as it is."""
    if _is_http_client(http):
        _put_before(http, role, translation_for(package))


def is_recordable(client: object) -> bool:
    """Whether there is an HTTP client in it that ``record`` finds."""
    return next(_held(client), None) is not None


def package_of(value: object) -> str:
    """The package that an object is of, or is in itself; of a user's own class that which it extends."""
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0]
    packages = [kind.__module__.partition(".")[0] for kind in type(value).__mro__]
    return next((package for package in packages if package in _KNOWN), packages[0])


def _instead(package: str) -> str:
    adapter = next((one for one in ADAPTERS if package in one.packages), None)
    if adapter is not None and adapter.module is not None:
        return f"Give the framework a turnledger.adapters.{adapter.module}.Recording()."
    if adapter is not None:
        return f"Write {'; '.join(adapter.switch_on)}"
    return "Pass the SDK's client, or the httpx client itself; or use turn.model_call(…)."


def _held(client: object) -> Iterator[_Held]:
    if _is_http_client(client):
        yield _Held(client, "", client)
        return
    seen: set[int] = {id(client)}
    level: list[object] = [client]
    for _ in range(_DEPTH):
        further: list[object] = []
        for owner in level:
            for name in _HOLDERS:
                value = getattr(owner, name, None)
                if value is None or id(value) in seen:
                    continue
                seen.add(id(value))
                if _is_http_client(value):
                    yield _Held(owner, name, value)
                else:
                    further.append(value)
        level = further


def _is_http_client(value: object) -> bool:
    return hasattr(value, "_transport") and hasattr(value, "_mounts") and hasattr(value, "build_request")


def _keep_to_http(owner: Any) -> None:  # noqa: ANN401
    """Have google-genai use its ``httpx`` client where it would prefer another library that is installed."""
    uses_another = getattr(owner, "_use_aiohttp", None)
    if not callable(uses_another):
        return
    if owner._async_httpx_client is None:  # noqa: SLF001
        msg = "This google-genai client authenticates in a way that only another HTTP library knows."
        raise UsageError(msg, next_step="Give it an httpx client: HttpOptions(httpx_async_client=…).")
    owner._use_aiohttp = lambda: False  # noqa: SLF001


def _keep_recorded(client: object, role: str | None) -> None:
    """Record a model of pydantic-ai also after its provider gave it other connections, for another loop."""
    provider: Any = getattr(client, "provider", None)
    name = "_set_http_client"
    change: Callable[[object], None] | None = getattr(provider, name, None)
    if change is None or name in vars(provider):
        return

    def change_recorded(http: object) -> None:
        change(http)
        record(client, role=role)

    setattr(provider, name, change_recorded)


def _own(held: _Held) -> Any:  # noqa: ANN401  of either library
    """A copy of the HTTP client over the same connections, in its place; others go on with the original."""
    if _is_recording(held.http._transport):  # noqa: SLF001
        return held.http
    own = copy.copy(held.http)
    own._mounts = dict(held.http._mounts)  # noqa: SLF001
    own._turnledger_original = held.http  # noqa: SLF001  which closes the connections when it is dropped
    setattr(held.owner, held.name, own)
    return own


def _put_before(http: Any, role: str | None, translate: Translate) -> None:  # noqa: ANN401
    http._transport = _recording(http._transport, role, translate)  # noqa: SLF001  there is no public way
    for pattern, transport in list(http._mounts.items()):  # noqa: SLF001
        if transport is not None:
            http._mounts[pattern] = _recording(transport, role, translate)  # noqa: SLF001
    _record_per_loop(http, role, translate)


def _record_per_loop(http: Any, role: str | None, translate: Translate) -> None:  # noqa: ANN401
    """Record what google-genai sends by a client for each event loop, made when it is first needed."""
    name = "_client_for_running_loop"
    find: Callable[[], Any] | None = getattr(http, name, None)
    if find is None or name in vars(http):
        return

    def find_recorded() -> Any:  # noqa: ANN401
        client = find()
        _put_before(client, role, translate)
        return client

    setattr(http, name, find_recorded)


def _is_recording(transport: object) -> bool:
    return isinstance(transport, RecordingTransport | AsyncRecordingTransport)


def _recording(transport: Any, role: str | None, translate: Translate) -> object:  # noqa: ANN401
    if _is_recording(transport):
        return transport
    if hasattr(transport, "handle_async_request"):
        return AsyncRecordingTransport(transport, role, translate)
    return RecordingTransport(transport, role, translate)
