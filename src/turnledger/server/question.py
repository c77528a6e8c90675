"""JSON bodies of requests, bounded and strict: a field that is not known is an error, not ignored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec
from starlette.requests import Request

from turnledger.errors import UsageError
from turnledger.server.problems import HttpError
from turnledger.server.reply import JSON

__all__ = ["Question", "question"]

LARGEST: Final = 64 * 1024

T = TypeVar("T", bound=msgspec.Struct)


class Question(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object that a client sends."""


def question(kind: type[T]) -> Callable[[Request], Awaitable[T]]:
    """A dependency that reads the request's body as ``kind``.

    Raises UsageError for what is not, HttpError 413 over 64 KiB and 415 for another media type.
    """
    decoder = msgspec.json.Decoder(kind)

    async def read(request: Request) -> T:
        media_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if media_type != JSON:
            msg = f"The body has to be {JSON}."
            raise HttpError(415, "media-type", msg, "Send Content-Type: application/json.")
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > LARGEST:
                msg = f"The body is over {LARGEST} bytes."
                raise HttpError(413, "too-large", msg, "Send less.")
        try:
            return decoder.decode(data)
        except msgspec.DecodeError as error:
            msg = f"The body is not what this resource takes: {error}."
            raise UsageError(msg, next_step="See /openapi.json for what it has to be.") from error

    return read
