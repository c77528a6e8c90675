"""List prices of providers, valid at the time of the call, from the package ``genai-prices``.

The only module that knows it.  It is loaded when the first call is priced, never before: it takes up to a
second.  Its prices lie in the package; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from turnledger.model.costs import CostReason
from turnledger.pricing.call import BilledCall
from turnledger.pricing.quote import Answer, NoPrice, Quote, nano_of

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation, Usage

__all__ = ["PriceLibrary", "installed_library"]

_PACKAGE: Final = "genai-prices"
_CURRENCY: Final = "USD"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# Our names where the package has another; None where it prices by more than the name.
_IDS: Final[Mapping[str, str | None]] = {
    "bedrock": "aws",
    "xai": "x-ai",
    "moonshot": "moonshotai",
    "huggingface": None,
    "github": None,
    "vercel": None,
}


class PriceLibrary:
    """The prices of the installed package; ``version`` names them."""

    def __init__(self, installed: str) -> None:
        self.version = f"{_PACKAGE} {installed}"

    def price(self, call: BilledCall) -> Answer:
        """The list price of the first of the call's models that has one."""
        name = call.provider.name
        provider = None if name is None else _IDS.get(name, name)
        if call.provider.recorded is not None and (provider is None or not self._knows(provider)):
            return NoPrice(CostReason.UNKNOWN_PROVIDER)
        for model in call.models:
            try:
                found = self._calculation(call, model, provider)
            except LookupError:
                continue
            except (ValueError, ArithmeticError, TypeError):  # counts that cannot be so together
                return NoPrice(CostReason.UNCLEAR_USAGE)
            nano = nano_of(found.total_price)
            if nano is None:
                return NoPrice(CostReason.UNCLEAR_USAGE)
            if not (_has_price_on(found, call) and _prices_parts(found, call)):
                return NoPrice(CostReason.UNKNOWN_TIER)
            if any(price is not None for price in vars(found.model_price).values()):
                return Quote(nano, _CURRENCY, found.provider.id, found.model.id)
        return NoPrice(CostReason.UNKNOWN_MODEL)

    @cached_property
    def _providers(self) -> frozenset[str]:
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  see the top of this module

        return frozenset(provider.id for provider in get_snapshot().providers)

    def _knows(self, provider: str) -> bool:
        return provider in self._providers

    def _calculation(self, call: BilledCall, model: str, provider: str | None) -> PriceCalculation:
        from genai_prices import calc_price  # noqa: PLC0415  see the top of this module

        return calc_price(
            _usage(call),
            model,
            provider_id=provider,
            genai_request_timestamp=_time_of(call),
            price_context=dict(call.terms) or None,
        )


def _time_of(call: BilledCall) -> datetime:
    return _EPOCH + timedelta(milliseconds=call.at_ms)


def _has_price_on(found: PriceCalculation, call: BilledCall) -> bool:
    """Whether it is a price on the call's terms: without one the package takes the standard price."""
    if not call.terms:
        return True
    variants = found.model.price_variants or ()
    own = any(found.model is model for model in found.provider.models)  # of another's it takes no variant
    return own and any(
        variant.when == call.terms
        and (variant.constraint is None or variant.constraint.active(_time_of(call)))
        for variant in variants
    )


def _prices_parts(found: PriceCalculation, call: BilledCall) -> bool:
    """Whether it prices what costs more wherever it is listed; the package takes another price for it."""
    prices = vars(found.model_price)
    hour = not call.cache_write_1h or prices.get("cache_write_1h_mtok") is not None
    return hour and (not call.searches or prices.get("web_searches_kcount") is not None)


def _usage(call: BilledCall) -> Usage:
    """The counts as the package takes them: parts are inside their whole."""
    from genai_prices import Usage  # noqa: PLC0415  see the top of this module

    written, hour, heard = call.count("cache_write"), call.cache_write_1h, call.count("cached_audio")
    fresh = sum(map(call.count, ("in_", "audio_in", "image_in")))
    counts = {
        "input_tokens": fresh + call.count("cache_read") + heard + written,
        "cache_read_tokens": call.count("cache_read") + heard,
        "cache_audio_read_tokens": heard,
        "cache_write_tokens": written,
        "input_audio_tokens": call.count("audio_in") + heard,
        "input_image_tokens": call.count("image_in"),
        "output_tokens": sum(map(call.count, ("out", "reasoning", "audio_out", "image_out"))),
        "output_reasoning_tokens": call.count("reasoning"),
        "output_audio_tokens": call.count("audio_out"),
        "output_image_tokens": call.count("image_out"),
        "web_searches": call.searches,
    }
    if hour:
        counts |= {"cache_write_1h_tokens": hour, "cache_write_5m_tokens": max(written - hour, 0)}
    return Usage(**{unit: count for unit, count in counts.items() if count})


def installed_library() -> PriceLibrary | None:
    """The prices of the package; None where it is not installed (extra ``prices``).  Loads nothing."""
    try:
        return PriceLibrary(version(_PACKAGE))
    except PackageNotFoundError:
        return None
