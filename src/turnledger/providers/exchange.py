"""What was read off one exchange with a model provider: reply, usage, tool requests, request facts.

Everything that is content (text, arguments, messages of errors, the raw usage object) is left out of
``repr``, so that it does not reach a log by way of a traceback.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Finish",
    "ProviderError",
    "Reply",
    "ReplyFlag",
    "RequestFacts",
    "RequestFlag",
    "ToolRequest",
    "ToolResultPart",
    "Usage",
    "UsageFlag",
]

Finish: TypeAlias = Literal[
    "stop", "length", "tool_calls", "content_filter", "refusal", "pause", "error", "other"
]

UsageFlag: TypeAlias = Literal[
    "sum-mismatch",  # the buckets do not add up to what the provider says
    "part-over-whole",  # a part is larger than the count it should be inside of; the rest is unknown
    "cache-beside",  # cached input was counted beside the prompt where its dialect has it inside
    "reasoning-beside",  # the same for reasoning and completion
    "reasoning-unsplit",  # the model reasoned but no count was given: ``out`` holds both
    "may-overlap",  # cached and audio or image input are both given; they may share tokens
    "iterations-beside",  # the raw object lists work of the exchange that its own sum leaves out
    "billed-otherwise",  # the provider bills other counts than it processed: the buckets are the latter
    "partial",  # the stream broke off before its last count
    "bad-count",  # a count is no whole number of zero or more
    "no-counts",  # the object holds no count that is known here
]

ReplyFlag: TypeAlias = Literal[
    "undecodable",  # neither JSON nor an event stream
    "unknown-format",  # readable, but no known provider format
    "cut",  # it ends before its format says it should
    "bad-event",  # an event of the stream was not readable and was passed over
    "invalid-utf8",  # replacement characters stand for bytes that are no UTF-8
    "usage-absent",  # the provider gave no usage: unknown, not zero
    "no-choices",  # the reply holds no answer at all
    "several-choices",  # text is that of the first choice
    "supplied-reencoded",  # arguments are in canonical form: their exact text could not be cut out
    "model-absent",  # the format does not say which model served
    "pending",  # the provider has taken the request and works on it: this is no answer yet
    "fetched",  # a stored reply was asked for again: its tokens were spent when it was made
    "no-reply",  # no model replied in words: embeddings, token counts, images, a shortened history
]

RequestFlag: TypeAlias = Literal["undecodable", "unknown-format", "invalid-utf8", "prompt-lossy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts in disjoint buckets; None is unknown, never zero.

    ``in_`` is uncached text input, ``out`` visible text output.  ``provider_total`` is the provider's own
    sum if it gave one.  ``raw`` is the usage object as parsed (of an event stream that sends several,
    the keys of the later ones over those of the earlier).
    """

    in_: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    out: int | None = None
    reasoning: int | None = None
    audio_in: int | None = None
    audio_out: int | None = None
    image_in: int | None = None
    image_out: int | None = None
    provider_total: int | None = None
    raw: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    flags: tuple[UsageFlag, ...] = ()

    def buckets(self) -> dict[str, int]:
        """The buckets that are known, by field name."""
        named = {
            "in_": self.in_,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "out": self.out,
            "reasoning": self.reasoning,
            "audio_in": self.audio_in,
            "audio_out": self.audio_out,
            "image_in": self.image_in,
            "image_out": self.image_out,
        }
        return {name: count for name, count in named.items() if count is not None}

    @property
    def uncached(self) -> int | None:
        """Uncached input of every kind: text, audio, images; None where that of text is not known."""
        return _sum(self.in_, self.audio_in, self.image_in)

    @property
    def visible(self) -> int | None:
        """Output of every kind that is not reasoning; None where that of text is not known."""
        return _sum(self.out, self.audio_out, self.image_out)

    @property
    def total(self) -> int | None:
        """Sum of the known buckets; None if none is known."""
        known = self.buckets()
        return sum(known.values()) if known else None


def _sum(text: int | None, *others: int | None) -> int | None:
    return None if text is None else text + sum(count or 0 for count in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool call as the model asked for it; ``supplied`` is the exact text of its arguments.

    ``ordinal`` counts from 0 within the reply and is what results are paired by; ``id`` is the provider's,
    None where empty, and may repeat.  ``choice`` is the answer it belongs to where several were asked for.
    """

    ordinal: int
    id: str | None
    name: str
    supplied: str = field(repr=False)
    choice: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderError:
    """An error that the provider reported; ``message`` is content: for a payload, never for a summary."""

    status: int | None = None
    type: str | None = None
    code: str | None = None
    message: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply of a model.

    ``wire`` is the format's name, None where no decoder could read it.  ``finish`` is the closed form of
    ``finish_raw``.  ``hosted_tools`` ran at the provider, ``tool_requests`` wait for the agent.
    ``usage`` is None exactly where ``usage-absent`` is flagged.  ``service_tier`` is the tier that served
    where the reply says it beside its usage object, in the provider's own word; ``tool_usage`` what tools of
    the provider used and its usage object leaves out (``searches``, ``image_tokens``).
    """

    provider: str | None = None
    wire: str | None = None
    served_model: str | None = None
    response_id: str | None = None
    service_tier: str | None = None
    finish: Finish | None = None
    finish_raw: str | None = None
    text: str | None = field(default=None, repr=False)
    refusal: str | None = field(default=None, repr=False)
    reasoning_text: str | None = field(default=None, repr=False)
    tool_requests: tuple[ToolRequest, ...] = ()
    hosted_tools: tuple[ToolRequest, ...] = ()
    usage: Usage | None = None
    tool_usage: Mapping[str, int] = field(default_factory=dict[str, int])
    error: ProviderError | None = None
    flags: tuple[ReplyFlag, ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether a token limit ended the answer, so that text or arguments may stop in the middle."""
        return self.finish == "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    """A tool's result as the request carries it; ``position`` is the index of its message."""

    position: int
    call_id: str | None
    content: object = field(repr=False)
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """What a request asks for.  ``wire`` is a guess where a plain request is the same in two formats.

    ``model`` is the model asked for, ``messages`` their number.  ``tools`` are the parsed request's own
    objects, not copies.  ``prompt`` is the prompt snapshot: canonical JSON of
    ``{"instructions": […], "tools": […]}`` with both as they stand in the request, None where there is
    neither.
    """

    wire: str | None = None
    model: str | None = None
    stream: bool = False
    messages: int | None = None
    system_texts: tuple[str, ...] = field(default=(), repr=False)
    tools: tuple[object, ...] = field(default=(), repr=False)
    prompt: bytes | None = field(default=None, repr=False)
    flags: tuple[RequestFlag, ...] = ()
