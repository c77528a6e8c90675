"""All recorded exchanges against plain look-ups in their JSON, some also against what a person read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.wire_data import all_exchanges, body_of
from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Reply

EXCHANGES = all_exchanges()
KEYS = sorted(EXCHANGES)
Json = Any


def _read(key: tuple[str, int]) -> Reply:
    exchange = EXCHANGES[key]
    return decode_reply(body_of(exchange), status=exchange["status"], uri=exchange["uri"])


def _documents(exchange: dict[str, Any]) -> Iterator[Json]:
    """The JSON objects of a reply: its body, or its events, or the whole response that ends a stream."""
    if exchange["kind"] != "sse":
        yield json.loads(body_of(exchange))
        return
    data = [line[5:].strip() for line in exchange["response"].splitlines() if line.startswith("data:")]
    events = [json.loads(text) for text in data if text != "[DONE]"]
    whole = [event["response"] for event in events if event.get("type") == "response.completed"]
    yield from whole or events


def _items(document: Json) -> list[Json]:
    output = document.get("output")
    return output if isinstance(output, list) else []


def _blocks(document: Json) -> list[Json]:
    output, content = document.get("output"), document.get("content")
    if isinstance(output, dict):
        return [*output["message"]["content"]]
    return content if isinstance(content, list) else []


def _parts(document: Json) -> list[Json]:
    return [
        part for one in document.get("candidates", []) for part in one.get("content", {}).get("parts", [])
    ]


def _chat_texts(document: Json) -> Iterator[str]:
    for choice in document.get("choices", [])[:1]:
        content = choice.get("message", choice.get("delta", {})).get("content") or []
        parts = [{"text": content}] if isinstance(content, str) else content
        yield from (part["text"] for part in parts if "text" in part)


def _texts(document: Json) -> Iterator[str]:
    yield from _chat_texts(document)
    for item in _items(document):
        if item.get("role") == "assistant":
            yield from (part["text"] for part in item["content"])
    yield from (part["text"] for part in _parts(document) if "text" in part and not part.get("thought"))
    yield from (
        block["text"]
        for block in _blocks(document)
        if block.get("type", "text") == "text" and "text" in block
    )
    if isinstance(document.get("message"), dict):
        yield from (part["text"] for part in document["message"].get("content", []) if part["type"] == "text")
    if document.get("type") == "content_block_delta":
        yield document["delta"].get("text", "")


def _calls(document: Json) -> Iterator[tuple[str | None, str, Json]]:
    for choice in document.get("choices", [])[:1]:
        for call in choice.get("message", {}).get("tool_calls") or []:
            arguments = call["function"].get("arguments")
            yield call["id"] or None, call["function"]["name"], json.loads(arguments or "{}")
    for item in _items(document):
        if item["type"] == "function_call":
            yield item["call_id"], item["name"], json.loads(item["arguments"])
    for call in (part["functionCall"] for part in _parts(document) if "functionCall" in part):
        yield call.get("id"), call["name"], call["args"]
    for block in _blocks(document):
        use = block.get("toolUse", {})
        if block.get("type") == "tool_use":
            yield block["id"], block["name"], block["input"]
        elif use and use.get("type") != "server_tool_use":
            yield use["toolUseId"], use["name"], use["input"]


def test_all_are_there() -> None:
    assert len(EXCHANGES) == 375


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key[0]}-{key[1]}")
def test_text_is_all_the_text_of_the_reply(key: tuple[str, int]) -> None:
    expected = "".join(text for document in _documents(EXCHANGES[key]) for text in _texts(document))
    assert (_read(key).text or "") == expected


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key[0]}-{key[1]}")
def test_tool_calls_are_complete(key: tuple[str, int]) -> None:
    calls = [(call.id, call.name, json.loads(call.supplied or "{}")) for call in _read(key).tool_requests]
    expected = [call for document in _documents(EXCHANGES[key]) for call in _calls(document)]
    streamed_pieces = EXCHANGES[key]["kind"] == "sse" and not expected
    assert calls == expected or (streamed_pieces and all(name for _, name, _ in calls))


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key[0]}-{key[1]}")
def test_counts_add_up_to_the_provider_s_total_or_say_that_they_do_not(key: tuple[str, int]) -> None:
    reply = _read(key)
    totals = [total for document in _documents(EXCHANGES[key]) if (total := _total(document)) is not None]
    if totals:
        assert reply.usage is not None
        assert reply.usage.provider_total == totals[-1]
        assert reply.usage.total == totals[-1] or "sum-mismatch" in reply.usage.flags


def _total(document: Json) -> int | None:
    usage = document.get("usage") or document.get("usageMetadata") or {}
    total: int | None = usage.get("total_tokens", usage.get("totalTokens", usage.get("totalTokenCount")))
    return total


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_reply_says_what_it_is_or_why_not(key: tuple[str, int]) -> None:
    exchange, reply = EXCHANGES[key], _read(key)
    assert reply.provider == exchange["provider"]
    assert not {"undecodable", "unknown-format", "bad-event", "cut", "invalid-utf8"} & set(reply.flags)
    assert (reply.error is not None) == (exchange["status"] >= 400 or key == ("openrouter", 5))
    if reply.error is None:
        unsaid = {"pending", "no-reply"} & set(reply.flags)
        assert (reply.finish is None) == bool(unsaid)
        assert (reply.usage is None) == ("usage-absent" in reply.flags)
        assert (reply.served_model is None) == bool({"model-absent", "no-reply"} & set(reply.flags))


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_request_is_read(key: tuple[str, int]) -> None:
    exchange = EXCHANGES[key]
    if not exchange["request"]:
        assert decode_request(b"", uri=exchange["uri"]).flags == ("undecodable",)
        return
    request = json.loads(body_of(exchange, "request"))
    facts = decode_request(body_of(exchange, "request"), uri=exchange["uri"])
    assert facts.flags == ()
    assert facts.model is not None
    assert facts.model == request.get("model", facts.model)
    assert facts.stream == (exchange["kind"] == "sse")
    history: Json = request.get("messages") or request.get("contents") or request.get("input") or [{}]
    assert facts.messages == (len(history) if isinstance(history, list) else 1)
    system = any(request.get(name) for name in ("system", "instructions", "systemInstruction"))
    instructed = system or any(entry.get("role") in ("system", "developer") for entry in history)
    equipped = bool(request.get("tools") or request.get("toolConfig", {}).get("tools"))
    assert (facts.prompt is not None) == (instructed or equipped)


@dataclass(frozen=True)
class Seen:
    """What a person read off one exchange; zero counts are left out, ``text`` is how it begins."""

    wire: str | None
    model: str | None
    finish: str | None
    counts: dict[str, int]
    text: str | None = None
    tools: tuple[tuple[str, str], ...] = ()
    hosted: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    reasons: bool = False


UNNAMED = ("model-absent",)
EXPECTED = {
    ("bedrock", 2): Seen(
        "bedrock-converse",
        None,
        "tool_calls",
        {"in_": 397, "out": 130},
        "I'll need to check",
        (("get_user_country", "{}"),),
        flags=(*UNNAMED, "reasoning-unsplit"),
        reasons=True,
    ),
    ("bedrock", 4): Seen(
        "bedrock-converse", None, "stop", {"in_": 14, "cache_write": 1503, "out": 5}, "5", flags=UNNAMED
    ),
    ("bedrock", 6): Seen(
        "bedrock-converse", None, "stop", {"in_": 13, "cache_read": 1504, "out": 5}, "5", flags=UNNAMED
    ),
    ("bedrock", 9): Seen(None, None, None, {}, flags=("usage-absent",)),
    ("bedrock", 21): Seen(
        "bedrock-converse",
        None,
        "tool_calls",
        {"in_": 426, "out": 66},
        "<thinking> To determine",
        (("get_capital", '{"country": "France"}'),),
        flags=UNNAMED,
    ),
    ("bedrock", 34): Seen(
        "bedrock-converse",
        None,
        "tool_calls",
        {"in_": 1148, "out": 59},
        None,
        (("final_result", '{"result": 14013304.0}'),),
        ("nova_code_interpreter",),
        UNNAMED,
    ),
    ("bedrock", 37): Seen(
        "bedrock-converse",
        None,
        "tool_calls",
        {"in_": 92, "out": 75},
        None,
        (("get_temperature", '{"city": "London"}'),),
        flags=(*UNNAMED, "reasoning-unsplit"),
        reasons=True,
    ),
    ("bedrock", 40): Seen("bedrock-converse", None, "stop", {"in_": 19, "out": 2}, "ok", flags=UNNAMED),
    ("bedrock", 41): Seen(
        "bedrock-converse",
        None,
        "stop",
        {"in_": 15, "out": 55},
        flags=(*UNNAMED, "reasoning-unsplit"),
        reasons=True,
    ),
    ("cohere", 0): Seen(
        "cohere-chat",
        None,
        "stop",
        {"in_": 542, "out": 63},
        "The capital of France is Paris.",
        flags=(*UNNAMED, "billed-otherwise"),
    ),
    ("cohere", 1): Seen(
        "cohere-chat",
        None,
        "stop",
        {"in_": 2190, "out": 1257},
        "Crossing a river safely",
        flags=(*UNNAMED, "billed-otherwise", "reasoning-unsplit"),
        reasons=True,
    ),
    ("google", 0): Seen(
        "gemini",
        "gemini-2.0-flash",
        "stop",
        {"in_": 302, "out": 194},
        "I apologize for the error",
        hosted=("PYTHON", "PYTHON", "PYTHON"),
    ),
    ("google", 12): Seen(
        "gemini",
        "gemini-3-flash-preview",
        "stop",
        {"in_": 975, "out": 53, "reasoning": 173},
        "Paris is famously known",
        hosted=("FILE_SEARCH",),
    ),
    ("google", 13): Seen(
        "gemini",
        "gemini-3-flash-preview",
        "stop",
        {"in_": 1198, "out": 122, "reasoning": 447},
        "The capital of France is **Paris**.",
        hosted=("FILE_SEARCH",),
    ),
    ("google", 17): Seen(
        "gemini",
        "gemini-2.0-flash",
        "tool_calls",
        {"in_": 52, "out": 5},
        None,
        (("get_capital", '{"country": "France"}'),),
    ),
    ("google", 18): Seen(
        "gemini", "gemini-2.5-flash", "length", {"in_": 15, "out": 5}, "The capital of France is"
    ),
    ("google", 19): Seen(
        "gemini",
        "gemini-2.5-flash",
        "stop",
        {"in_": 334, "cache_read": 17379, "out": 68, "reasoning": 821},
        "This video demonstrates",
    ),
    ("google", 25): Seen("gemini", "gemini-1.5-flash", "content_filter", {"in_": 14}),
    ("google", 26): Seen(
        "gemini", "gemini-2.0-flash-exp", "stop", {"in_": 13, "out": 8}, "The capital of France is Paris.\n"
    ),
    ("google", 31): Seen(
        "gemini",
        "gemini-2.5-pro",
        "stop",
        {"in_": 34, "out": 469, "reasoning": 787},
        "This is a great question!",
        reasons=True,
    ),
    ("groq", 3): Seen(
        "openai-chat",
        "groq/compound",
        "stop",
        {"in_": 5296, "out": 387},
        "The weather in San Francisco today, September 17, 2025",
        hosted=("search",),
        flags=("reasoning-unsplit",),
        reasons=True,
    ),
    ("mistral", 3): Seen(
        "openai-chat",
        "magistral-medium-latest",
        "stop",
        {"in_": 10, "out": 232},
        "To cross the street safely",
        flags=("reasoning-unsplit",),
        reasons=True,
    ),
    ("openai", 15): Seen(
        "openai-responses",
        "gpt-4o-mini-2024-07-18",
        "stop",
        {"in_": 25, "out": 10},
        "The capital of Minas Gerais is Belo Horizonte.",
    ),
    ("openai", 40): Seen("openai-responses", "gpt-5.6-sol", None, {}, flags=("pending", "usage-absent")),
    ("openai", 43): Seen(
        "openai-responses",
        "gpt-4o-2024-08-06",
        "stop",
        {"in_": 15, "out": 9},
        "2 + 2 equals 4.",
        flags=("fetched",),
    ),
    ("openai", 61): Seen(
        "openai-responses",
        "gpt-5.2-2025-12-11",
        "stop",
        {"in_": 8234, "out": 45, "reasoning": 34},
        "Alberta\u2019s tallest mountain",
        hosted=("web_search",),
    ),
    ("openai", 66): Seen(
        "openai-responses", None, None, {"in_": 156, "out": 190}, flags=("model-absent", "no-reply")
    ),
    ("openai", 82): Seen(
        "openai-responses",
        "gpt-4o-2024-08-06",
        "stop",
        {"in_": 870, "out": 30},
        "The capital of France is Paris.",
        hosted=("file_search",),
    ),
    ("openai", 84): Seen(
        "openai-responses",
        "o4-mini-2025-04-16",
        "stop",
        {"in_": 1207, "out": 215, "reasoning": 320},
        "Pydantic AI is a Python agent framework",
        hosted=("ask_question",),
    ),
    ("openai", 86): Seen(
        "openai-responses",
        "gpt-4o-2024-08-06",
        "tool_calls",
        {},
        None,
        (("get_location", '{"loc_name":"Londos"}'), ("get_location", '{"loc_name":"London"}')),
    ),
    ("openai", 93): Seen(
        "openai-responses",
        "gpt-5-2025-08-07",
        "stop",
        {"in_": 1143, "cache_read": 8320, "out": 70, "reasoning": 512},
        "San Francisco weather today",
        hosted=("web_search",),
    ),
    ("openai", 102): Seen(
        "openai-responses",
        "gpt-5.5-2026-04-23",
        "tool_calls",
        {"in_": 63, "out": 43, "reasoning": 26},
        "I\u2019ll check the capital lookup tool",
        (("get_capital", '{"country":"PotatoLand"}'),),
    ),
    ("openai", 116): Seen(None, None, None, {}, flags=("usage-absent",)),
    ("openai", 122): Seen("token-count", None, None, {}, flags=("no-reply", "usage-absent")),
    ("openrouter", 6): Seen(
        "openai-chat",
        "x-ai/grok-4",
        "stop",
        {"in_": 8, "cache_read": 679, "out": 69, "reasoning": 118},
        "I'm Grok, an AI",
    ),
    ("zai", 6): Seen(
        "openai-chat", "glm-4.7", "stop", {"in_": 13, "out": 3, "reasoning": 561}, "4", reasons=True
    ),
}


@pytest.mark.parametrize("key", sorted(EXPECTED), ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_reply_is_read_as_a_person_reads_it(key: tuple[str, int]) -> None:
    reply, expected = _read(key), EXPECTED[key]
    usage = reply.usage
    assert (reply.wire, reply.served_model, reply.finish) == (expected.wire, expected.model, expected.finish)
    known = {} if usage is None else {name: count for name, count in usage.buckets().items() if count}
    assert known == expected.counts
    assert (reply.text is None) == (expected.text is None)
    assert (reply.text or "").startswith(expected.text or "")
    assert tuple((call.name, call.supplied) for call in reply.tool_requests) == expected.tools
    assert tuple(call.name for call in reply.hosted_tools) == expected.hosted
    assert (*reply.flags, *(usage.flags if usage else ())) == expected.flags
    assert (reply.reasoning_text is not None) == expected.reasons
