"""Reading requests and replies for what they say, so that no fault in reading ever reaches the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from turnledger.capture.content import Content
from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Reply, RequestFacts
from turnledger.wire.value_kinds import type_name

__all__ = ["read_reply", "read_request"]

T = TypeVar("T")


def read_request(request: object, body: Content, url: str | None) -> tuple[RequestFacts, str | None]:
    """The facts of a request, and the class of the error that reading it met (None for none)."""
    given = cast("Mapping[str, object]", request) if type(request) is dict else body.data
    return _guarded(lambda: decode_request(given, uri=url), RequestFacts(flags=("undecodable",)))


def read_reply(
    body: Content, provider: str | None, http_status: int | None, url: str | None
) -> tuple[Reply, str | None]:
    """The same of a reply."""
    media_type = body.media_type
    return _guarded(
        lambda: decode_reply(
            body.data, provider=provider, media_type=media_type, status=http_status, uri=url
        ),
        Reply(flags=("undecodable", "usage-absent")),
    )


def _guarded(read: Callable[[], T], otherwise: T) -> tuple[T, str | None]:
    try:
        return read(), None
    except Exception as error:  # noqa: BLE001  recorded as CAPTURE_ERROR; the agent's own work goes on
        return otherwise, type_name(type(error)).removeprefix("builtins.")
