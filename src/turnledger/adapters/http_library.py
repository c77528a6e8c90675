"""What is needed of ``httpx`` and ``httpx2``, whichever a client uses; found at its objects, not imported."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator, MutableMapping
from typing import Any, Protocol, cast

__all__ = [
    "AsyncTransport",
    "HttpLibrary",
    "Request",
    "Response",
    "Transport",
    "coding_of",
    "decoded_body",
    "library_of",
    "was_not_sent",
]


class Url(Protocol):
    """An address."""

    host: str
    path: str


class Headers(Protocol):
    """Headers, whose names have no case."""

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401  as the libraries declare it
        """The header's value."""
        ...


class Request(Protocol):
    """A request on its way out."""

    method: str
    url: Url
    headers: Headers

    def read(self) -> bytes:
        """The whole body."""
        ...

    async def aread(self) -> bytes:
        """The whole body."""
        ...


class Response(Protocol):
    """A response whose body has not been read."""

    status_code: int
    headers: Headers
    extensions: MutableMapping[str, Any]
    stream: Any


class Transport(Protocol):
    """What sends requests of a synchronous client."""

    def handle_request(self, request: Request) -> Response:
        """Send and wait for the head of the response."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


class AsyncTransport(Protocol):
    """What sends requests of an asynchronous client."""

    async def handle_async_request(self, request: Request) -> Response:
        """Send and wait for the head of the response."""
        ...

    async def aclose(self) -> None:
        """Give connections back."""
        ...


class SyncStream(Protocol):
    """A body on its way in."""

    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None:
        """Give the connection back."""
        ...


class AsyncStream(Protocol):
    """A body on its way in."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...
    async def aclose(self) -> None:
        """Give the connection back."""
        ...


class HttpLibrary(Protocol):
    """The module ``httpx`` or ``httpx2``."""

    SyncByteStream: type[Any]
    AsyncByteStream: type[Any]
    ByteStream: type[Any]
    Response: type[Any]
    ConnectError: type[Exception]
    ConnectTimeout: type[Exception]
    PoolTimeout: type[Exception]


def library_of(request: Request) -> HttpLibrary:
    """The library whose request this is."""
    return cast("HttpLibrary", sys.modules[type(request).__module__.partition(".")[0]])


def was_not_sent(request: Request, error: BaseException) -> bool:
    """Whether there was no connection to send any of the request on."""
    library = library_of(request)
    return isinstance(error, (library.ConnectError, library.ConnectTimeout, library.PoolTimeout))


def coding_of(response: Response) -> str | None:
    """How the provider compressed the body; None where it did not."""
    coding = response.headers.get("content-encoding")
    return None if coding in {None, "", "identity"} else str(coding)


def decoded_body(library: HttpLibrary, coding: str, body: bytes) -> bytes | None:
    """``body``, or the beginning of one, as it was before the provider compressed it; None where damaged."""
    shadow = library.Response(200, headers={"content-encoding": coding}, stream=library.ByteStream(body))
    try:
        return bytes(shadow.read())
    except Exception:  # noqa: BLE001  whatever a library raises: what arrived is recorded as it arrived
        return None
