"""Gemini Interactions, JSON and event stream.

Format: Gemini API reference, "Interactions API": an interaction is a list of ``steps`` (first versions:
``outputs``), each a text, a thought, or a call of the agent's function or of a tool of Google's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts
from turnledger.providers.format import Arguments, Stream, StreamEvent, WireFormat, reencoded
from turnledger.providers.messages import request_facts, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "completed": "stop",
    "requires_action": "tool_calls",
    "incomplete": "length",
    "requires_continuation": "pause",
    "failed": "error",
}
_UNDER_WAY = frozenset({"queued", "in_progress"})
_WAITING = "function_call"
_TEXTS = frozenset({"text", "model_output"})
_THOUGHTS = frozenset({"thought", "thought_summary"})
_EVENTS = frozenset(
    {
        f"{subject}.{act}"
        for subject, acts in (
            ("interaction", ("created", "start", "status_update", "completed", "complete")),
            ("step", ("start", "delta", "stop")),
            ("content", ("start", "delta", "stop")),
        )
        for act in acts
    }
)
_ENDS = frozenset({"interaction.completed", "interaction.complete"})


@dataclass(slots=True)
class _Step:
    """One step while it is put together."""

    kind: str = ""
    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    call: Arguments | None = None

    def add(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """A step, or what a delta adds to one."""
        kind = as_text(told.get("type")) or ""
        self.kind = self.kind or kind
        content = told.get("content")
        parts = [content] if isinstance(content, dict) else as_list(content)
        if kind in _TEXTS:
            self.text += [*texts_of([told]), *texts_of(parts)]
        elif kind in _THOUGHTS:
            self.thoughts += [*texts_of(told.get("summary")), *texts_of(parts)]
        elif kind.endswith("_call"):
            self._call(kind, told)
        if self.call is not None and told.get("arguments") not in (None, {}):
            self.call.add(told.get("arguments"), data, [*path, "arguments"])

    def _call(self, kind: str, told: Mapping[str, object]) -> None:
        if self.call is None:
            self.call = Arguments(name=kind.removesuffix("_call"))
        self.call.id = self.call.id or as_text(told.get("id"))
        self.call.name = as_text(told.get("name")) or self.call.name


@dataclass(slots=True)
class _Interaction:
    """An interaction while it is put together; ``head`` is what interaction objects said so far."""

    head: dict[str, object] = field(default_factory=dict[str, object])
    steps: dict[int, _Step] = field(default_factory=dict[int, _Step])
    ended: bool = False

    def settle(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """An interaction object; its steps, where it has any, stand in place of those that streamed."""
        self.head |= {key: value for key, value in told.items() if value is not None}
        key = "steps" if "steps" in told else "outputs"
        steps = as_list(told.get(key))
        if steps:
            self.steps = {number: _Step() for number in range(len(steps))}
        for number, entry in enumerate(steps):
            self.steps[number].add(as_map(entry), data, [*path, key, number])

    def take(self, event: StreamEvent) -> None:
        told = event.value
        kind, number = as_text(told.get("event_type")) or "", told.get("index")
        self.ended = self.ended or kind in _ENDS
        if isinstance(told.get("interaction"), dict):
            self.settle(as_map(told.get("interaction")), event.data, ["interaction"])
        elif isinstance(number, int):
            step = self.steps.setdefault(number, _Step())
            for key in ("step", "content", "delta"):
                if isinstance(told.get(key), dict):
                    step.add(as_map(told.get(key)), event.data, [key])
        elif "status" in told:
            self.head["status"] = told["status"]

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        steps = [self.steps[number] for number in sorted(self.steps)]
        texts = [piece for step in steps for piece in step.text]
        calls = [step.call for step in steps if step.call is not None and step.kind == _WAITING]
        hosted = [step.call for step in steps if step.call is not None and step.kind != _WAITING]
        for call in calls:
            call.pieces = call.pieces or [
                "{}"
            ]  # what a call without arguments begins with, and nothing adds to
        status = as_text(self.head.get("status"))
        raw = None if status in _UNDER_WAY else status
        if raw is None and "cut" not in flags:
            flags += ("pending",)
        if as_text(self.head.get("model")) is None:
            flags += ("model-absent",)
        return Reply(
            served_model=as_text(self.head.get("model")),
            response_id=as_text(self.head.get("id")),
            service_tier=as_text(self.head.get("service_tier")),
            finish=_FINISH.get(raw, "other") if raw else None,
            finish_raw=raw,
            text="".join(texts) if texts else None,
            reasoning_text="".join(piece for step in steps for piece in step.thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(calls)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=normalise_usage(self.head.get("usage")),
            flags=flags + reencoded([*calls, *hosted]),
        )


def _claims_reply(document: Mapping[str, object]) -> bool:
    return document.get("object") == "interaction" or (
        isinstance(document.get("status"), str) and isinstance(document.get("steps"), list)
    )


def _claims_event(document: Mapping[str, object]) -> bool:
    return as_text(document.get("event_type")) in _EVENTS


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    interaction = _Interaction()
    interaction.settle(document, body, [])
    return interaction.reply(())


def _read_stream(stream: Stream) -> Reply:
    interaction = _Interaction()
    for event in stream.events:
        interaction.take(event)
    return interaction.reply(() if interaction.ended else ("cut",))


def _claims_request(request: Mapping[str, object]) -> bool:
    """Plain requests look like those of OpenAI Responses, of whose facts these are."""
    return "input" in request and any(
        key in request
        for key in ("system_instruction", "previous_interaction_id", "generation_config", "agent")
    )


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    system, given = request.get("system_instruction"), as_list(request.get("input"))
    facts = {**request, "model": as_text(request.get("model")) or request.get("agent")}
    return request_facts(
        facts,
        [system] if system else [],
        as_list(request.get("tools")),
        messages=len(given) or 1,
        texts=texts_of(system),
    )


FORMAT = WireFormat(
    name="gemini-interactions",
    claims_reply=_claims_reply,
    claims_event=_claims_event,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
