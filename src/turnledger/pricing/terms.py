"""On what terms a call was served, where they change its price: tier, batch, speed, region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turnledger.providers.document import as_text
from turnledger.providers.exchange import Usage

__all__ = ["STANDARD", "terms_of"]

STANDARD: Final = "standard"
"""The tier that a price is of where it names none."""

# Words of all providers for the tier that costs what the price list says.
_STANDARD: Final = frozenset({STANDARD, "default", "auto", "on_demand", "unspecified"})
_BATCH: Final = "batch"
_SAME: Final[Mapping[str, str]] = {"on_demand_priority": "priority", "on_demand_flex": "flex"}  # Vertex AI
_LISTED_CONTEXT: Final = "high"  # of Perplexity's prices for a request
_ANYWHERE: Final = frozenset({"global", "not_available"})


def terms_of(usage: Usage, tier: str | None) -> Mapping[str, str]:
    """Terms by the names that price lists know them under; empty where the standard price is the price.

    ``tier`` is what the reply says beside its usage object.  Formats: OpenAI and Groq ``service_tier`` of
    the reply; in the usage object Anthropic and Mistral ``service_tier``, Anthropic ``speed`` and
    ``inference_geo``, Perplexity ``search_context_size``, Gemini ``serviceTier``, Vertex AI ``trafficType``.
    """
    raw = usage.raw
    told = (as_text(raw.get(key)) for key in ("service_tier", "serviceTier", "trafficType"))
    said = (next((word for word in told if word), None) or tier or STANDARD).lower()
    terms: dict[str, str] = {}
    if said == _BATCH:
        terms["processing"] = _BATCH
    elif said not in _STANDARD:
        terms["service_tier"] = _SAME.get(said, said)
    speed, place = as_text(raw.get("speed")), as_text(raw.get("inference_geo"))
    if speed is not None and speed not in _STANDARD:
        terms["speed"] = speed
    if place is not None and place not in _ANYWHERE:
        terms["inference_geo"] = place
    context = as_text(raw.get("search_context_size"))
    if context is not None and context != _LISTED_CONTEXT:
        terms["search_context_size"] = context
    return terms
