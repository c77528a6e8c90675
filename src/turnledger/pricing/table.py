"""A user's own prices: negotiated ones, local models.  The file's form is documented in docs/cost.md."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from fnmatch import fnmatchcase
from typing import Any, Final

from turnledger.clock import from_datetime
from turnledger.errors import ForeignFileError
from turnledger.model.costs import CostReason
from turnledger.pricing.call import BilledCall
from turnledger.pricing.quote import EXACT, Answer, NoPrice, Quote, nano_of
from turnledger.pricing.terms import STANDARD

__all__ = ["PriceTable", "read_table"]

_ANY: Final = "*"
_MILLION: Final = 1_000_000
_MOST: Final = Decimal(1_000_000)
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_NAME_CHARS: Final = 200

# Bucket → (its key in the file, the key that is used where it is left out).
_BUCKETS: Final[Mapping[str, tuple[str, str]]] = {
    "in_": ("input", "input"),
    "cache_read": ("cache_read", "input"),
    "cache_write": ("cache_write", "input"),
    "audio_in": ("audio_input", "input"),
    "image_in": ("image_input", "input"),
    "cached_audio": ("cache_read", "input"),
    "out": ("output", "output"),
    "reasoning": ("reasoning", "output"),
    "audio_out": ("audio_output", "output"),
    "image_out": ("image_output", "output"),
}
_HOUR: Final = "cache_write_1h"
_REQUEST: Final = "request"
_SEARCH: Final = "web_search"
_PRICES: Final = frozenset({key for key, _ in _BUCKETS.values()} | {_HOUR, _REQUEST, _SEARCH})
_ENTRY: Final = _PRICES | {"provider", "model", "from", "until", "tier", "currency"}
_FILE: Final = frozenset({"price", "currency"})


@dataclass(frozen=True, slots=True)
class _Entry:
    provider: str
    model: str
    from_ms: int | None
    until_ms: int | None
    tier: str
    currency: str
    prices: Mapping[str, Decimal]

    def fits(self, call: BilledCall, model: str) -> bool:
        """Whether the entry is for this model of this provider at the time of the call."""
        begun = self.from_ms is None or call.at_ms >= self.from_ms
        over = self.until_ms is not None and call.at_ms >= self.until_ms
        known = self.provider == _ANY or self.provider in call.provider.names
        fits = begun and not over and known and fnmatchcase(model.lower(), self.model)
        return fits and self.tier in (_ANY, call.tier)

    def amount(self, call: BilledCall) -> Decimal:
        """What the call costs."""
        with localcontext(EXACT):
            total = sum((count * self._price(bucket) for bucket, count in call.tokens.items()), Decimal(0))
            if _HOUR in self.prices and call.cache_write_1h is not None:
                hour = min(call.cache_write_1h, call.count("cache_write"))
                total += hour * (self.prices[_HOUR] - self._price("cache_write"))
            each = self.prices.get(_REQUEST, Decimal(0)) + call.searches * self.prices.get(
                _SEARCH, Decimal(0)
            )
            return total / _MILLION + each

    def _price(self, bucket: str) -> Decimal:
        own, otherwise = _BUCKETS[bucket]
        return self.prices.get(own, self.prices.get(otherwise, Decimal(0)))


class PriceTable:
    """Entries in the order of the file: the first one that fits decides."""

    def __init__(self, entries: Sequence[_Entry], version: str) -> None:
        self._entries = tuple(entries)
        self.version = version
        """Names the file's content: ``table`` and 12 digits of its SHA-256."""

    def __len__(self) -> int:
        return len(self._entries)

    def price(self, call: BilledCall) -> Answer:
        """The price by the table alone."""
        for model in call.models:
            for entry in self._entries:
                if entry.fits(call, model):
                    nano = nano_of(entry.amount(call))
                    if nano is None:
                        return NoPrice(CostReason.UNCLEAR_USAGE)
                    named = None if entry.provider == _ANY else entry.provider
                    provider = call.provider.name or call.provider.recorded or named
                    return Quote(nano, entry.currency, provider, model)
        return NoPrice(CostReason.UNKNOWN_MODEL)


def read_table(data: bytes, where: str) -> PriceTable:
    """The table in a file's bytes; ``where`` names the file in what goes wrong.

    Raises ForeignFileError for what is no table, with the entry and what is wrong with it.
    """
    try:
        document = tomllib.loads(data.decode("utf-8-sig"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        msg = f"{where} is no TOML file: {error}."
        raise ForeignFileError(msg, next_step=_SEE) from error
    _only(document, _FILE, where)
    currency = _currency(document.get("currency", "USD"), where)
    entries = document.get("price")
    if not isinstance(entries, list) or not entries:
        msg = f"{where} holds no [[price]]."
        raise ForeignFileError(msg, next_step=_SEE)
    made = [_entry(entry, currency, f"{where}, price {place}") for place, entry in enumerate(entries, 1)]
    return PriceTable(made, f"table {hashlib.sha256(data).hexdigest()[:12]}")


_SEE: Final = "See docs/cost.md for its form."


def _wrong(where: str, what: str) -> ForeignFileError:
    return ForeignFileError(f"{where}: {what}.", next_step=_SEE)


def _only(given: Mapping[str, object], known: frozenset[str], where: str) -> None:
    unknown = sorted(given.keys() - known)
    if unknown:
        raise _wrong(where, f"{unknown[0][:40]!r} is no key that is known")


def _entry(given: Any, currency: str, where: str) -> _Entry:  # noqa: ANN401  out of a file
    if not isinstance(given, dict):
        raise _wrong(where, "it is no table")
    _only(given, _ENTRY, where)
    prices = {key: _price(given[key], where, key) for key in sorted(_PRICES & given.keys())}
    if "input" not in prices and "output" not in prices and _REQUEST not in prices:
        raise _wrong(where, "it has neither input nor output nor request")
    provider = _name(given.get("provider", _ANY), where, "provider")
    if "model" not in given:
        raise _wrong(where, "it names no model")
    return _Entry(
        provider,
        _name(given["model"], where, "model"),
        _moment(given.get("from"), where, "from"),
        _moment(given.get("until"), where, "until"),
        _name(given.get("tier", STANDARD), where, "tier"),
        _currency(given.get("currency", currency), where),
        prices,
    )


def _name(value: object, where: str, key: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _NAME_CHARS or not value.isprintable():
        raise _wrong(where, f"{key} is no name")
    return value.lower()


def _currency(value: object, where: str) -> str:
    if not isinstance(value, str) or _CURRENCY.fullmatch(value) is None:
        raise _wrong(where, "currency is no code of three capital letters, such as USD")
    return value


def _price(value: object, where: str, key: str) -> Decimal:
    try:
        price = Decimal(value) if isinstance(value, str | int | Decimal) else None
    except InvalidOperation:
        price = None
    if price is None or isinstance(value, bool) or not price.is_finite() or not 0 <= price <= _MOST:
        raise _wrong(where, f"{key} is no price from 0 to {_MOST:,}")
    return price


def _moment(value: object, where: str, key: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return from_datetime(datetime(value.year, value.month, value.day, tzinfo=UTC))
    if isinstance(value, datetime) and value.tzinfo is not None:
        return from_datetime(value)
    raise _wrong(where, f"{key} is neither a day nor a time with a zone")
