"""Bodies of responses that are recorded while they are read, and on record before their end is seen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from turnledger.adapters.joining import joined
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from turnledger.adapters.exchange import Exchange
    from turnledger.adapters.http_library import AsyncStream, HttpLibrary, SyncStream
    from turnledger.adapters.translation import Translate

__all__ = ["RecordedAsyncStream", "RecordedStream", "async_stream", "sync_stream"]


class RecordedStream:
    """A body of a synchronous client.

    The step ends at the stream's own mark, at its last piece, at an error, or when it is closed or dropped.
    """

    def __init__(self, inner: SyncStream, exchange: Exchange, translate: Translate) -> None:
        self._inner = inner
        self._exchange = exchange
        self._translate = translate

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._inner:
                if self._exchange.took(piece):
                    self._complete()
                yield piece
        except GeneratorExit:
            raise  # whoever stops reading closes the response, or drops it
        except BaseException as error:
            self._leave(error)
            raise
        self._complete()

    def _complete(self) -> None:
        if self._exchange.is_over:
            return
        self._exchange.complete()
        try:
            self._exchange.step.__exit__(None, None, None)
        except LedgerError as unrecorded:
            raise self._translate(unrecorded) from unrecorded

    def _leave(self, error: BaseException | None) -> None:
        if not self._exchange.is_over:
            self._exchange.abandon()
            trace = None if error is None else error.__traceback__
            self._exchange.step.__exit__(None if error is None else type(error), error, trace)

    def close(self) -> None:
        """Give the connection back; what did not arrive until now never will."""
        try:
            self._inner.close()
        finally:
            self._leave(None)

    def __del__(self) -> None:
        self._exchange.drop()


class RecordedAsyncStream:
    """The same for an asynchronous client."""

    def __init__(self, inner: AsyncStream, exchange: Exchange, translate: Translate) -> None:
        self._inner = inner
        self._exchange = exchange
        self._translate = translate

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._inner:
                if self._exchange.took(piece):
                    await self._complete()
                yield piece
        except GeneratorExit:
            raise  # whoever stops reading closes the response, or drops it
        except BaseException as error:
            await self._leave(error)
            raise
        await self._complete()

    async def _complete(self) -> None:
        if self._exchange.is_over:
            return
        self._exchange.complete()
        try:
            await self._exchange.step.__aexit__(None, None, None)
        except LedgerError as unrecorded:
            raise self._translate(unrecorded) from unrecorded

    async def _leave(self, error: BaseException | None) -> None:
        if not self._exchange.is_over:
            self._exchange.abandon()
            trace = None if error is None else error.__traceback__
            await self._exchange.step.__aexit__(None if error is None else type(error), error, trace)

    async def aclose(self) -> None:
        """Give the connection back; what did not arrive until now never will."""
        try:
            await self._inner.aclose()
        finally:
            await self._leave(None)

    def __del__(self) -> None:
        self._exchange.drop()


def sync_stream(
    library: HttpLibrary, inner: SyncStream, exchange: Exchange, translate: Translate
) -> RecordedStream:
    """A recorded stream that is one of the client's own library too, which is what it insists on."""
    made = joined(RecordedStream, library.SyncByteStream, RecordedStream.__name__)
    stream: RecordedStream = made(inner, exchange, translate)
    return stream


def async_stream(
    library: HttpLibrary, inner: AsyncStream, exchange: Exchange, translate: Translate
) -> RecordedAsyncStream:
    """The same for an asynchronous client."""
    made = joined(RecordedAsyncStream, library.AsyncByteStream, RecordedAsyncStream.__name__)
    stream: RecordedAsyncStream = made(inner, exchange, translate)
    return stream
