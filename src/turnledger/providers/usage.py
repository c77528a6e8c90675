"""Usage objects of all dialects as disjoint buckets, checked against the provider's own sum.

Six families, told apart by their keys:

- inclusive: the prompt holds cached tokens, the completion holds reasoning (OpenAI chat and Responses and
  what speaks like them; OpenTelemetry ``gen_ai.usage.*``);
- exclusive: input and both cache counts stand side by side (Anthropic);
- Gemini: the prompt holds cached tokens, thoughts stand beside the candidates;
- Gemini Interactions: the same under names of its own;
- Bedrock Converse: input and both cache counts stand side by side, output holds reasoning;
- Cohere: what was processed (``tokens``) and what is billed (``billed_units``) are given apart.

Some servers speak a dialect's names with another's sums; their own total, where given, decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.providers.document import as_list, as_map
from turnledger.providers.exchange import Usage, UsageFlag

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["normalise_usage"]

_PROMPT = (
    "prompt_tokens",
    "input_tokens",
    "prompt_eval_count",  # Ollama
    "prompt_token_count",  # Llama on Bedrock
    "inputTextTokenCount",  # Titan
    "inputTokenCount",  # Bedrock, of any model that streams
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
)
_COMPLETION = (
    "completion_tokens",
    "output_tokens",
    "eval_count",
    "generation_token_count",
    "tokenCount",
    "totalOutputTextTokenCount",
    "outputTokenCount",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
)
_TOTAL = ("total_tokens", "gen_ai.usage.total_tokens")
_CACHE_READ = (
    "prompt_tokens_details/cached_tokens",
    "input_tokens_details/cached_tokens",
    "prompt_token_details/cached_tokens",  # Mistral
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Together, Moonshot
    "num_cached_tokens",  # Mistral
    "cache_read_input_tokens",  # proxies in front of Anthropic
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.cache_read_tokens",
)
_CACHE_WRITE = (
    "prompt_tokens_details/cache_write_tokens",  # OpenRouter
    "input_tokens_details/cache_write_tokens",
    "prompt_tokens_details/cache_creation_tokens",
    "input_tokens_details/cache_creation_input_tokens",  # Perplexity
    "cache_creation_input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_write_tokens",
)
_REASONING = (
    "completion_tokens_details/reasoning_tokens",
    "output_tokens_details/reasoning_tokens",
    "output_tokens_details/thinking_tokens",  # Anthropic without its cache counts
    "reasoning_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.reasoning_tokens",
)
_AUDIO_IN = ("prompt_tokens_details/audio_tokens", "input_tokens_details/audio_tokens")
_AUDIO_OUT = ("completion_tokens_details/audio_tokens", "output_tokens_details/audio_tokens")
_IMAGE_IN = ("prompt_tokens_details/image_tokens", "input_tokens_details/image_tokens")
_IMAGE_OUT = ("completion_tokens_details/image_tokens", "output_tokens_details/image_tokens")

_EXCLUSIVE_KEYS = ("cache_read_input_tokens", "cache_creation_input_tokens", "iterations")
_GEMINI_KEYS = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")
_INTERACTION_KEYS = ("total_input_tokens", "total_output_tokens")
_CONVERSE_KEYS = ("inputTokens", "outputTokens")
_COHERE_KEYS = ("tokens", "billed_units")

_LARGEST = 2**53 - 1  # what every reader of JSON holds exactly; a larger count is none


class _Counts:
    """Reads counts out of a usage object and gathers what has to be said about them."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.raw = raw
        self.flags: list[UsageFlag] = []
        self._given = dict(raw)
        for outer, value in raw.items():
            for inner, part in as_map(value).items():
                self._given[f"{outer}/{inner}"] = part

    def pick(self, *paths: str) -> int | None:
        """The first count that is given under one of the paths (``/`` steps into an object)."""
        for path in paths:
            value = self._given.get(path)
            if value is not None:
                return self._count(value)
        return None

    def flag(self, flag: UsageFlag, *, when: bool = True) -> None:
        if when and flag not in self.flags:
            self.flags.append(flag)

    def rest(self, whole: int | None, *parts: int | None) -> int | None:
        """``whole`` without its parts; unknown, and flagged, where they do not fit into it."""
        if whole is None:
            return None
        left = whole - sum(part or 0 for part in parts)
        self.flag("part-over-whole", when=left < 0)
        return left if left >= 0 else None

    def _count(self, value: object) -> int | None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
            return value
        self.flag("bad-count")
        return None


def normalise_usage(raw: object) -> Usage | None:
    """A provider's usage object in disjoint buckets; None where it is no object or holds nothing.

    Differences are flagged and never clamped, counts that are not given stay None.
    """
    usage = as_map(raw)
    if not usage:
        return None
    counts = _Counts(usage)
    if any(key in usage for key in _GEMINI_KEYS):
        found = _gemini(counts)
    elif any(key in usage for key in _INTERACTION_KEYS):
        found = _interaction(counts)
    elif any(key in usage for key in _CONVERSE_KEYS):
        found = _converse(counts)
    elif any(isinstance(usage.get(key), dict) for key in _COHERE_KEYS):
        found = _cohere(counts)
    elif "prompt_tokens" not in usage and any(key in usage for key in _EXCLUSIVE_KEYS):
        found = _exclusive(counts)
    else:
        found = _inclusive(counts)
    return _checked(counts, found)


def _checked(counts: _Counts, found: Usage) -> Usage:
    buckets = found.buckets()
    counts.flag("no-counts", when=not buckets)
    comparable = bool(buckets) and found.provider_total is not None
    counts.flag("sum-mismatch", when=comparable and sum(buckets.values()) != found.provider_total)
    return Usage(**buckets, provider_total=found.provider_total, raw=counts.raw, flags=tuple(counts.flags))


