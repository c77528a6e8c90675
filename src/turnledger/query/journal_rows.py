"""One journal checked from its rows: chain, details, ids, places, bodies, head, and its conversation's word.

Rows are checked a portion at a time.  Where not all of a portion holds it is gone through once more, row by
row, to find out where and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, TypeAlias
from uuid import UUID

from turnledger.errors import LedgerCorruptError
from turnledger.ids import NIL
from turnledger.integrity.chain import ChainVerifier
from turnledger.integrity.verdict import Caveat, Reason
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.tokens import read_token
from turnledger.model.vocabulary import JournalKind
from turnledger.query.places import Places
from turnledger.query.row_facts import Commitments, Slots, are_named, bodies_hold, promised
from turnledger.query.verification import BodyCounts, Verification
from turnledger.store.contract import Reader, Rebuilder, RecordedBody, RecordedEvent, RecordedJournal
from turnledger.wire.commitment import payload_hash

__all__ = ["Conversation", "JournalCheck", "read_uuid"]

_Row: TypeAlias = tuple[Any, ...]
_NOTED: Final = frozenset({b"TURN_OPENED", b"TURN_CLOSED", b"PRUNED", b"ERASED"})


@dataclass(slots=True)
class Conversation:
    """What a conversation's own journal says of its turns, and which places of its timeline were met."""

    places: Places
    opened: list[UUID] = field(default_factory=list)
    closed: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    pruned: bool = False

    def note(self, row: _Row) -> None:
        """Take in what a verified row of the conversation's journal says."""
        type_ = row[1]
        if type_ in {b"TURN_OPENED", b"TURN_CLOSED"}:
            tokens = row[3].decode()
            turn = read_uuid(read_token(tokens, "turn"))
            if turn is None:
                return
            if type_ == b"TURN_OPENED":
                self.opened.append(turn)
            else:
                self.closed[turn] = (read_token(tokens, "events"), read_token(tokens, "head"))
        elif type_ in {b"PRUNED", b"ERASED"}:
            self.pruned = True


