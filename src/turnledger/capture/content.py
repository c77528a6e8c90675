"""A caller's object as the bytes it is at this moment, with what has to be said about them."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import cast

from turnledger.wire.values import encode_text, encode_value

__all__ = ["BINARY", "EVENTS", "JSON", "Attachment", "Content", "plain_form", "snapshot", "snapshot_body"]

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
EVENTS = "text/event-stream"
BINARY = "application/octet-stream"

_EVENT_HEADS = (b"data:", b"event:", b"id:", b"retry:", b": ")
_MEDIA_TYPE = re.compile(r"[a-z]+/[ -~]{1,120}")


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes of one body.

    ``encoded`` says that they are this library's form of an object, ``lossy`` that the object cannot be had
    back from them, ``chars`` how many code points a text has (None where the body is no text).
    """

    data: bytes = field(repr=False)
    media_type: str = JSON
    chars: int | None = None
    encoded: bool = False
    lossy: bool = False

    def count_chars(self) -> int:
        """Code points of the text, or of the bytes read as UTF-8."""
        return len(self.data.decode("utf-8", "replace")) if self.chars is None else self.chars


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message or goes with an answer."""

    data: bytes = field(repr=False)
    media_type: str = BINARY


def snapshot(value: object, media_type: str | None = None) -> Content:
    """The content of any object: text and bytes as they are, anything else in the canonical form.

    Never raises on a caller's object and keeps no reference to it.
    """
    media_type = _plain_media_type(media_type)
    kind = type(value)  # isinstance would ask the object for its __class__, which may raise
    if issubclass(kind, str):
        exact = "".join((cast("str", value),))  # without the methods of a subclass
        text = encode_text(exact)
        return Content(text.data, media_type or TEXT, chars=len(exact), lossy=text.lossy)
    if issubclass(kind, (bytes, bytearray, memoryview)):
        return Content(bytes(memoryview(cast("bytes", value))), media_type or BINARY)
    encoded = encode_value(value)
    return Content(encoded.data, media_type or JSON, encoded=True, lossy=encoded.lossy)


def _plain_media_type(claimed: object) -> str | None:
    """The media type that was claimed; None where it is none, so that the body's own kind decides."""
    return claimed if type(claimed) is str and _MEDIA_TYPE.fullmatch(claimed) else None


def plain_form(value: object) -> object:
    """A client library's object as the JSON that it stands for: fields that were set, by their wire names.

    Known are pydantic models and dataclasses.  Any other object, and one that will not answer, is given back.
    """
    kind = type(value)
    try:
        if callable(getattr(kind, "model_dump", None)):
            dumped: object = kind.model_dump(value, mode="json", by_alias=True, exclude_unset=True)  # type: ignore[attr-defined]
            return dumped
        return dataclasses.asdict(value) if dataclasses.is_dataclass(kind) else value  # type: ignore[call-overload]
    except Exception:  # noqa: BLE001  whatever a caller's object does, its canonical form is recorded then
        return value


def snapshot_body(value: object, media_type: str | None = None) -> Content:
    """A request or a reply: its type, where none is given, is told from its first byte."""
    content = snapshot(plain_form(value), media_type)
    if media_type is not None or content.encoded:
        return content
    head = content.data[:64].lstrip()
    guess = JSON if head[:1] in {b"{", b"["} else EVENTS if head.startswith(_EVENT_HEADS) else None
    if guess is None:
        return content
    return Content(content.data, guess, content.chars, lossy=content.lossy)
