"""What a command says on stderr of rows that it left out because they are damaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from turnledger.cli.line import counted
from turnledger.cli.program import Status
from turnledger.cli.screen import note
from turnledger.errors import DamagedRowError
from turnledger.model.rows import ConversationRow, DamagedRow, TurnRow
from turnledger.query.left_out import left_out
from turnledger.store.contract import Reader

__all__ = ["conversation_of", "note_cut", "note_damage", "note_unsound"]

_SHOWN: Final = 5


def note_damage(rows: Sequence[DamagedRow]) -> Status:
    """Name them; the exit status that follows."""
    found = left_out(rows)
    if found is None:
        return Status.OK
    for row in found.rows[:_SHOWN]:
        note(f"Left out, because the database is damaged: {row}.")
    more = found.count - len(found.rows[:_SHOWN])
    note((f"And {counted(more, 'more row', 'more rows')}. " if more > 0 else "") + found.next_step)
    return Status.FOUND


def note_unsound(records: Mapping[UUID, str], what: str) -> Status:
    """Name listed rows whose records cannot be read as they must be; the exit status that follows."""
    for one, fault in [*records.items()][:_SHOWN]:
        note(f"Damaged: the record of {one}, {fault}.")
    if len(records) > _SHOWN:
        note(f"And {counted(len(records) - _SHOWN, 'more')} of these {what}.")
    if records:
        note("`turnledger verify ID` says what of it holds, `turnledger doctor` what else is damaged.")
    return Status.FOUND if records else Status.OK


def note_cut(places: Sequence[str]) -> Status:
    """Name what ends early in an export, because it could not be read on; the exit status that follows."""
    for place in places[:_SHOWN]:
        note(f"Cut short, because the database is damaged: {place}")
    if len(places) > _SHOWN:
        note(f"And {counted(len(places) - _SHOWN, 'more')}; --json lists all.")
    if places:
        note("`turnledger verify` on the file says what of it is whole.")
    return Status.FOUND if places else Status.OK


def conversation_of(reader: Reader, turn: TurnRow) -> ConversationRow | None:
    """The turn's conversation; a damaged one is named and does not keep the turn from being shown."""
    try:
        return reader.conversation(turn.conversation)
    except DamagedRowError as error:
        note(f"{error.message} {error.next_step}")
        return None
