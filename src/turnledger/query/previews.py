"""Bodies at a glance: the first words of one, and what the model supplied beside what the tool was given."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from turnledger.model.rows import BodyRow
from turnledger.providers.decode import decode_reply
from turnledger.providers.document import as_map, as_text, parse
from turnledger.query.heads import Head, HeadState, Wanted, heads
from turnledger.query.timeline import Entry
from turnledger.store.contract import BodyContent, Reader

__all__ = [
    "Glance",
    "GlanceState",
    "Supplied",
    "body_glance",
    "glances",
    "media_type",
    "reply_glance",
    "supplied_glance",
]

_GLANCE_BYTES: Final = 1600
_REPLY_BYTES: Final = 1 << 20
_TOGETHER_BYTES: Final = 4 << 20
_COMPARED_BYTES: Final = 1 << 20
_JSON: Final = "application/json"


class GlanceState(StrEnum):
    """What there is of a body."""

    TEXT = "text"
    BINARY = "binary"
    PRUNED = "pruned"
    DAMAGED = "damaged"
    NONE = "none"


_STATES: Final = {
    HeadState.PRUNED: GlanceState.PRUNED,
    HeadState.DAMAGED: GlanceState.DAMAGED,
    HeadState.NONE: GlanceState.NONE,
}


@dataclass(frozen=True, slots=True)
class Glance:
    """The beginning of a body; ``text`` is empty unless the state is ``text``, ``size`` in bytes.

    ``is_json`` says that the text is the body itself, and JSON.
    """

    state: GlanceState
    text: str = ""
    size: int = 0
    is_json: bool = False


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


def glances(reader: Reader, entries: Sequence[Entry]) -> Iterator[Glance]:
    """A glance at the payload of each of these events: at what the model said, or the first words."""
    gathered: list[Wanted] = []
    size = 0
    for entry in entries:
        limit = _REPLY_BYTES if _is_reply(entry) else _GLANCE_BYTES
        gathered.append(Wanted(entry, "payload", limit))
        size += min(limit, sum(body.size for body in entry.row.bodies))
        if size >= _TOGETHER_BYTES:
            yield from _glances(reader, gathered)
            gathered, size = [], 0
    yield from _glances(reader, gathered)


def _glances(reader: Reader, wanted: Sequence[Wanted]) -> Iterator[Glance]:
    for one, head in zip(wanted, heads(reader, wanted), strict=True):
        yield _reply(head) if _is_reply(one.entry) else _glance(head)


def _is_reply(entry: Entry) -> bool:
    return entry.row.type == "MODEL_RESULT"


def body_glance(reader: Reader, entry: Entry, slot: str = "payload") -> Glance:
    """The first words of a body."""
    glance = _glance(_head(reader, entry, slot, _GLANCE_BYTES))
    return replace(glance, is_json=media_type(entry, slot) == _JSON)


def error_glance(reader: Reader, entry: Entry, slot: str = "payload") -> Glance:
    """The text of a recorded error; the first words of the body where it is none."""
    return _error(_head(reader, entry, slot, _REPLY_BYTES))


def reply_glance(reader: Reader, entry: Entry) -> Glance:
    """What the model said: its text, else its refusal or error, else the beginning of the body."""
    is_json = media_type(entry, "payload") == _JSON
    return _reply(_head(reader, entry, "payload", _REPLY_BYTES), is_json=is_json)


def _head(reader: Reader, entry: Entry, slot: str, limit: int) -> Head:
    (head,) = heads(reader, [Wanted(entry, slot, limit)])
    return head


def _glance(head: Head) -> Glance:
    if head.state is not HeadState.PRESENT:
        return Glance(_STATES[head.state], size=head.size)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head.data[:_GLANCE_BYTES])
    except UnicodeDecodeError:
        return Glance(GlanceState.BINARY, size=head.size)
    return Glance(GlanceState.TEXT, text, head.size)


def _error(head: Head, *, is_json: bool = False) -> Glance:
    document = as_map(parse(head.data).value) if head.state is HeadState.PRESENT else {}
    message = as_text(document.get("message")) if set(document) == {"message", "type"} else None
    return (
        Glance(GlanceState.TEXT, message, head.size) if message else replace(_glance(head), is_json=is_json)
    )


def _reply(head: Head, *, is_json: bool = False) -> Glance:
    if head.state is not HeadState.PRESENT or head.size > _REPLY_BYTES:
        return _glance(head)
    reply = decode_reply(head.data)
    said = reply.text or reply.refusal or (reply.error and (reply.error.message or reply.error.type))
    if said:
        return Glance(GlanceState.TEXT, said, head.size)
    return _error(head, is_json=is_json) if reply.wire is None else Glance(GlanceState.NONE, size=head.size)


def supplied_glance(reader: Reader, entry: Entry) -> tuple[Supplied, Glance]:
    """Whether a TOOL_CALL ran with what the model supplied, and the first words of the latter.

    As JSON values they are compared: order of keys and white space make no difference, a digit does.
    """
    slots = ("supplied", "payload")
    supplied, given = heads(reader, [Wanted(entry, slot, _COMPARED_BYTES) for slot in slots])
    glance = _glance(supplied)
    is_known = supplied.state is given.state is HeadState.PRESENT
    if not is_known or max(supplied.size, given.size) > _COMPARED_BYTES:
        return Supplied.UNKNOWN, glance
    is_same = supplied.data == given.data or _equal(supplied.data, given.data)
    return Supplied.SAME if is_same else Supplied.DIFFERENT, glance


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
