"""What the conversations of a journal file say of their turns, against the turns that are in the file.

A file may hold a journal more than once, from exports of several days: one copy that is as its conversation
says is enough.  Turns of a conversation whose own journal is not in the file have nothing to be held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from turnledger.integrity.verdict import ChainReport, Reason
from turnledger.model.tokens import read_token

__all__ = ["TurnsOfFile", "TurnsTold"]

_End: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TurnsTold:
    """What a conversation's journal says: turn → seq of its TURN_OPENED, and → (events, head) at its end."""

    opened: dict[str, int] = field(default_factory=dict[str, int])
    closed: dict[str, _End] = field(default_factory=dict[str, _End])

    def note(self, seq: int, event: Mapping[str, object]) -> None:
        """Take in a verified event of the conversation's journal, in its JSON form."""
        summary = str(event["summary"])
        if event["type"] == "TURN_OPENED":
            self.opened.setdefault(read_token(summary, "turn"), seq)
        elif event["type"] == "TURN_CLOSED":
            self.closed[read_token(summary, "turn")] = (
                read_token(summary, "events"),
                read_token(summary, "head"),
            )


class TurnsOfFile:
    """The turns that are in a file, and what its conversations say of them."""

    def __init__(self) -> None:
        self._there: dict[str, set[_End]] = {}
        self._closed: dict[str, set[_End]] = {}
        self._conversations: set[str] = set()

    def take(self, turn: str, found: ChainReport) -> None:
        """A turn's journal that is in the file."""
        self._there.setdefault(turn, set()).add((str(found.events), found.head))

    def told(self, conversation: str, told: TurnsTold) -> None:
        """A conversation's journal that is in the file."""
        self._conversations.add(conversation)
        for turn, end in told.closed.items():
            self._closed.setdefault(turn, set()).add(end)

    def of_conversation(self, told: TurnsTold, found: ChainReport) -> ChainReport:
        """The finding about a conversation, once the whole file was read: whether its turns are there."""
        missing = min(self._missing(told), default=None)
        return found if missing is None else found.with_fault(Reason.MISSING_JOURNAL, missing)

    def _missing(self, told: TurnsTold) -> Iterator[int]:
        return (seq for turn, seq in told.opened.items() if turn not in self._there)

    def of_turn(self, turn: str, found: ChainReport, written_with: str | None) -> ChainReport:
        """The finding about a turn, once the whole file was read: whether it ended as it was told.

        ``written_with`` is the conversation whose journal was written together with it; None for none.
        """
        if written_with is not None and written_with not in self._conversations:
            return found.with_fault(Reason.MISSING_CONVERSATION, -1)
        as_told = self._closed.get(turn, set()) <= self._there[turn]
        return found if as_told else found.with_fault(Reason.TURN_CLOSED, -1)
