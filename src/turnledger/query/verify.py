"""Verification of a ledger from its rows: chains, details, bodies, heads, and what ties journals together.

Nothing that the database says about itself is believed: rows come unparsed and every column is either
hashed, compared with something hashed, or named in ``not_covered`` or ``docs/what-is-proven.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from typing import Any, Final
from uuid import UUID

from turnledger.errors import LedgerCorruptError, NotFoundError
from turnledger.ids import NIL, derived_id
from turnledger.integrity.verdict import Reason, Verdict
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.rows import DamagedRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import JournalKind
from turnledger.query.journal_rows import Conversation, JournalCheck, read_uuid
from turnledger.query.places import Places
from turnledger.query.readable import listed_ids, readable_rows
from turnledger.query.turns_together import together, turns_together
from turnledger.query.verification import DATABASE, BodyCounts, Verification, damaged, faulty, unreadable
from turnledger.store.contract import Page, Reader, RecordedJournal, TurnFilter
from turnledger.store.damage import Damages, damage_of, damages_of, find_damages, note_hidden_turns

__all__ = [
    "LEDGER_UNCOVERED",
    "BodyCounts",
    "Verification",
    "verify_conversation",
    "verify_journal",
    "verify_ledger",
]

_PAGE = 200
_ANY_PLACE = 2**62
_CONVERSATION, _TYPE, _TOKENS, _EVENT_ID = 3, 5, 7, 10  # columns of event_rows
LEDGER_UNCOVERED = ("deletion of a whole conversation",)


def verify_journal(reader: Reader, journal_id: UUID, *, bodies: bool = True) -> Verification:
    """Check one journal by itself; a turn also against the TURN_CLOSED of its conversation.

    Raises NotFoundError where the ledger has no such journal.
    """
    with reader.snapshot():
        row = _recorded(reader, journal_id, "journal")
        return _Walk(reader, None, damages_of(reader, journal_id), bodies=bodies).alone(row)


def _recorded(reader: Reader, journal_id: UUID, what: str) -> RecordedJournal:
    rows = reader.recorded_journals([journal_id])
    if not rows:
        msg = f"The ledger holds no {what} {journal_id}."
        raise NotFoundError(msg, next_step="See `turnledger list` for what there is.")
    return rows[0]


def verify_conversation(reader: Reader, conversation: UUID, *, bodies: bool = True) -> Iterator[Verification]:
    """Check a conversation's journal, then each of its turns, and that their places leave no gap.

    Raises NotFoundError where the ledger has no such conversation.
    """
    with reader.snapshot():
        damages = damages_of(reader, conversation)
        walk = _Walk(reader, None, damages, bodies=bodies)
        if conversation in damages.lost_journals:
            yield from walk.without_journal(conversation)
        else:
            yield from walk.conversation(_recorded(reader, conversation, "conversation"))


class _Walk:
    """Through conversations and their turns; ``ordinals`` are those given out, where all are to be met."""

    def __init__(self, reader: Reader, ordinals: _Ordinals | None, damages: Damages, *, bodies: bool) -> None:
        self._reader = reader
        self._ordinals = ordinals
        self._damages = damages
        self._bodies = reader.rebuilder() if bodies else None
        self.alone_met: set[UUID] = set()
        """Turns that were checked though their conversation's word could not be had."""
        self.has_unreadable = False

    def conversation(self, row: RecordedJournal) -> Iterator[Verification]:
        """Findings about a conversation's journal and all its turns."""
        owner = self._owner(row)
        head = self.journal(row, JournalKind.CONVERSATION, owner)
        turns = list(self._turns(row, owner))
        if not head.sound:
            turns += self._untold(row, set(owner.opened))
        whole = all(turn.sound for turn in turns) and not self._damages.nameless
        if head.sound and (row.conversation != row.id or (whole and not owner.places.complete)):
            head = _with_fault(head, Reason.POSITION)
        yield head
        yield from turns

    def journal(
        self,
        row: RecordedJournal,
        kind: JournalKind,
        owner: Conversation,
        found: Verification | None = None,
    ) -> Verification:
        """The finding about one journal, which has to be of this kind; ``found``: that about its rows."""
        damage = None
        if found is None:
            damage = self._damages.by_id.get(UUID(bytes=row.id)) or damage_of(row)
            row = _readable(row, kind)
        finding = found or self._checked(row, kind, owner)
        met = self._ordinals is None or self._ordinals.meet(row)
        if damage is not None:
            return replace(finding, **_MALFORMED, reason=Reason.ROW_GRAMMAR, damage=damage)
        if row.agent is None and self._damages.hides_agents and kind is not JournalKind.LEDGER:
            return replace(finding, **_MALFORMED, reason=Reason.SOURCE_AGENT_ID)
        return finding if met or not finding.sound else _with_fault(finding, Reason.ORDINAL)

    def _checked(self, row: RecordedJournal, kind: JournalKind, owner: Conversation) -> Verification:
        """One that cannot be read does not keep the others from being checked."""
        try:
            return JournalCheck(self._reader, row, owner, self._bodies).run()
        except LedgerCorruptError:
            self.has_unreadable = True
            agent = None if row.agent is None else UUID(bytes=row.agent)
            return unreadable(kind, UUID(bytes=row.id), agent)

    def alone(self, row: RecordedJournal) -> Verification:
        """The finding about a journal without going through its conversation."""
        owner = self._owner(row)
        kind = _kind_of(row)
        if kind is JournalKind.TURN and _is_id(row.conversation):
            with suppress(LedgerCorruptError):  # the check that follows meets it again
                self._learn(row, owner)
        return self.journal(row, kind, owner)

    def without_journal(self, conversation: UUID) -> Iterator[Verification]:
        """Findings about a conversation whose journal cannot be found, and the turns that lists know of."""
        yield damaged(self._damages.by_id[conversation])
        yield from self._listed_turns(conversation, set())

    def _listed_turns(self, conversation: UUID, told: set[UUID]) -> Iterator[Verification]:
        after: tuple[int, ...] | None = None
        while rows := self._reader.turns(TurnFilter(conversation=conversation), Page(_PAGE, after)):
            yield from self._each_alone([row.id for row in rows if row.id not in told])
            after = self._reader.turn_key(rows[-1])

    def _owner(self, row: RecordedJournal) -> Conversation:
        """Where the conversation's row is damaged nobody knows how many places it has given."""
        of = UUID(bytes=row.conversation) if _is_id(row.conversation) else None
        if of in self._damages.by_id or UUID(bytes=row.id) in self._damages.by_id:
            return Conversation(Places(_ANY_PLACE))
        if of is None and row.positions is not None:
            return Conversation(Places(_ANY_PLACE))
        return Conversation(Places(row.positions or 0))

    def _learn(self, row: RecordedJournal, owner: Conversation) -> None:
        """What the conversation says of one turn, without reading the whole conversation."""
        seq = max(row.events - 1, 0) if type(row.events) is int else 0
        for last in self._reader.ask("list_events", journal=row.id, start_seq=seq, limit=1):
            if last[_TYPE] not in FINAL_TYPES or not _is_id(last[_EVENT_ID]):
                return
            closing = derived_id(UUID(bytes=last[_EVENT_ID]), "turn-closed")
            for closed in self._reader.ask("get_event", event=closing.bytes):
                if closed[_CONVERSATION] == last[_CONVERSATION] and type(closed[_TOKENS]) is str:
                    tokens = parse_summary(closed[_TOKENS])
                    owner.closed[UUID(bytes=row.id)] = (tokens.get("events", ""), tokens.get("head", ""))

    def _turns(self, conversation: RecordedJournal, owner: Conversation) -> Iterator[Verification]:
        for start in range(0, len(owner.opened), _PAGE):
            wanted = owner.opened[start : start + _PAGE]
            rows, lost = readable_rows(self._reader, wanted)
            self.has_unreadable = self.has_unreadable or bool(lost)
            sizes = [self._plain_events(turn, rows.get(turn.bytes), conversation) for turn in wanted]
            for first, last in together(sizes):
                turns = wanted[first:last]
                known = {turn: rows[turn.bytes] for turn in turns} if sizes[first] else {}
                found = self._together(known, owner)
                for turn, finding in zip(turns, found or repeat(None), strict=False):
                    if turn in lost:
                        yield unreadable(JournalKind.TURN, turn)
                        continue
                    yield from self._turn(turn, rows.get(turn.bytes), conversation, owner, finding)

    def _together(
        self, rows: Mapping[UUID, RecordedJournal], owner: Conversation
    ) -> list[Verification] | None:
        try:
            return turns_together(self._reader, rows, owner, self._bodies)
        except LedgerCorruptError:  # one by one, to find out which it is
            return None

    def _turn(
        self,
        turn: UUID,
        row: RecordedJournal | None,
        conversation: RecordedJournal,
        owner: Conversation,
        found: Verification | None,
    ) -> Iterator[Verification]:
        """The finding about one turn; none where it is told elsewhere, as one that does not tell its id."""
        if row is None and self._is_hidden(conversation):
            if self._ordinals is None:
                yield replace(damaged(DamagedRow("journals", "id")), kind=str(JournalKind.TURN), id=turn)
            return
        if row is not None and (
            turn in self._damages.by_id
            or (_kind_of(row) is JournalKind.TURN and row.conversation == conversation.conversation)
        ):
            yield self.journal(row, JournalKind.TURN, owner, found)
        else:
            yield faulty(JournalKind.TURN, turn, Reason.MISSING_JOURNAL)

    def _plain_events(self, turn: UUID, row: RecordedJournal | None, conversation: RecordedJournal) -> int:
        """How many events the row says a turn has; 0 where there is something odd about the row."""
        plain = (
            row is not None
            and row.kind == JournalKind.TURN
            and row.conversation == conversation.conversation
            and _is_id(row.agent)
            and damage_of(row) is None
            and turn not in self._damages.by_id
        )
        return row.events if row is not None and plain else 0

    def _is_hidden(self, conversation: RecordedJournal) -> bool:
        """Whether a turn that is missing may be one whose row does not tell its id."""
        hidden = self._damages.hidden_turns
        if (self._ordinals is not None and not hidden) or not _is_id(conversation.conversation):
            return False
        [(key,)] = self._reader.ask("get_conversation_key", conversation=conversation.conversation)
        if self._ordinals is None and key not in hidden:
            note_hidden_turns(self._reader, self._damages, key)
        hidden[key] -= 1
        return hidden[key] >= 0

    def _untold(self, row: RecordedJournal, told: set[UUID]) -> Iterator[Verification]:
        """Turns that a conversation opened behind where its journal breaks: nothing there is believed."""
        conversation = UUID(bytes=row.id)
        try:
            opened = [turn for turn in _opened(self._reader, conversation) if turn not in told]
        except LedgerCorruptError:
            yield from self._listed_turns(conversation, told)
            return
        yield from self._each_alone(opened)

    def _each_alone(self, turns: Sequence[UUID]) -> Iterator[Verification]:
        for start in range(0, len(turns), _PAGE):
            rows, lost = readable_rows(self._reader, turns[start : start + _PAGE])
            self.has_unreadable = self.has_unreadable or bool(lost)
            for turn in lost:
                self.alone_met.add(turn)
                yield unreadable(JournalKind.TURN, turn)
            for row in rows.values():
                if _kind_of(row) is JournalKind.TURN:
                    self.alone_met.add(UUID(bytes=row.id))
                    yield self.alone(row)


