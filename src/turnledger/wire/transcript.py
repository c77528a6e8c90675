"""Chat transcripts in the OpenAI message form, cut into turns.

One transcript is ``{"id"?, "messages": [...]}`` or a bare list of messages.  A turn is everything from
a user's message (or several in a row) up to the next user's message.  Nothing is invented: a message
that fits nowhere refuses the transcript with its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from turnledger.errors import ForeignFileError

__all__ = ["ModelStep", "ToolUse", "Transcript", "TranscriptTurn", "cut_transcript", "message_text"]

_INSTRUCTION_ROLES = frozenset({"system", "developer"})
_RESULT_ROLES = frozenset({"tool", "function"})

_Message = Mapping[str, object]


@dataclass(slots=True)
class ToolUse:
    """A tool call that a model asked for; ``observation`` is the tool message that answered it, if any."""

    ordinal: int
    id: str | None
    name: str
    supplied: str
    observation: _Message | None = None


@dataclass(slots=True)
class ModelStep:
    """One assistant message: what was said before it (``history`` messages) and the tools it asked for."""

    history: int
    message: _Message
    tools: list[ToolUse] = field(default_factory=list)


@dataclass(slots=True)
class TranscriptTurn:
    """Inbound messages (none where the assistant spoke first) and the model calls that followed."""

    inbound: list[_Message] = field(default_factory=list)
    steps: list[ModelStep] = field(default_factory=list)

    @property
    def answer(self) -> str | None:
        """Text of the last assistant message if it asked for no tool."""
        if not self.steps or self.steps[-1].tools:
            return None
        return message_text(self.steps[-1].message)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole conversation; ``id`` is the transcript's own name, None where it has none."""

    id: str | None
    messages: Sequence[_Message]
    turns: tuple[TranscriptTurn, ...]


def message_text(message: _Message) -> str | None:
    """The text of a message: its content, or the text parts of it joined; None where it has none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        texts = [text for text in parts if isinstance(text, str)]
        return "".join(texts) if texts else None
    return None


def cut_transcript(value: object) -> Transcript:
    """Cut a decoded transcript into turns.  Raises ForeignFileError where it is none, naming the message."""
    name, messages = _messages(value)
    turns: list[TranscriptTurn] = []
    open_tools: list[ToolUse] = []
    for place, message in enumerate(messages):
        role = message.get("role")
        if role in _INSTRUCTION_ROLES:
            continue
        if role == "user":
            if not turns or turns[-1].steps:
                turns.append(TranscriptTurn())
            turns[-1].inbound.append(message)
        elif role == "assistant":
            if not turns:
                turns.append(TranscriptTurn())
            step = ModelStep(place, message, _tool_uses(message, place))
            turns[-1].steps.append(step)
            open_tools = list(step.tools)
        elif role in _RESULT_ROLES:
            _answer(open_tools, message, place)
        else:
            _refuse(f"message {place} has the role {str(role)[:40]!r}")
    return Transcript(name, messages, tuple(turns))


def _messages(value: object) -> tuple[str | None, Sequence[_Message]]:
    name: str | None = None
    if isinstance(value, Mapping):
        raw_name = value.get("id")
        name = str(raw_name) if isinstance(raw_name, str | int) else None
        value = value.get("messages")
    if not isinstance(value, list) or not value:
        _refuse("it holds no list of messages")
    for place, message in enumerate(value):
        if not isinstance(message, Mapping):
            _refuse(f"message {place} is no object")
    return name, value


def _tool_uses(message: _Message, place: int) -> list[ToolUse]:
    calls = message.get("tool_calls") or []
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        calls = [{"id": None, "function": legacy}]
    if not isinstance(calls, list):
        _refuse(f"message {place} has tool_calls that are no list")
    return [_tool_use(call, ordinal, place) for ordinal, call in enumerate(calls)]


def _tool_use(call: object, ordinal: int, place: int) -> ToolUse:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        _refuse(f"message {place} has a tool call without a function")
    name, arguments, call_id = function.get("name"), function.get("arguments"), call.get("id")
    if not isinstance(name, str) or not isinstance(arguments, str):
        _refuse(f"message {place} has a tool call without name and argument text")
    return ToolUse(ordinal, call_id if isinstance(call_id, str) and call_id else None, name, arguments)


def _answer(open_tools: list[ToolUse], message: _Message, place: int) -> None:
    # By id where it fits, else in order: ids may be empty or repeated.
    wanted = message.get("tool_call_id")
    waiting = [use for use in open_tools if use.observation is None]
    match = next((use for use in waiting if wanted and use.id == wanted), waiting[0] if waiting else None)
    if match is None:
        _refuse(f"message {place} answers a tool call that nobody made")
    match.observation = message


def _refuse(why: str) -> NoReturn:
    msg = f"This is no chat transcript: {why}."
    raise ForeignFileError(msg, next_step='Expected {"messages": [{"role": ..., "content": ...}, ...]}.')
