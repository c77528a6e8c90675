"""A recorded model call as it is billed: tokens in disjoint buckets, who was asked, which model answered."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from turnledger.model.costs import CostReason
from turnledger.model.vocabulary import ModelStatus
from turnledger.pricing.counts import billed_usage, hour_of, priced_counts, searches_of
from turnledger.pricing.provider import Provider, provider_of
from turnledger.pricing.terms import STANDARD, terms_of
from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Usage
from turnledger.providers.usage import normalise_usage

__all__ = ["BilledCall", "Unbilled", "Unpriceable", "answer_digest", "read_call"]

_UNCLEAR: Final = frozenset({"part-over-whole", "bad-count", "no-counts"})
_ANSWER_CHARS: Final = 20  # shorter ids are counters of small servers, which come again
_FIRST_FAILURE: Final = 400
_COUNT: Final = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class BilledCall:
    """What a price is looked up by.  ``at_ms`` is when the request was recorded, before it left.

    ``cache_write_1h`` is the part of ``cache_write`` that is kept for an hour, ``searches`` how many the
    provider ran, ``terms`` those that change the price, as ``terms_of`` names them.
    """

    provider: Provider
    models: tuple[str, ...]
    """The one that served, then the one asked for, as far as they are known."""
    at_ms: int
    tokens: Mapping[str, int]
    """Counts by bucket, see ``counts.BUCKETS``; a bucket that is not known is not there."""
    cache_write_1h: int | None = None
    searches: int = 0
    terms: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def tier(self) -> str:
        """The terms in one word, for tables: ``standard`` where there are none, else the provider's."""
        return " ".join(self.terms.values()) or STANDARD

    def count(self, bucket: str) -> int:
        """Tokens of a bucket."""
        return self.tokens.get(bucket, 0)


@dataclass(frozen=True, slots=True)
class Unpriceable:
    """A call whose cost is unknown whatever the prices are."""

    reason: CostReason


@dataclass(frozen=True, slots=True)
class Unbilled:
    """A call that nobody bills."""

    reason: CostReason


@dataclass(frozen=True, slots=True)
class _Facts:
    tokens: Mapping[str, str] = field(default_factory=dict[str, str])
    detail: Mapping[str, object] = field(default_factory=dict[str, object])

    def text(self, key: str) -> str | None:
        """A name, whole: where the token had to be cut the detail has all of it."""
        return as_text(self.detail.get(key)) or self.tokens.get(key) or None


def read_call(
    asked: tuple[Mapping[str, str], Mapping[str, object], int],
    ended: tuple[Mapping[str, str], Mapping[str, object]],
) -> BilledCall | Unpriceable | Unbilled:
    """What the two events of a call say, whatever they hold.

    ``asked`` is tokens, detail and time of MODEL_CALL, ``ended`` tokens and detail of MODEL_RESULT.
    """
    call, at_ms = _Facts(asked[0], asked[1]), asked[2]
    result = _Facts(*ended)
    usage = _usage(result)
    free = _free(result, usage)
    if free is not None:
        return Unbilled(free)
    unclear, beside = _unclear(usage), as_map(result.detail.get("toolUsage"))
    billed = None if usage is None or beside.get("image_tokens") else billed_usage(usage)
    if billed is None or unclear is not None:
        return Unpriceable(unclear or CostReason.UNCLEAR_USAGE)
    models = tuple(dict.fromkeys(name for name in (result.text("model"), call.text("model")) if name))
    if not models:
        return Unpriceable(CostReason.NO_MODEL)
    return BilledCall(
        provider_of(as_text(call.detail.get("provider"))),
        models,
        at_ms,
        priced_counts(billed),
        hour_of(billed),
        searches_of(billed, beside),
        terms_of(billed, as_text(result.detail.get("serviceTier"))),
    )


def _free(result: _Facts, usage: Usage | None) -> CostReason | None:
    """Why nobody bills the call; None where somebody may."""
    if result.tokens.get("status") == ModelStatus.NOT_STARTED:
        return CostReason.NOT_STARTED
    if "fetched" in as_list(result.detail.get("flags")):
        return CostReason.FETCHED
    status = result.detail.get("httpStatus")
    refused = usage is None and isinstance(status, int) and status >= _FIRST_FAILURE
    return CostReason.ERROR_ANSWER if refused else None


def _unclear(usage: Usage | None) -> CostReason | None:
    """Why the counts do not say what was used; None where they do."""
    if usage is None:
        return CostReason.NO_USAGE
    if "partial" in usage.flags:
        return CostReason.PARTIAL_USAGE
    return CostReason.UNCLEAR_USAGE if _UNCLEAR & set(usage.flags) else None


def _usage(result: _Facts) -> Usage | None:
    """Usage as it is billed; None where the provider reported none."""
    recorded = result.detail.get("usage")
    flags = as_list(result.detail.get("usageFlags"))
    usage = normalise_usage(recorded)
    if usage is None:
        return _counted(result.tokens)
    if "billed-otherwise" in usage.flags:
        usage = normalise_usage({"billed_units": usage.raw.get("billed_units")}) or usage
    if "partial" in flags:
        usage = replace(usage, flags=(*usage.flags, "partial"))
    return usage if usage.total is not None or usage.flags else None


def _counted(tokens: Mapping[str, str]) -> Usage | None:
    """The buckets of the summary, of writers that keep no usage object."""
    keys = {"in": "in_", "out": "out", "cacheRead": "cache_read", "cacheWrite": "cache_write"}
    keys["reasoning"] = "reasoning"
    found = {
        bucket: int(tokens[key]) for key, bucket in keys.items() if _COUNT.fullmatch(tokens.get(key, ""))
    }
    return replace(Usage(), **found) if found else None  # type: ignore[arg-type]  # keys are fields


def answer_digest(detail: Mapping[str, object]) -> bytes | None:
    """16 bytes that name a provider's answer; None where its id is missing or too short to be one of a kind.

    The usage is part of it: what comes again with the same id and other counts is another answer.
    """
    answer = as_text(detail.get("responseId"))
    if answer is None or len(answer) < _ANSWER_CHARS:
        return None
    usage = normalise_usage(detail.get("usage"))
    counts = sorted(usage.buckets().items()) if usage is not None else []
    return hashlib.sha256(f"{answer}\n{counts}".encode("utf-8", "replace")).digest()[:16]
