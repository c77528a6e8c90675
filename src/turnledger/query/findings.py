"""One form for what was found, whether in the ledger or in a file, and its reason in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from turnledger.errors import LedgerError
from turnledger.integrity.fixture_check import count_bodies
from turnledger.integrity.journal_check import JournalReport
from turnledger.integrity.verdict import Caveat, ChainReport, Reason, Verdict, worst
from turnledger.query.verification import DATABASE, Verification
from turnledger.wire.fixture import Fixture
from turnledger.wire.journal_file import BodyState

__all__ = ["Finding", "caveat_words", "overall", "reason_words"]

FILE_UNCOVERED: Final = ("tail cut at rest", "rewrite of the whole file")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about one target; ``kind`` is what it turned out to be, ``id`` its journal's id.

    ``reason`` is a word of ``Reason`` or, where nothing was checked, why; ``explanation`` a sentence.
    ``bodies`` counts them as checked, pruned and notChecked.
    """

    target: str
    kind: str
    verdict: Verdict
    reason: str
    explanation: str
    id: str | None = None
    broken_at_seq: int = -1
    warnings: tuple[str, ...] = ()
    events: int = 0
    bodies: dict[str, int] = field(default_factory=dict[str, int])
    not_covered: tuple[str, ...] = ()
    head: str = ""

    @classmethod
    def of_journal(cls, found: Verification) -> Finding:
        """About a journal of the ledger, or about an agent whose row is damaged."""
        return cls(
            target=_target(found),
            kind=found.kind,
            verdict=found.verdict,
            reason=found.reason,
            explanation=_explained(found),
            id=str(found.id) if _has_id(found) else None,
            broken_at_seq=found.broken_at_seq,
            warnings=tuple(found.warnings),
            events=found.events,
            bodies=_bodies(found.bodies.checked, found.bodies.pruned, found.bodies.skipped),
            not_covered=found.not_covered,
            head=found.head,
        )

    @classmethod
    def of_file_journal(cls, target: str, found: JournalReport) -> Finding:
        """About a journal of a journal file."""
        state = {state: found.bodies.get(state, 0) for state in BodyState}
        header = found.header
        return cls(
            target=target,
            kind="journal file",
            verdict=found.chain.verdict,
            reason=found.chain.reason,
            explanation=_file_words(found) + _bad_lines(found),
            id=None if header is None else f"{header.journal.id}",
            broken_at_seq=found.chain.broken_at_seq,
            warnings=tuple(found.chain.warnings),
            events=found.chain.events,
            bodies=_bodies(
                state[BodyState.PRESENT],
                state[BodyState.PRUNED] + state[BodyState.ERASED],
                state[BodyState.WITHHELD],
            ),
            not_covered=FILE_UNCOVERED,
            head=found.chain.head,
        )

    @classmethod
    def of_fixture(cls, target: str, fixture: Fixture, found: ChainReport) -> Finding:
        """About a fixture."""
        turn = fixture.source.get("turnId")
        checked, unchecked = count_bodies(fixture) if found.verdict is Verdict.INTACT else (0, 0)
        return cls(
            target=target,
            kind="fixture",
            verdict=found.verdict,
            reason=found.reason,
            explanation=reason_words(found.reason, found.broken_at_seq),
            id=turn if isinstance(turn, str) else None,
            broken_at_seq=found.broken_at_seq,
            warnings=tuple(found.warnings),
            events=found.events,
            bodies=_bodies(checked, 0, unchecked),
            not_covered=FILE_UNCOVERED,
            head=found.head,
        )

    @classmethod
    def malformed(cls, target: str, error: LedgerError) -> Finding:
        """About a file that is none of those that can be verified."""
        return cls(
            target, "file", Verdict.MALFORMED, "foreign-file", f"{error.message} {error.next_step}".strip()
        )

    @classmethod
    def unchecked(cls, target: str, kind: str, reason: str, explanation: str) -> Finding:
        """About a target that could not be checked."""
        return cls(target, kind, Verdict.NOT_CHECKED, reason, explanation)

    def as_json(self) -> dict[str, object]:
        """The finding in the form of the contract, section 11."""
        return {
            "target": self.target,
            "kind": self.kind,
            "id": self.id,
            "verdict": self.verdict.value,
            "brokenAtSeq": self.broken_at_seq,
            "reason": self.reason,
            "explanation": self.explanation,
            "warnings": list(self.warnings),
            "events": self.events,
            "bodies": self.bodies,
            "notCovered": list(self.not_covered),
            "head": self.head or None,
        }


def _has_id(found: Verification) -> bool:
    return found.kind != DATABASE and (found.damage is None or found.damage.id is not None)


def _target(found: Verification) -> str:
    if found.kind == DATABASE:
        return "lists of agents, conversations and journals"
    return str(found.id) if found.damage is None or _has_id(found) else f"in table {found.damage.table}"


