"""Steps of a turn without the whole turn: those that some of its events are part of, and the loose ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.model.registry import INTENT_TYPES, OUTCOME_TYPES
from turnledger.model.rows import TurnRow
from turnledger.model.tokens import parse_summary
from turnledger.query.timeline import Entry, entries_of
from turnledger.query.turn_report import Step, UnrunTool, requested_names, steps_of
from turnledger.store.contract import Reader
from turnledger.wire.details import decode_detail

__all__ = ["MOST_LOOSE", "LooseEnds", "loose_ends", "steps_among"]

MOST_LOOSE: Final = 200
"""Of so many loose ends of a kind it is said which they are, of the others only how many."""

_PAGE: Final = 2000


class _Mark(NamedTuple):
    """An event of a step, read in short; ``requested`` are the tools that a MODEL_RESULT asked for."""

    seq: int
    type: str
    tokens: dict[str, str]
    requested: Sequence[str] = ()

    def number(self, token: str) -> int | None:
        value = self.tokens.get(token, "")
        return int(value) if value.lstrip("-").isdigit() else None


@dataclass(frozen=True, slots=True)
class LooseEnds:
    """What a turn left open, and sums over all its steps; None where nothing was recorded.

    ``open`` are its first steps without an outcome, ``unrun`` the first tools that the model asked for and
    nobody ran, at most ``MOST_LOOSE`` of each; ``unrun_count`` is how many of the latter there are.
    """

    open: tuple[Step, ...]
    unrun: tuple[UnrunTool, ...]
    unrun_count: int
    model_ms: int | None
    tool_ms: int | None
    cost_minor: int | None


@dataclass(slots=True)
class _Walk:
    """Meets the events of a turn in order and keeps only what nothing has answered so far."""

    calls: dict[int, _Mark] = field(default_factory=dict[int, _Mark])
    approvals: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    asked: dict[int, dict[int, str]] = field(default_factory=dict[int, dict[int, str]])
    sums: dict[str, int] = field(default_factory=dict[str, int])

    def meet(self, mark: _Mark) -> None:
        self._add("costMinor", mark.number("costMinor"))
        if mark.type in INTENT_TYPES:
            self.calls[mark.seq] = mark
            if mark.type == "TOOL_CALL":
                self._add("tool", mark.number("ms"))
                self._ran(mark.number("from"), mark.number("ordinal"))
        elif mark.type in OUTCOME_TYPES:
            self._ended(mark)
        elif mark.type == "APPROVAL" and (subject := mark.number("subject")) in self.calls:
            self.approvals.setdefault(subject or 0, []).append(mark.seq)

    def _ended(self, mark: _Mark) -> None:
        call = mark.number("call")
        intent = None if call is None else self.calls.pop(call, None)
        self.approvals.pop(-1 if call is None else call, None)
        if mark.requested:
            self.asked[mark.seq] = dict(enumerate(mark.requested))
        ms = mark.number("ms")
        if intent is None or ms is None:
            return
        if intent.type == "MODEL_CALL":
            self._add("model", ms)
        else:  # some writers say with the call how long it took; what the outcome says goes before that
            self._add("tool", ms - (intent.number("ms") or 0))

    def _ran(self, result: int | None, ordinal: int | None) -> None:
        if result in self.asked and ordinal is not None:
            self.asked[result].pop(ordinal, None)
            if not self.asked[result]:
                del self.asked[result]

    def _add(self, name: str, number: int | None) -> None:
        if number is not None:
            self.sums[name] = self.sums.get(name, 0) + number


def loose_ends(reader: Reader, turn: TurnRow, *, silent: bool) -> LooseEnds:
    """What stays open in a turn of any length; its events are met in short and none of them is kept."""
    walk = _Walk()
    for mark in _marks(reader, turn.id, 0):
        walk.meet(mark)
    first = sorted(walk.calls)[:MOST_LOOSE]
    seqs = [*first, *(seq for call in first for seq in walk.approvals.get(call, ()))]
    unrun = [
        UnrunTool(result, ordinal, tool)
        for result, tools in walk.asked.items()
        for ordinal, tool in tools.items()
    ]
    return LooseEnds(
        tuple(steps_of(_entries(reader, turn.id, seqs), turn.status, silent=silent)),
        tuple(unrun[:MOST_LOOSE]),
        len(unrun),
        walk.sums.get("model"),
        walk.sums.get("tool"),
        walk.sums.get("costMinor"),
    )


def steps_among(reader: Reader, turn: TurnRow, entries: Sequence[Entry], *, silent: bool) -> list[Step]:
    """The steps that begin or end in these events, which follow one another in the turn."""
    here = {entry.row.seq for entry in entries}
    calls = {call for entry in entries if (call := _call(entry)) is not None}
    begun = {entry.row.seq for entry in entries if entry.row.type in INTENT_TYPES}
    seqs = [call for call in calls if call not in here]
    seqs += _later(reader, turn.id, max(here, default=0) + 1, begun - calls)
    among = sorted((*entries, *_entries(reader, turn.id, seqs)), key=lambda entry: entry.row.seq)
    return [
        step
        for step in steps_of(among, turn.status, silent=silent)
        if step.intent.row.seq in here or (step.outcome is not None and step.outcome.row.seq in here)
    ]


def _call(entry: Entry) -> int | None:
    return entry.number("call") if entry.row.type in OUTCOME_TYPES else None


def _later(reader: Reader, turn: UUID, start: int, calls: set[int]) -> list[int]:
    """Where, from a place on, these calls end and what was decided of them; read as far as need be."""
    found: list[int] = []
    for mark in _marks(reader, turn, start) if calls else ():
        if mark.type in OUTCOME_TYPES and mark.number("call") in calls:
            found.append(mark.seq)
            calls = calls - {mark.number("call")}
            if not calls:
                break
        elif mark.type == "APPROVAL" and mark.number("subject") in calls:
            found.append(mark.seq)
    return found


def _entries(reader: Reader, turn: UUID, seqs: Sequence[int]) -> list[Entry]:
    found = [row for seq in sorted(seqs) for row in reader.events(turn, seq, 1) if row.seq == seq]
    return entries_of(found)


def _marks(reader: Reader, turn: UUID, start: int) -> Iterator[_Mark]:
    """The events of steps from a place on, a page at a time.  Raises DamagedRowError."""
    while True:
        rows = reader.step_events(turn, start, _PAGE)
        for seq, type_, tokens, detail in rows:
            yield _Mark(seq, type_, parse_summary(tokens), _requested(detail))
        if len(rows) < _PAGE:
            return
        start = rows[-1][0] + 1


def _requested(detail: bytes | None) -> Sequence[str]:
    if detail is None or b'"requested"' not in detail:
        return ()
    try:
        return requested_names(decode_detail(detail))
    except GrammarError:
        return ()
