"""Verification of a ledger from its rows: chains, details, bodies, heads, and what ties journals together.

Nothing that the database says about itself is believed: rows come unparsed and every column is either
hashed, compared with something hashed, or named in ``not_covered``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from turnledger.errors import GrammarError, LedgerCorruptError, NotFoundError
from turnledger.ids import derived_id
from turnledger.integrity.chain import ChainVerifier
from turnledger.integrity.verdict import Caveat, ChainReport, Reason, Verdict
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.rows import JournalRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import JournalKind
from turnledger.store.contract import Reader, RecordedBody, RecordedEvent
from turnledger.wire.commitment import NO_PAYLOAD, PayloadHasher
from turnledger.wire.details import decode_detail

__all__ = [
    "LEDGER_UNCOVERED",
    "BodyCounts",
    "Verification",
    "verify_conversation",
    "verify_journal",
    "verify_ledger",
]

_PAGE = 200
_ALWAYS_UNCOVERED = (
    "tail cut at rest",
    "whole-journal rewrite by a privileged user",
    "order across journals",
)
LEDGER_UNCOVERED = ("deletion of a whole conversation",)


@dataclass(slots=True)
class BodyCounts:
    """What became of the bodies that the events speak of."""

    checked: int = 0
    pruned: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """Finding about one journal of a ledger; see ``ChainReport`` for the fields they share.

    ``not_covered`` names attacks that this level of proof does not detect: without a checkpoint kept
    elsewhere an intact chain is no proof that nothing is missing at its end.
    """

    kind: str
    id: UUID
    verdict: Verdict
    broken_at_seq: int
    reason: Reason
    warnings: tuple[Caveat, ...]
    events: int
    bodies: BodyCounts
    not_covered: tuple[str, ...]
    head: str = ""

    @property
    def sound(self) -> bool:
        """Whether no fault was found (an empty journal has none to find)."""
        return self.verdict not in {Verdict.BROKEN, Verdict.MALFORMED}


@dataclass(slots=True)
class _Conversation:
    """What a conversation's own journal says of its turns, and which places of its timeline were met.

    Places count from 0 to short of ``limit``, where that is known.
    """

    opened: list[UUID] = field(default_factory=list)
    closed: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    pruned: bool = False
    limit: int | None = None
    places: bytearray = field(default_factory=bytearray)
    met: int = 0

    def meet(self, position: int) -> bool:
        """Mark a place; False where it was met before, or is beyond the timeline's end."""
        if self.limit is not None and position >= self.limit:
            return False
        index, bit = position >> 3, 1 << (position & 7)
        if index >= len(self.places):
            self.places.extend(bytes(index + 1 - len(self.places) + 1024))
        if self.places[index] & bit:
            return False
        self.places[index] |= bit
        self.met += 1
        return True

    def gap_free(self) -> bool:
        """Whether the places met are 0 to n-1."""
        whole, rest = divmod(self.met, 8)
        return self.places[:whole].count(0xFF) == whole and (
            rest == 0 or self.places[whole] == (1 << rest) - 1
        )

    def note(self, event: RecordedEvent) -> None:
        """Take in what a verified row of the conversation's journal says."""
        if event.type in {"TURN_OPENED", "TURN_CLOSED"}:
            tokens = parse_summary(str(event.tokens))
            turn = _uuid(tokens.get("turn", ""))
            if turn is None:
                return
            if event.type == "TURN_OPENED":
                self.opened.append(turn)
            else:
                self.closed[turn] = (tokens.get("events", ""), tokens.get("head", ""))
        elif event.type in {"PRUNED", "ERASED"}:
            self.pruned = True


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _owner(reader: Reader, conversation: UUID | None) -> _Conversation:
    row = None if conversation is None else reader.conversation(conversation)
    return _Conversation(limit=None if row is None else row.events)


def _promised(event: RecordedEvent) -> dict[str, object] | None:
    """Commitment by slot: the payload's is the event's, others stand in the detail; None if malformed."""
    promised: dict[str, object] = {} if event.payload_hash == NO_PAYLOAD else {"payload": event.payload_hash}
    if not isinstance(event.detail, bytes) or b'"slots"' not in event.detail:
        return promised
    try:
        slots = decode_detail(event.detail).get("slots", {})
        if isinstance(slots, dict):
            promised |= {slot: bytes.fromhex(entry["commitment"]) for slot, entry in slots.items()}
    except (GrammarError, KeyError, TypeError, ValueError):
        return None
    return promised