def _explained(found: Verification) -> str:
    words = reason_words(found.reason, found.broken_at_seq)
    return words if found.damage is None else f"{words}: {found.damage}"


def _bodies(checked: int, pruned: int, not_checked: int) -> dict[str, int]:
    return {"checked": checked, "pruned": pruned, "notChecked": not_checked}


def _file_words(found: JournalReport) -> str:
    """The reason; what is missing is another journal than the one that the finding is about."""
    seq = found.chain.broken_at_seq
    if found.chain.reason is not Reason.MISSING_JOURNAL:
        return reason_words(found.chain.reason, seq)
    turn = next(turn for turn, at in found.told.opened.items() if at == seq)
    return f"event #{seq} opened turn {turn}, and its journal is not in the file"


def _bad_lines(found: JournalReport) -> str:
    if not found.bad_lines:
        return ""
    first = found.bad_lines[0]
    many = f"{found.bad_line_count} lines are" if found.bad_line_count > 1 else "One line is"
    return f"; {many} no record, the first is line {first.number} at byte {first.offset} ({first.fault})"


def overall(findings: Iterable[Finding]) -> Verdict:
    """The lowest verdict; ``not_checked`` if there is none."""
    return worst(finding.verdict for finding in findings)


_WORDS: Final[dict[Reason, str]] = {
    Reason.OK: "every event that is there is as it was written, in its place",
    Reason.NO_EVENTS: "it holds no event, so there was nothing to check",
    Reason.SOURCE_TURN_ID: "the id of its journal is no lower-case UUID",
    Reason.SOURCE_AGENT_ID: "the id of its agent is no lower-case UUID",
    Reason.COMMITMENT: "it commits its bodies in a way that is not known here",
    Reason.BODIES_GRAMMAR: "bodies, salts or details{at} are not in the form of the format",
    Reason.EVENT_GRAMMAR: "{event} is not written as an event: it was altered",
    Reason.ROW_GRAMMAR: "the database is damaged: a cell holds what its column cannot",
    Reason.UNREADABLE: "the database is damaged: a part of its file that this is in cannot be read",
    Reason.SEQ: "{event} is not the one whose turn it is: one was taken out, put in or moved",
    Reason.PREV_HASH: "{event} does not follow the one before it: something was altered, taken out or put in",
    Reason.HASH: "{event} was altered: what it says does not give its hash",
    Reason.DETAIL: "the detail record of {event} is not the one that the chain covers",
    Reason.PAYLOAD: "a body of {event} was altered, taken out or put in",
    Reason.ASSURANCE: "{event} claims another assurance than the one that the chain covers",
    Reason.EXPECTED: "the block `expected` is not what the events give",
    Reason.TORN: "{event} is torn: a writer was stopped in the middle of it",
    Reason.TRUNCATED: "it ends before {event}: the file was cut",
    Reason.EVENT_ID: "{event} has another id than the one that the chain covers",
    Reason.POSITION: "the conversation's timeline has a hole or a doubled place{at}",
    Reason.HEAD: "its head is not its last event: events were cut off its end or put there{at}",
    Reason.TURN_CLOSED: "its conversation says that it ended otherwise: it was cut, continued or rewritten",
    Reason.MISSING_JOURNAL: "its conversation opened this turn, and its journal is gone",
    Reason.MISSING_CONVERSATION: "it was exported with its conversation's own journal, which is gone",
    Reason.UNLISTED_JOURNAL: "no conversation opened this turn: it was put in, or its conversation was cut",
    Reason.ORDINAL: "its number among its agent's journals is another journal's, or one that was never given",
}


def reason_words(reason: Reason, seq: int) -> str:
    """What a reason means, as a sentence without its full stop; ``seq`` is the event at fault, or -1."""
    event = f"event #{seq}" if seq >= 0 else "an event"
    at = f" at event #{seq}" if seq >= 0 else ""
    words = _WORDS.get(reason)
    if words is None:
        field_name = reason.removesuffix("-grammar")
        return f"{event} is not written as it must be (field {field_name})"
    return words.format(event=event, at=at)


_CAVEATS: Final[dict[Caveat, str]] = {
    Caveat.NO_FINAL_EVENT: "not ended: it has no COMMIT or ABORT, so it is running, or its end was cut off",
    Caveat.SUB_MILLISECOND: "times finer than a millisecond are not covered by the chain",
    Caveat.UNKNOWN_TYPE: "holds event types that this version does not know",
    Caveat.UNHASHED_FIELDS: "holds fields beside the hashed ones",
    Caveat.BODIES_UNCHECKED: "not every body was checked",
    Caveat.DETAIL_UNCHECKED: "detail records were not checked",
    Caveat.TORN: "holds a torn record: a writer was stopped in the middle of it",
    Caveat.UNREADABLE: "holds lines that are no records",
}


def caveat_words(warnings: Sequence[str]) -> list[str]:
    """What the warnings mean."""
    return [_CAVEATS[Caveat(word)] if word in set(Caveat) else word for word in warnings]