_KINDS: Final = {kind.value: kind for kind in JournalKind}
_MALFORMED: Final[dict[str, Any]] = {"verdict": Verdict.MALFORMED, "broken_at_seq": -1}


def _is_id(cell: object) -> bool:
    return type(cell) is bytes and len(cell) == len(NIL.bytes)


def _kind_of(row: RecordedJournal) -> JournalKind:
    kind = _KINDS.get(row.kind)
    if kind is not None:
        return kind
    return JournalKind.CONVERSATION if row.conversation == row.id else JournalKind.TURN


def _readable(row: RecordedJournal, kind: JournalKind) -> RecordedJournal:
    """The row, with something that cannot be right in place of what cannot be read."""
    has_conversation = row.conversation is not None or row.positions is not None
    ids = (row.agent, row.conversation) if has_conversation else (row.agent,)
    if row.kind == kind and all(map(_is_id, ids)) and type(row.events) is int and type(row.head) is bytes:
        return row
    return row._replace(
        kind=kind.value,
        agent=row.agent if _is_id(row.agent) else None,
        conversation=(row.conversation if _is_id(row.conversation) else b"") if has_conversation else None,
        events=row.events if type(row.events) is int else -1,
        head=row.head if type(row.head) is bytes else b"",
    )


def _opened(reader: Reader, conversation: UUID) -> Iterator[UUID]:
    """The turns that a conversation's rows say it opened, whether or not they hold."""
    for rows in reader.recorded_events(conversation):
        for row in rows:
            if row[1] == b"TURN_OPENED" and type(row[3]) is bytes:
                turn = read_uuid(parse_summary(row[3].decode("utf-8", "replace")).get("turn", ""))
                if turn is not None:
                    yield turn