class _JournalCheck:
    """One pass over one journal."""

    def __init__(self, reader: Reader, row: JournalRow, owner: _Conversation, *, bodies: bool) -> None:
        self._reader = reader
        self._row = row
        self._owner = owner
        self._check_bodies = bodies
        final = FINAL_TYPES if row.journal.kind is JournalKind.TURN else frozenset[str]()
        self._chain = ChainVerifier(str(row.journal.id), str(row.agent), final_types=final)
        self._counts = BodyCounts()
        self._last_position = -1
        self._last: RecordedEvent | None = None

    def run(self) -> Verification:
        """Read, check, report."""
        chain = self._chain
        own = self._row.journal.kind is JournalKind.CONVERSATION
        bodies = self._reader.recorded_bodies(self._row.journal.id)
        waiting = next(bodies, None)
        for event in self._reader.recorded_events(self._row.journal.id):
            self._event(event)
            slots: list[RecordedBody] = []
            while waiting is not None and waiting.seq == event.seq:
                slots.append(waiting)
                waiting = next(bodies, None)
            if chain.intact:
                if own:
                    self._owner.note(event)
                self._slots(event, slots)
            self._last = event
        report = chain.report()
        if report.events != self._row.events or report.head != self._row.head.hex():
            chain.fail(Reason.HEAD, at=self._end_place(report.events))
        if waiting is not None:
            chain.fail(Reason.PAYLOAD, at=waiting.seq)
        return self._close(report)

    def _end_place(self, events: int) -> int:
        """The first event that is missing at the end, or too much there; -1 where it is neither."""
        return -1 if events == self._row.events else min(events, self._row.events)

    def _event(self, event: RecordedEvent) -> None:
        chain, detail = self._chain, event.detail
        if not (isinstance(detail, bytes) and isinstance(event.tokens, str)):
            chain.feed(None)
            return
        summary = f"{event.tokens} detail={hashlib.sha256(detail).hexdigest()}"
        chain.feed_row(event.seq, event.type, event.payload_hash, summary, event.hash, event.created_ms)  # type: ignore[arg-type]
        if not chain.intact:
            return
        if not (isinstance(event.event_id, bytes) and event.event_id.hex().encode() in detail):
            chain.fail(Reason.EVENT_ID)
        elif self._row.conversation is not None:
            self._place(event.position)
        elif event.position is not None:
            chain.fail(Reason.POSITION)

    def _place(self, position: object) -> None:
        if not isinstance(position, int) or position <= self._last_position or not self._owner.meet(position):
            self._chain.fail(Reason.POSITION)
            return
        self._last_position = position

    def _slots(self, event: RecordedEvent, slots: list[RecordedBody]) -> None:
        promised = _promised(event)
        if promised is None:
            self._chain.fail(Reason.DETAIL)
        elif not self._kept(promised, slots):
            self._chain.fail(Reason.PAYLOAD)

    def _kept(self, promised: dict[str, object], slots: list[RecordedBody]) -> bool:
        slots_match = {body.slot for body in slots} == promised.keys()
        return slots_match and all(self._body(body, promised[body.slot]) for body in slots)

    def _body(self, body: RecordedBody, commitment: object) -> bool:
        if body.salt is None or body.recipe is None:
            self._counts.pruned += 1
            return body.salt is None and body.recipe is None and self._owner.pruned
        if not self._check_bodies:
            self._counts.skipped += 1
            return True
        try:
            hasher = PayloadHasher(body.salt)
            size = 0
            for chunk in self._reader.rebuild(body.recipe):
                hasher.update(chunk)
                size += len(chunk)
        except (LedgerCorruptError, ValueError):
            return False
        self._counts.checked += 1
        return size == body.size and hasher.digest() == commitment

    def _close(self, report: ChainReport) -> Verification:
        chain, row = self._chain, self._row
        if chain.intact and row.journal.kind is JournalKind.TURN:
            self._against_conversation(report)
        if self._counts.skipped:
            chain.warn(Caveat.BODIES_UNCHECKED)
        report = chain.report()
        return Verification(
            row.journal.kind,
            row.journal.id,
            report.verdict,
            report.broken_at_seq,
            report.reason,
            report.warnings,
            report.events,
            self._counts,
            _ALWAYS_UNCOVERED,
            report.head,
        )

    def _against_conversation(self, report: ChainReport) -> None:
        said = self._owner.closed.get(self._row.journal.id)
        ended = None if report.final_type is None else (str(report.events), report.head)
        if said != ended:
            self._chain.fail(Reason.TURN_CLOSED, at=-1)


