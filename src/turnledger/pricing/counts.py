"""Tokens as they are priced: the buckets of a usage object, and out of them what is priced apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Usage

__all__ = ["BUCKETS", "hour_of", "priced_counts", "searches_of"]

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


def priced_counts(usage: Usage) -> dict[str, int]:
    """Counts by bucket, those that are known.

    Gemini counts by modality beside its sums; a modality that does not fit into its sum is left where it is.
    """
    counts = usage.buckets()
    prompt, cached = _modalities(usage, "promptTokensDetails"), _modalities(usage, "cacheTokensDetails")
    reply = _modalities(usage, "candidatesTokensDetails")
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


def _modalities(usage: Usage, key: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for entry in as_list(usage.raw.get(key)):
        modality, count = as_text(as_map(entry).get("modality")), _count(as_map(entry).get("tokenCount"))
        if modality is not None and count:
            found[modality] = found.get(modality, 0) + count
    return found


def hour_of(usage: Usage) -> int | None:
    """Of the cache writes those kept for an hour, where the provider counts them apart (Anthropic)."""
    return _count(as_map(usage.raw.get("cache_creation")).get("ephemeral_1h_input_tokens"))


def searches_of(usage: Usage) -> int:
    """Searches that the provider ran and bills one by one (Anthropic)."""
    return _count(as_map(usage.raw.get("server_tool_use")).get("web_search_requests")) or 0


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and isinstance(value, int) else None
