"""What each column of the ledger's tables may hold: the database's own rules, checked once more on reading.

A file can be damaged, and whoever owns a database can switch its rules off; then a cell may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from turnledger.errors import DamagedRowError
from turnledger.model.costs import CostState
from turnledger.model.vocabulary import Direction, InboundVerdict, JournalKind, MemoryOp, Shape, TurnStatus

__all__ = [
    "ACTOR",
    "AGENT",
    "AGENT_ROW",
    "AGENT_STATE",
    "CONVERSATION",
    "CONVERSATION_ROW",
    "COST",
    "COUNTED_CONVERSATION",
    "EVENT_ROW",
    "INTENT",
    "JOURNAL",
    "JOURNAL_ROW",
    "JOURNAL_STATE",
    "LEASE_ROW",
    "LOST_CALL",
    "MEMORY_ROW",
    "MESSAGE_ROW",
    "NOTICE",
    "OF_CONVERSATION",
    "PRICED_CALL",
    "STEP_EVENT",
    "TURN_LEASE",
    "TURN_ROW",
    "UNACCOUNTED",
    "UNANSWERED",
    "Column",
    "check",
    "damage_in",
    "readable_id",
]

Test: TypeAlias = Callable[[Any], bool]

_ID_BYTES, _DIGEST_BYTES = 16, 32


class Column(NamedTuple):
    """A column of a row that was read: where its cell lies, and whether the cell can be so."""

    table: str
    name: str
    holds: Test


def _is_id(cell: object) -> bool:
    return type(cell) is bytes and len(cell) == _ID_BYTES


def _is_digest(cell: object) -> bool:
    return type(cell) is bytes and len(cell) == _DIGEST_BYTES


def _is_number(cell: object) -> bool:
    return type(cell) is int


def _is_count(cell: object) -> bool:
    return type(cell) is int and cell >= 0


def _is_flag(cell: object) -> bool:
    return type(cell) is int and cell in {0, 1}


def _is_text(cell: object) -> bool:
    return type(cell) is str


def _is_ascii(cell: object) -> bool:
    """One line of printable ASCII."""
    return type(cell) is str and cell.isascii() and cell.isprintable()


def _is_bytes(cell: object) -> bool:
    return type(cell) is bytes


def _is_name(cell: object) -> bool:
    """An outside name: UTF-8 that keeps lone surrogates."""
    if type(cell) is not bytes:
        return False
    try:
        cell.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _is_anything(_cell: object) -> bool:
    """What is shown as well as it can be."""
    return True


def _word_of(words: type[StrEnum]) -> Test:
    known = frozenset(word.value for word in words)
    return lambda cell: type(cell) is str and cell in known


def _or_null(test: Test) -> Test:
    return lambda cell: cell is None or test(cell)


def _columns(table: str, **tests: Test) -> tuple[Column, ...]:
    return tuple(Column(table, name, test) for name, test in tests.items())


# --- tables, in the order of the statements list_agent_cells, list_conversation_cells, list_journal_cells ---

AGENT: Final = _columns(
    "agents",
    aid=_is_number,
    id=_is_id,
    name=_is_name,
    opened_ms=_is_number,
    turns=_is_count,
    conversations=_is_count,
)
CONVERSATION: Final = _columns(
    "conversations",
    cid=_is_number,
    id=_is_id,
    aid=_is_number,
    opened_ms=_is_number,
    connector=_or_null(_is_text),
    shape=_word_of(Shape),
    place=_or_null(_is_id),
    next_position=_is_count,
)
JOURNAL: Final = _columns(
    "journals",
    jid=_is_number,
    kind=_word_of(JournalKind),
    id=_is_id,
    aid=_is_number,
    cid=_or_null(_is_number),
    ordinal=_is_count,
    next_seq=_is_count,
    head=_is_digest,
    last_ms=_is_number,
    closed=_is_flag,
    holder=_or_null(_is_id),
    epoch=_is_count,
    until_ms=_or_null(_is_number),
)

# --- rows of views and joins -----------------------------------------------------------------------

_AGENT_ID: Final = Column("agents", "id", _is_id)
_AGENT_NAME: Final = Column("agents", "name", _is_anything)
_ANY_AGENT_ID: Final = Column("agents", "id", _or_null(_is_id))
_CONVERSATION_ID: Final = Column("conversations", "id", _is_id)
_ANY_CONVERSATION_ID: Final = Column("conversations", "id", _or_null(_is_id))
_ALIAS: Final = Column("aliases", "name", _is_anything)

AGENT_STATE: Final = (*AGENT[:2], _AGENT_NAME, *AGENT[3:])
JOURNAL_STATE: Final = (*JOURNAL[:4], _ANY_AGENT_ID, JOURNAL[4], _ANY_CONVERSATION_ID, *JOURNAL[5:])
AGENT_ROW: Final = (
    _AGENT_ID,
    _AGENT_NAME,
    *_columns("agents", opened_ms=_is_number, conversations=_is_count, turns=_is_count),
)
JOURNAL_ROW: Final = (
    *_columns("journals", kind=_word_of(JournalKind), id=_is_id),
    _ANY_AGENT_ID,
    _ANY_CONVERSATION_ID,
    *_columns("journals", ordinal=_is_count, next_seq=_is_count, head=_is_digest),
)
EVENT_ROW: Final = (
    *JOURNAL_ROW[:4],
    *_columns(
        "events",
        seq=_is_number,
        type=_is_ascii,
        payload_hash=_is_bytes,
        tokens=_is_ascii,
        hash=_is_bytes,
        created_ms=_is_number,
        event_id=_is_id,
        position=_or_null(_is_number),
        detail=_is_bytes,
        eid=_is_number,
    ),
    Column("bodies", "slot", _or_null(_is_text)),
)
CONVERSATION_ROW: Final = (
    _CONVERSATION_ID,
    _AGENT_ID,
    _AGENT_NAME,
    _ALIAS,
    *_columns("conversations", connector=_or_null(_is_text), shape=_word_of(Shape)),
    _ALIAS,
    *_columns("conversations", opened_ms=_is_number),
    *_columns("conversation_activity", last_ms=_is_number),
    *_columns("conversations", next_position=_is_count),
    *_columns(
        "conversation_activity",
        turns=_is_number,
        messages=_is_number,
        open_turns=_is_number,
        waiting_turns=_is_number,
        failed_turns=_is_number,
        owes_reply=_is_number,
        tokens_in=_or_null(_is_number),
        tokens_out=_or_null(_is_number),
    ),
)
TURN_ROW: Final = (
    *_columns("journals", id=_is_id),
    _AGENT_ID,
    _AGENT_NAME,
    _CONVERSATION_ID,
    *_columns("journals", ordinal=_is_count),
    *_columns(
        "turns",
        status=_word_of(TurnStatus),
        error_class=_or_null(_is_text),
        cause=_or_null(_is_text),
        opened_ms=_is_number,
        closed_ms=_or_null(_is_number),
        ms=_or_null(_is_number),
    ),
    *_columns("journals", next_seq=_is_count, head=_is_digest),
    *_columns(
        "turns",
        model_calls=_is_number,
        tool_calls=_is_number,
        open_steps=_is_number,
        errors=_is_number,
        tokens_in=_or_null(_is_number),
        tokens_out=_or_null(_is_number),
        cache_read=_or_null(_is_number),
        cache_write=_or_null(_is_number),
        reasoning=_or_null(_is_number),
        parent=_or_null(_is_id),
    ),
)
MESSAGE_ROW: Final = (
    *_columns("messages", seq=_is_number),
    *_columns("events", event_id=_is_id),
    *_columns("messages", direction=_word_of(Direction), actor=_or_null(_is_id)),
    _ALIAS,
    *_columns(
        "messages",
        chars=_is_number,
        created_ms=_is_number,
        verdict=_or_null(_word_of(InboundVerdict)),
        turn=_or_null(_is_id),
        into_seq=_or_null(_is_number),
        shed=_or_null(_is_text),
        delivery=_or_null(_is_text),
    ),
)
MEMORY_ROW: Final = (
    *_columns("memory", entry=_is_id),
    _ALIAS,
    *_columns("memory", revision=_is_number, op=_word_of(MemoryOp), created_ms=_is_number),
    *_columns("events", event_id=_is_id),
    _ANY_CONVERSATION_ID,
    *_columns("journals", id=_or_null(_is_id)),
)
LEASE_ROW: Final = (
    *_columns("journals", id=_is_id),
    _AGENT_ID,
    _CONVERSATION_ID,
    *_columns("journals", holder=_is_id, epoch=_is_count, until_ms=_or_null(_is_number)),
)
LOST_CALL: Final = (_CONVERSATION_ID, _AGENT_ID, *_columns("events", seq=_is_number, event_id=_is_id))
INTENT: Final = _columns(
    "events",
    jid=_is_number,
    seq=_is_number,
    type=_is_ascii,
    tokens=_is_ascii,
    detail=_is_bytes,
    created_ms=_is_number,
)
STEP_EVENT: Final = _columns(
    "events", seq=_is_number, type=_is_ascii, tokens=_is_ascii, detail=_or_null(_is_bytes)
)
PRICED_CALL: Final = (
    *_columns("calls", aid=_is_number, created_ms=_is_number, jid=_is_number, seq=_is_number, cid=_is_number),
    *_columns("events", tokens=_is_ascii, detail=_is_bytes),
    *_columns(
        "costs",
        edition=_or_null(_is_count),
        state=_or_null(_word_of(CostState)),
        nano=_or_null(_is_number),
        currency=_or_null(_is_text),
        reason=_or_null(_is_text),
        provider=_or_null(_is_text),
        model=_or_null(_is_text),
    ),
)
COST: Final = _columns(
    "costs",
    seq=_is_number,
    edition=_is_count,
    state=_word_of(CostState),
    nano=_or_null(_is_number),
    currency=_or_null(_is_text),
    reason=_or_null(_is_text),
    provider=_or_null(_is_text),
    model=_or_null(_is_text),
    prices=_is_text,
    priced_ms=_is_number,
)
OF_CONVERSATION: Final = (_CONVERSATION_ID,)
COUNTED_CONVERSATION: Final = (_CONVERSATION_ID, _ALIAS)
ACTOR: Final = (*_columns("messages", actor=_is_id), _ALIAS)
UNACCOUNTED: Final = (
    _CONVERSATION_ID,
    *_columns("messages", seq=_is_number),
    *_columns("events", event_id=_is_id),
    *_columns("messages", created_ms=_is_number, reason=_or_null(_is_text)),
)
UNANSWERED: Final = (
    _CONVERSATION_ID,
    *_columns("messages", cid=_is_number, seq=_is_number),
    *_columns("agents", name=_is_name),
    *_columns(
        "messages",
        actor=_or_null(_is_id),
        created_ms=_is_number,
        verdict=_or_null(_word_of(InboundVerdict)),
        shed=_or_null(_is_text),
        turn=_or_null(_is_id),
    ),
    *_columns("turns", status=_or_null(_word_of(TurnStatus)), error_class=_or_null(_is_text)),
)
NOTICE: Final = (
    _CONVERSATION_ID,
    *_columns(
        "notices",
        cid=_is_number,
        seq=_is_number,
        type=_is_text,
        word=_or_null(_is_text),
        message=_or_null(_is_number),
        created_ms=_is_number,
    ),
    *_columns("events", event_id=_is_id, tokens=_is_text),
)
TURN_LEASE: Final = (
    _AGENT_ID,
    _CONVERSATION_ID,
    *_columns(
        "journals",
        holder=_or_null(_is_id),
        epoch=_is_count,
        until_ms=_or_null(_is_number),
        closed=_is_flag,
    ),
)


def damage_in(row: Sequence[Any], columns: Iterable[Column]) -> Column | None:
    """The first column whose cell cannot be as it is; the row may have more cells behind these."""
    for column, cell in zip(columns, row, strict=False):
        if not column.holds(cell):
            return column
    return None


def readable_id(row: Sequence[Any], columns: Sequence[Column]) -> UUID | None:
    """The id of what the row is about, where it can be read."""
    for column, cell in zip(columns, row, strict=False):
        if column.name in {"id", "event_id", "entry"}:
            return UUID(bytes=cell) if _is_id(cell) else None
    return None


def check(row: Sequence[Any], columns: Sequence[Column]) -> None:
    """Raise DamagedRowError where a cell cannot be as it is."""
    column = damage_in(row, columns)
    if column is not None:
        raise DamagedRowError(column.table, column.name, readable_id(row, columns))
