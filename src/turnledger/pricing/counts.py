"""Tokens as they are priced: the buckets of a usage object, and out of them what is priced apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Usage
from turnledger.providers.usage import normalise_usage

__all__ = ["BUCKETS", "billed_usage", "hour_of", "priced_counts", "searches_of"]

BUCKETS: Final = (
    "in_",
    "cache_read",
    "cache_write",
    "audio_in",
    "image_in",
    "cached_audio",
    "out",
    "reasoning",
    "audio_out",
    "image_out",
)
"""Disjoint: ``cached_audio`` is not in ``cache_read``."""

_OWN_WORK: Final = frozenset({"message", "compaction"})
_LISTED: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


def billed_usage(usage: Usage) -> Usage | None:
    """Usage as it is billed: with the work that its own sum leaves out; None where other models did that.

    Source: Anthropic, "Compaction", section "Understanding usage": all iterations are billed.
    """
    if "iterations-beside" not in usage.flags:
        return usage
    iterations = [as_map(entry) for entry in as_list(usage.raw.get("iterations"))]
    if any(entry.get("type") not in _OWN_WORK for entry in iterations):
        return None
    summed = {key: sum(_count(entry.get(key)) or 0 for entry in iterations) for key in _LISTED}
    lifetimes = [as_map(entry.get("cache_creation")) for entry in iterations]
    kept = {key: sum(_count(each.get(key)) or 0 for each in lifetimes) for each in lifetimes for key in each}
    rest = {key: value for key, value in usage.raw.items() if key != "iterations"}
    return normalise_usage({**rest, **summed, "cache_creation": kept})


def priced_counts(usage: Usage) -> dict[str, int]:
    """Counts by bucket, those that are known.

    Gemini counts by modality beside its sums; a modality that does not fit into its sum is left where it is.
    """
    counts = usage.buckets()
    prompt = _modalities(usage, "promptTokensDetails", "input_tokens_by_modality")
    cached = _modalities(usage, "cacheTokensDetails", "cached_tokens_by_modality")
    reply = _modalities(usage, "candidatesTokensDetails", "output_tokens_by_modality")
    heard = cached.get("AUDIO", 0)
    _move(counts, "cache_read", "cached_audio", heard)
    _move(counts, "in_", "audio_in", prompt.get("AUDIO", 0) - heard)
    _move(counts, "out", "audio_out", reply.get("AUDIO", 0))
    _move(counts, "out", "image_out", reply.get("IMAGE", 0))
    return counts


def _move(counts: dict[str, int], whole: str, part: str, tokens: int) -> None:
    if 0 < tokens <= counts.get(whole, 0) and part not in counts:
        counts[whole] -= tokens
        counts[part] = tokens


def _modalities(usage: Usage, *keys: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for told in (as_map(entry) for key in keys for entry in as_list(usage.raw.get(key))):
        modality, count = as_text(told.get("modality")), _count(told.get("tokenCount", told.get("tokens")))
        if modality is not None and count:
            found[modality.upper()] = found.get(modality.upper(), 0) + count
    return found


def hour_of(usage: Usage) -> int | None:
    """Of the cache writes those kept for an hour, where the provider counts them apart.

    Anthropic sums them by lifetime, Bedrock Converse lists them (``cacheDetails``).
    """
    listed = [as_map(entry) for entry in as_list(usage.raw.get("cacheDetails"))]
    if listed:
        return sum(_count(entry.get("inputTokens")) or 0 for entry in listed if entry.get("ttl") == "1h")
    return _count(as_map(usage.raw.get("cache_creation")).get("ephemeral_1h_input_tokens"))


def searches_of(usage: Usage, beside: Mapping[str, object]) -> int:
    """Searches that the provider ran and bills one by one.

    Anthropic counts them in the usage object, xAI there as calls of its tools, OpenAI ``beside`` it.
    """
    anthropic = _count(as_map(usage.raw.get("server_tool_use")).get("web_search_requests"))
    xai = _count(usage.raw.get("num_server_side_tools_used"))
    return (anthropic or 0) + (xai or 0) + (_count(beside.get("searches")) or 0)


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and isinstance(value, int) else None