class _Ordinals:
    """The numbers that agents gave to their journals."""

    def __init__(self, reader: Reader, damages: Damages) -> None:
        self._damages = damages
        self._given = {
            (agent.id.bytes, str(kind)): Places(count)
            for agent in reader.agents()
            for kind, count in (
                (JournalKind.CONVERSATION, agent.conversations),
                (JournalKind.TURN, agent.turns),
            )
        }
        self._given[NIL.bytes, str(JournalKind.LEDGER)] = Places(1)

    def meet(self, row: RecordedJournal) -> bool:
        """Whether the journal's number was given out, and to no other."""
        places = self._given.get((row.agent or NIL.bytes, row.kind))
        if places is None:
            return row.agent is not None and UUID(bytes=row.agent) in self._damages.by_id
        return places.meet(row.ordinal)

    def are_met(self) -> bool:
        """Whether the journal of each number of an agent's was met."""
        return all(places.complete for (agent, _), places in self._given.items() if agent != NIL.bytes)


def verify_ledger(reader: Reader, *, bodies: bool = True) -> Iterator[Verification]:
    """Check every conversation with its turns, the ledger journal, and that none is missing or unlisted.

    A damaged row of an agent, or one that does not tell its id, is a finding of its own; so is that the
    database cannot read its lists to the end, and what can be read is checked.
    """
    with reader.snapshot():
        yield from _WholeLedger(reader, bodies=bodies).findings()


