"""Rows of the views as the model's rows: the same for both engines.  Column order: see migration 0003.

Each raises DamagedRowError for a row that is damaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar
from uuid import UUID

from turnledger.errors import DamagedRowError
from turnledger.ids import NIL
from turnledger.model.draft import Journal
from turnledger.model.rows import (
    AgentRow,
    BodyRow,
    ConversationRow,
    DamagedRow,
    EventRow,
    JournalRow,
    LostCall,
    MemoryRow,
    MessageRow,
    Rows,
    StepEvent,
    TurnRow,
)
from turnledger.model.vocabulary import Direction, InboundVerdict, JournalKind, MemoryOp, Shape, TurnStatus
from turnledger.store.cells import (
    AGENT_ROW,
    CONVERSATION_ROW,
    EVENT_ROW,
    JOURNAL_ROW,
    LOST_CALL,
    MEMORY_ROW,
    MESSAGE_ROW,
    STEP_EVENT,
    TURN_ROW,
    check,
)
from turnledger.store.sql_mapping import Row, name_text

__all__ = [
    "agent_row",
    "body_rows",
    "conversation_row",
    "event_row",
    "filled",
    "journal_row",
    "listed",
    "lost_call",
    "memory_row",
    "message_row",
    "step_event",
    "turn_row",
    "whole_summary",
]

T = TypeVar("T")
K = TypeVar("K")


def listed(make: Callable[[Row], T], rows: Iterable[Row]) -> Rows[T]:
    """Rows of a list; one that is damaged does not keep the others from being read."""
    found: Rows[T] = Rows()
    for row in rows:
        try:
            found.append(make(row))
        except DamagedRowError as error:
            found.damaged.append(DamagedRow(error.table, error.column, error.id))
    return found


def filled(
    make: Callable[[Row], T],
    read: Callable[[K], Sequence[Row]],
    key: Callable[[Row], K],
    start: K,
    limit: int,
) -> Rows[T]:
    """A page of ``limit`` sound rows, as far as there are: where some are damaged, more are read to fill it.

    ``read`` gives up to ``limit`` rows beyond a key; damaged rows among them are named with it.
    """
    found: Rows[T] = Rows()
    while True:
        rows = read(start)
        for row in rows:
            one = listed(make, [row])
            found += one
            found.damaged += one.damaged
            if len(found) == limit:
                return found
        if len(rows) < limit:
            return found
        start = key(rows[-1])


def whole_summary(tokens: str, detail: bytes) -> str:
    """The summary that the chain covers: the tokens, and SHA-256 of the detail record as the last one."""
    return f"{tokens} detail={hashlib.sha256(detail).hexdigest()}"


def _uuid(value: bytes | None) -> UUID | None:
    return None if value is None else UUID(bytes=value)


def _name(value: bytes | None) -> str | None:
    return None if value is None else name_text(value)


def body_rows(lines: str | None) -> tuple[BodyRow, ...]:
    """Slots in order, from lines ``slot size present`` (None where the event has none)."""
    if not lines:
        return ()
    parts = [line.rsplit(" ", 2) for line in sorted(lines.split("\n"))]
    return tuple([BodyRow(slot, int(size), present == "1") for slot, size, present in parts])


def event_row(row: Row) -> EventRow:
    """A row of ``event_rows``."""
    check(row, EVENT_ROW)
    kind, journal, agent, conversation, seq, type_, payload_hash, tokens, *rest = row
    digest, created_ms, event_id, position, detail, cursor, bodies = rest[:7]
    return EventRow(
        Journal(JournalKind(kind), UUID(bytes=journal)),
        _uuid(agent) or NIL,
        _uuid(conversation),
        seq,
        type_,
        payload_hash,
        whole_summary(tokens, detail),
        digest,
        created_ms,
        UUID(bytes=event_id),
        position,
        detail,
        cursor,
        body_rows(bodies),
    )


def step_event(row: Row) -> StepEvent:
    """A row of ``list_step_events``."""
    check(row, STEP_EVENT)
    return StepEvent(*row)


def journal_row(row: Row) -> JournalRow:
    """A row of ``journal_rows``."""
    check(row, JOURNAL_ROW)
    kind, journal, agent, conversation, ordinal, events, head = row[:7]
    return JournalRow(
        Journal(JournalKind(kind), UUID(bytes=journal)),
        _uuid(agent) or NIL,
        _uuid(conversation),
        ordinal,
        events,
        head,
    )


def agent_row(row: Row) -> AgentRow:
    """A row of ``list_agents``."""
    check(row, AGENT_ROW)
    agent, name, opened_ms, conversations, turns = row
    return AgentRow(UUID(bytes=agent), name_text(name), opened_ms, conversations, turns)


def conversation_row(row: Row) -> ConversationRow:
    """A row of ``conversation_rows``."""
    check(row, CONVERSATION_ROW)
    conversation, agent, agent_name, key, connector, shape, place, *counts = row[:18]
    return ConversationRow(
        UUID(bytes=conversation),
        UUID(bytes=agent),
        name_text(agent_name),
        _name(key),
        connector,
        Shape(shape),
        _name(place),
        *counts,
    )


def turn_row(row: Row) -> TurnRow:
    """A row of ``turn_rows``."""
    check(row, TURN_ROW)
    turn, agent, agent_name, conversation, ordinal, status = row[:6]
    counts: Row = (*row[6:22], _uuid(row[22]))
    return TurnRow(
        UUID(bytes=turn),
        UUID(bytes=agent),
        name_text(agent_name),
        UUID(bytes=conversation),
        ordinal,
        TurnStatus(status),
        *counts,
    )


def message_row(conversation: UUID, row: Row) -> MessageRow:
    """A row of ``list_messages``.

    The fate of an inbound message is ``shed``, ``collapsed``, ``turn``, or its verdict where that was
    not to engage; of an outbound one the state of its delivery.  None: nothing is known yet.
    """
    check(row, MESSAGE_ROW)
    (
        seq,
        event_id,
        direction,
        actor,
        actor_name,
        chars,
        created_ms,
        verdict,
        turn,
        into_seq,
        shed,
        delivery,
    ) = row
    way = Direction(direction)
    decided = None if verdict is None else InboundVerdict(verdict)
    return MessageRow(
        conversation,
        seq,
        UUID(bytes=event_id),
        way,
        _uuid(actor),
        _name(actor_name),
        chars,
        created_ms,
        decided,
        _uuid(turn),
        delivery if way is Direction.OUTBOUND else _fate(decided, turn, into_seq, shed),
    )


def _fate(
    verdict: InboundVerdict | None, turn: bytes | None, into_seq: int | None, shed: str | None
) -> str | None:
    if shed is not None:
        return "shed"
    if into_seq is not None:
        return "collapsed"
    if turn is not None:
        return "turn"
    return None if verdict in {None, InboundVerdict.ENGAGE} else str(verdict)


def memory_row(row: Row) -> MemoryRow:
    """A row of ``list_memory``; a place in a page may follow."""
    check(row, MEMORY_ROW)
    entry, key, revision, op, created_ms, event_id, conversation, turn = row[:8]
    return MemoryRow(
        UUID(bytes=entry),
        _name(key),
        revision,
        MemoryOp(op),
        created_ms,
        UUID(bytes=event_id),
        _uuid(conversation),
        _uuid(turn),
    )


def lost_call(row: Row) -> LostCall:
    """A row of ``list_lost_calls``."""
    check(row, LOST_CALL)
    conversation, agent, seq, event_id = row
    return LostCall(UUID(bytes=conversation), UUID(bytes=agent), seq, UUID(bytes=event_id))
