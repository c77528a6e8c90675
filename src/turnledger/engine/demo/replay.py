"""A recorded conversation run again as a live agent would run: each step is durable before it happens."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from turnledger.engine.demo.pace import AT_ONCE, Pace
from turnledger.engine.demo.script import MODEL, ScriptedModel, ScriptedTools
from turnledger.wire.strict_json import loads
from turnledger.wire.transcript import ModelStep, Transcript, TranscriptTurn, message_text

if TYPE_CHECKING:
    from turnledger.capture.agent import Agent
    from turnledger.capture.conversation import Conversation
    from turnledger.capture.message import Message
    from turnledger.capture.turn import Turn

__all__ = ["Replay"]

_MODEL_S: Final = 0.9
_TOOL_S: Final = 0.4


class Replay:
    """One conversation of the airline's agent; the outside key is ``replay:<round>/<its id>``."""

    def __init__(self, agent: Agent, transcript: Transcript, number: int, pace: Pace = AT_ONCE) -> None:
        self._transcript = transcript
        self._pace = pace
        self._model = ScriptedModel(transcript.messages)
        self._history: list[Mapping[str, object]] = []
        self._customer = f"replay:customer-{transcript.id}"
        self.conversation: Conversation = agent.conversation(
            f"replay:{number}/{transcript.id}", connector="replay", shape="session"
        )

    def run(self) -> None:
        """Say everything again, and record it."""
        self._history = list(takewhile(lambda said: said.get("role") == "system", self._transcript.messages))
        for turn in self._transcript.turns:
            self._take_turn(turn)

    def _take_turn(self, told: TranscriptTurn) -> None:
        inbound: Message | None = None
        for message in told.inbound:
            text = message_text(message) or ""
            self._pace.write(text)
            inbound = self.conversation.inbound(text, actor=self._customer)
            self._history.append(message)
            if told.steps:
                inbound.verdict("engage", reason="a customer's message in their own session", by="script")
            else:
                inbound.verdict("ignore", reason="the customer said goodbye, nothing is left", by="script")
        if not told.steps:
            return
        with self.conversation.turn(trigger=inbound or "api") as turn:
            for step in told.steps:
                self._step(turn, step)
            turn.commit(told.answer)  # None where the agent handed over to a person and said nothing

    def _step(self, turn: Turn, step: ModelStep) -> None:
        request = {"model": MODEL, "messages": list(self._history), "temperature": 0.0}
        with turn.model_call(role="primary", request=request) as call:
            self._pace.wait(_MODEL_S)
            call.result(self._model.complete(request))
        self._history.append(step.message)
        tools = ScriptedTools(step.tools)
        for asked in call.tool_requests:
            arguments = loads(asked.supplied.encode(), "argument")
            with turn.tool_call(
                asked.name,
                supplied=asked.supplied,
                validated=arguments,
                ordinal=asked.ordinal,
                call_id=asked.id,
            ) as tool:
                self._pace.wait(_TOOL_S)
                observation, status, message = tools.run(asked.ordinal, arguments)
                tool.result(observation, status=status)
            self._history.append(message)
