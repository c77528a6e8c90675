"""Calls to be priced, written short."""

from __future__ import annotations

from turnledger.pricing.call import BilledCall
from turnledger.pricing.provider import provider_of

__all__ = ["AT_MS", "billed"]

AT_MS = 1_767_225_600_000  # 2026-01-01


def billed(
    *models: str,
    provider: str | None = "api.openai.com",
    at_ms: int = AT_MS,
    hour: int | None = None,
    searches: int = 0,
    **tokens: int,
) -> BilledCall:
    counts = {"in_" if key == "tokens_in" else key: count for key, count in tokens.items()}
    return BilledCall(provider_of(provider), models, at_ms, counts, hour, searches)
