"""Reading foreign JSON: a parser that answers instead of raising, and accessors that never trust a shape."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec

from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["EMPTY", "Document", "as_list", "as_map", "as_text", "exact_text", "parse", "without_mark"]

Flag: TypeAlias = Literal["undecodable", "cut", "invalid-utf8"]

EMPTY: Mapping[str, object] = {}

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed body; ``value`` means nothing where ``undecodable`` is flagged."""

    value: object
    flags: tuple[Flag, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether ``value`` is what the body said."""
        return "undecodable" not in self.flags


def parse(body: bytes) -> Document:
    """The JSON value of ``body``.

    Integers keep all digits.  What the strict parser refuses but providers send (lone surrogates, NaN,
    control characters in strings) is read by a lenient one.
    """
    plain = without_mark(body)
    try:
        return Document(msgspec.json.decode(plain))
    except (msgspec.DecodeError, RecursionError):
        return _parse_leniently(plain)


def _parse_leniently(body: bytes) -> Document:
    flags: tuple[Flag, ...] = ()
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
        flags = ("invalid-utf8",)
    try:
        return Document(json.loads(text, strict=False), flags)
    except (ValueError, RecursionError) as refusal:
        ends_early = "Unterminated" in str(refusal) or _wants_more(body) or _wants_more(body + b"0")
        return Document(None, ("undecodable", "cut") if ends_early else ("undecodable",))


def _wants_more(body: bytes) -> bool:
    """Whether the strict parser misses the end; of half a number it only says so given one more digit."""
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as refusal:
        return "truncated" in str(refusal)
    return False


def without_mark(body: bytes) -> bytes:
    """The body without white space and byte order mark in front."""
    return body.lstrip().removeprefix(_BYTE_ORDER_MARK).lstrip()


def as_map(value: object) -> Mapping[str, object]:
    """``value`` if it is a dict, else an empty mapping."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else EMPTY


def as_list(value: object) -> Sequence[object]:
    """``value`` if it is a list or tuple, else an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else ()


def as_text(value: object) -> str | None:
    """``value`` if it is a text that is not empty, else None."""
    return value if isinstance(value, str) and value else None


def exact_text(body: bytes, path: Sequence[str | int], value: object) -> tuple[str, bool]:
    """The text of the JSON value at ``path`` exactly as it stands in ``body``, and whether it is exact.

    ``value`` is the same value parsed; its canonical form is the answer where the strict parser cannot
    walk the body.
    """
    try:
        raw = msgspec.Raw(without_mark(body))
        for step in path:
            if isinstance(step, int):
                raw = msgspec.json.decode(raw, type=list[msgspec.Raw])[step]
            else:
                raw = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[step]
        return bytes(raw).decode(), True
    except (ValueError, LookupError, RecursionError):
        return encode_value(value).data.decode(), False
