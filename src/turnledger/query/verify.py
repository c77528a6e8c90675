"""Verification of a ledger from its rows: chains, details, bodies, heads, and what ties journals together.

Nothing that the database says about itself is believed: rows come unparsed and every column is either
hashed, compared with something hashed, or named in ``not_covered`` or ``docs/what-is-proven.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from turnledger.errors import NotFoundError
from turnledger.ids import NIL, derived_id
from turnledger.integrity.verdict import Reason, Verdict
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import JournalKind
from turnledger.query.journal_rows import Conversation, JournalCheck
from turnledger.query.places import Places
from turnledger.query.verification import BodyCounts, Verification, faulty
from turnledger.store.contract import Reader, Rebuilder, RecordedJournal

__all__ = [
    "LEDGER_UNCOVERED",
    "BodyCounts",
    "Verification",
    "verify_conversation",
    "verify_journal",
    "verify_ledger",
]

_PAGE = 200
LEDGER_UNCOVERED = ("deletion of a whole conversation",)


def verify_journal(reader: Reader, journal_id: UUID, *, bodies: bool = True) -> Verification:
    """Check one journal by itself; a turn also against the TURN_CLOSED of its conversation.

    Raises NotFoundError where the ledger has no such journal.
    """
    with reader.snapshot():
        row = _recorded(reader, journal_id, "journal")
        owner = _owner(row)
        if row.kind == JournalKind.TURN and row.conversation is not None:
            _learn(reader, journal_id, row, owner)
        return JournalCheck(reader, row, owner, _rebuilder(reader, bodies=bodies)).run()


def _recorded(reader: Reader, journal_id: UUID, what: str) -> RecordedJournal:
    rows = reader.recorded_journals([journal_id])
    if not rows:
        msg = f"The ledger holds no {what} {journal_id}."
        raise NotFoundError(msg, next_step="See `turnledger list` for what there is.")
    return rows[0]


def _owner(row: RecordedJournal) -> Conversation:
    return Conversation(Places(row.positions or 0))


def _rebuilder(reader: Reader, *, bodies: bool) -> Rebuilder | None:
    return reader.rebuilder() if bodies else None


def _learn(reader: Reader, turn: UUID, row: RecordedJournal, owner: Conversation) -> None:
    """What the conversation says of one turn, without reading the whole conversation."""
    last = reader.events(turn, max(row.events - 1, 0), 1)
    if last and last[0].type in FINAL_TYPES:
        closed = reader.event(derived_id(last[0].event_id, "turn-closed"))
        if closed is not None and closed.conversation == UUID(bytes=row.conversation):
            tokens = parse_summary(closed.summary)
            owner.closed[turn] = (tokens.get("events", ""), tokens.get("head", ""))


def verify_conversation(reader: Reader, conversation: UUID, *, bodies: bool = True) -> Iterator[Verification]:
    """Check a conversation's journal, then each of its turns, and that their places leave no gap.

    Raises NotFoundError where the ledger has no such conversation.
    """
    with reader.snapshot():
        row = _recorded(reader, conversation, "conversation")
        yield from _Walk(reader, None, bodies=bodies).conversation(row)


class _Walk:
    """Through conversations and their turns; ``ordinals`` are those given out, where all are to be met."""

    def __init__(self, reader: Reader, ordinals: _Ordinals | None, *, bodies: bool) -> None:
        self._reader = reader
        self._ordinals = ordinals
        self._bodies = _rebuilder(reader, bodies=bodies)

    def conversation(self, row: RecordedJournal) -> Iterator[Verification]:
        """Findings about a conversation's journal and all its turns."""
        owner = _owner(row)
        head = self.journal(row, owner)
        turns = list(self._turns(row, owner))
        if row.conversation != row.id or (
            head.sound and all(turn.sound for turn in turns) and not owner.places.complete
        ):
            head = _with_fault(head, Reason.POSITION)
        yield head
        yield from turns

    def journal(self, row: RecordedJournal, owner: Conversation) -> Verification:
        """The finding about one journal."""
        finding = JournalCheck(self._reader, row, owner, self._bodies).run()
        met = self._ordinals is None or self._ordinals.meet(row)
        return finding if met or not finding.sound else _with_fault(finding, Reason.ORDINAL)

    def _turns(self, conversation: RecordedJournal, owner: Conversation) -> Iterator[Verification]:
        for start in range(0, len(owner.opened), _PAGE):
            wanted = owner.opened[start : start + _PAGE]
            rows = {row.id: row for row in self._reader.recorded_journals(wanted)}
            for turn in wanted:
                row = rows.get(turn.bytes)
                if row is None or row.conversation != conversation.id or row.kind != JournalKind.TURN:
                    yield faulty(JournalKind.TURN, turn, Reason.MISSING_JOURNAL)
                else:
                    yield self.journal(row, owner)


