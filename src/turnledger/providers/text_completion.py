"""Models that go on with a text, each in its own words: Bedrock's InvokeModel, and older endpoints.

Formats: Amazon Bedrock user guide, "Inference request parameters and response fields" for Amazon Titan, Meta
Llama, Mistral, Cohere Command and AI21; Anthropic API reference, "Text completions".  OpenAI's own are read
with its chat.  Some count only in the reply's headers, so that usage is not in the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts, Usage
from turnledger.providers.format import Stream, WireFormat, invocation_metrics
from turnledger.providers.messages import request_facts
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "finish": "stop",
    "finished": "stop",
    "complete": "stop",
    "endoftext": "stop",
    "stop_sequence": "stop",
    "stop_criteria_met": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filtered": "content_filter",
    "error_toxic": "content_filter",
    "rag_query_when_rag_disabled": "error",
    "error": "error",
}
# Lists of answers: their key, and where text and reason stand in an entry.
_LISTS: Final = (
    ("results", "outputText", "completionReason"),  # Titan
    ("generations", "text", "finish_reason"),  # Cohere
    ("outputs", "text", "stop_reason"),  # Mistral
)
# Answers that stand at the top, whole or as events.
_TOPS: Final = (
    ("outputText", "completionReason"),  # Titan, streamed
    ("generation", "stop_reason"),  # Llama
    ("completion", "stop_reason"),  # Claude
)
_COUNTS: Final = (
    "inputTextTokenCount",
    "totalOutputTextTokenCount",
    "prompt_token_count",
    "generation_token_count",
)
_NOT_TEXT: Final = frozenset({"size", "quality", "image", "voice", "input"})


class _Piece(NamedTuple):
    choice: int
    text: str
    finish: str | None


def _pieces(told: Mapping[str, object]) -> Iterator[_Piece]:
    for key, text, reason in _LISTS:
        for number, entry in enumerate(map(as_map, as_list(told.get(key)))):
            if isinstance(piece := entry.get(text), str):
                yield _Piece(number, piece, as_text(entry.get(reason)))
    for number, entry in enumerate(map(as_map, as_list(told.get("completions")))):  # AI21
        if isinstance(piece := as_map(entry.get("data")).get("text"), str):
            yield _Piece(number, piece, as_text(as_map(entry.get("finishReason")).get("reason")))
    for text, reason in _TOPS:
        if isinstance(piece := told.get(text), str) and reason in told:
            yield _Piece(0, piece, as_text(told.get(reason)))
    if isinstance(told.get("is_finished"), bool) and "event_type" not in told:  # Cohere, streamed
        yield _Piece(0, as_text(told.get("text")) or "", as_text(told.get("finish_reason")))


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together; counts of a stream come with any of its events."""

    texts: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    finish: str | None = None
    model: str | None = None
    response_id: str | None = None
    counts: dict[str, object] = field(default_factory=dict[str, object])
    usage: Usage | None = None

    def add(self, told: Mapping[str, object]) -> None:
        self.model = self.model or as_text(told.get("model"))
        self.response_id = self.response_id or as_text(told.get("id"))
        for piece in _pieces(told):
            self.texts.setdefault(piece.choice, []).append(piece.text)
            if piece.choice == 0:
                self.finish = piece.finish or self.finish
        self.counts.update({key: told[key] for key in _COUNTS if told.get(key) is not None})
        results = [as_map(entry).get("tokenCount") for entry in as_list(told.get("results"))]
        if len(results) == 1 and results[0] is not None:
            self.counts["tokenCount"] = results[0]
        self.usage = normalise_usage(told.get("meta")) or invocation_metrics(told) or self.usage

    def reply(self, flags: tuple[ReplyFlag, ...]) -> Reply:
        if len(self.texts) != 1:
            flags += ("several-choices",) if self.texts else ("no-choices",)
        if self.model is None:
            flags += ("model-absent",)
        text = "".join(self.texts.get(0, []))
        return Reply(
            served_model=self.model,
            response_id=self.response_id,
            finish=_FINISH.get(self.finish.lower(), "other") if self.finish else None,
            finish_raw=self.finish,
            text=text if self.texts else None,
            usage=normalise_usage(self.counts) or self.usage,
            flags=flags,
        )


def _claims(document: Mapping[str, object]) -> bool:
    return "choices" not in document and next(_pieces(document), None) is not None


def _read_reply(document: Mapping[str, object], _body: bytes) -> Reply:
    answer = _Answer()
    answer.add(document)
    return answer.reply(())


def _read_stream(stream: Stream) -> Reply:
    answer = _Answer()
    for event in stream.events:
        answer.add(event.value)
    return answer.reply(("cut",) if answer.finish is None else ())


def _claims_request(request: Mapping[str, object]) -> bool:
    """A ``prompt`` is also what images are made of."""
    prompts = (request.get("prompt"), request.get("inputText"))
    return _NOT_TEXT.isdisjoint(request) and any(isinstance(given, (str, list)) for given in prompts)


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    return request_facts(request, [], [], messages=1, texts=())


FORMAT = WireFormat(
    name="text-completion",
    claims_reply=_claims,
    claims_event=_claims,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
