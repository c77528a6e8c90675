"""The text that links a run in another process, or another agent's, to the turn that started it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.ids import parse_uuid

__all__ = ["Handoff"]

_PREFIX = "turnledger/1"


@dataclass(frozen=True, slots=True)
class Handoff:
    """Which turn hands over; as text it holds ids only and may travel anywhere."""

    agent: UUID
    conversation: UUID
    turn: UUID

    def __str__(self) -> str:
        return f"{_PREFIX}:{self.agent}:{self.conversation}:{self.turn}"

    @classmethod
    def parse(cls, text: str) -> Handoff:
        """The handoff that ``turn.handoff()`` wrote; raises GrammarError for any other text."""
        prefix, *ids = text.split(":") if type(text) is str else ("",)
        if prefix != _PREFIX or len(ids) != 3:  # noqa: PLR2004  agent, conversation, turn
            msg = "This text is no handoff of a turn."
            raise GrammarError(msg, next_step="Pass on what turn.handoff() gave, unchanged.")
        agent, conversation, turn = (parse_uuid(part, "id in a handoff") for part in ids)
        return cls(agent, conversation, turn)