class _Ordinals:
    """The numbers that agents gave to their journals."""

    def __init__(self, reader: Reader) -> None:
        self._given = {
            (agent, str(kind)): Places(count)
            for agent, _, _, conversations, turns in reader.ask("list_agents")
            for kind, count in ((JournalKind.CONVERSATION, conversations), (JournalKind.TURN, turns))
        }
        self._given[NIL.bytes, str(JournalKind.LEDGER)] = Places(1)

    def meet(self, row: RecordedJournal) -> bool:
        """Whether the journal's number was given out, and to no other."""
        places = self._given.get((row.agent or NIL.bytes, row.kind))
        return places is not None and places.meet(row.ordinal)

    def are_met(self) -> bool:
        """Whether the journal of each number of an agent's was met."""
        return all(places.complete for (agent, _), places in self._given.items() if agent != NIL.bytes)


def verify_ledger(reader: Reader, *, bodies: bool = True) -> Iterator[Verification]:
    """Check every conversation with its turns, the ledger journal, and that none is missing or unlisted."""
    listed, sound = 0, True
    with reader.snapshot():
        ordinals = _Ordinals(reader)
        walk = _Walk(reader, ordinals, bodies=bodies)
        for row in _journals(reader, JournalKind.CONVERSATION):
            for finding in walk.conversation(row):
                listed += finding.reason is not Reason.MISSING_JOURNAL
                sound = sound and finding.sound
                yield finding
        for row in _journals(reader, JournalKind.LEDGER):
            listed += 1
            finding = walk.journal(row, _owner(row))
            sound = sound and finding.sound
            yield finding
        if listed != reader.ask("count_journals")[0][0]:
            yield from _unlisted(reader)
        elif sound and not ordinals.are_met():
            yield faulty(JournalKind.LEDGER, reader.ledger_id(), Reason.MISSING_JOURNAL)
        elif sound and reader.strays():
            yield faulty(JournalKind.LEDGER, reader.ledger_id(), Reason.UNLISTED_JOURNAL)


def _journals(reader: Reader, kind: JournalKind) -> Iterator[RecordedJournal]:
    for ids in _pages(reader, kind):
        yield from reader.recorded_journals(ids)


def _pages(reader: Reader, kind: JournalKind) -> Iterator[Sequence[UUID]]:
    after: UUID | None = None
    while rows := reader.journals(kind, after, _PAGE):
        yield [row.journal.id for row in rows]
        after = rows[-1].journal.id


def _unlisted(reader: Reader) -> Iterator[Verification]:
    """Turn journals that no conversation says it opened.  Only walked when the counts differ."""
    opened = {
        parse_summary(row[3].decode("utf-8", "replace")).get("turn")
        for conversation in _journals(reader, JournalKind.CONVERSATION)
        for rows in reader.recorded_events(UUID(bytes=conversation.id))
        for row in rows
        if row[1] == b"TURN_OPENED"
    }
    for row in _journals(reader, JournalKind.TURN):
        turn = UUID(bytes=row.id)
        if str(turn) not in opened:
            yield faulty(JournalKind.TURN, turn, Reason.UNLISTED_JOURNAL, row.events)


def _with_fault(finding: Verification, reason: Reason) -> Verification:
    return replace(finding, verdict=Verdict.BROKEN, broken_at_seq=-1, reason=reason)