def verify_journal(reader: Reader, journal_id: UUID, *, bodies: bool = True) -> Verification:
    """Check one journal by itself; a turn also against the TURN_CLOSED of its conversation.

    Raises NotFoundError where the ledger has no such journal.
    """
    with reader.snapshot():
        row = reader.journal(journal_id)
        if row is None:
            msg = f"The ledger holds no journal {journal_id}."
            raise NotFoundError(msg, next_step="See `turnledger list` for what there is.")
        owner = _owner(reader, row.conversation)
        if row.journal.kind is JournalKind.TURN and row.conversation is not None:
            _learn(reader, row, owner)
        return _JournalCheck(reader, row, owner, bodies=bodies).run()


def _learn(reader: Reader, row: JournalRow, owner: _Conversation) -> None:
    """What the conversation says of one turn, without reading the whole conversation."""
    last = reader.events(row.journal.id, max(row.events - 1, 0), 1)
    if last and last[0].type in FINAL_TYPES:
        closed = reader.event(derived_id(last[0].event_id, "turn-closed"))
        if closed is not None and closed.conversation == row.conversation:
            tokens = parse_summary(closed.summary)
            owner.closed[row.journal.id] = (tokens.get("events", ""), tokens.get("head", ""))


def verify_conversation(reader: Reader, conversation: UUID, *, bodies: bool = True) -> Iterator[Verification]:
    """Check a conversation's journal, then each of its turns, and that their places leave no gap.

    Raises NotFoundError where the ledger has no such conversation.
    """
    row = reader.journal(conversation)
    if row is None:
        msg = f"The ledger holds no conversation {conversation}."
        raise NotFoundError(msg, next_step="See `turnledger list` for what there is.")
    owner = _owner(reader, conversation)
    head = _JournalCheck(reader, row, owner, bodies=bodies).run()
    turns: list[Verification] = []
    for turn in owner.opened:
        journal = reader.journal(turn)
        if journal is None or journal.conversation != conversation:
            turns.append(_missing(turn))
        else:
            turns.append(_JournalCheck(reader, journal, owner, bodies=bodies).run())
    if head.sound and all(turn.sound for turn in turns) and not owner.gap_free():
        head = _with_fault(head, Reason.POSITION)
    yield head
    yield from turns


def verify_ledger(reader: Reader, *, bodies: bool = True) -> Iterator[Verification]:
    """Check every conversation with its turns, the ledger journal, and that nothing is unlisted."""
    listed = 0
    with reader.snapshot():
        for row in _journals(reader, JournalKind.CONVERSATION):
            for finding in verify_conversation(reader, row.journal.id, bodies=bodies):
                listed += finding.kind == JournalKind.TURN and finding.reason is not Reason.MISSING_JOURNAL
                yield finding
        for row in _journals(reader, JournalKind.LEDGER):
            yield _JournalCheck(reader, row, _Conversation(), bodies=bodies).run()
        turns = sum(1 for _ in _journals(reader, JournalKind.TURN))
        if turns != listed:
            yield from _unlisted(reader)


def _journals(reader: Reader, kind: JournalKind) -> Iterator[JournalRow]:
    after: UUID | None = None
    while rows := reader.journals(kind, after, _PAGE):
        yield from rows
        after = rows[-1].journal.id


def _unlisted(reader: Reader) -> Iterator[Verification]:
    """Turn journals that no conversation says it opened.  Only walked when the counts differ."""
    opened = {
        parse_summary(str(event.tokens)).get("turn")
        for row in _journals(reader, JournalKind.CONVERSATION)
        for event in reader.recorded_events(row.journal.id)
        if event.type == "TURN_OPENED"
    }
    for row in _journals(reader, JournalKind.TURN):
        if str(row.journal.id) not in opened:
            yield _without(row.journal.id, row.events, Reason.UNLISTED_JOURNAL)


def _missing(turn: UUID) -> Verification:
    return _without(turn, 0, Reason.MISSING_JOURNAL)


def _without(turn: UUID, events: int, reason: Reason) -> Verification:
    return Verification(
        JournalKind.TURN, turn, Verdict.BROKEN, -1, reason, (), events, BodyCounts(), _ALWAYS_UNCOVERED
    )


def _with_fault(finding: Verification, reason: Reason) -> Verification:
    return Verification(
        finding.kind,
        finding.id,
        Verdict.BROKEN,
        -1,
        reason,
        finding.warnings,
        finding.events,
        finding.bodies,
        finding.not_covered,
        finding.head,
    )
