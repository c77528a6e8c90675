"""Transports that record: the request is durable before it leaves, the response before its end is seen."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from turnledger.adapters.endpoints import is_model_request
from turnledger.adapters.exchange import Exchange, intent
from turnledger.adapters.http_library import (
    AsyncTransport,
    Request,
    Response,
    Transport,
    library_of,
    was_not_sent,
)
from turnledger.adapters.streams import async_stream, sync_stream
from turnledger.adapters.translation import Translate
from turnledger.errors import LedgerError

__all__ = ["AsyncRecordingTransport", "RecordingTransport"]


def _kind_of_inner(transport: AsyncRecordingTransport) -> type[Any]:
    return type(transport.inner)


class RecordingTransport:
    """Stands before the transport of a synchronous client."""

    def __init__(self, inner: Transport, role: str | None, translate: Translate) -> None:
        self.inner = inner
        self._role = role
        self._translate = translate

    def handle_request(self, request: Request) -> Response:
        """Send a request once it is on record.  Raises CaptureRefused where it cannot be; it was not sent."""
        if not is_model_request(request.method, request.url.path):
            return self.inner.handle_request(request)
        body = request.read()
        try:
            step = intent(request, body, self._role).__enter__()
        except LedgerError as refusal:
            raise self._translate(refusal) from refusal
        try:
            response = self.inner.handle_request(request)
        except BaseException as error:
            if was_not_sent(request, error):
                step.was_not_sent()
            step.__exit__(type(error), error, error.__traceback__)
            raise
        library = library_of(request)
        exchange = Exchange(step, library, response)
        response.stream = sync_stream(library, response.stream, exchange, self._translate)
        return response

    def close(self) -> None:
        """See the transport behind."""
        self.inner.close()

    def __enter__(self) -> Self:
        self.inner.__enter__()  # type: ignore[attr-defined]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.inner.__exit__(kind, error, trace)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever else the transport behind has
        return getattr(self.inner, name)


class AsyncRecordingTransport:
    """Stands before the transport of an asynchronous client."""

    __class__: Any = property(_kind_of_inner)  # which LiteLLM asks for before it closes what is behind

    def __init__(self, inner: AsyncTransport, role: str | None, translate: Translate) -> None:
        self.inner = inner
        self._role = role
        self._translate = translate

    async def handle_async_request(self, request: Request) -> Response:
        """Send a request once it is on record.  Raises CaptureRefused where it cannot be; it was not sent."""
        if not is_model_request(request.method, request.url.path):
            return await self.inner.handle_async_request(request)
        body = await request.aread()
        try:
            step = await intent(request, body, self._role).__aenter__()
        except LedgerError as refusal:
            raise self._translate(refusal) from refusal
        try:
            response = await self.inner.handle_async_request(request)
        except BaseException as error:
            if was_not_sent(request, error):
                step.was_not_sent()
            await step.__aexit__(type(error), error, error.__traceback__)
            raise
        library = library_of(request)
        exchange = Exchange(step, library, response)
        response.stream = async_stream(library, response.stream, exchange, self._translate)
        return response

    async def aclose(self) -> None:
        """See the transport behind."""
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()  # type: ignore[attr-defined]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self.inner.__aexit__(kind, error, trace)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever else the transport behind has
        return getattr(self.inner, name)
