"""Rows and events in the JSON form of the API: camelCase, times as RFC 3339, ids as text."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from uuid import UUID

from turnledger.clock import to_iso
from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import BodyRow
from turnledger.query.previews import media_type, whole_body
from turnledger.query.timeline import Entry
from turnledger.store.contract import Reader
from turnledger.wire.file_json import bytes_to_json
from turnledger.wire.strict_json import loads

__all__ = ["event_object", "instant", "row_object"]


def instant(epoch_ms: int | None) -> str | None:
    """The time as RFC 3339; None where there is none, or none that a calendar has."""
    try:
        return None if epoch_ms is None else to_iso(epoch_ms)
    except OverflowError:
        return None


def row_object(row: object) -> dict[str, object]:
    """A row, or any dataclass of plain values: ``opened_ms`` becomes ``openedAt``, and so on."""
    if not is_dataclass(row):
        msg = f"{type(row).__name__} is no row."
        raise TypeError(msg)
    result: dict[str, object] = {}
    for one in fields(row):
        value: object = getattr(row, one.name)
        if one.name.endswith("_ms"):
            result[_camel(one.name.removesuffix("_ms")) + "At"] = instant(
                value if isinstance(value, int) else None
            )
        else:
            result[_camel(one.name)] = _plain(value)
    return result


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _plain(value: object) -> object:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_plain(item) for item in value]
    return row_object(value) if is_dataclass(value) else value


def event_object(
    reader: Reader, entry: Entry, *, prev_hash: str | None = None, bodies: bool = False
) -> dict[str, object]:
    """One event: the seven hashed fields first, then where it stands, then tokens, detail and bodies.

    ``prev_hash`` is null where the event before is not there; ``bodies`` adds their bytes and salts, exactly
    as stored.  The detail is the stored JSON: what JSON has no form for stays in the tagged form of
    ``encode_value``.
    """
    row = entry.row
    return {
        "seq": row.seq,
        "type": row.type,
        "payloadHash": row.payload_hash.hex(),
        "summary": row.summary,
        "prevHash": prev_hash,
        "hash": row.hash.hex(),
        "createdAt": instant(row.created_ms),
        "eventId": str(row.event_id),
        "journal": {"kind": row.journal.kind.value, "id": str(row.journal.id)},
        "agentId": str(row.agent),
        "conversationId": None if row.conversation is None else str(row.conversation),
        "position": row.position,
        "cursor": row.cursor,
        "gapMs": entry.gap_ms,
        "assurance": None if entry.assurance is None else entry.assurance.word,
        "tokens": dict(entry.tokens),
        "detail": loads(entry.row.detail, "detail record") if entry.detail else {},
        "bodies": {body.slot: _body_object(reader, entry, body, bodies) for body in row.bodies},
    }


def _body_object(reader: Reader, entry: Entry, body: BodyRow, whole: bool) -> dict[str, object]:  # noqa: FBT001
    about: dict[str, object] = {"bytes": body.size, "mediaType": media_type(entry, body.slot)}
    if not whole or not body.present:
        return {**about, "state": "present" if body.present else "pruned"}
    content = whole_body(reader, entry, body.slot)
    if content is None:
        return {**about, "state": "pruned"}
    try:
        data = bytes_to_json(b"".join(content.read()))
    except LedgerCorruptError:
        return {**about, "state": "damaged"}
    salt = base64.b64encode(content.salt).decode("ascii")
    return {**about, "state": "present", "salt": salt, **(data if isinstance(data, dict) else {"text": data})}
