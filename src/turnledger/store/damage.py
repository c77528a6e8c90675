"""Rows of the tables that say which journals there are, gone through for cells that cannot be as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from uuid import UUID

from turnledger.model.rows import DamagedRow
from turnledger.model.vocabulary import JournalKind
from turnledger.store.cells import AGENT, CONVERSATION, JOURNAL, Column, damage_in, readable_id
from turnledger.store.contract import Reader, RecordedJournal

__all__ = ["Damages", "damage_of", "damages_of", "find_damages", "note_hidden_turns"]

_PAGE: Final = 1000
_Row: TypeAlias = tuple[Any, ...]
_JOURNAL_KIND, _JOURNAL_AID, _JOURNAL_CID = 1, 3, 4
_CHECKED: Final = (JOURNAL[1], JOURNAL[2], JOURNAL[5], JOURNAL[6], JOURNAL[7])


@dataclass(slots=True)
class Damages:
    """Damaged rows of agents, conversations and journals; where one has several damages, the first."""

    by_id: dict[UUID, DamagedRow] = field(default_factory=dict)
    nameless: list[DamagedRow] = field(default_factory=list)
    """Rows whose id cannot be read, nor told from another row."""
    hidden_turns: Counter[int] = field(default_factory=Counter)
    """How many turns of a conversation (by its small key) are among them."""
    lost_journals: list[UUID] = field(default_factory=list)
    """Conversations whose journal cannot be found by its id."""

    def __iter__(self) -> Iterator[DamagedRow]:
        yield from self.by_id.values()
        yield from self.nameless

    def __bool__(self) -> bool:
        return bool(self.by_id or self.nameless)

    def of(self, table: str, column: str) -> Iterator[UUID]:
        """Ids of the rows whose damage is in this column."""
        return (one for one, row in self.by_id.items() if (row.table, row.column) == (table, column))

    @property
    def hides_agents(self) -> bool:
        """Whether there is an agent whose id cannot be read."""
        return any(row.table == "agents" for row in self.nameless)


def find_damages(reader: Reader) -> Damages:
    """Go through the three tables."""
    found = Damages()
    for row, column in _damaged(reader, "list_agent_cells", AGENT):
        _note(found, "agents", column, readable_id(row, AGENT))
    lost: dict[int, Column] = {}
    for row, column in _damaged(reader, "list_conversation_cells", CONVERSATION):
        owner = readable_id(row, CONVERSATION)
        if owner is None:
            lost[row[0]] = column
        else:
            _note(found, "conversations", column, owner)
    for cid, column in lost.items():
        _note(found, "conversations", column, _conversation_journal(reader, cid))
    for row, column in _damaged(reader, "list_journal_cells", JOURNAL):
        _note_journal(reader, found, row, column)
    return found


def damages_of(reader: Reader, journal_id: UUID) -> Damages:
    """The same for one journal, its conversation and its agent."""
    found = Damages()
    for jid in _key(reader.ask("get_journal_key", journal=journal_id.bytes)):
        [row] = reader.ask("list_journal_cells", after=jid - 1, limit=1)
        _look(reader, found, "list_agent_cells", AGENT, row[_JOURNAL_AID])
        _look(reader, found, "list_conversation_cells", CONVERSATION, row[_JOURNAL_CID])
        column = damage_in(row, JOURNAL)
        if column is not None:
            _note_journal(reader, found, row, column)
    if not found and not reader.recorded_journals([journal_id]):
        for cid in _key(reader.ask("get_conversation_key", conversation=journal_id.bytes)):
            note_hidden_turns(reader, found, cid)
    return found


def note_hidden_turns(reader: Reader, found: Damages, cid: int) -> None:
    """Add the damaged journals of a conversation (by its small key) to what was found."""
    for row, column in _damaged(reader, "list_journal_cells", JOURNAL):
        if row[_JOURNAL_CID] == cid:
            _note_journal(reader, found, row, column)


def _key(rows: Sequence[_Row]) -> Iterator[int]:
    return (row[0] for row in rows[:1])


def _look(reader: Reader, found: Damages, statement: str, columns: Sequence[Column], key: object) -> None:
    if type(key) is not int:
        return
    for row in reader.ask(statement, after=key - 1, limit=1):
        column = damage_in(row, columns)
        if column is not None and row[0] == key:
            _note(found, columns[0].table, column, readable_id(row, columns))


def damage_of(row: RecordedJournal) -> DamagedRow | None:
    """What a journal's row that was read for verification holds and cannot."""
    column = damage_in((row.kind, row.id, row.ordinal, row.events, row.head), _CHECKED)
    return None if column is None else DamagedRow(column.table, column.name, UUID(bytes=row.id))


def _damaged(reader: Reader, statement: str, columns: Sequence[Column]) -> Iterator[tuple[_Row, Column]]:
    for row in _all(reader, statement):
        column = damage_in(row, columns)
        if column is not None:
            yield row, column


def _all(reader: Reader, statement: str) -> Iterator[_Row]:
    after = -(2**63)
    while rows := reader.ask(statement, after=after, limit=_PAGE):
        yield from rows
        after = rows[-1][0]


def _note(found: Damages, table: str, column: Column, owner: UUID | None) -> None:
    row = DamagedRow(table, column.name, owner)
    if owner is None:
        found.nameless.append(row)
    else:
        found.by_id.setdefault(owner, row)


def _note_journal(reader: Reader, found: Damages, row: _Row, column: Column) -> None:
    journal, cid = readable_id(row, JOURNAL), row[_JOURNAL_CID]
    if journal is None and type(cid) is int:
        if row[_JOURNAL_KIND] == JournalKind.CONVERSATION:
            [conversation] = reader.ask("list_conversation_cells", after=cid - 1, limit=1) or [()]
            journal = readable_id(conversation, CONVERSATION)
            found.lost_journals += [] if journal is None else [journal]
        else:
            found.hidden_turns[cid] += 1
    _note(found, "journals", column, journal)


def _conversation_journal(reader: Reader, cid: int) -> UUID | None:
    """The id of a conversation whose own row does not tell it; its journal has the same."""
    for row in _all(reader, "list_journal_cells"):
        if row[_JOURNAL_CID] == cid and row[_JOURNAL_KIND] == JournalKind.CONVERSATION:
            return readable_id(row, JOURNAL)
    return None
