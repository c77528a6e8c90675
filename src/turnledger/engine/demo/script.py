"""A model and tools that say what was said before: a recorded conversation as the parts of a live agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from io import BytesIO
from typing import Final

from turnledger.engine.transcript_file import decode_line, read_lines
from turnledger.errors import UsageError
from turnledger.wire.transcript import ToolUse, Transcript, cut_transcript, message_text

__all__ = ["MODEL", "ScriptedModel", "ScriptedTools", "conversations"]

MODEL: Final = "scripted-replay"
_ERROR = "Error:"

Message = Mapping[str, object]


def conversations() -> Iterator[Transcript]:
    """The recorded conversations that come with the package."""
    data = resources.files("turnledger.engine.demo").joinpath("airline.jsonl").read_bytes()
    for line in read_lines(BytesIO(data)):
        yield cut_transcript(decode_line(line))


class ScriptedModel:
    """Answers a request with the message that followed the same history when it was recorded."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def complete(self, request: Mapping[str, object]) -> dict[str, object]:
        """A chat completion for an OpenAI chat request.

        It has no usage: how many tokens were used when this was recorded is not known.
        Raises UsageError where the conversation went another way.
        """
        history = request.get("messages")
        place = len(history) if isinstance(history, list) else 0
        if not isinstance(history, list) or place >= len(self._messages) or not self.has_more(place):
            msg = f"The script has no answer after {place} messages."
            raise UsageError(msg, next_step="Follow the recorded conversation.")
        message = self._messages[place]
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {"object": "chat.completion", "model": MODEL, "choices": [choice]}

    def has_more(self, place: int) -> bool:
        """Whether the model spoke after ``place`` messages."""
        return place < len(self._messages) and self._messages[place].get("role") == "assistant"


class ScriptedTools:
    """Answers tool calls of one model reply with what the tools returned when it was recorded."""

    def __init__(self, uses: Sequence[ToolUse]) -> None:
        self._uses = uses

    def run(self, ordinal: int, arguments: object) -> tuple[str, str, Message]:
        """``(observation, status, message)`` of the call with that place in the reply.

        ``message`` is how the history tells it; the arguments are taken for granted.
        """
        del arguments
        observation = self._uses[ordinal].observation
        if observation is None:
            msg = f"Nobody answered tool call {ordinal} when this was recorded."
            raise UsageError(msg)
        text = message_text(observation) or ""
        return text, "error" if text.startswith(_ERROR) else "ok", observation
