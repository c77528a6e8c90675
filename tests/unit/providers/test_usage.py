"""Usage objects of every dialect become the same disjoint buckets."""

from __future__ import annotations

import pytest

from turnledger.providers.usage import normalise_usage


def _buckets(raw: object) -> dict[str, int]:
    usage = normalise_usage(raw)
    assert usage is not None
    return usage.buckets()


def test_t01_cache_beside_input_stays_beside() -> None:
    raw = {
        "input_tokens": 7,
        "cache_read_input_tokens": 90210,
        "cache_creation_input_tokens": 1400,
        "output_tokens": 40,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 7, "cache_read": 90210, "cache_write": 1400, "out": 40}
    assert usage.total == 91657
    assert usage.raw == raw
    assert usage.flags == ()


def test_t01_cache_inside_the_prompt_is_taken_out() -> None:
    raw = {
        "prompt_tokens": 20480,
        "prompt_tokens_details": {"cached_tokens": 20000},
        "completion_tokens": 40,
        "total_tokens": 20520,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 480, "cache_read": 20000, "out": 40}
    assert usage.total == usage.provider_total == 20520
    assert usage.flags == ()


def test_t01_telemetry_attributes_are_inclusive() -> None:
    raw = {
        "gen_ai.usage.input_tokens": 91617,
        "gen_ai.usage.cache_read_tokens": 90210,
        "gen_ai.usage.cache_write_tokens": 1400,
    }
    assert _buckets(raw) == {"in_": 7, "cache_read": 90210, "cache_write": 1400}


def test_t01_a_cache_larger_than_the_prompt_was_counted_beside_it() -> None:
    raw = {
        "prompt_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 90210},
        "completion_tokens": 40,
        "total_tokens": 47,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 7, "cache_read": 90210, "out": 40}
    assert usage.flags == ("cache-beside", "sum-mismatch")


def test_t01_the_total_decides_where_both_readings_fit() -> None:
    beside = {
        "prompt_tokens": 900,
        "prompt_tokens_details": {"cached_tokens": 100},
        "completion_tokens": 10,
        "total_tokens": 1010,
    }
    usage = normalise_usage(beside)
    assert usage is not None
    assert usage.in_ == 900
    assert usage.flags == ("cache-beside",)
    assert _buckets({**beside, "total_tokens": 910})["in_"] == 800


def test_t02_openai_reasoning_is_inside_the_output() -> None:
    raw = {
        "output_tokens": 1500,
        "output_tokens_details": {"reasoning_tokens": 900},
        "total_tokens": 5500,
        "input_tokens": 4000,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 4000, "out": 600, "reasoning": 900}
    assert usage.flags == ()


def test_t02_gemini_reasoning_is_beside_the_output() -> None:
    raw = {
        "promptTokenCount": 20,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 400,
        "totalTokenCount": 450,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 20, "out": 30, "reasoning": 400}
    assert usage.flags == ()


def test_t02_openai_shape_with_reasoning_beside_is_seen_by_its_total() -> None:
    raw = {
        "prompt_tokens": 37,
        "completion_tokens": 9,
        "completion_tokens_details": {"reasoning_tokens": 530},
        "total_tokens": 576,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 37, "out": 9, "reasoning": 530}
    assert usage.flags == ("reasoning-beside",)


def test_t02_anthropic_thinking_is_inside_the_output() -> None:
    raw = {
        "input_tokens": 13,
        "cache_read_input_tokens": 0,
        "output_tokens": 44,
        "output_tokens_details": {"thinking_tokens": 33},
    }
    assert _buckets(raw) == {"in_": 13, "cache_read": 0, "out": 11, "reasoning": 33}


