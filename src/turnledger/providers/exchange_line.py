"""Exchanges with model providers written down one a line, as test recordings are.

``{provider, uri, status, kind, request, response, source}``, all but ``response`` optional; ``kind`` is
``json`` (the parsed body), ``sse`` (the raw event stream as text), ``text`` (the raw body as text) or
``base64`` (the raw body, for binary event streams).
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from turnledger.errors import ForeignFileError
from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.document import as_map, as_text, parse
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from turnledger.providers.exchange import Reply, RequestFacts

__all__ = ["RecordedExchange", "read_exchange"]

_KINDS: Final = ("json", "sse", "text", "base64")
_NEXT_STEP: Final = (
    "A line is an object with `response` and, where known, `provider`, `uri`, `status` and `kind`."
)
_FIELDS: Final[tuple[str, ...]] = ("provider", "uri", "status", "kind")


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One exchange; ``exact`` says that the bodies are what stands in the line, byte for byte."""

    response: bytes
    request: bytes | None = None
    provider: str | None = None
    uri: str | None = None
    status: int | None = None
    kind: str | None = None
    exact: bool = True

    def reply(self) -> Reply:
        """What the decoders make of the response."""
        return decode_reply(
            self.response,
            provider=self.provider,
            media_type="text/event-stream" if self.kind == "sse" else None,
            status=self.status,
            uri=self.uri,
        )

    def facts(self) -> RequestFacts | None:
        """What they make of the request; None where there is none."""
        return None if not self.request else decode_request(self.request, uri=self.uri)


def read_exchange(line: bytes) -> RecordedExchange:
    """The exchange that stands in ``line``.  Raises ForeignFileError that says what is wrong with it."""
    exact, bodies, fields = _split(line)
    if "response" not in bodies:
        msg = "It has no `response`."
        raise ForeignFileError(msg, next_step=_NEXT_STEP)
    kind = as_text(fields.get("kind"))
    if kind is not None and kind not in _KINDS:
        msg = f"Its kind is none of {', '.join(_KINDS)}."
        raise ForeignFileError(msg, next_step=_NEXT_STEP)
    status = fields.get("status")
    return RecordedExchange(
        response=_body(bodies["response"], kind),
        request=_body(bodies["request"], None) if "request" in bodies else None,
        provider=as_text(fields.get("provider")),
        uri=as_text(fields.get("uri")),
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        kind=kind,
        exact=exact,
    )


def _split(line: bytes) -> tuple[bool, Mapping[str, bytes], Mapping[str, object]]:
    """Bodies as they stand in the line where the strict parser can cut them out, else written anew."""
    try:
        raw = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        fields: dict[str, object] = {key: msgspec.json.decode(raw[key]) for key in _FIELDS if key in raw}
        return True, {key: bytes(raw[key]) for key in ("response", "request") if key in raw}, fields
    except (msgspec.DecodeError, RecursionError) as error:
        too_deep = isinstance(error, RecursionError)
        document = parse(line)
    if not document.readable:
        msg = "It breaks off." if "cut" in document.flags else "It is no JSON."
        msg = "It is nested too deep to be read." if too_deep else msg
        raise ForeignFileError(msg, next_step=_NEXT_STEP)
    if not isinstance(document.value, dict):
        msg = "It is no JSON object."
        raise ForeignFileError(msg, next_step=_NEXT_STEP)
    value = as_map(document.value)
    bodies = {key: encode_value(value[key]).data for key in ("response", "request") if key in value}
    return False, bodies, value


def _body(raw: bytes, kind: str | None) -> bytes:
    """A body that stands in the line as text is that text, any other is its JSON; null is empty."""
    if raw == b"null":
        return b""
    value = parse(raw).value if raw.startswith(b'"') else None
    if not isinstance(value, str):
        return raw
    if kind != "base64":
        return value.encode("utf-8", "surrogatepass")
    try:
        return b64decode(value, validate=True)
    except ValueError:
        msg = "Its body is no base64."
        raise ForeignFileError(msg, next_step=_NEXT_STEP) from None
