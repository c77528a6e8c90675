"""Terms that change a price: tiers, batches, speed, regions, and work that stands beside the sum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.pricing.calls import billed
from turnledger.model.costs import CostReason
from turnledger.pricing.call import BilledCall, Unpriceable, read_call
from turnledger.pricing.library import PriceLibrary, installed_library
from turnledger.pricing.quote import NoPrice, Quote
from turnledger.pricing.table import read_table

MANY = 1_000_000
AT_MS = 1_794_700_800_000  # 2026-11-15: list prices know tiers since October 2026


@pytest.fixture(scope="module")
def library() -> PriceLibrary:
    found = installed_library()
    assert found is not None
    return found


def _call(
    model: str, usage: dict[str, Any], provider: str = "api.openai.com", **detail: object
) -> BilledCall | Unpriceable:
    asked = ({"model": model}, {"provider": provider}, AT_MS)
    read = read_call(asked, ({"status": "ok"}, {"usage": usage, **detail}))
    assert isinstance(read, BilledCall | Unpriceable)
    return read


def _chat(tier: str | None) -> BilledCall | Unpriceable:
    usage = {"prompt_tokens": MANY, "completion_tokens": 0, "total_tokens": MANY}
    return _call("gpt-5", usage, serviceTier=tier)


def _cost(library: PriceLibrary, call: BilledCall | Unpriceable) -> object:
    if isinstance(call, Unpriceable):
        return call.reason
    answer = library.price(call)
    return answer.nano if isinstance(answer, Quote) else answer.reason


@pytest.mark.parametrize(
    ("tier", "cost"),
    [
        (None, 1_250_000_000),
        ("default", 1_250_000_000),
        ("auto", 1_250_000_000),
        ("priority", 2_500_000_000),
        ("flex", 625_000_000),
        ("scale", CostReason.UNKNOWN_TIER),
    ],
)
def test_a_tier_has_its_own_price_or_none(library: PriceLibrary, tier: str | None, cost: object) -> None:
    assert _cost(library, _chat(tier)) == cost


def test_a_tier_from_before_its_price_has_none(library: PriceLibrary) -> None:
    call = _chat("priority")
    assert isinstance(call, BilledCall)
    assert _cost(library, replace(call, at_ms=AT_MS - 90 * 86_400_000)) == CostReason.UNKNOWN_TIER


@pytest.mark.parametrize(
    ("more", "cost"),
    [
        ({"service_tier": "standard"}, 5_000_000_000),
        ({"service_tier": "batch"}, 2_500_000_000),
        ({"service_tier": "priority"}, CostReason.UNKNOWN_TIER),
        ({"service_tier": "standard", "inference_geo": "global"}, 5_000_000_000),
        ({"service_tier": "standard", "inference_geo": "not_available"}, 5_000_000_000),
        ({"service_tier": "standard", "inference_geo": "us"}, CostReason.UNKNOWN_TIER),
    ],
)
def test_terms_in_the_usage_object_count(library: PriceLibrary, more: dict[str, str], cost: object) -> None:
    usage = {"input_tokens": MANY, "cache_read_input_tokens": 0, "output_tokens": 0, **more}
    call = _call("claude-opus-4-6", usage, "api.anthropic.com")
    assert _cost(library, call) == cost


@pytest.mark.parametrize(
    ("usage", "terms"),
    [
        ({"serviceTier": "standard"}, {}),
        ({"serviceTier": "flex"}, {"service_tier": "flex"}),
        ({"trafficType": "ON_DEMAND"}, {}),
        ({"trafficType": "ON_DEMAND_PRIORITY"}, {"service_tier": "priority"}),
        ({"trafficType": "PROVISIONED_THROUGHPUT"}, {"service_tier": "provisioned_throughput"}),
        ({"speed": "fast"}, {"speed": "fast"}),
        ({"speed": "standard"}, {}),
    ],
)
def test_words_of_all_providers(usage: dict[str, str], terms: dict[str, str]) -> None:
    call = _call("m", {"promptTokenCount": 1, "totalTokenCount": 1, **usage})
    assert isinstance(call, BilledCall)
    assert call.terms == terms


def test_a_price_of_another_provider_is_none_of_the_tier(library: PriceLibrary) -> None:
    """Azure's entries have no tiers, and those that it shares with OpenAI are not asked for them."""
    call = BilledCall(billed("gpt-5", provider="r.openai.azure.com").provider, ("gpt-5",), AT_MS, {"in_": 9})
    assert isinstance(library.price(call), Quote)
    tiered = BilledCall(
        call.provider, call.models, call.at_ms, call.tokens, terms={"service_tier": "priority"}
    )
    assert library.price(tiered) == NoPrice(CostReason.UNKNOWN_TIER)


