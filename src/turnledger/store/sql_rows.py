"""Rows of the views as the model's rows: the same for both engines.  Column order: see migration 0003."""

from __future__ import annotations

import hashlib
from uuid import UUID

from turnledger.ids import NIL
from turnledger.model.draft import Journal
from turnledger.model.rows import (
    AgentRow,
    BodyRow,
    ConversationRow,
    EventRow,
    JournalRow,
    MemoryRow,
    MessageRow,
    TurnRow,
)
from turnledger.model.vocabulary import Direction, InboundVerdict, JournalKind, MemoryOp, Shape, TurnStatus
from turnledger.store.sql_mapping import Row, name_text

__all__ = [
    "agent_row",
    "body_rows",
    "conversation_row",
    "event_row",
    "journal_row",
    "memory_row",
    "message_row",
    "turn_row",
    "whole_summary",
]


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


def journal_row(row: Row) -> JournalRow:
    """A row of ``journal_rows``."""
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
    agent, name, opened_ms, conversations, turns = row
    return AgentRow(UUID(bytes=agent), name_text(name), opened_ms, conversations, turns)


def conversation_row(row: Row) -> ConversationRow:
    """A row of ``conversation_rows``."""
    conversation, agent, agent_name, key, connector, shape, place, *counts = row[:16]
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
    """A row of ``list_memory``."""
    entry, key, revision, op, created_ms, event_id, conversation, turn = row
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
