"""List prices: the right entry, at the time of the call, and no entry where there is none."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from genai_prices import extract_usage

from tests.unit.pricing.calls import billed
from tests.wire_data import all_exchanges, body_of
from turnledger.model.costs import CostReason
from turnledger.pricing.book import PriceBook
from turnledger.pricing.call import BilledCall, read_call
from turnledger.pricing.library import PriceLibrary, installed_library
from turnledger.pricing.quote import NoPrice, Quote, nano_of
from turnledger.pricing.table import read_table
from turnledger.providers.exchange_line import read_exchange

AT = datetime(2025, 11, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def library() -> PriceLibrary:
    found = installed_library()
    assert found is not None
    return found


def test_cached_input_is_cheaper(library: PriceLibrary) -> None:
    plain = library.price(billed("gpt-4o", tokens_in=1000, out=100))
    cached = library.price(billed("gpt-4o", tokens_in=200, cache_read=800, out=100))
    assert plain == Quote(3_500_000, "USD", "openai", "gpt-4o")
    assert cached == Quote(2_500_000, "USD", "openai", "gpt-4o")


def test_prices_are_those_of_the_calls_time(library: PriceLibrary) -> None:
    then = int(datetime(2025, 5, 1, tzinfo=UTC).timestamp() * 1000)
    calls = [billed("o3", tokens_in=10**6, out=10**6, at_ms=at) for at in (then, then + 86_400_000 * 200)]
    answers = [library.price(call) for call in calls]
    assert [answer.nano for answer in answers if isinstance(answer, Quote)] == [50 * 10**9, 10 * 10**9]


@pytest.mark.parametrize(
    ("provider", "models", "expected"),
    [
        ("r.openai.azure.com", ("gpt-4o-2024-11-20", "prod-chat-eu"), "azure/gpt-4o"),
        ("r.openai.azure.com", ("prod-chat-eu",), CostReason.UNKNOWN_MODEL),
        (
            "bedrock-runtime.us-east-1.amazonaws.com",
            ("us.anthropic.claude-x-v1:0",),
            CostReason.UNKNOWN_MODEL,
        ),
        ("127.0.0.1", ("gpt-4o",), CostReason.UNKNOWN_PROVIDER),
        ("ollama", ("llama3",), CostReason.UNKNOWN_PROVIDER),
        ("router.huggingface.co", ("deepseek-ai/DeepSeek-R1",), CostReason.UNKNOWN_PROVIDER),
        (None, ("claude-sonnet-4-5",), "anthropic/claude-sonnet-4-5"),
        (None, ("my-own-model",), CostReason.UNKNOWN_MODEL),
    ],
)
def test_t05_an_alias_without_a_price_is_unpriced_never_0(
    library: PriceLibrary, provider: str | None, models: tuple[str, ...], expected: object
) -> None:
    answer = library.price(billed(*models, provider=provider, tokens_in=1000, out=10))
    assert expected == (f"{answer.provider}/{answer.model}" if isinstance(answer, Quote) else answer.reason)


def test_counts_that_cannot_be_so_are_unpriced(library: PriceLibrary) -> None:
    call = billed("gpt-4o", tokens_in=-5, cache_read=9)
    assert library.price(call) == NoPrice(CostReason.UNCLEAR_USAGE)


def test_recorded_exchanges_cost_what_the_library_makes_of_their_bodies(library: PriceLibrary) -> None:
    """Our buckets and the library's own reading of a response come to the same amount, where it reads it."""
    seen: Counter[str] = Counter()
    for exchange in all_exchanges().values():
        call = _call(exchange)
        answer = library.price(call) if isinstance(call, BilledCall) else None
        if not isinstance(answer, Quote):
            seen["not priced"] += 1
            continue
        other = _as_the_library_reads(exchange)
        seen["compared" if other is not None else "unread"] += 1
        assert other in {None, answer.nano}, exchange["uri"]
    assert seen["compared"] >= 249  # not those of a tier without a price, or with work of another model
    assert seen["not priced"] <= 42


def _call(exchange: dict[str, Any]) -> object:
    read = read_exchange(json.dumps(exchange).encode())
    reply, facts = read.reply(), read.facts()
    usage = reply.usage
    asked = {"model": facts.model} if facts is not None and facts.model else {}
    said = {"model": reply.served_model} if reply.served_model else {}
    detail = {
        "usage": "absent" if usage is None else dict(usage.raw),
        "usageFlags": [] if usage is None else list(usage.flags),
        "flags": list(reply.flags),
        "serviceTier": reply.service_tier,
        "toolUsage": dict(reply.tool_usage),
        "httpStatus": read.status,
    }
    host = urlsplit(read.uri or "").hostname
    return read_call((asked, {"provider": host}, int(AT.timestamp() * 1000)), (said, detail))


def _as_the_library_reads(exchange: dict[str, Any]) -> int | None:
    wire = read_exchange(json.dumps(exchange).encode()).reply().wire
    flavor = {"openai-chat": "chat", "openai-responses": "responses"}.get(wire or "", "default")
    try:
        body = json.loads(body_of(exchange))
        found = extract_usage(body, provider_api_url=exchange["uri"], api_flavor=flavor)
        return nano_of(found.calc_price(genai_request_timestamp=AT).total_price)
    except ValueError:  # a stream, or a shape that it does not read
        return None


def test_the_table_goes_before_the_library(library: PriceLibrary) -> None:
    table = read_table(b'[[price]]\nmodel = "gpt-4o"\ninput = 1\noutput = 1\n', "t")
    book = PriceBook(table, library)
    answer, version = book.price(billed("gpt-4o", tokens_in=1))
    assert (answer, version) == (Quote(1_000, "USD", "openai", "gpt-4o"), table.version)
    answer, version = book.price(billed("gpt-4o-mini", tokens_in=1000))
    assert (answer, version) == (Quote(150_000, "USD", "openai", "gpt-4o-mini"), library.version)
    answer, version = book.price(billed("nobody's", tokens_in=1))
    assert (answer, version) == (NoPrice(CostReason.UNKNOWN_MODEL), f"{table.version} + {library.version}")


def test_without_the_library_that_is_the_reason() -> None:
    table = read_table(b'[[price]]\nmodel = "mine"\ninput = 0\n', "t")
    call = billed("gpt-4o", tokens_in=1)
    assert PriceBook(table).price(call) == (NoPrice(CostReason.NO_PRICE_LIBRARY), table.version)
    assert PriceBook().is_empty
    assert PriceBook().price(call) == (NoPrice(CostReason.NO_PRICE_LIBRARY), "none")
