"""Events as answers: skeletons for all, first words for those who may read bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, cast
from uuid import UUID

import msgspec

from turnledger.model.rows import BodyRow, EventRow
from turnledger.query.live_cursor import flow_cursor, ledger_cursor
from turnledger.query.previews import Glance, GlanceState, glances, media_type
from turnledger.query.timeline import Entry, entries_of
from turnledger.server.answers import events
from turnledger.server.answers.form import instant
from turnledger.server.caller import Asking
from turnledger.store.contract import Reader

__all__ = ["entry_answer", "entry_answers", "event_entries", "names_in", "one_entry", "preview_answers"]

PREVIEW_CHARS: Final = 200

# What they say is said again where it counts: a request holds its history, a snapshot is a page of its own.
_NOT_PREVIEWED: Final = frozenset({"MODEL_CALL", "PROMPT"})
_NAMED: Final = ("actor", "entry", "by")
_NO_DETAIL: Final = msgspec.Raw(b"{}")

AssuranceWord = Literal["write_ahead", "spooled", "observed", "imported"]


def event_entries(rows: Iterable[EventRow]) -> list[Entry]:
    """Rows with their summaries taken apart."""
    return entries_of(rows)


def one_entry(asking: Asking, row: EventRow) -> events.Entry:
    """A single event."""
    (answer,) = entry_answers(asking, entries_of([row]), previews=True)
    return answer


def entry_answers(asking: Asking, entries: Sequence[Entry], *, previews: bool) -> list[events.Entry]:
    """Events in order, with the first words of their payloads where they are wanted and allowed."""
    shown = preview_answers(asking, entries) if previews else {}
    return [entry_answer(entry, shown.get(entry.row.event_id)) for entry in entries]


def entry_answer(entry: Entry, preview: events.Preview | None) -> events.Entry:
    """One event."""
    row = entry.row
    position = row.position
    return events.Entry(
        event_id=row.event_id,
        journal=row.journal.kind.value,
        journal_id=row.journal.id,
        agent_id=row.agent,
        conversation_id=row.conversation,
        turn_id=entry.turn,
        seq=row.seq,
        position=position,
        cursor=ledger_cursor(row.cursor) if position is None else flow_cursor(position),
        type=row.type,
        created_at=instant(row.created_ms),
        gap_ms=entry.gap_ms,
        summary=row.summary,
        tokens=dict(entry.tokens),
        assurance=None if entry.assurance is None else cast("AssuranceWord", entry.assurance.word),
        payload_hash=row.payload_hash.hex(),
        hash=row.hash.hex(),
        # The bytes as they are: read and written again, their digest would be another one.
        detail=msgspec.Raw(row.detail) if entry.detail else _NO_DETAIL,
        bodies=[_slot(entry, body) for body in row.bodies],
        preview=preview,
    )


def _slot(entry: Entry, body: BodyRow) -> events.BodySlot:
    return events.BodySlot(
        slot=body.slot,
        size=body.size,
        state="present" if body.present else "pruned",
        media_type=media_type(entry, body.slot),
    )


def preview_answers(asking: Asking, entries: Iterable[Entry]) -> dict[UUID, events.Preview]:
    """The first words of the events' payloads, of those that have one, as far as the caller may read them."""
    if not asking.sees_bodies:
        return {}
    shown = [entry for entry in entries if entry.row.bodies and entry.row.type not in _NOT_PREVIEWED]
    return {
        entry.row.event_id: events.Preview(
            slot="payload",
            state=glance.state.value,
            text=glance.text[:PREVIEW_CHARS],
            more=len(glance.text) > PREVIEW_CHARS or (glance.state is GlanceState.TEXT and _is_cut(glance)),
        )
        for entry, glance in zip(shown, glances(asking.reader, shown), strict=True)
    }


def _is_cut(glance: Glance) -> bool:
    return len(glance.text.encode("utf-8", "replace")) < glance.size


def names_in(reader: Reader, entries: Iterable[Entry]) -> dict[str, str]:
    """Outside names of the actors and memory entries that tokens name, those not erased."""
    wanted: set[UUID] = set()
    for entry in entries:
        for key in _NAMED:
            try:
                wanted.add(UUID(entry.tokens.get(key, "")))
            except ValueError:
                continue
    return {str(target): name for target, name in reader.names(sorted(wanted)).items()}
