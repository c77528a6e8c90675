"""Gemini ``generateContent`` of Google's two clouds: JSON, server-sent events, and lists of both kinds.

Format: Gemini API reference, "Generating content" (``GenerateContentResponse``).  The model asked for and
whether to stream stand in the address.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts
from turnledger.providers.format import Arguments, Stream, WireFormat, reencoded
from turnledger.providers.gemini_arguments import put
from turnledger.providers.messages import request_facts, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "MODEL_ARMOR",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
        ),
        "content_filter",
    ),
    **dict.fromkeys(
        (
            "MALFORMED_FUNCTION_CALL",
            "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS",
            "MALFORMED_RESPONSE",
            "MISSING_THOUGHT_SIGNATURE",
        ),
        "error",
    ),
}
_HOSTED = (("executableCode", "language", "code"), ("toolCall", "toolType", "args"))
_UNSAID = "FINISH_REASON_UNSPECIFIED"
_OWN_KEYS = frozenset({"candidates", "promptFeedback", "usageMetadata"})


@dataclass(slots=True)
class _Candidate:
    """One answer while it is put together."""

    index: int
    finish: str | None = None
    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: list[Arguments] = field(default_factory=list[Arguments])
    hosted: list[Arguments] = field(default_factory=list[Arguments])
    open: Arguments | None = None

    def add(self, part: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        text = part.get("text")
        if isinstance(text, str):
            (self.thoughts if part.get("thought") is True else self.text).append(text)
        if "functionCall" in part:
            self._call(as_map(part.get("functionCall")), data, [*path, "functionCall"])
        for key, name, arguments in (
            ("executableCode", "language", "code"),
            ("toolCall", "toolType", "args"),
        ):
            ran = as_map(part.get(key))
            if ran:
                self.hosted.append(_begun(ran, as_text(ran.get(name)) or key, self.index))
                self.hosted[-1].add(ran.get(arguments), data, [*path, key, arguments])

    def _call(self, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> None:
        """A call; of one whose arguments come in parts (``willContinue``) each part follows the last."""
        call, name = self.open, as_text(told.get("name"))
        if call is None or (name and call.name):
            call = _begun(told, name or "", self.index)
            self.calls.append(call)
        call.add(told.get("args"), data, [*path, "args"])
        self._put(call, as_list(told.get("partialArgs")), data, [*path, "partialArgs"])
        self.open = call if told.get("willContinue") is True else None

    def _put(self, call: Arguments, parts: Sequence[object], data: bytes, path: Sequence[str | int]) -> None:
        """Parts of arguments go into one value, which nobody wrote; what fits nowhere stays as it came."""
        for number, part in enumerate(parts):
            if call.parts is None:
                call.parts = {}
            if not put(call.parts, part):
                call.add(part, data, [*path, number])


def _begun(told: Mapping[str, object], name: str, choice: int) -> Arguments:
    return Arguments(id=as_text(told.get("id")), name=name, choice=choice)


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together; each count of a stream is of all so far, so the last stands."""

    candidates: dict[int, _Candidate] = field(default_factory=dict[int, _Candidate])
    model: str | None = None
    response_id: str | None = None
    blocked: str | None = None
    usage: object = None

    def add(self, document: Mapping[str, object], data: bytes) -> None:
        self.model = as_text(document.get("modelVersion")) or self.model
        self.response_id = self.response_id or as_text(document.get("responseId"))
        feedback = as_map(document.get("promptFeedback"))
        self.blocked = as_text(feedback.get("blockReason")) or self.blocked
        self.usage = document.get("usageMetadata") or self.usage
        for number, entry in enumerate(as_list(document.get("candidates"))):
            told = as_map(entry)
            index = told.get("index")
            at = index if isinstance(index, int) else number
            candidate = self.candidates.setdefault(at, _Candidate(at))
            finish = as_text(told.get("finishReason"))
            candidate.finish = candidate.finish if finish in (None, _UNSAID) else finish
            for place, part in enumerate(as_list(as_map(told.get("content")).get("parts"))):
                candidate.add(as_map(part), data, ["candidates", number, "content", "parts", place])

    def reply(self, *, ends: bool) -> Reply:
        ordered = [self.candidates[index] for index in sorted(self.candidates)]
        first = ordered[0] if ordered else _Candidate(0)
        calls = [call for candidate in ordered for call in candidate.calls]
        hosted = [call for candidate in ordered for call in candidate.hosted]
        raw = first.finish or self.blocked
        flags: list[ReplyFlag] = [] if ends or raw is not None else ["cut"]
        if len(ordered) != 1:
            flags.append("several-choices" if ordered else "no-choices")
        if self.model is None:
            flags.append("model-absent")
        return Reply(
            served_model=self.model,
            response_id=self.response_id,
            finish=_finish(first, self.blocked),
            finish_raw=raw,
            text="".join(first.text) if first.text else None,
            reasoning_text="".join(first.thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(calls)),
            hosted_tools=tuple(call.request(ordinal) for ordinal, call in enumerate(hosted)),
            usage=normalise_usage(self.usage),
            flags=(*flags, *reencoded([*calls, *hosted])),
        )


def _finish(candidate: _Candidate, blocked: str | None) -> Finish | None:
    """The format says STOP of an answer that asks for tools, too."""
    if candidate.finish is None:
        return None if blocked is None else "content_filter"
    if candidate.finish == "STOP" and candidate.calls:
        return "tool_calls"
    return _FINISH.get(candidate.finish, "other")


def _claims(document: Mapping[str, object]) -> bool:
    return (
        not _OWN_KEYS.isdisjoint(document)
        and "choices" not in document
        and any(isinstance(document.get(key), (dict, list)) for key in _OWN_KEYS)
    )


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    answer = _Answer()
    answer.add(document, body)
    return answer.reply(ends=True)


def _read_stream(stream: Stream) -> Reply:
    """Nothing marks the end of a stream but that its answer has a finish reason, or a list its bracket."""
    answer = _Answer()
    for event in stream.events:
        answer.add(event.value, event.data)
    return answer.reply(ends=stream.done)


def _claims_request(request: Mapping[str, object]) -> bool:
    return isinstance(request.get("contents"), (list, tuple, str, dict))


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    """What is a list may also be written as its only element, and names in snake case."""
    contents, tools = request.get("contents"), request.get("tools")
    system = request.get("systemInstruction") or request.get("system_instruction")
    return request_facts(
        request,
        [system] if system else [],
        [tools] if isinstance(tools, dict) else as_list(tools),
        messages=len(contents) if isinstance(contents, (list, tuple)) else 1,
        texts=texts_of(as_map(system).get("parts") or system),
    )


FORMAT = WireFormat(
    name="gemini",
    claims_reply=_claims,
    claims_event=_claims,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
