"""Answers of endpoints where no model replies, told apart so that none is taken for a reply.

Read are model and usage.  A counted prompt is no usage: nothing was generated and nothing spent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Reply, RequestFacts
from turnledger.providers.format import Stream, WireFormat
from turnledger.providers.ollama import COUNTS
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EMBEDDINGS", "OTHER", "TOKEN_COUNT"]

_VECTORS: Final = ("embeddings", "embedding", "embeddingsByType")
_USAGES: Final = ("usage", "meta", "usage_info")
_COUNTS: Final = ("input_tokens", "totalTokens", "inputTokens")
_LISTS: Final = {
    "data": frozenset({"b64_json", "url", "revised_prompt"}),  # images
    "results": frozenset({"flagged", "relevance_score"}),  # moderation, ranking
    "pages": frozenset({"markdown"}),  # reading of documents
}
_KEPT: Final = frozenset({"list", "batch", "file", "model"})
_SPOKEN: Final = frozenset({"text", "usage", "task", "language", "duration", "segments", "words", "logprobs"})
_BESIDE: Final = frozenset({*_COUNTS, "object", "promptTokensDetails", "totalBillableCharacters"})


def _holds_vectors(document: Mapping[str, object]) -> bool:
    first = as_map(next(iter(as_list(document.get("data"))), None))
    return "embedding" in first or any(isinstance(document.get(key), (list, dict)) for key in _VECTORS)


def _holds_other(document: Mapping[str, object]) -> bool:
    """Images, verdicts, rankings, pages, what was spoken, or an entry of what the provider keeps."""
    firsts = ((as_map(next(iter(as_list(document.get(key))), None)), own) for key, own in _LISTS.items())
    return (
        any(own & first.keys() for first, own in firsts)
        or (isinstance(document.get("text"), str) and document.keys() <= _SPOKEN)
        or as_text(document.get("object")) in _KEPT
        or document.get("type") == "message_batch"
        or document.get("deleted") is True
    )


def _holds_a_count(document: Mapping[str, object]) -> bool:
    return any(key in document for key in _COUNTS) and document.keys() <= _BESIDE


def _read_reply(document: Mapping[str, object], _body: bytes) -> Reply:
    """Cohere counts in ``meta``, Ollama at the top."""
    own = {key: document[key] for key in COUNTS if key in document}
    places = [*map(document.get, _USAGES), own]
    return Reply(
        served_model=as_text(document.get("model")),
        response_id=as_text(document.get("id")),
        usage=next((usage for told in places if (usage := normalise_usage(told))), None),
        flags=("no-reply",),
    )


def _read_count(_document: Mapping[str, object], _body: bytes) -> Reply:
    return Reply(flags=("no-reply",))


def _never(_document: Mapping[str, object]) -> bool:
    return False


def _read_stream(_stream: Stream) -> Reply:
    return Reply(flags=("no-reply",))


def _claims_request(request: Mapping[str, object]) -> bool:
    return any(key in request for key in ("input", "texts", "inputs")) and "model" in request


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    return RequestFacts(model=as_text(request.get("model")))


EMBEDDINGS = WireFormat(
    name="embeddings",
    claims_reply=_holds_vectors,
    claims_event=_never,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
TOKEN_COUNT = WireFormat(
    name="token-count",
    claims_reply=_holds_a_count,
    claims_event=_never,
    claims_request=_never,
    read_reply=_read_count,
    read_stream=_read_stream,
    read_request=_read_request,
)
OTHER = WireFormat(
    name="other",
    claims_reply=_holds_other,
    claims_event=_never,
    claims_request=_never,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
