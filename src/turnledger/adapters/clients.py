"""``record(client)``: finds the HTTP clients behind an SDK's client and puts a recorder before them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Final, TypeVar

from turnledger.adapters.translation import Translate, translation_for
from turnledger.adapters.transport import AsyncRecordingTransport, RecordingTransport
from turnledger.errors import UsageError

__all__ = ["record"]

T = TypeVar("T")

_HOLDERS: Final = (
    "_client",  # openai, anthropic and others made by the same generator
    "_api_client._httpx_client",  # google-genai
    "_api_client._async_httpx_client",
    "sdk_configuration.client",  # mistralai
    "sdk_configuration.async_client",
    "_client_wrapper.httpx_client.httpx_client",  # cohere
    "root_client._client",  # LangChain's models over openai
    "root_async_client._client",
    "client._client",  # pydantic-ai's models
)
"""Where SDKs keep their HTTP client."""


def record(client: T, *, role: str | None = "primary") -> T:
    """Record what ``client`` asks of models from now on, and give it back: it stays what it is.

    Its requests belong to the turn that is open where they are made; without one they are refused.
    ``role`` says what the client is used for.  Doing it twice does nothing more.  Raises UsageError for an
    object without an HTTP client that is known.
    """
    found = list(_http_clients(client))
    if not found:
        msg = f"No HTTP client is found in a {type(client).__module__}.{type(client).__qualname__}."
        raise UsageError(
            msg, next_step="Pass the SDK's client, or the httpx client itself; or use turn.model_call(…)."
        )
    translate = translation_for(type(client).__module__.partition(".")[0])
    for http in found:
        _put_before(http, role, translate)
    return client


def _http_clients(client: object) -> Iterator[Any]:
    if _is_http_client(client):
        yield client
        return
    for holder in _HOLDERS:
        try:
            http = attrgetter(holder)(client)
        except AttributeError:
            continue
        if _is_http_client(http):
            yield http


def _is_http_client(value: object) -> bool:
    return hasattr(value, "_transport") and hasattr(value, "_mounts") and hasattr(value, "build_request")


def _put_before(http: Any, role: str | None, translate: Translate) -> None:  # noqa: ANN401  of either library
    http._transport = _recording(http._transport, role, translate)  # noqa: SLF001  there is no public way
    for pattern, transport in list(http._mounts.items()):  # noqa: SLF001
        if transport is not None:
            http._mounts[pattern] = _recording(transport, role, translate)  # noqa: SLF001


def _recording(transport: Any, role: str | None, translate: Translate) -> object:  # noqa: ANN401
    if isinstance(transport, RecordingTransport | AsyncRecordingTransport):
        return transport
    if hasattr(transport, "handle_async_request"):
        return AsyncRecordingTransport(transport, role, translate)
    return RecordingTransport(transport, role, translate)
