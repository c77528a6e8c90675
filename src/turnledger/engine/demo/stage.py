"""Where the scenes play: an agent, its conversations, and those who write to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from turnledger.capture.agent import Agent
    from turnledger.capture.conversation import Conversation
    from turnledger.capture.message import Message
    from turnledger.engine.demo.pace import Pace

__all__ = ["Stage"]

_DM: Final = "A direct message is always answered."


class Stage:
    """One round of the scenes.

    ``number`` keeps the conversations of several rounds apart; ``helper`` is an agent that ``agent`` asks.
    """

    def __init__(self, agent: Agent, helper: Agent, pace: Pace, number: int) -> None:
        self.agent = agent
        self.helper = helper
        self.pace = pace
        self._number = number

    def talk(
        self, name: str, shape: str, *, connector: str = "demo", place: str | None = None
    ) -> Conversation:
        """A conversation of this round; its outside key is ``demo:<round>/<name>``."""
        key = f"demo:{self._number}/{name}"
        return self.agent.conversation(key, connector=connector, shape=shape, place=place)

    def hear(self, talk: Conversation, text: str, actor: str) -> Message:
        """Somebody writes a message."""
        self.pace.write(text)
        return talk.inbound(text, actor=f"demo:{actor}")

    def asked(self, talk: Conversation, text: str, actor: str) -> Message:
        """Somebody writes to the agent itself, and it decides to answer."""
        message = self.hear(talk, text, actor)
        message.verdict("engage", reason=_DM, by="dm-rule")
        return message
