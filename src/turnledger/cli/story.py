"""Events into lines: what belongs together and stands together becomes one line, the order stays."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from turnledger.cli.event_lines import EventLines
from turnledger.cli.line import Line, Room
from turnledger.cli.step_lines import intent_line, outcome_line, step_line, unrun_line
from turnledger.model.registry import FINAL_TYPES, INTENT_TYPES, OUTCOME_TYPES
from turnledger.query.timeline import Entry
from turnledger.query.turn_report import Doubt, UnrunTool, requested_tools
from turnledger.store.contract import Reader

__all__ = ["Doubts", "Story"]

Doubts: TypeAlias = Mapping[tuple[UUID, int], Doubt]

_WINDOW = 3  # COMMIT, TURN_CLOSED, MESSAGE: the most events that are told together


@dataclass(slots=True)
class _Asked:
    """Tools that the model results of one turn asked for and that were not run so far."""

    results: dict[int, Entry] = field(default_factory=dict[int, Entry])
    tools: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])

    def note(self, entry: Entry) -> None:
        if entry.row.type == "TOOL_CALL":
            self.tools.pop((entry.number("from") or 0, entry.number("ordinal") or 0), None)
        for place, tool in enumerate(requested_tools(entry)):
            self.results[entry.row.seq] = entry
            self.tools[entry.row.seq, place] = tool

    def lines(self) -> Iterator[Line]:
        for seq, entry in self.results.items():
            left = [UnrunTool(seq, place, tool) for (at, place), tool in self.tools.items() if at == seq]
            if left:
                yield unrun_line(entry, left)


class Story:
    """Lines of a stretch of events; ``doubts`` says what is to be said of intents without an outcome."""

    def __init__(self, reader: Reader, lines: EventLines, room: Room, doubts: Doubts) -> None:
        self._reader = reader
        self._lines = lines
        self._room = room
        self._doubts = doubts
        self._asked: dict[UUID, _Asked] = {}

    def tell(self, entries: Iterable[Entry]) -> Iterator[Line]:
        """The lines, in the order of their first events."""
        window: deque[Entry] = deque()
        for entry in entries:
            window.append(entry)
            if len(window) == _WINDOW:
                yield from self._next(window)
        while window:
            yield from self._next(window)

    def _next(self, window: deque[Entry]) -> Iterator[Line]:
        """Lines of what stands first in the window; it is taken out."""
        first = window.popleft()
        taken = [first]
        yield from self._left(first)
        if len(window) > 1 and _ends(first, window[0], window[1]):
            closed, message = window.popleft(), window.popleft()
            yield self._lines.answer(first, message)
            yield self._lines.line(closed)
        elif window and (joined := self._joined(first, window[0])) is not None:
            taken.append(window.popleft())
            yield joined
        else:
            yield self.single(first)
        for entry in taken:
            if entry.turn is not None:
                self._asked.setdefault(entry.turn, _Asked()).note(entry)

    def single(self, entry: Entry) -> Line:
        """The line of one event by itself."""
        if entry.row.type in INTENT_TYPES:
            doubt = self._doubts.get((entry.row.journal.id, entry.row.seq))
            return intent_line(self._reader, entry, doubt, self._room)
        if entry.row.type in OUTCOME_TYPES:
            return outcome_line(self._reader, entry, self._room)
        return self._lines.line(entry)

    def _left(self, entry: Entry) -> Iterator[Line]:
        """What a turn that ends here never ran."""
        if entry.row.type in FINAL_TYPES and entry.turn is not None:
            yield from self._asked.pop(entry.turn, _Asked()).lines()

    def _joined(self, first: Entry, second: Entry) -> Line | None:
        """One line for two events that stand together, if these do."""
        kinds = (first.row.type, second.row.type)
        same = first.row.journal == second.row.journal
        if first.row.type in INTENT_TYPES and second.row.type in OUTCOME_TYPES:
            if same and second.number("call") == first.row.seq:
                return step_line(self._reader, first, second, self._room)
        elif kinds == ("MESSAGE", "VERDICT"):
            if same and second.number("message") == first.row.seq:
                return self._lines.decided(first, second)
        elif kinds == ("TURN_OPENED", "INTAKE") and first.tokens.get("turn") == str(second.turn):
            return self._lines.opening(first, second)
        return None


def _ends(commit: Entry, closed: Entry, message: Entry) -> bool:
    """Whether these are the answer of a turn, its end and the message that carries it, written as one."""
    kinds = (commit.row.type, closed.row.type, message.row.type)
    turn = str(commit.turn)
    return (
        kinds == ("COMMIT", "TURN_CLOSED", "MESSAGE")
        and closed.tokens.get("turn") == turn
        and message.tokens.get("turn") == turn
    )
