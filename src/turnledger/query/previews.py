"""Bodies at a glance: the first words of one, and what the model supplied beside what the tool was given."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import BodyRow
from turnledger.providers.decode import decode_reply
from turnledger.providers.document import as_map, as_text, parse
from turnledger.query.timeline import Entry
from turnledger.store.contract import BodyContent, Reader

__all__ = [
    "Glance",
    "GlanceState",
    "Supplied",
    "body_glance",
    "media_type",
    "reply_glance",
    "supplied_glance",
]

_GLANCE_BYTES: Final = 1600
_REPLY_BYTES: Final = 1 << 20
_COMPARED_BYTES: Final = 1 << 20
_JSON: Final = "application/json"


class GlanceState(StrEnum):
    """What there is of a body."""

    TEXT = "text"
    BINARY = "binary"
    PRUNED = "pruned"
    DAMAGED = "damaged"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Glance:
    """The beginning of a body; ``text`` is empty unless the state is ``text``, ``size`` in bytes."""

    state: GlanceState
    text: str = ""
    size: int = 0


class Supplied(StrEnum):
    """The arguments that the model supplied, compared with those that the tool was given."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


def media_type(entry: Entry, slot: str) -> str:
    """The media type that the recorder noted for a slot."""
    noted: object = entry.detail.get("mediaType", _JSON)
    if slot != "payload":
        slots = entry.detail.get("slots")
        about = slots.get(slot) if isinstance(slots, Mapping) else None
        noted = about.get("mediaType") if isinstance(about, Mapping) else None
    return noted if isinstance(noted, str) else "application/octet-stream"


def _head(reader: Reader, entry: Entry, slot: str, limit: int) -> tuple[GlanceState, bytes, int]:
    """State, first bytes and whole size of a body."""
    row = next((body for body in entry.row.bodies if body.slot == slot), None)
    if row is None:
        return GlanceState.NONE, b"", 0
    if not row.present:
        return GlanceState.PRUNED, b"", row.size
    try:
        content = reader.body(entry.row.event_id, slot)
        if content is None or isinstance(content, BodyRow):
            return GlanceState.PRUNED, b"", row.size
        data = b"".join(content.read(0, min(limit, content.size)))
    except LedgerCorruptError:
        return GlanceState.DAMAGED, b"", row.size
    is_whole = len(data) == min(limit, content.size)
    return GlanceState.TEXT if is_whole else GlanceState.DAMAGED, data, content.size


def body_glance(reader: Reader, entry: Entry, slot: str = "payload") -> Glance:
    """The first words of a body."""
    state, data, size = _head(reader, entry, slot, _GLANCE_BYTES)
    return _glance(data, size) if state is GlanceState.TEXT else Glance(state, size=size)


def _glance(data: bytes, size: int) -> Glance:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return Glance(GlanceState.BINARY, size=size)
    return Glance(GlanceState.TEXT, text, size)


def error_glance(reader: Reader, entry: Entry, slot: str = "payload") -> Glance:
    """The text of a recorded error; the first words of the body where it is none."""
    state, data, size = _head(reader, entry, slot, _REPLY_BYTES)
    if state is not GlanceState.TEXT:
        return Glance(state, size=size)
    document = as_map(parse(data).value)
    message = as_text(document.get("message")) if set(document) == {"message", "type"} else None
    return Glance(GlanceState.TEXT, message, size) if message else _glance(data[:_GLANCE_BYTES], size)


def reply_glance(reader: Reader, entry: Entry) -> Glance:
    """What the model said: its text, else its refusal or error, else the beginning of the body."""
    state, data, size = _head(reader, entry, "payload", _REPLY_BYTES)
    if state is not GlanceState.TEXT:
        return Glance(state, size=size)
    if size <= _REPLY_BYTES:
        reply = decode_reply(data)
        said = reply.text or reply.refusal or (reply.error and (reply.error.message or reply.error.type))
        if said:
            return Glance(GlanceState.TEXT, said, size)
        if reply.wire is not None:
            return Glance(GlanceState.NONE, size=size)
        return error_glance(reader, entry)
    return _glance(data[:_GLANCE_BYTES], size)


def supplied_glance(reader: Reader, entry: Entry) -> tuple[Supplied, Glance]:
    """Whether a TOOL_CALL ran with what the model supplied, and the first words of the latter.

    As JSON values they are compared: order of keys and white space make no difference, a digit does.
    """
    state, supplied, size = _head(reader, entry, "supplied", _COMPARED_BYTES)
    if state is not GlanceState.TEXT:
        return Supplied.UNKNOWN, Glance(state, size=size)
    glance = _glance(supplied[:_GLANCE_BYTES], size)
    given_state, given, given_size = _head(reader, entry, "payload", _COMPARED_BYTES)
    if given_state is not GlanceState.TEXT or max(size, given_size) > _COMPARED_BYTES:
        return Supplied.UNKNOWN, glance
    return Supplied.SAME if supplied == given or _equal(supplied, given) else Supplied.DIFFERENT, glance


def _equal(one: bytes, other: bytes) -> bool:
    try:
        return _exact(one) == _exact(other)
    except (ValueError, RecursionError):
        return False


def _exact(data: bytes) -> object:
    """The JSON value with numbers as they are written, so that none is rounded."""
    return json.loads(data, parse_float=_Number, parse_int=_Number, object_pairs_hook=_members)


class _Number(str):
    """Digits of a number, never equal to a text of the same digits."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Number) and str.__eq__(self, other)

    __hash__ = str.__hash__


def _members(pairs: list[tuple[str, object]]) -> object:
    # A key that comes twice makes two readers see two things, so such objects are equal only to their like.
    members = dict(pairs)
    return members if len(members) == len(pairs) else [sorted(members), pairs]


def whole_body(reader: Reader, entry: Entry, slot: str) -> BodyContent | None:
    """A body to be read whole; None where it is not there."""
    content = reader.body(entry.row.event_id, slot)
    return None if content is None or isinstance(content, BodyRow) else content
