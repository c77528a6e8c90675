"""Verification of a journal file (``turnledger.journal/1``) as a stream: chain, detail records, bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from turnledger.errors import GrammarError
from turnledger.integrity.bodies import DetailRecord, body_matches, detail_token, read_detail
from turnledger.integrity.chain import ChainVerifier
from turnledger.integrity.turns_of_file import TurnsOfFile, TurnsTold
from turnledger.integrity.verdict import Caveat, ChainReport, Reason
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.wire.commitment import NO_PAYLOAD
from turnledger.wire.journal_file import (
    BESIDE,
    BadLine,
    BodyState,
    Fault,
    FileBody,
    JournalEvent,
    JournalHeader,
    LineSource,
    read_journals,
)

__all__ = ["JournalReport", "verify_journals"]

_SHOWN_LINES: Final = 100
_WORDS: Final = {level.value: level.word for level in Assurance}


@dataclass(frozen=True, slots=True)
class JournalReport:
    """Finding about one journal of a file.

    ``header`` is None where it could not be read (its events are then unreadable too); ``bad_lines``
    holds the first hundred of ``bad_line_count``; ``bodies`` counts the events' slots by state; ``told`` is
    what a conversation's journal says of its turns.
    """

    header: JournalHeader | None
    chain: ChainReport
    bad_lines: tuple[BadLine, ...]
    bad_line_count: int
    bodies: Mapping[BodyState, int]
    told: TurnsTold


def verify_journals(stream: LineSource, *, known: frozenset[str] | None = None) -> list[JournalReport]:
    """One report for each journal of the file, in its order; a conversation has to have its turns beside it.

    Raises ForeignFileError where the file is no journal file.
    """
    reports = list(_one_by_one(stream, known))
    turns = TurnsOfFile()
    every_header = all(report.header is not None for report in reports)
    for report in reports:
        if report.header is None:
            continue
        if report.header.journal.kind is JournalKind.TURN:
            turns.take(str(report.header.journal.id), report.chain)
        else:
            turns.told(str(report.header.journal.id), report.told)
    return [_beside_the_others(report, turns, every_header=every_header) for report in reports]


def _beside_the_others(report: JournalReport, turns: TurnsOfFile, *, every_header: bool) -> JournalReport:
    if report.header is None:
        return report
    if report.header.journal.kind is JournalKind.TURN:
        # A header that cannot be read may be the conversation's.
        is_told = every_header and report.header.with_conversation
        written_with = str(report.header.conversation) if is_told else None
        chain = turns.of_turn(str(report.header.journal.id), report.chain, written_with)
    else:
        chain = turns.of_conversation(report.told, report.chain)
    return replace(report, chain=chain)


def _one_by_one(stream: LineSource, known: frozenset[str] | None) -> Iterator[JournalReport]:
    """The report on each journal by itself."""
    check: _Check | None = None
    for record in read_journals(stream):
        if isinstance(record, JournalHeader) or _starts_unreadable(record):
            if check is not None:
                yield check.report()
            check = _Check(record if isinstance(record, JournalHeader) else None, known)
        if check is not None and not isinstance(record, JournalHeader):
            check.take(record)
    if check is not None:
        yield check.report()


def _starts_unreadable(record: JournalEvent | BadLine) -> bool:
    return isinstance(record, BadLine) and record.fault is Fault.BAD_HEADER


class _Check:
    """State of one journal while its lines go by."""

    def __init__(self, header: JournalHeader | None, known: frozenset[str] | None) -> None:
        self._header = header
        self._chain = ChainVerifier(
            None if header is None else str(header.journal.id),
            None if header is None else str(header.agent),
            known=known,
            final_types=FINAL_TYPES if header and header.journal.kind is JournalKind.TURN else frozenset(),
            beside=BESIDE,
        )
        self._events = 0
        self._torn_at = -1
        self._unreadable_at = -1
        self._told = TurnsTold()
        self._tells = header is not None and header.journal.kind is JournalKind.CONVERSATION
        self._bad: list[BadLine] = []
        self._bad_count = 0
        self._bodies: Counter[BodyState] = Counter()

    def take(self, record: JournalEvent | BadLine) -> None:
        """The next line of the journal."""
        if isinstance(record, BadLine):
            self._bad_count += 1
            if len(self._bad) < _SHOWN_LINES:
                self._bad.append(record)
            torn = record.fault is Fault.TORN
            self._chain.warn(Caveat.TORN if torn else Caveat.UNREADABLE)
            if torn:
                self._torn_at = self._events
            else:
                self._unreadable_at = self._events
            return
        place = self._events
        self._events += 1
        if record.fields.get("seq") != place:
            self._fail_for_bad_line(place)
        self._chain.feed(record.fields)
        if self._chain.intact:
            if self._tells:
                self._told.note(place, record.fields)
            self._check_beside(record)

    def _fail_for_bad_line(self, place: int) -> None:
        """The event that is missing here was torn or altered past reading, not taken out."""
        if place == self._torn_at:
            self._chain.fail(Reason.TORN, at=place)
        elif place == self._unreadable_at:
            self._chain.fail(Reason.EVENT_GRAMMAR, at=place)

    def _check_beside(self, event: JournalEvent) -> None:
        """What stands beside an event whose own hash holds."""
        summary = str(event.fields["summary"])
        claimed = event.fields.get("assurance")
        if claimed is not None and claimed != _WORDS.get(parse_summary(summary).get("assurance", "")):
            self._chain.fail(Reason.ASSURANCE)
            return
        try:
            detail, bodies = event.detail(), event.bodies()
            record = self._detail(summary, detail)
            if record is not None and not _same_id(record.event_id, event.fields.get("eventId")):
                self._chain.fail(Reason.EVENT_ID)
            if self._chain.intact:
                self._check_bodies(str(event.fields["payloadHash"]), record, bodies)
        except GrammarError:
            self._chain.fail(Reason.BODIES_GRAMMAR)

    def _detail(self, summary: str, detail: bytes | None) -> DetailRecord | None:
        named = detail_token(summary)
        if named is None or detail is None:
            if named is not None or detail is not None:
                self._chain.warn(Caveat.DETAIL_UNCHECKED)
            return None
        record = read_detail(named, detail)
        if record is None:
            self._chain.fail(Reason.DETAIL)
        return record

    def _check_bodies(self, payload: str, record: DetailRecord | None, bodies: tuple[FileBody, ...]) -> None:
        committed = {} if record is None else dict(record.slots)
        if payload != NO_PAYLOAD.hex():
            committed["payload"] = payload
        for body in bodies:
            digest = committed.pop(body.slot, None)
            self._bodies[body.state] += 1
            if body.data is None:
                continue
            if digest is None and record is None:
                self._chain.warn(Caveat.BODIES_UNCHECKED)
            elif digest is None or not _body_holds(digest, body):
                self._chain.fail(Reason.PAYLOAD)
                return
        self._bodies[BodyState.WITHHELD] += len(committed)

    def report(self) -> JournalReport:
        """The finding, once the journal's last line was taken."""
        announced = None if self._header is None else self._header.events
        if announced is not None and self._events < announced:
            altered = self._unreadable_at == self._events
            self._chain.fail(Reason.EVENT_GRAMMAR if altered else Reason.TRUNCATED, at=self._events)
        return JournalReport(
            self._header, self._chain.report(), tuple(self._bad), self._bad_count, +self._bodies, self._told
        )


def _same_id(recorded: str | None, beside: object) -> bool:
    """Whether the id beside an event (UUID text) is the one in its detail record (its 32 hex digits)."""
    return beside is None or (isinstance(beside, str) and beside.replace("-", "") == recorded)


def _body_holds(digest: str, body: FileBody) -> bool:
    data = body.data or b""
    return len(data) == body.size and body_matches(digest, data, body.salt)
