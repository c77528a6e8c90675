"""What the two events of a call say of its cost."""

from __future__ import annotations

from typing import Any

import pytest

from turnledger.model.costs import CostReason
from turnledger.pricing.call import BilledCall, Unbilled, Unpriceable, answer_digest, read_call
from turnledger.pricing.provider import Provider, provider_of

USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


def _read(
    asked: dict[str, str] | None = None, said: dict[str, str] | None = None, **detail: object
) -> BilledCall | Unpriceable | Unbilled:
    provider = {"provider": "api.openai.com"}
    tokens = {"status": "ok"} if said is None else said
    return read_call((asked or {}, provider, 7), (tokens, {"usage": USAGE, **detail}))


def test_t05_served_and_requested_model_are_both_known() -> None:
    call = _read({"model": "prod-chat-eu"}, {"status": "ok", "model": "gpt-4o-2024-11-20"})
    assert call == BilledCall(
        Provider("api.openai.com", "openai"),
        ("gpt-4o-2024-11-20", "prod-chat-eu"),
        7,
        {"in_": 20, "out": 5},
    )


def test_a_name_that_was_cut_is_read_whole() -> None:
    call = _read({"model": "m"}, {"status": "ok", "model": "m" * 250}, model="m" * 300)
    assert isinstance(call, BilledCall)
    assert call.models == ("m" * 300, "m")


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ({"usage": "absent"}, Unpriceable(CostReason.NO_USAGE)),
        ({"usage": None}, Unpriceable(CostReason.NO_USAGE)),
        ({"usage": {"prompt_tokens": -1}}, Unpriceable(CostReason.UNCLEAR_USAGE)),
        ({"usage": {"other": 1}}, Unpriceable(CostReason.UNCLEAR_USAGE)),
        ({"usageFlags": ["partial"]}, Unpriceable(CostReason.PARTIAL_USAGE)),
        ({"usage": "absent", "httpStatus": 429}, Unbilled(CostReason.ERROR_ANSWER)),
        ({"flags": ["fetched"]}, Unbilled(CostReason.FETCHED)),
        ({}, Unpriceable(CostReason.NO_MODEL)),
    ],
)
def test_what_has_no_amount_says_why(detail: dict[str, Any], expected: object) -> None:
    assert _read(**detail) == expected


def test_t04_a_failed_attempt_with_usage_is_billed() -> None:
    call = _read({"model": "m"}, {"status": "error"}, httpStatus=500)
    assert isinstance(call, BilledCall)


def test_a_call_that_never_began_is_not_billed() -> None:
    assert _read(said={"status": "not_started"}) == Unbilled(CostReason.NOT_STARTED)


def test_the_summary_counts_where_no_usage_object_is_kept() -> None:
    said = {"status": "ok", "model": "m", "in": "3", "out": "4", "cacheRead": "x", "reasoning": "1"}
    call = _read(said=said, usage="absent")
    assert isinstance(call, BilledCall)
    assert call.tokens == {"in_": 3, "out": 4, "reasoning": 1}


def test_cohere_is_billed_by_its_billed_units() -> None:
    usage = {
        "tokens": {"input_tokens": 500, "output_tokens": 9},
        "billed_units": {"input_tokens": 3, "output_tokens": 9},
    }
    call = _read(said={"status": "ok", "model": "command"}, usage=usage)
    assert isinstance(call, BilledCall)
    assert call.tokens == {"in_": 3, "out": 9}


def test_gemini_modalities_are_buckets_of_their_own() -> None:
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 40,
        "candidatesTokenCount": 30,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 50},
            {"modality": "AUDIO", "tokenCount": 50},
        ],
        "cacheTokensDetails": [{"modality": "AUDIO", "tokenCount": 10}],
        "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 20}],
    }
    call = _read(said={"status": "ok", "model": "gemini"}, usage=usage)
    assert isinstance(call, BilledCall)
    assert call.tokens == {
        "in_": 20,
        "audio_in": 40,
        "cache_read": 30,
        "cached_audio": 10,
        "out": 10,
        "image_out": 20,
    }


def test_a_modality_that_does_not_fit_stays_where_it_is() -> None:
    usage = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 1,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 50}, {"modality": "AUDIO"}, 3],
    }
    call = _read(said={"status": "ok", "model": "gemini"}, usage=usage)
    assert isinstance(call, BilledCall)
    assert call.tokens == {"in_": 10, "out": 1}


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        (None, None),
        ("", None),
        ("api.openai.com", "openai"),
        ("My-Resource.openai.azure.com", "azure"),
        ("bedrock-runtime.us-east-1.amazonaws.com", "bedrock"),
        ("127.0.0.1", None),
        ("localhost", None),
        ("proxy.example", None),
        ("OpenAI", "openai"),
        ("gemini", "google"),
        ("azure_openai", "azure"),
        ("http://[", None),
    ],
)
def test_providers_are_known_by_host_and_by_word(recorded: str | None, name: str | None) -> None:
    assert provider_of(recorded).name == name


def test_an_answer_is_named_by_id_and_counts() -> None:
    one = {"responseId": "resp_0123456789abcdef0123", "usage": USAGE}
    assert answer_digest(one) == answer_digest(dict(one))
    assert len(answer_digest(one) or b"") == 16
    assert answer_digest({**one, "usage": {**USAGE, "prompt_tokens": 21}}) != answer_digest(one)
    assert answer_digest({**one, "responseId": "chatcmpl-123"}) is None
    assert answer_digest({}) is None