class _WholeLedger:
    """One pass over all journals."""

    def __init__(self, reader: Reader, *, bodies: bool) -> None:
        self._reader = reader
        self._has_gaps = False
        self._listed = 0
        self._sound = True
        ordinals: _Ordinals | None = None
        try:
            self._damages = find_damages(reader)
            ordinals = _Ordinals(reader, self._damages)
        except LedgerCorruptError:
            self._has_gaps, self._damages = True, Damages()
        self._ordinals = ordinals
        self._walk = _Walk(reader, ordinals, self._damages, bodies=bodies)

    def findings(self) -> Iterator[Verification]:
        """All of them."""
        for finding in self._met():
            self._sound = self._sound and finding.sound
            yield finding
        if self._has_gaps:
            yield unreadable(DATABASE, NIL)
        if self._has_gaps or self._walk.has_unreadable:
            with suppress(LedgerCorruptError):  # told already
                yield from self._unlisted()
        else:
            yield from self._missing()

    def _met(self) -> Iterator[Verification]:
        for damage in self._damages:
            if damage.id is None or damage.table == "agents":
                yield damaged(damage)
        for row in self._conversations():
            for finding in self._walk.conversation(row):
                self._listed += finding.reason is not Reason.MISSING_JOURNAL
                yield finding
        for conversation in self._damages.lost_journals:
            yield from self._walk.without_journal(conversation)
        for row in self._journals(JournalKind.LEDGER):
            self._listed += 1
            yield self._walk.journal(row, JournalKind.LEDGER, Conversation(Places(0)))

    def _missing(self) -> Iterator[Verification]:
        reader = self._reader
        if self._listed != reader.ask("count_journals")[0][0]:
            yield from self._unlisted()
        elif self._sound and self._ordinals is not None and not self._ordinals.are_met():
            yield faulty(JournalKind.LEDGER, reader.ledger_id(), Reason.MISSING_JOURNAL)
        elif self._sound and reader.strays():
            yield faulty(JournalKind.LEDGER, reader.ledger_id(), Reason.UNLISTED_JOURNAL)

    def _conversations(self) -> Iterator[RecordedJournal]:
        """The journals of conversations, and those whose row does not tell that they are one."""
        yield from self._journals(JournalKind.CONVERSATION)
        for row in self._reader.recorded_journals(list(self._damages.of("journals", "kind"))):
            if _kind_of(row) is JournalKind.CONVERSATION:
                yield row

    def _journals(self, kind: JournalKind) -> Iterator[RecordedJournal]:
        for ids in listed_ids(self._reader, str(kind)):
            rows, lost = readable_rows(self._reader, ids or ())
            self._has_gaps = self._has_gaps or ids is None or bool(lost)
            yield from rows.values()

    def _unlisted(self) -> Iterator[Verification]:
        """Turn journals that no conversation says it opened.  Only walked when the counts differ.

        Where a conversation cannot be read nobody knows whether it opened them: they are checked alone.
        """
        opened: set[UUID] = set()
        for row in self._conversations():
            with suppress(LedgerCorruptError):
                opened.update(_opened(self._reader, UUID(bytes=row.id)))
        untold = self._has_gaps or self._walk.has_unreadable
        for row in self._journals(JournalKind.TURN):
            turn = UUID(bytes=row.id)
            if turn in opened or turn in self._walk.alone_met:
                continue
            if untold:
                yield self._walk.alone(row)
            else:
                events = row.events if type(row.events) is int else 0
                yield faulty(JournalKind.TURN, turn, Reason.UNLISTED_JOURNAL, events)


def _with_fault(finding: Verification, reason: Reason) -> Verification:
    return replace(finding, verdict=Verdict.BROKEN, broken_at_seq=-1, reason=reason)
