"""Recorded exchanges of many providers against what a person read off them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.messages import tool_results

WIRE = Path(__file__).parents[2] / "data" / "wire"
EXCHANGES: dict[tuple[str, int], dict[str, Any]] = {
    (path.stem, number): json.loads(line)
    for path in sorted(WIRE.glob("*.jsonl"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
}


def _body(exchange: dict[str, Any]) -> bytes:
    response = exchange["response"]
    return (response if exchange["kind"] == "sse" else json.dumps(response, ensure_ascii=False)).encode()


@dataclass(frozen=True)
class Read:
    """What a person read off one exchange; zero counts are left out."""

    model: str | None
    finish: str | None
    counts: dict[str, int]
    tools: list[tuple[str, str]] = field(default_factory=list)
    flags: tuple[str, ...] = ()
    prompt: bool = False
    results: int = 0


EXPECTED = {
    ("anthropic", 0): Read(
        "claude-sonnet-5",
        "stop",
        {"in_": 2411, "out": 98, "reasoning": 47},
        flags=("iterations-beside",),
        prompt=True,
    ),
    ("anthropic", 1): Read(
        "claude-sonnet-4-5-20250929",
        "stop",
        {"in_": 3, "cache_read": 1111, "cache_write": 418, "out": 33},
        prompt=True,
    ),
    ("anthropic", 2): Read(
        "claude-opus-4-6",
        "tool_calls",
        {"in_": 671, "out": 55},
        [("final_result", '{"city": "Paris", "country": "France"}')],
        prompt=True,
    ),
    ("anthropic", 3): Read(
        "claude-sonnet-4-6",
        "tool_calls",
        {"in_": 880, "out": 89},
        [("lookup_refund_policy", '{"order_id": "order-123"}')],
        prompt=True,
        results=2,
    ),
    ("anthropic", 4): Read(
        "claude-sonnet-4-5-20250929",
        "tool_calls",
        {"in_": 1577, "out": 86},
        [("memory", '{"command": "view", "path": "/memories"}')],
        prompt=True,
    ),
    ("anthropic", 5): Read("claude-opus-5", "stop", {"in_": 13, "out": 11, "reasoning": 33}),
    ("anthropic", 6): Read("claude-sonnet-4-6", "stop", {"in_": 4827, "out": 95}, prompt=True),
    ("anthropic", 7): Read("claude-sonnet-4-5-20250929", "stop", {"in_": 20, "out": 5}),
    ("cerebras", 0): Read("gpt-oss-120b", "stop", {"in_": 74, "out": 36}, flags=("reasoning-unsplit",)),
    ("deepseek", 0): Read(
        "deepseek-v4-flash",
        "stop",
        {"in_": 80, "cache_read": 896, "out": 36, "reasoning": 25},
        prompt=True,
        results=4,
    ),
    ("google", 0): Read(
        "gemini-2.5-pro-preview-05-06",
        "tool_calls",
        {"in_": 35, "out": 12},
        [("get_current_time", "{}")],
        ("sum-mismatch",),
        prompt=True,
    ),
    ("groq", 0): Read("llama-3.3-70b-versatile", "stop", {"in_": 48, "out": 8}),
    ("groq", 1): Read(None, None, {}, prompt=True),
    ("groq", 2): Read(
        "openai/gpt-oss-120b",
        "tool_calls",
        {"in_": 254, "out": 27, "reasoning": 147},
        [("final_result", '{"response":"yes"}')],
        prompt=True,
    ),
    ("huggingface", 0): Read(
        "deepseek-ai/DeepSeek-R1",
        "tool_calls",
        {"in_": 19, "out": 29},
        [("final_result", '{"response":[2,3,5]}')],
        prompt=True,
    ),
    ("mistral", 0): Read("mistral-large-latest", "stop", {"in_": 4, "out": 36}),
    ("mistral", 1): Read("mistral-large-latest", "stop", {"in_": 253, "out": 5}, prompt=True),
    ("openai", 0): Read(
        "gpt-4o-2024-08-06",
        "tool_calls",
        {"in_": 281, "out": 17},
        [("get_upper_case", '{"text":"Dummy PDF file"}')],
        prompt=True,
    ),
    ("openai", 1): Read("o3-mini-2025-01-31", "stop", {"in_": 577, "out": 528, "reasoning": 1792}),
    ("openai", 2): Read(None, None, {}, prompt=True),
    ("openai", 3): Read(
        "gpt-4o-mini-2024-07-18",
        "tool_calls",
        {"in_": 53, "out": 15},
        [("get_capital", '{"country":"UK"}')],
        prompt=True,
    ),
    ("openrouter", 0): Read(
        "google/gemini-2.5-flash",
        "tool_calls",
        {"in_": 480, "out": 33},
        [("final_result", '{"level_type":"ground","level_name":"ground_floor","space_count":3}')],
        prompt=True,
        results=1,
    ),
    ("openrouter", 1): Read(
        "minimax/minimax-m2:free",
        "length",
        {"in_": 43, "reasoning": 11},
        flags=("part-over-whole", "sum-mismatch"),
    ),
    ("openrouter", 2): Read(
        "anthropic/claude-sonnet-4.5",
        "tool_calls",
        {"in_": 568, "out": 48},
        [("find_education_content", "")],
        prompt=True,
    ),
    ("zai", 0): Read("glm-5.2", "stop", {"in_": 20, "out": 9, "reasoning": 58}),
}


def test_every_recorded_exchange_was_read_by_a_person() -> None:
    assert EXPECTED.keys() == EXCHANGES.keys()


@pytest.mark.parametrize("key", sorted(EXCHANGES), ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_reply_is_read_as_a_person_reads_it(key: tuple[str, int]) -> None:
    exchange, expected = EXCHANGES[key], EXPECTED[key]
    reply = decode_reply(_body(exchange), provider=key[0], status=exchange["status"])
    usage = reply.usage
    assert reply.served_model == expected.model
    assert reply.finish == expected.finish
    assert [(call.name, call.supplied) for call in reply.tool_requests] == expected.tools
    assert expected.counts == {} if usage is None else _known(usage.buckets()) == expected.counts
    assert (usage.flags if usage else ()) == expected.flags
    assert (reply.error is not None) == (exchange["status"] >= 400 or key == ("openrouter", 1))


def _known(buckets: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in buckets.items() if count}


@pytest.mark.parametrize("key", sorted(EXCHANGES), ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_request_is_read_as_a_person_reads_it(key: tuple[str, int]) -> None:
    exchange, expected = EXCHANGES[key], EXPECTED[key]
    request = exchange["request"]
    facts = decode_request(json.dumps(request).encode())
    assert facts.model == request["model"]
    assert facts.stream == (exchange["kind"] == "sse")
    assert facts.messages == len(request["messages"])
    assert (facts.prompt is not None) == expected.prompt
    assert len(tool_results(request)) == expected.results
