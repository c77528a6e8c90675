"""``turnledger.journal/1``: journals as JSON lines, one event a line, read as a stream.

A header line names the journal whose events follow; the next header starts the next journal::

    {"schema":"turnledger.journal/1","journal":{"kind","id"},"agentId","conversationId","exportedAt",
     "events"}
    {"seq","type","payloadHash","summary","prevHash","hash","createdAt",
     "eventId","position","assurance","detail","bodies"}

``events`` (their number at the export; optional) lets a reader see that a file was cut.
``detail`` is the exact detail record as text (null if there is none), ``bodies`` maps a slot to
``{"bytes","mediaType","salt","text"|"base64"}`` or, without the bytes, ``{"bytes","mediaType","state"}``
with state ``pruned``, ``erased`` or ``withheld``.  Salts are base64; no salt means plain SHA-256.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from turnledger.clock import to_iso
from turnledger.errors import ForeignFileError, GrammarError
from turnledger.ids import parse_uuid
from turnledger.model.draft import Journal
from turnledger.model.rows import EventRow, JournalRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.wire.file_json import bytes_from_json, bytes_to_json, file_json, from_base64
from turnledger.wire.fixture import event_objects
from turnledger.wire.strict_json import loads

__all__ = [
    "BESIDE",
    "EVENT_START",
    "SCHEMA",
    "BadLine",
    "BodyState",
    "Fault",
    "FileBody",
    "JournalEvent",
    "JournalHeader",
    "LineSource",
    "Record",
    "event_line",
    "header_line",
    "read_journals",
]

SCHEMA: Final = "turnledger.journal/1"
BESIDE: Final = frozenset({"eventId", "position", "assurance", "detail", "bodies"})

_HEADER_BYTES: Final = 65_536
_LINE_BYTES: Final = 1 << 30
# Records start with these and JSON escapes quotes inside strings, so neither occurs within a record.
EVENT_START: Final = b'{"seq":'
_STARTS: Final = (EVENT_START, b'{"schema":')


class LineSource(Protocol):
    """A binary file open for reading."""

    def readline(self, size: int, /) -> bytes:
        """The next line with its line feed, at most ``size`` bytes of it; nothing at the end."""
        ...


class BodyState(StrEnum):
    """Whether a body's bytes are in the file, and if not, why."""

    PRESENT = "present"
    PRUNED = "pruned"
    ERASED = "erased"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class FileBody:
    """One slot: ``size`` in bytes; ``data`` None unless it is present; ``salt`` None for plain SHA-256."""

    slot: str
    size: int
    media_type: str
    state: BodyState = BodyState.PRESENT
    data: bytes | None = None
    salt: bytes | None = None


@dataclass(frozen=True, slots=True)
class JournalHeader:
    """Which journal follows; ``events`` is None where the writer did not count them.

    ``with_conversation`` says that a turn was written together with the journal of its conversation.
    """

    journal: Journal
    agent: UUID
    conversation: UUID | None
    exported_at: str
    events: int | None = None
    with_conversation: bool = False


@dataclass(frozen=True, slots=True)
class JournalEvent:
    """One event line: unchecked JSON, its line number (from 1) and byte offset (from 0)."""

    number: int
    offset: int
    fields: Mapping[str, object]

    def detail(self) -> bytes | None:
        """Exact bytes of the detail record, None where the line has none; GrammarError for another form."""
        value = self.fields.get("detail")
        return None if value is None else bytes_from_json(value, f"The detail in line {self.number}")

    def bodies(self) -> tuple[FileBody, ...]:
        """The event's slots; raises GrammarError where they are not in the form of the format."""
        slots = self.fields.get("bodies", {})
        if not isinstance(slots, Mapping):
            raise _bad_body(self.number)
        return tuple(_parse_body(slot, body, self.number) for slot, body in slots.items())


class Fault(StrEnum):
    """What is wrong with a line."""

    TORN = "torn"
    NOT_JSON = "not-json"
    NOT_A_RECORD = "not-a-record"
    BAD_HEADER = "bad-header"
    NO_JOURNAL = "no-journal"
    TOO_LONG = "too-long"


