"""States and changes as statement parameters, and rows as states: the same for both engines.

Ids and digests are bytes in parameters and columns.  A write is a statement's name with rows of values in
the order of ``Statement.params``; a lookup is a statement's name with one key (a tuple of values) each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeAlias
from uuid import UUID

from turnledger.ids import NIL
from turnledger.model.draft import AliasKind
from turnledger.model.rows import LeaseRow
from turnledger.model.vocabulary import JournalKind
from turnledger.store.cells import AGENT_STATE, CONVERSATION, JOURNAL_STATE, LEASE_ROW, check
from turnledger.store.contract import StoredBody
from turnledger.store.projection import CallOutcome, MemoryRevision, MessageChange, Projection, TurnChange
from turnledger.store.state import (
    AgentState,
    AliasKey,
    Changes,
    ConversationState,
    Found,
    JournalState,
    SeenEvent,
    Wants,
)

__all__ = [
    "EMPTYING",
    "Lookup",
    "Row",
    "Values",
    "Write",
    "agent_state",
    "alias_digest",
    "alias_values",
    "changed_rows",
    "conversation_state",
    "found_states",
    "head_values",
    "journal_state",
    "lease_row",
    "lookups",
    "name_bytes",
    "name_text",
    "projected_rows",
    "seen_event",
]

Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = tuple[object, ...]
Write: TypeAlias = tuple[str, list[Values]]
Lookup: TypeAlias = tuple[str, list[Row]]

EMPTYING = (
    "delete_turns",
    "delete_activity",
    "delete_messages",
    "delete_memory",
    "delete_calls",
    "delete_notices",
)

_EVENT = attrgetter(
    "jid",
    "seq",
    "cid",
    "position",
    "event_id.bytes",
    "type",
    "payload_hash",
    "tokens",
    "detail",
    "hash",
    "created_ms",
)
_BODY = attrgetter("jid", "seq", "slot", "size", "salt", "recipe")
_LEAF = attrgetter("kind", "jid", "events", "head", "status", "created_ms")
_CONFLICT = attrgetter("event_id.bytes", "seen_ms", "type", "tokens", "payload_hash")
_ARRIVAL = attrgetter("start", "data", "call.bytes", "jid")
_ACTIVITY = attrgetter(
    "cid", "aid", "last_ms", "turns", "open_turns", "failed_turns", "messages", "tokens_in", "tokens_out"
)
_COUNTERS = attrgetter(
    "model_calls",
    "tool_calls",
    "open_steps",
    "errors",
    "tokens_in",
    "tokens_out",
    "cache_read",
    "cache_write",
    "reasoning",
)


def _id(value: UUID | None) -> bytes | None:
    return None if value is None else value.bytes


def _uuid(value: bytes | None) -> UUID | None:
    return None if value is None else UUID(bytes=value)


def _word(value: str | None) -> str | None:
    """Text as both databases can hold it: no StrEnum, no lone surrogate, no NUL (events encode them)."""
    if value is None or (type(value) is str and value.isprintable()):
        return value
    return str(value).encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def name_bytes(name: str) -> bytes:
    """An outside name as it is stored: UTF-8 that keeps lone surrogates, so that every name comes back."""
    return name.encode("utf-8", "surrogatepass")


def name_text(stored: object) -> str:
    """The outside name in its stored bytes; of a damaged one, what can be shown."""
    if not isinstance(stored, bytes):
        return "\ufffd"
    try:
        return stored.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return stored.decode("utf-8", "replace")


def alias_digest(name: str) -> bytes:
    """Index key of an outside name: the first 16 bytes of SHA-256 of its stored bytes."""
    return hashlib.sha256(name_bytes(name)).digest()[:16]


# --- what an append reads --------------------------------------------------------------------------


def alias_values(kind: AliasKind, scope: UUID, name: str) -> Values:
    """The key of ``find_aliases``."""
    return str(kind), scope.bytes, alias_digest(name)


def lookups(wants: Wants) -> list[Lookup]:
    """The reads of a load, in the order in which their rows are to be locked; some may have no key."""
    return [
        ("lock_agents", _keys(wants.agents)),
        ("lock_conversations", _keys(wants.conversations)),
        ("lock_journals", _keys(wants.journals | wants.conversations)),
        ("find_events", _keys(wants.events)),
        ("find_aliases", [alias_values(*key) for key in wants.aliases]),
    ]


def _keys(ids: Iterable[UUID]) -> list[Row]:
    return [(key,) for key in sorted([one.bytes for one in ids])]


def found_states(wants: Wants, now_ms: int, prunes: int, results: Sequence[Iterable[Row]]) -> Found:
    """The states in the rows that answer ``lookups(wants)``, list by list."""
    agents, conversations, journals, events, aliases = results
    return Found(
        now_ms,
        prunes,
        {state.id: state for state in map(agent_state, agents)},
        {state.id: state for state in map(conversation_state, conversations)},
        {state.id: state for state in map(journal_state, journals)},
        {seen.event_id: seen for seen in map(seen_event, events)},
        found_aliases(wants.aliases, aliases),
    )


def found_aliases(wanted: Iterable[AliasKey], rows: Iterable[Row]) -> dict[AliasKey, UUID]:
    """Owners of the wanted names, from rows of ``find_aliases``."""
    by_values = {alias_values(*key): key for key in wanted}
    return {
        by_values[kind, bytes(scope), bytes(digest)]: UUID(bytes=target)
        for kind, scope, digest, target in rows
    }


def agent_state(row: Row) -> AgentState:
    """A row of ``lock_agents``.  Raises DamagedRowError, as all of these."""
    check(row, AGENT_STATE)
    aid, agent, name, opened_ms, turns, conversations = row
    return AgentState(aid, UUID(bytes=agent), name_text(name), opened_ms, turns, conversations)


def conversation_state(row: Row) -> ConversationState:
    """A row of ``lock_conversations``."""
    check(row, CONVERSATION)
    cid, conversation, aid, opened_ms, connector, shape, place, next_position = row
    return ConversationState(
        cid, UUID(bytes=conversation), aid, opened_ms, connector, shape, _uuid(place), next_position
    )


def journal_state(row: Row) -> JournalState:
    """A row of ``lock_journals``."""
    check(row, JOURNAL_STATE)
    (
        jid,
        kind,
        journal,
        aid,
        agent,
        cid,
        conversation,
        ordinal,
        next_seq,
        head,
        last_ms,
        closed,
        holder,
        *lease,
    ) = row
    return JournalState(
        jid,
        JournalKind(kind),
        UUID(bytes=journal),
        aid,
        _uuid(agent) or NIL,
        cid,
        _uuid(conversation),
        ordinal,
        next_seq,
        head,
        last_ms,
        bool(closed),
        _uuid(holder),
        *lease,
    )


def seen_event(row: Row) -> SeenEvent:
    """A row of ``find_events``."""
    event_id, *rest = row
    return SeenEvent(UUID(bytes=event_id), *rest)


def lease_row(row: Row) -> LeaseRow:
    """A row of ``acquire_lease`` or ``list_leases``."""
    check(row, LEASE_ROW)
    turn, agent, conversation, holder, epoch, until_ms = row
    return LeaseRow(
        UUID(bytes=turn), UUID(bytes=agent), UUID(bytes=conversation), UUID(bytes=holder), epoch, until_ms
    )


# --- what an append writes -------------------------------------------------------------------------


def changed_rows(changes: Changes, bodies: Sequence[StoredBody], parts: list[Values]) -> Iterator[Write]:
    """The writes of a transaction but for the read models, in an order that references allow.

    ``parts`` are rows ``(pid, aid, key, size, data)``.  Writes without rows are left out.
    """
    yield from _states(changes)
    if changes.aliases:
        rows: list[Values] = [
            (*alias_values(kind, scope, name), target.bytes, name_bytes(name))
            for (kind, scope, name), target in changes.aliases
        ]
        yield "insert_alias", rows
    if parts:
        yield "insert_part", parts
    if changes.events:
        yield "insert_event", list(map(_EVENT, changes.events))
    if bodies:
        yield "insert_body", list(map(_BODY, bodies))
    if changes.leaves:
        yield (
            "insert_leaf",
            [(*_LEAF(leaf)[:4], str(leaf.status), leaf.created_ms) for leaf in changes.leaves],
        )
    if changes.conflicts:
        yield "insert_conflict", list(map(_CONFLICT, changes.conflicts))
    yield from _arriving(changes)


def _arriving(changes: Changes) -> Iterator[Write]:
    yield from _write("insert_arrival", list(map(_ARRIVAL, changes.arrivals)))
    yield from _write(
        "upsert_live_call", [(call.until_ms, call.call.bytes, call.jid) for call in changes.live]
    )
    yield from _write("remove_arrivals", list(changes.settled))
    yield from _write("remove_live_call", list(changes.ended))


def _states(changes: Changes) -> Iterator[Write]:
    if changes.agents:
        agents = changes.agents.values()
        yield from _write("insert_agent", [_agent(state) for state in agents if state.new])
        yield from _write(
            "update_agent",
            [(state.turns, state.conversations, state.aid) for state in agents if not state.new],
        )
    if changes.conversations:
        conversations = changes.conversations.values()
        yield from _write(
            "insert_conversation", [_conversation(state) for state in conversations if state.new]
        )
        yield from _write(
            "update_conversation",
            [(state.next_position, state.cid) for state in conversations if not state.new],
        )
    if changes.journals:
        journals = changes.journals.values()
        old = [state for state in journals if not state.new]
        yield from _write("insert_journal", [_new_journal(state) for state in journals if state.new])
        for statement, closed in (("update_journal", False), ("close_journal", True)):
            rows: list[Values] = [(*head_values(state), state.jid) for state in old if state.closed is closed]
            yield from _write(statement, rows)


def _write(statement: str, rows: list[Values]) -> Iterator[Write]:
    if rows:
        yield statement, rows


def _agent(state: AgentState) -> Values:
    return (
        state.aid,
        state.id.bytes,
        name_bytes(state.name),
        state.opened_ms,
        state.turns,
        state.conversations,
    )


def _conversation(state: ConversationState) -> Values:
    return (
        state.cid,
        state.id.bytes,
        state.aid,
        state.opened_ms,
        _word(state.connector),
        _word(state.shape),
        _id(state.place),
        state.next_position,
    )


def head_values(state: JournalState) -> Values:
    """Where a journal stands and who holds it: the columns that every append changes."""
    return state.next_seq, state.head, state.last_ms, _id(state.holder), state.epoch, state.until_ms


def _new_journal(state: JournalState) -> Values:
    return (
        state.jid,
        state.kind.value,
        state.id.bytes,
        state.aid,
        state.cid,
        state.ordinal,
        int(state.closed),
        *head_values(state),
    )


# --- read models -----------------------------------------------------------------------------------


def projected_rows(projection: Projection) -> Iterator[Write]:
    """The writes of the read models."""
    if projection.turns:
        turns = projection.turns.values()
        old = [change for change in turns if change.opened_ms is None]
        yield from _write(
            "insert_turn", [_new_turn(change) for change in turns if change.opened_ms is not None]
        )
        yield from _write("count_turn", [(*_COUNTERS(change), change.jid) for change in old])
        described = [(*_description(change), change.jid) for change in old]
        yield from _write("update_turn", [row for row in described if any(row[:-1])])
    if projection.activity:
        activity = projection.activity.values()
        yield from _write(
            "upsert_activity", [_ACTIVITY(change) for change in activity if change.last_ms is not None]
        )
        yield from _write(
            "count_activity",
            [
                (change.tokens_in, change.tokens_out, change.cid)
                for change in activity
                if change.last_ms is None and (change.tokens_in, change.tokens_out) != (None, None)
            ],
        )
    if projection.messages:
        messages = projection.messages.values()
        yield from _write("insert_message", [_new_message(change) for change in messages if change.direction])
        yield from _write(
            "update_message",
            [(*_fate(change), change.cid, change.seq) for change in messages if not change.direction],
        )
    if projection.memory:
        yield "insert_memory", [_revision(revision) for revision in projection.memory]
    if projection.calls:
        yield "insert_call", [_call(call) for call in projection.calls]
    if projection.notices:
        yield "insert_notice", [notice._replace(word=_word(notice.word)) for notice in projection.notices]


def _call(call: CallOutcome) -> Values:
    *facts, turn = call._replace(name=_word(call.name))
    return (*facts, None if turn is None else turn.bytes)


def _new_turn(change: TurnChange) -> Values:
    return (change.jid, change.aid, change.cid, change.opened_ms, *_description(change), *_COUNTERS(change))


def _description(change: TurnChange) -> Values:
    return (
        _word(change.cause),
        _id(change.parent),
        _word(change.status),
        _word(change.error_class),
        change.closed_ms,
        change.ms,
    )


def _new_message(change: MessageChange) -> Values:
    return (
        change.cid,
        change.seq,
        _word(change.direction),
        _id(change.actor),
        change.chars,
        change.created_ms,
        change.reply_to,
        *_fate(change),
    )


def _fate(change: MessageChange) -> Values:
    return (
        _word(change.verdict),
        _id(change.turn),
        change.into_seq,
        _word(change.shed),
        _word(change.delivery),
    )


def _revision(revision: MemoryRevision) -> Values:
    return (
        revision.aid,
        revision.entry.bytes,
        revision.revision,
        _word(revision.op),
        revision.jid,
        revision.seq,
        revision.created_ms,
    )