def test_a_table_prices_the_tier_that_it_names() -> None:
    table = read_table(
        b'[[price]]\nmodel = "m"\ninput = 1\n[[price]]\nmodel = "m"\ntier = "batch"\ninput = 0.5\n'
        b'[[price]]\nmodel = "n"\ntier = "*"\ninput = 3\n',
        "t",
    )

    def cost(model: str, **terms: str) -> object:
        answer = table.price(BilledCall(billed(model).provider, (model,), 7, {"in_": MANY}, terms=terms))
        return answer.nano if isinstance(answer, Quote) else answer.reason

    assert cost("m") == 1_000_000_000
    assert cost("m", processing="batch") == 500_000_000
    assert cost("m", service_tier="priority") == CostReason.UNKNOWN_MODEL
    assert cost("n", service_tier="priority") == cost("n") == 3_000_000_000


def test_t03_a_shortened_history_is_billed_with_the_rest(library: PriceLibrary) -> None:
    kept = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}
    usage = {
        "input_tokens": 7,
        "output_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "iterations": [
            {
                "type": "compaction",
                "input_tokens": 60000,
                "output_tokens": 500,
                "cache_creation_input_tokens": 30,
                "cache_creation": kept,
            },
            {"type": "message", "input_tokens": 7, "output_tokens": 5},
        ],
    }
    call = _call("claude-opus-4-6", usage, "api.anthropic.com")
    assert isinstance(call, BilledCall)
    assert call.tokens == {"in_": 60007, "cache_read": 0, "cache_write": 30, "out": 505}
    assert call.cache_write_1h == 20
    assert isinstance(library.price(call), Quote)


@pytest.mark.parametrize("kind", ["advisor_message", "fallback_message", "something_new"])
def test_work_of_another_model_has_no_price_that_is_known(kind: str) -> None:
    iterations = [{"type": "message", "input_tokens": 7}, {"type": kind, "model": "m", "input_tokens": 9}]
    usage = {"input_tokens": 7, "output_tokens": 5, "iterations": iterations}
    assert _call("claude-x", usage) == Unpriceable(CostReason.UNCLEAR_USAGE)


def test_cache_writes_that_bedrock_lists_are_told_by_their_lifetime() -> None:
    usage = {
        "inputTokens": 5,
        "outputTokens": 3,
        "totalTokens": 118,
        "cacheWriteInputTokens": 110,
        "cacheDetails": [{"inputTokens": 100, "ttl": "1h"}, {"inputTokens": 10, "ttl": "5m"}],
    }
    call = _call("m", usage, "bedrock-runtime.us-east-1.amazonaws.com", serviceTier="priority")
    assert isinstance(call, BilledCall)
    assert (call.cache_write_1h, call.terms) == (100, {"service_tier": "priority"})


def test_t03_cache_writes_for_an_hour_have_their_own_price_or_none(library: PriceLibrary) -> None:
    written = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200}
    usage = {
        "input_tokens": 10,
        "output_tokens": 10,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 300,
        "cache_creation": written,
    }
    model = "claude-sonnet-4-20250514"
    assert isinstance(_cost(library, _call(model, usage, "api.anthropic.com")), int)
    vertex = "us-east5-aiplatform.googleapis.com"
    assert _cost(library, _call(model, usage, vertex)) == CostReason.UNKNOWN_TIER
    usage["cache_creation"] = {**written, "ephemeral_1h_input_tokens": 0}
    assert isinstance(_cost(library, _call(model, usage, vertex)), int)


def test_searches_that_openai_counts_beside_the_tokens_are_billed(library: PriceLibrary) -> None:
    usage = {"input_tokens": MANY, "output_tokens": 0, "total_tokens": MANY}
    assert _cost(library, _call("gpt-5", usage, toolUsage={"searches": 3})) == 1_250_000_000 + 30_000_000
    assert _cost(library, _call("gpt-5", usage, toolUsage={"image_tokens": 9})) == CostReason.UNCLEAR_USAGE


def test_searches_without_a_price_leave_the_call_without_one(library: PriceLibrary) -> None:
    usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "num_server_side_tools_used": 1}
    assert _cost(library, _call("grok-4.3", usage, "api.x.ai")) == CostReason.UNKNOWN_TIER
    usage["num_server_side_tools_used"] = 0
    assert isinstance(_cost(library, _call("grok-4.3", usage, "api.x.ai")), int)


@pytest.mark.parametrize(("size", "priced"), [("high", True), ("low", False), (None, True)])
def test_a_request_price_is_of_the_context_that_it_is_listed_for(
    library: PriceLibrary, size: str | None, *, priced: bool
) -> None:
    usage = {"prompt_tokens": 6, "completion_tokens": 1, "total_tokens": 7, "search_context_size": size}
    cost = _cost(library, _call("sonar", usage, "api.perplexity.ai"))
    assert isinstance(cost, int) is priced