@dataclass(frozen=True, slots=True)
class BadLine:
    """Bytes that are no record: line number (from 1), offset and length in bytes."""

    number: int
    offset: int
    length: int
    fault: Fault


Record: TypeAlias = JournalHeader | JournalEvent | BadLine


# --- writing ---


def header_line(row: JournalRow, exported_ms: int, *, with_conversation: bool = False) -> bytes:
    """The line that starts a journal; ``with_conversation`` as in ``JournalHeader``."""
    return _line(
        {
            "schema": SCHEMA,
            "journal": {"kind": row.journal.kind, "id": str(row.journal.id)},
            "agentId": str(row.agent),
            "conversationId": None if row.conversation is None else str(row.conversation),
            "exportedAt": to_iso(exported_ms),
            "events": row.events,
            **({"with": ["conversation"]} if with_conversation else {}),
        }
    )


def event_line(row: EventRow, prev_hash: str, bodies: Sequence[FileBody] = ()) -> bytes:
    """The line of one event; ``prev_hash`` is the hex hash of the event before (64 zeros for the first)."""
    (fields,) = event_objects([row], prev_hash)
    letter = parse_summary(row.summary).get("assurance")
    fields.update(
        eventId=str(row.event_id),
        position=row.position,
        assurance=next((level.word for level in Assurance if level == letter), None),
        detail=bytes_to_json(row.detail) if row.detail else None,
        bodies={body.slot: _body_object(body) for body in bodies},
    )
    return _line(fields)


def _body_object(body: FileBody) -> dict[str, object]:
    fields: dict[str, object] = {"bytes": body.size, "mediaType": body.media_type}
    if body.data is None:
        return {**fields, "state": body.state}
    if body.salt is not None:
        fields["salt"] = base64.b64encode(body.salt).decode("ascii")
    content = bytes_to_json(body.data)
    return {**fields, **(content if isinstance(content, dict) else {"text": content})}


def _line(fields: Mapping[str, object]) -> bytes:
    return file_json(fields) + b"\n"


# --- reading ---


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    offset: int
    data: bytes
    length: int


def read_journals(stream: LineSource) -> Iterator[Record]:
    """Headers, events and bad lines in the order of the file; holds one line in memory at a time.

    A torn record (a writer was killed) costs that record alone: it is reported once, and a record that was
    appended on the same line is still read.  Raises ForeignFileError where the file does not start with
    a header.
    """
    started = inside = False
    for line in _lines(stream):
        if not started and not isinstance(next(_records(line)), JournalHeader):
            raise _foreign(line)
        started = True
        for record in _records(line):
            if isinstance(record, JournalHeader):
                inside = True
            elif isinstance(record, BadLine) and record.fault is Fault.BAD_HEADER:
                inside = False
            elif isinstance(record, JournalEvent) and not inside:
                # Behind a header that cannot be read nobody knows whose events follow.
                rest = line.offset + line.length - record.offset
                yield BadLine(line.number, record.offset, rest, Fault.NO_JOURNAL)
                continue
            yield record
    if not started:
        msg = "This file is empty, so it is no journal."
        raise ForeignFileError(msg, next_step="Give the file that `turnledger export` wrote.")


def _lines(stream: LineSource) -> Iterator[_Line]:
    """Non-empty lines; of one that is too long, what fits and its true length."""
    offset, number, limit = 0, 0, _HEADER_BYTES
    while data := stream.readline(limit):
        number += 1
        length = len(data)
        while not data.endswith(b"\n") and length >= limit and (rest := stream.readline(_HEADER_BYTES)):
            length += len(rest)
            if rest.endswith(b"\n"):
                break
        if data.strip():
            yield _Line(number, offset, data, length)
        offset += length
        limit = _LINE_BYTES


