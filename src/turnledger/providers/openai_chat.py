"""OpenAI chat completions, JSON and event stream, and the many servers that speak them.

Format: OpenAI API reference, "Chat" and "Chat streaming"; deviations of single servers are named where
they are met.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text, parse
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, Usage
from turnledger.providers.format import Arguments, Stream, WireFormat, invocation_metrics, reencoded
from turnledger.providers.messages import has_messages, read_messages, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "model_length": "length",  # Mistral
    "model_context_window_exceeded": "length",  # Z.ai
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",  # Z.ai
    "error": "error",
    "network_error": "error",  # Z.ai
    "insufficient_system_resource": "error",  # DeepSeek
}


@dataclass(slots=True)
class _Choice:
    """One answer while it is put together; a whole message is taken as its only delta."""

    index: int
    finish: str | None = None
    text: list[str] = field(default_factory=list[str])
    refusal: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    calls: list[Arguments] = field(default_factory=list[Arguments])
    slots: dict[int, Arguments] = field(default_factory=dict[int, Arguments])
    hosted: dict[int, Arguments] = field(default_factory=dict[int, Arguments])

    def add_content(self, part: Mapping[str, object]) -> None:
        content, refusal = part.get("content"), part.get("refusal")
        if isinstance(content, str):
            self.text.append(content)
        else:
            self._add_blocks(as_list(content))
        spoken = as_text(as_map(part["audio"]).get("transcript")) if "audio" in part else None
        if spoken is not None:
            self.text.append(spoken)
        if isinstance(refusal, str):
            self.refusal.append(refusal)
        self.reasoning.extend(_reasoning(part))

    def _add_blocks(self, blocks: Sequence[object]) -> None:
        for piece in blocks:
            block = as_map(piece)
            if block.get("type") == "thinking":  # Mistral
                self.reasoning.extend(texts_of(block.get("thinking")))
            else:
                self.text.extend(texts_of([piece]))

    def add_calls(
        self, part: Mapping[str, object], data: bytes, path: Sequence[str | int], *, deltas: bool
    ) -> None:
        for number, entry in enumerate(as_list(part.get("tool_calls"))):
            call = as_map(entry)
            kind = "custom" if call.get("type") == "custom" or "custom" in call else "function"
            named = as_map(call.get(kind))
            slot = self._slot(call, as_text(named.get("name"))) if deltas else self._fresh(call)
            field_name = "input" if kind == "custom" else "arguments"
            _extend(slot, named, field_name, data, [*path, "tool_calls", number, kind, field_name])
        legacy = as_map(part.get("function_call"))
        if legacy:
            slot = self.calls[-1] if deltas and self.calls else self._fresh(legacy)
            _extend(slot, legacy, "arguments", data, [*path, "function_call", "arguments"])

    def add_hosted(self, part: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """Tools that Groq ran: it tells of each several times, in full."""
        for number, entry in enumerate(as_list(part.get("executed_tools"))):
            told = as_map(entry)
            index = told.get("index")
            call = Arguments(name=as_text(told.get("type")) or "", choice=self.index)
            call.add(told.get("arguments"), data, [*path, "executed_tools", number, "arguments"])
            self.hosted[index if isinstance(index, int) else number] = call

    def ending(self) -> Finish | None:
        """Why it ended; ``stop`` is also said of a refusal, and of a call that the request asked for."""
        if self.finish is None:
            return None
        finish = _FINISH.get(self.finish, "other")
        if finish == "stop":
            return "tool_calls" if self.calls else "refusal" if self.refusal and not self.text else finish
        return finish

    def _fresh(self, call: Mapping[str, object]) -> Arguments:
        made = Arguments(id=as_text(call.get("id")), choice=self.index)
        self.calls.append(made)
        return made

    def _slot(self, call: Mapping[str, object], name: str | None) -> Arguments:
        """The request that a delta belongs to: by its index, else by its id, else the last one."""
        index, call_id = call.get("index"), as_text(call.get("id"))
        if isinstance(index, int):
            slot = self.slots.get(index)
        elif call_id is None:
            slot = self.calls[-1] if self.calls else None
        else:
            slot = next((known for known in reversed(self.calls) if known.id == call_id), None)
        if slot is None or (name and _is_another(slot, call_id)):
            slot = self._fresh(call)
            if isinstance(index, int):
                self.slots[index] = slot
        slot.id = slot.id or call_id
        return slot


def _is_another(slot: Arguments, call_id: str | None) -> bool:
    """Whether a named delta starts a new call though its index is taken: some servers number all calls 0."""
    if not slot.name:
        return False
    if slot.id and call_id:
        return slot.id != call_id
    if not slot.pieces or not slot.pieces[-1].rstrip().endswith("}"):  # spares joining and parsing each time
        return False
    return parse(slot.supplied.encode("utf-8", "surrogatepass")).readable


def _extend(
    slot: Arguments, named: Mapping[str, object], key: str, data: bytes, path: Sequence[str | int]
) -> None:
    name = as_text(named.get("name"))
    if name and name != slot.name:  # sent once, in pieces, or again with every delta
        slot.name += name
    slot.add(named.get(key), data, path)


def _reasoning(part: Mapping[str, object]) -> list[str]:
    """Reasoning text under the first of the names in use (servers repeat it under the others)."""
    told = as_text(part.get("reasoning_content")) or as_text(part.get("reasoning"))
    if told:
        return [told]
    details = [as_map(entry) for entry in as_list(part.get("reasoning_details"))]
    texts = (as_text(entry.get("text")) or as_text(entry.get("summary")) for entry in details)
    return [text for text in texts if text]


def _usage(document: Mapping[str, object]) -> Usage | None:
    """Usage at its place, or where Groq (``x_groq``) and Moonshot (in the choice) put it in streams."""
    places = [document, as_map(document.get("x_groq")), *map(as_map, as_list(document.get("choices")))]
    given = [told for place in places if (told := place.get("usage"))]  # most events of a stream give none
    return next((found for told in given if (found := normalise_usage(told))), None) if given else None


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together."""

    choices: dict[int, _Choice] = field(default_factory=dict[int, _Choice])
    model: str | None = None
    response_id: str | None = None
    tier: str | None = None
    usage: Usage | None = None
    metered: bool = False

    def add(self, document: Mapping[str, object], data: bytes, part_name: str) -> None:
        self.model = self.model or as_text(document.get("model"))
        self.response_id = self.response_id or as_text(document.get("id"))
        self.tier = as_text(document.get("service_tier")) or self.tier
        self.usage = _usage(document) or self.usage
        metrics = invocation_metrics(document)
        self.metered = self.metered or metrics is not None
        self.usage = self.usage or metrics
        for number, entry in enumerate(as_list(document.get("choices"))):
            told = as_map(entry)
            index, deltas = told.get("index"), part_name == "delta"
            at = index if deltas and isinstance(index, int) else number
            choice = self.choices.get(at)
            if choice is None:
                choice = self.choices[at] = _Choice(at)
            reason = as_text(told.get("finish_reason")) or as_text(told.get("stop_reason"))
            choice.finish = (
                reason or choice.finish
            )  # stop_reason: Mistral on Bedrock, where messages stream, too
            key = part_name if part_name in told else "message"
            part = as_map(told.get(key)) or {"content": told.get("text")}  # text: legacy completions
            choice.add_content(part)
            choice.add_calls(part, data, ["choices", number, key], deltas=deltas)
            choice.add_hosted(part, data, ["choices", number, key])

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        ordered = [self.choices[index] for index in sorted(self.choices)]
        first = ordered[0] if ordered else _Choice(0)
        calls = [call for choice in ordered for call in choice.calls]
        hosted = [call for choice in ordered for call in choice.hosted.values()]
        if len(ordered) != 1:
            flags += ("several-choices",) if ordered else ("no-choices",)
        return Reply(
            served_model=self.model,
            response_id=self.response_id,
            service_tier=self.tier,
            finish=first.ending(),
            finish_raw=first.finish,
            text="".join(first.text) if first.text else None,
            refusal="".join(first.refusal) or None,
            reasoning_text="".join(first.reasoning) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(calls)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=self.usage,
            flags=flags + reencoded([*calls, *hosted]),
        )


def _claims_reply(document: Mapping[str, object]) -> bool:
    kind = document.get("object")
    return isinstance(document.get("choices"), list) or kind in ("chat.completion", "chat.completion.chunk")


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    answer = _Answer()
    answer.add(document, body, "message")
    return answer.reply(())


def _read_stream(stream: Stream) -> Reply:
    answer = _Answer()
    for event in stream.events:
        answer.add(event.value, event.data, "delta")
    return answer.reply(() if stream.done or answer.metered else ("cut",))


FORMAT = WireFormat(
    name="openai-chat",
    claims_reply=_claims_reply,
    claims_event=_claims_reply,
    claims_request=has_messages,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=read_messages,
)