def test_a_part_larger_than_its_whole_leaves_the_rest_unknown() -> None:
    raw = {
        "prompt_tokens": 43,
        "completion_tokens": 10,
        "completion_tokens_details": {"reasoning_tokens": 11},
        "total_tokens": 53,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.out is None
    assert usage.buckets() == {"in_": 43, "reasoning": 11}
    assert usage.flags == ("part-over-whole", "sum-mismatch")


def test_a_sum_that_is_off_is_flagged_and_not_clamped() -> None:
    usage = normalise_usage({"prompt_tokens": 35, "completion_tokens": 12, "total_tokens": 109})
    assert usage is not None
    assert (usage.in_, usage.out, usage.total, usage.provider_total) == (35, 12, 47, 109)
    assert usage.flags == ("sum-mismatch",)


def test_deepseek_and_together_name_the_cache_in_their_own_way() -> None:
    deepseek = {"prompt_tokens": 976, "prompt_cache_hit_tokens": 896, "completion_tokens": 61}
    together = {"prompt_tokens": 19, "cached_tokens": 4, "completion_tokens": 29, "total_tokens": 48}
    assert _buckets(deepseek) == {"in_": 80, "cache_read": 896, "out": 61}
    assert _buckets(together) == {"in_": 15, "cache_read": 4, "out": 29}


def test_openrouter_cache_writes_are_inside_the_prompt() -> None:
    raw = {
        "prompt_tokens": 194,
        "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 100},
        "completion_tokens": 2,
        "total_tokens": 196,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.buckets() == {"in_": 94, "cache_read": 0, "cache_write": 100, "out": 2}
    assert usage.flags == ()


def test_audio_and_image_tokens_are_buckets_of_their_own() -> None:
    raw = {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"audio_tokens": 30, "image_tokens": 20, "cached_tokens": 0},
        "completion_tokens": 50,
        "completion_tokens_details": {"audio_tokens": 40, "reasoning_tokens": 0},
        "total_tokens": 150,
    }
    usage = normalise_usage(raw)
    assert usage is not None
    assert (usage.in_, usage.audio_in, usage.image_in) == (50, 30, 20)
    assert (usage.out, usage.audio_out, usage.reasoning) == (10, 40, 0)
    assert usage.total == 150
    assert usage.flags == ()


def test_cached_audio_cannot_be_told_apart_and_is_flagged() -> None:
    details = {"audio_tokens": 30, "cached_tokens": 64}
    usage = normalise_usage({"prompt_tokens": 100, "prompt_tokens_details": details, "completion_tokens": 1})
    assert usage is not None
    assert usage.flags == ("may-overlap",)


def test_anthropic_work_outside_its_own_sum_is_flagged() -> None:
    iterations = [{"type": "message", "input_tokens": 5}, {"type": "compaction", "input_tokens": 900}]
    raw = {"input_tokens": 5, "cache_read_input_tokens": 0, "output_tokens": 3, "iterations": iterations}
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.in_ == 5
    assert usage.flags == ("iterations-beside",)


def test_anthropic_cache_lifetimes_must_add_up() -> None:
    lifetimes = {"ephemeral_5m_input_tokens": 400, "ephemeral_1h_input_tokens": 10}
    raw = {"input_tokens": 3, "cache_creation_input_tokens": 418, "cache_creation": lifetimes}
    usage = normalise_usage(raw)
    assert usage is not None
    assert usage.cache_write == 418
    assert usage.flags == ("sum-mismatch",)


@pytest.mark.parametrize("raw", [None, {}, [], "12 tokens", 12])
def test_s01_no_usage_is_none_and_not_zero(raw: object) -> None:
    assert normalise_usage(raw) is None


@pytest.mark.parametrize("value", ["12 tokens", True, -1, 1.5, float("inf"), [12]])
def test_what_is_no_count_stays_unknown(value: object) -> None:
    usage = normalise_usage({"prompt_tokens": value, "completion_tokens": 3.0})
    assert usage is not None
    assert usage.buckets() == {"out": 3}
    assert usage.flags == ("bad-count",)


def test_an_object_without_counts_says_so() -> None:
    usage = normalise_usage({"cost": 0.1, "prompt_tokens": None})
    assert usage is not None
    assert usage.total is None
    assert usage.flags == ("no-counts",)


def test_content_does_not_show_in_a_representation() -> None:
    assert "secret" not in repr(normalise_usage({"prompt_tokens": 1, "note": "secret"}))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (  # Mistral
            {
                "prompt_tokens": 20,
                "completion_tokens": 2,
                "total_tokens": 22,
                "num_cached_tokens": 16,
                "prompt_token_details": {"cached_tokens": 16},
            },
            {"in_": 4, "cache_read": 16, "out": 2},
        ),
        (  # Perplexity
            {
                "input_tokens": 3007,
                "input_tokens_details": {
                    "cache_creation_input_tokens": 1224,
                    "cache_read_input_tokens": 1780,
                    "cached_tokens": 1780,
                },
                "output_tokens": 36,
                "total_tokens": 3043,
            },
            {"in_": 3, "cache_read": 1780, "cache_write": 1224, "out": 36},
        ),
        ({"prompt_eval_count": 17, "eval_count": 63}, {"in_": 17, "out": 63}),
        ({"inputTokenCount": 9, "outputTokenCount": 4, "invocationLatency": 5}, {"in_": 9, "out": 4}),
        ({"inputTextTokenCount": 28.0, "tokenCount": 197.0}, {"in_": 28, "out": 197}),
    ],
)
def test_more_dialects(raw: dict[str, object], expected: dict[str, int]) -> None:
    usage = normalise_usage(raw)
    assert usage is not None
    assert (usage.buckets(), usage.flags) == (expected, ())


def test_work_beside_the_sum_is_told_also_without_cache_counts() -> None:
    iterations = [{"type": "message"}, {"type": "fallback_message", "model": "m", "input_tokens": 12}]
    usage = normalise_usage({"input_tokens": 10, "output_tokens": 70, "iterations": iterations})
    assert usage is not None
    assert usage.flags == ("iterations-beside",)