def _records(line: _Line) -> Iterator[Record]:
    """What one line holds: a record, a fault, or a torn record with another one behind it."""
    if len(line.data) < line.length:
        yield BadLine(line.number, line.offset, line.length, Fault.TOO_LONG)
        return
    whole = _parse(line)
    if isinstance(whole, BadLine) and (start := max(line.data.rfind(mark) for mark in _STARTS)) > 0:
        behind = _parse(_Line(line.number, line.offset + start, line.data[start:], line.length - start))
        if not isinstance(behind, BadLine):
            fault = Fault.BAD_HEADER if line.data.startswith(_STARTS[1]) else Fault.TORN
            yield BadLine(line.number, line.offset, start, fault)
            whole = behind
    yield whole


def _parse(line: _Line) -> JournalHeader | JournalEvent | BadLine:
    try:
        fields = loads(line.data, f"line {line.number}")
    except ForeignFileError:
        return BadLine(line.number, line.offset, line.length, _text_fault(line.data))
    if isinstance(fields, dict) and "schema" in fields:
        header = _parse_header(fields)
        return header or BadLine(line.number, line.offset, line.length, Fault.BAD_HEADER)
    if isinstance(fields, dict) and "seq" in fields:
        return JournalEvent(line.number, line.offset, fields)
    return BadLine(line.number, line.offset, line.length, Fault.NOT_A_RECORD)


def _text_fault(data: bytes) -> Fault:
    """Why a line is no JSON.

    A writer that was killed leaves a beginning without its line feed, or, where the next writer ended the
    line, without its closing brace.
    """
    if not data.endswith(b"\n"):
        return Fault.TORN
    if data.startswith(_STARTS[1]):
        return Fault.BAD_HEADER
    return Fault.TORN if data.startswith(_STARTS[0]) and not data.rstrip().endswith(b"}") else Fault.NOT_JSON


def _foreign(line: _Line) -> ForeignFileError:
    msg = f"This file is no journal: its first line is no header of {SCHEMA!r}."
    if line.data.startswith(b"\x1f\x8b") or line.data.startswith(b"\x28\xb5\x2f\xfd"):
        return ForeignFileError(msg, next_step="It is compressed: unpack it first.")
    if line.data.startswith(b"SQLite format 3"):
        return ForeignFileError(msg, next_step="It is a database: name it with --ledger.")
    return ForeignFileError(msg, next_step="Give the file that `turnledger export` wrote.")


def _parse_header(fields: Mapping[str, object]) -> JournalHeader | None:
    journal = fields.get("journal")
    conversation, exported_at = fields.get("conversationId"), fields.get("exportedAt")
    events = fields.get("events")
    if fields.get("schema") != SCHEMA or not isinstance(journal, Mapping) or not isinstance(exported_at, str):
        return None
    if events is not None and type(events) is not int:
        return None
    try:
        return JournalHeader(
            journal=Journal(JournalKind(str(journal.get("kind"))), _uuid(journal.get("id"))),
            agent=_uuid(fields.get("agentId")),
            conversation=None if conversation is None else _uuid(conversation),
            exported_at=exported_at,
            events=events,
            with_conversation=fields.get("with") == ["conversation"],
        )
    except ValueError:
        return None


def _uuid(value: object) -> UUID:
    return parse_uuid(value if isinstance(value, str) else "")


def _parse_body(slot: object, body: object, number: int) -> FileBody:
    what = f"The body {str(slot)[:40]!r} in line {number}"
    if not isinstance(slot, str) or not isinstance(body, Mapping):
        raise _bad_body(number)
    size, media_type = body.get("bytes"), body.get("mediaType")
    if type(size) is not int or not isinstance(media_type, str):
        raise _bad_body(number)
    if "state" in body:
        if body["state"] not in (BodyState.PRUNED, BodyState.ERASED, BodyState.WITHHELD):
            raise _bad_body(number)
        return FileBody(slot, size, media_type, BodyState(body["state"]))
    salt = None if body.get("salt") is None else from_base64(body["salt"], f"{what}: its salt")
    content = body["text"] if "text" in body else {"base64": body.get("base64")}
    return FileBody(slot, size, media_type, BodyState.PRESENT, bytes_from_json(content, what), salt)


def _bad_body(number: int) -> GrammarError:
    msg = f"The bodies in line {number} are not in the form of {SCHEMA}."
    return GrammarError(msg, next_step="Export it again.")
