"""One agent's way into the recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from turnledger.capture.conversation import Conversation
from turnledger.capture.conversation_pen import ConversationPen
from turnledger.capture.given import handle_given
from turnledger.capture.handoff import Handoff
from turnledger.capture.names import checked_name
from turnledger.capture.takeover import take_over
from turnledger.capture.turn import Turn
from turnledger.capture.turn_pen import TurnPen
from turnledger.capture.waiting import spawn
from turnledger.errors import UsageError
from turnledger.ids import NIL, parse_uuid
from turnledger.model.draft import AliasKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from turnledger.capture.core import Core

__all__ = ["Agent"]


class Agent:
    """An agent; everything that is recorded belongs to exactly one."""

    def __init__(self, core: Core, name: str, facts: Mapping[str, object]) -> None:
        self.name = checked_name(name, "agent")
        self._core = core
        self._facts = facts

    @property
    def id(self) -> UUID:
        """The ledger's id of it, made when the name is first met."""
        return spawn(self._core.names.resolve(AliasKind.AGENT, NIL, self.name)).result()

    def conversation(
        self,
        key: str | None = None,
        *,
        connector: str | None = None,
        shape: str = "session",
        place: str | None = None,
    ) -> Conversation:
        """The conversation with this outside key, or a new one without a key.

        ``shape`` is ``dm``, ``channel``, ``thread`` or ``session``; ``place`` the outside name of a channel
        or room.  What is given here counts when the conversation is opened, with its first event.
        """
        pen = ConversationPen(self._core, self.name, key=key, connector=connector, shape=shape, place=place)
        return Conversation(self._core, pen, self._facts)

    def turn(
        self,
        trigger: str = "api",
        *,
        content: object = None,
        parent: str | None = None,
        tools: int | None = None,
        tags: object = None,
        traceparent: str | None = None,
    ) -> Turn:
        """A turn without a conversation: it opens one of shape ``session``.

        With ``parent``, another turn's ``handoff()``, it is a part of that one; all parts that this agent
        does for one conversation are one conversation of its own (connector ``agent``).
        """
        if parent is None:
            conversation = self.conversation()
        else:
            key = f"agent:{Handoff.parse(parent).conversation}"
            conversation = self.conversation(key, connector="agent")
            trigger = "handoff" if type(trigger) is str and trigger == "api" else trigger
        return conversation.turn(
            trigger, content=content, parent=parent, tools=tools, tags=tags, traceparent=traceparent
        )

    def resume(self, turn_id: UUID | str) -> Turn:
        """A turn that waits, or whose writer is gone, to be gone on with by this process.

        Entering it takes over its lease: another process that still has it gets TurnLost.  It raises
        NotFoundError where this agent has no such turn, TurnLost where it ended or a live writer holds it,
        CaptureRefused where the ledger cannot be reached.
        """
        given = parse_uuid(str(turn_id), "turn") if issubclass(type(turn_id), str) else turn_id
        turn = handle_given(UUID, given, "turn_id", "the id of a turn")
        if turn is None:
            msg = "There is no turn to resume without its id."
            raise UsageError(msg, next_step="Keep turn.id where the turn is left waiting.")
        unknown = ConversationPen(
            self._core, self.name, key=None, connector=None, shape="session", place=None
        )
        return Turn(TurnPen(self._core, unknown, turn), take_over)