def read_uuid(text: str) -> UUID | None:
    """The UUID that a text is; None where it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


class JournalCheck:
    """One pass over one journal.  ``bodies`` rebuilds its bodies to hash them; None leaves them unhashed."""

    def __init__(
        self, reader: Reader, row: RecordedJournal, owner: Conversation, bodies: Rebuilder | None
    ) -> None:
        self._reader = reader
        self._id = UUID(bytes=row.id)
        self._row = row
        self._owner = owner
        self._own = row.kind == JournalKind.CONVERSATION
        self._bodies = bodies
        final = FINAL_TYPES if row.kind == JournalKind.TURN else frozenset[str]()
        self._agent = UUID(bytes=row.agent or NIL.bytes)
        self._chain = ChainVerifier(str(self._id), str(self._agent), final_types=final)
        self._counts = BodyCounts()
        self._last_position = -1
        self._unexplained: int | None = None  # the first event with a pruned body

    def run(self) -> Verification:
        """Read, check, report."""
        slots = Slots(iter(()) if self._bodies is None else self._reader.recorded_bodies(self._id))
        for rows in self._reader.recorded_events(self._id):
            bodies = slots.until(rows[-1][0])
            if not self._all_hold(rows, bodies):
                self._one_by_one(rows, bodies)
        events = self._chain.events
        if events != self._row.events or self._chain.head != self._row.head.hex():
            self._chain.fail(Reason.HEAD, at=self._end_place(events))
        left = slots.until(None)
        if left:
            self._chain.fail(Reason.PAYLOAD, at=left[0][0])
        return self._close()

    def _end_place(self, events: int) -> int:
        """The first event that is missing at the end, or too much there; -1 where it is neither."""
        return -1 if events == self._row.events else min(events, self._row.events)

    # --- a portion -----------------------------------------------------------------------------

    def _all_hold(self, rows: Sequence[_Row], bodies: Sequence[_Row]) -> bool:
        """Take in these rows, where there is nothing wrong with any of them; else nothing changes."""
        *chained, ids, positions = columns = [*zip(*rows, strict=True)]
        seqs, _, payloads, _, details, *_ = columns
        if not self._chain.intact or not are_named(ids, details):
            return False
        counts = self._bodies_hold(promised(seqs, payloads, details), bodies)
        if counts is None or not self._are_placed(positions):
            return False
        if not self._chain.take_columns(chained):
            if self._row.conversation is not None:
                self._owner.places.leave_all(positions)
            return False
        if self._row.conversation is not None:
            self._last_position = positions[-1]
        self._counts.checked += counts.checked
        self._counts.pruned += counts.pruned
        self._counts.skipped += counts.skipped
        if self._own:
            for row in rows:
                if row[1] in _NOTED:
                    self._owner.note(row)
        return True

    def _are_placed(self, positions: Sequence[Any]) -> bool:
        if self._row.conversation is None:
            return all(position is None for position in positions)
        return self._owner.places.meet_all(positions, after=self._last_position)

    def _bodies_hold(self, commitments: Commitments | None, bodies: Sequence[_Row]) -> BodyCounts | None:
        """What became of the bodies that were promised; None where one is not as it was."""
        if commitments is None or self._bodies is None:
            return None if commitments is None else BodyCounts(skipped=len(commitments))
        if [body[:2] for body in bodies] != sorted(commitments):
            return None
        pruned = [RecordedBody(*body) for body in bodies if None in body]
        if not bodies_hold(self._bodies, bodies, [commitments[body[:2]] for body in bodies]) or not all(
            map(self._is_pruned, pruned)
        ):
            return None
        return BodyCounts(checked=len(bodies) - len(pruned), pruned=len(pruned))

    # --- row by row ----------------------------------------------------------------------------

    def _one_by_one(self, rows: Sequence[_Row], bodies: Sequence[_Row]) -> None:
        slots: dict[int, list[RecordedBody]] = {}
        for body in bodies:
            slots.setdefault(body[0], []).append(RecordedBody(*body))
        for row in rows:
            event = RecordedEvent(*row)
            self._event(event)
            found = slots.pop(row[0], [])
            if self._chain.intact:
                if self._own:
                    self._owner.note(row)
                self._slots(row, found)
        for seq in slots:  # of events that are not there
            self._chain.fail(Reason.PAYLOAD, at=seq)

    def _event(self, event: RecordedEvent) -> None:
        chain, detail, tokens = self._chain, event.detail, _text(event.tokens)
        if not (isinstance(detail, bytes) and isinstance(tokens, str)):
            chain.feed(None)
            return
        summary = f"{tokens} detail={sha256(detail).hexdigest()}"
        type_ = _text(event.type)
        chain.feed_row(event.seq, type_, event.payload_hash, summary, event.hash, event.created_ms)
        if not chain.intact:
            return
        if not are_named([event.event_id], [detail]):
            chain.fail(Reason.EVENT_ID)
        elif self._row.conversation is not None:
            self._place(event.position)
        elif event.position is not None:
            chain.fail(Reason.POSITION)

    def _place(self, position: object) -> None:
        if not self._owner.places.meet_all([position], after=self._last_position):
            self._chain.fail(Reason.POSITION)
        elif isinstance(position, int):
            self._last_position = position

    def _slots(self, row: _Row, slots: list[RecordedBody]) -> None:
        commitments = promised(row[:1], row[2:3], row[4:5])
        if commitments is None:
            self._chain.fail(Reason.DETAIL)
        elif self._bodies is None:
            self._counts.skipped += len(commitments)
        elif {(body.seq, body.slot) for body in slots} != commitments.keys() or not all(
            self._body(self._bodies, body, commitments[body.seq, body.slot]) for body in slots
        ):
            self._chain.fail(Reason.PAYLOAD)

    def _body(self, bodies: Rebuilder, body: RecordedBody, commitment: object) -> bool:
        if body.salt is None or body.recipe is None:
            self._counts.pruned += 1
            return self._is_pruned(body)
        try:
            [(length, pieces)] = bodies.read_all([body.recipe])
            matches = length == body.size and payload_hash(pieces, body.salt) == commitment
        except (LedgerCorruptError, ValueError):
            return False
        self._counts.checked += matches
        return matches

    def _is_pruned(self, body: RecordedBody) -> bool:
        """Whether a body row without a body is one that was pruned or erased.

        What a conversation's journal says of that comes behind the bodies of the journal itself.
        """
        if self._own and self._unexplained is None:
            self._unexplained = body.seq
        return body.salt is None and body.recipe is None and (self._own or self._owner.pruned)

    # --- the end -------------------------------------------------------------------------------

    def _close(self) -> Verification:
        chain, row = self._chain, self._row
        if self._unexplained is not None and not self._owner.pruned:
            chain.fail(Reason.PAYLOAD, at=self._unexplained)
        if chain.intact and row.kind == JournalKind.TURN:
            ended = (str(chain.events), chain.head) if chain.is_final else None
            if self._owner.closed.get(self._id) != ended:
                chain.fail(Reason.TURN_CLOSED, at=-1)
        if self._counts.skipped:
            chain.warn(Caveat.BODIES_UNCHECKED)
        report = chain.report()
        return Verification(
            row.kind,
            self._id,
            report.verdict,
            report.broken_at_seq,
            report.reason,
            report.warnings,
            report.events,
            self._counts,
            head=report.head,
            agent=self._agent if row.agent else None,
        )


def _text(value: object) -> object:
    """UTF-8 text; what is none stays bytes."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