def _inclusive(counts: _Counts) -> Usage:
    prompt, completion, total = counts.pick(*_PROMPT), counts.pick(*_COMPLETION), counts.pick(*_TOTAL)
    read, write, reasoning = (
        counts.pick(*_CACHE_READ),
        counts.pick(*_CACHE_WRITE),
        counts.pick(*_REASONING),
    )
    audio_in, image_in = counts.pick(*_AUDIO_IN), counts.pick(*_IMAGE_IN)
    audio_out, image_out = counts.pick(*_AUDIO_OUT), counts.pick(*_IMAGE_OUT)
    cached = (read or 0) + (write or 0)
    counts.flag("may-overlap", when=cached > 0 and (audio_in or 0) + (image_in or 0) > 0)
    cache_beside, reasoning_beside = _reading(prompt or 0, completion or 0, cached, reasoning or 0, total)
    counts.flag("cache-beside", when=cache_beside)
    counts.flag("reasoning-beside", when=reasoning_beside)
    return Usage(
        in_=counts.rest(prompt, 0 if cache_beside else cached, audio_in, image_in),
        cache_read=read,
        cache_write=write,
        out=counts.rest(completion, 0 if reasoning_beside else reasoning, audio_out, image_out),
        reasoning=reasoning,
        audio_in=audio_in,
        audio_out=audio_out,
        image_in=image_in,
        image_out=image_out,
        provider_total=total,
    )


def _reading(
    prompt: int, completion: int, cached: int, reasoning: int, total: int | None
) -> tuple[bool, bool]:
    """Whether cache and reasoning stand beside prompt and completion: the first reading that adds up.

    Cached tokens that do not fit into the prompt are always beside it.  Reasoning that does not fit into the
    completion is beside it only if no total says otherwise: servers count it with another tokeniser.
    """
    inside = cached <= prompt
    readings = [(not inside, False), (not inside, True), (True, False), (True, True)]
    if total is None:
        return (not inside, reasoning > completion)
    for cache_beside, reasoning_beside in readings:
        extra = (cached if cache_beside else 0) + (reasoning if reasoning_beside else 0)
        if prompt + completion + extra == total:
            return (cache_beside, reasoning_beside)
    return readings[0]


def _exclusive(counts: _Counts) -> Usage:
    """Anthropic; thinking is inside ``output_tokens``, and its total, if a proxy adds one, is checked."""
    reasoning = counts.pick("output_tokens_details/thinking_tokens")
    write = counts.pick("cache_creation_input_tokens")
    by_lifetime = as_map(counts.raw.get("cache_creation"))
    lifetimes = [value for value in by_lifetime.values() if isinstance(value, int)]
    counts.flag("sum-mismatch", when=bool(lifetimes) and write is not None and sum(lifetimes) != write)
    iterations = [as_map(entry).get("type") for entry in as_list(counts.raw.get("iterations"))]
    counts.flag("iterations-beside", when=any(kind != "message" for kind in iterations))
    return Usage(
        in_=counts.pick("input_tokens"),
        cache_read=counts.pick("cache_read_input_tokens"),
        cache_write=write,
        out=counts.rest(counts.pick("output_tokens"), reasoning),
        reasoning=reasoning,
        provider_total=counts.pick("total_tokens"),
    )


def _gemini(counts: _Counts) -> Usage:
    """Gemini; what its tools put into the prompt is counted beside ``promptTokenCount``."""
    cached = counts.pick("cachedContentTokenCount")
    prompt, tools = counts.pick("promptTokenCount"), counts.pick("toolUsePromptTokenCount")
    return Usage(
        in_=counts.rest(None if prompt is None else prompt + (tools or 0), cached),
        cache_read=cached,
        out=counts.pick("candidatesTokenCount"),
        reasoning=counts.pick("thoughtsTokenCount"),
        provider_total=counts.pick("totalTokenCount"),
    )


def _interaction(counts: _Counts) -> Usage:
    """Gemini Interactions; tools' tokens and thoughts stand beside input and output."""
    cached = counts.pick("total_cached_tokens")
    prompt, tools = counts.pick("total_input_tokens"), counts.pick("total_tool_use_tokens")
    return Usage(
        in_=counts.rest(None if prompt is None else prompt + (tools or 0), cached),
        cache_read=cached,
        out=counts.pick("total_output_tokens"),
        reasoning=counts.pick("total_thought_tokens"),
        provider_total=counts.pick("total_tokens"),
    )


def _converse(counts: _Counts) -> Usage:
    """Bedrock Converse; older replies name the cache counts ``…TokenCount``."""
    return Usage(
        in_=counts.pick("inputTokens"),
        cache_read=counts.pick("cacheReadInputTokens", "cacheReadInputTokenCount"),
        cache_write=counts.pick("cacheWriteInputTokens", "cacheWriteInputTokenCount"),
        out=counts.pick("outputTokens"),
        provider_total=counts.pick("totalTokens"),
    )


def _cohere(counts: _Counts) -> Usage:
    """Cohere; the model reads more than is billed: its own instructions around the prompt are free."""
    read, written = counts.pick("tokens/input_tokens"), counts.pick("tokens/output_tokens")
    billed = counts.pick("billed_units/input_tokens"), counts.pick("billed_units/output_tokens")
    if read is None and written is None:
        read, written = billed
    cached = counts.pick("cached_tokens")
    other = any(one is not None and one != count for one, count in zip(billed, (read, written), strict=True))
    counts.flag("billed-otherwise", when=other)
    return Usage(in_=counts.rest(read, cached), cache_read=cached, out=written)
