"""Read models compared with the events they are projections of, and built anew from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.ids import NIL
from turnledger.model.vocabulary import JournalKind
from turnledger.store.cells import CONVERSATION, readable_id
from turnledger.store.contract import Engine, Reader
from turnledger.store.projection import Projected, Projection
from turnledger.store.sql_mapping import projected_rows

__all__ = ["READ_MODELS", "Difference", "count_conversations", "differences", "rebuild"]

_PAGE = 1000

# Read model → (statement that writes its rows, statement that lists a conversation's in the same columns).
READ_MODELS: Final = {
    "turns": ("insert_turn", "list_stored_turns"),
    "activity": ("upsert_activity", "list_stored_activity"),
    "messages": ("insert_message", "list_stored_messages"),
    "memory": ("insert_memory", "list_stored_memory"),
    "calls": ("insert_call", "list_stored_calls"),
    "notices": ("insert_notice", "list_stored_notices"),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of a read model that are not what the events of a conversation say.

    ``missing`` rows should be there, ``wrong`` ones should not; an altered row is both.
    """

    table: str
    conversation: UUID
    missing: int
    wrong: int


def count_conversations(reader: Reader) -> int:
    """How many conversations there are to go through."""
    return sum(1 for _ in _conversations(reader))


def _conversations(reader: Reader) -> Iterator[tuple[int, UUID]]:
    after = -1
    while rows := reader.ask("list_conversation_keys", after_cid=after, limit=_PAGE):
        for cid, conversation in rows:
            yield cid, readable_id((conversation,), CONVERSATION[1:2]) or NIL
        after = rows[-1][0]


def _project(reader: Reader, cid: int) -> Projection:
    """What the events of one conversation come to."""
    keys: dict[UUID, int | None] = {}

    def jid_of(turn: UUID) -> int | None:
        if turn not in keys:
            rows = reader.ask("get_journal_key", journal=turn.bytes)
            keys[turn] = rows[0][0] if rows else None
        return keys[turn]

    projection = Projection(jid_of)
    after = -1
    while rows := reader.ask("list_projected_events", cid=cid, after=after, limit=_PAGE):
        for jid, aid, _cid, kind, seq, type_name, tokens, created_ms, _position in rows:
            in_turn = kind == JournalKind.TURN
            projection.add(Projected(jid, aid, cid, in_turn, seq, type_name, tokens, created_ms))
        after = rows[-1][-1]
    return projection


def differences(reader: Reader, advance: Callable[[int], None]) -> Iterator[Difference]:
    """What is not as it would be after a rebuild; ``advance`` hears of each conversation that is done."""
    for cid, conversation in _conversations(reader):
        written = dict(projected_rows(_project(reader, cid)))
        for table, (write, list_stored) in READ_MODELS.items():
            expected = {tuple(row) for row in written.get(write, [])}
            stored = {tuple(row) for row in reader.ask(list_stored, cid=cid)}
            if stored != expected:
                yield Difference(table, conversation, len(expected - stored), len(stored - expected))
        advance(1)


def rebuild(reader: Reader, engine: Engine, advance: Callable[[int], None]) -> None:
    """Empty the read models and build them from the events, in one transaction; appends wait meanwhile."""
    with engine.rebuilding() as apply:
        for cid, _conversation in _conversations(reader):
            apply(_project(reader, cid))
            advance(1)
