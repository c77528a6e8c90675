"""Whatever the bytes are, the decoders answer, and what they answer was in the bytes."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.wire_data import all_exchanges, body_of
from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Reply

EXCHANGES = list(all_exchanges().values())
DOCUMENTS = [body_of(one) for one in EXCHANGES if one["kind"] != "sse"]
STREAMS = [body_of(one) for one in EXCHANGES if one["kind"] == "sse"]
REQUESTS = [body_of(one, "request") for one in EXCHANGES if one["request"]]

# Words that the formats know, so that made-up bodies get past the first look at their shape.
WORDS = [
    *("choices", "message", "delta", "content", "tool_calls", "function", "arguments", "name", "id", "index"),
    *(
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "input_tokens",
        "cache_read_input_tokens",
        "total_tokens",
    ),
    *("prompt_tokens_details", "cached_tokens", "finish_reason", "reasoning", "reasoning_details", "text"),
    *("function_call", "custom", "error", "object", "chat.completion", "type", "messages", "system", "tools"),
    *("message_start", "message_delta", "message_stop", "content_block", "content_block_start", "tool_use"),
    *(
        "content_block_delta",
        "content_block_stop",
        "partial_json",
        "thinking",
        "stop_reason",
        "input",
        "role",
    ),
    *("tool", "tool_result", "tool_use_id", "iterations", "cache_creation", "x_groq", "input_schema"),
    *("response", "output", "status", "incomplete_details", "item", "output_index", "response.completed"),
    *(
        "response.output_item.added",
        "response.output_text.delta",
        "function_call_arguments",
        "summary",
        "action",
    ),
    *("candidates", "parts", "functionCall", "args", "finishReason", "usageMetadata", "promptTokenCount"),
    *(
        "messageStart",
        "contentBlockDelta",
        "contentBlockStart",
        "toolUse",
        "metadata",
        "stopReason",
        "usageMetadata",
    ),
    *(
        "inputTokens",
        "outputTokens",
        "tokens",
        "billed_units",
        "message-end",
        "content-delta",
        "tool-call-delta",
    ),
    *(
        "done",
        "done_reason",
        "prompt_eval_count",
        "event_type",
        "stream-end",
        "text-generation",
        "generation_id",
    ),
    *(
        "tool-calls-chunk",
        "tool_call_delta",
        "parameters",
        "steps",
        "interaction",
        "step.start",
        "step.delta",
    ),
    *(
        "generation",
        "outputs",
        "completions",
        "is_finished",
        "partialArgs",
        "jsonPath",
        "stringValue",
        "$.a[0]",
    ),
    *("service_tier", "serviceTier", "environment", "execution", "stop_details", "prompt", "fallback", "to"),
    *("contents", "systemInstruction", "toolConfig", "instructions", "executed_tools", "embedding", "data"),
]
# What should be a number, a text, a list or an object, and is not.
WRONG: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "\ud83d",
    [],
    [[]],
    {},
    {"a": {}},
]
KEYS = st.sampled_from(WORDS)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | KEYS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(VALUES, max_size=2),
        "type": KEYS,
        "usage": VALUES,
        "delta": VALUES,
        "content": VALUES,
        "message": VALUES,
        "messages": VALUES,
        "content_block": VALUES,
        "index": VALUES,
        "error": VALUES,
        "response": VALUES,
        "output": VALUES,
        "item": VALUES,
        "candidates": st.lists(VALUES, max_size=2),
        "usageMetadata": VALUES,
        "contentBlockDelta": VALUES,
        "metadata": VALUES,
    },
)


def _consistent(reply: Reply) -> None:
    assert (reply.usage is None) == ("usage-absent" in reply.flags)
    assert [call.ordinal for call in reply.tool_requests] == list(range(len(reply.tool_requests)))
    assert all(count >= 0 for count in (reply.usage.buckets() if reply.usage else {}).values())


@given(st.sampled_from(DOCUMENTS), st.floats(0, 1, exclude_max=True))
def test_a_cut_document_gives_no_usage(body: bytes, part: float) -> None:
    reply = decode_reply(body[: int(len(body) * part)])
    _consistent(reply)
    assert reply.wire is None
    assert reply.usage is None
    assert {"undecodable", "cut"} <= set(reply.flags)


@given(st.sampled_from(STREAMS), st.floats(0, 1, exclude_max=True))
def test_a_cut_stream_gives_only_what_came(body: bytes, part: float) -> None:
    whole = decode_reply(body)
    reply = decode_reply(body[: int(len(body.rstrip()) * part)], media_type="text/event-stream")
    _consistent(reply)
    assert (whole.text or "").startswith(reply.text or "")
    assert len(reply.tool_requests) <= len(whole.tool_requests)
    for before, after in zip(reply.tool_requests, whole.tool_requests, strict=False):
        assert after.supplied.startswith(before.supplied)
    if reply.usage is not None:
        complete = reply.usage.raw == (whole.usage.raw if whole.usage else None)
        assert complete or (reply.usage.out is None and "partial" in reply.usage.flags)
    assert reply.error is not None or "cut" in reply.flags


def _altered(value: object, draw: st.DataObject) -> object:
    """``value`` with one thing in it dropped, or put in place of something of another type."""
    top: list[object] = [value]
    parent: Any = top
    key: Any = 0
    for _ in range(draw.draw(st.integers(1, 8))):
        inner = parent[key]
        if not isinstance(inner, (dict, list)) or not inner:
            break
        parent = inner
        key = draw.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
    if isinstance(parent, dict) and draw.draw(st.booleans()):
        del parent[key]
    else:
        # A copy: the next change may be in it, and must not be found in the next example.
        parent[key] = copy.deepcopy(draw.draw(st.sampled_from(WRONG)))
    return top[0]


@given(st.sampled_from(DOCUMENTS), st.data())
def test_a_dropped_field_or_a_wrong_type_never_raises(body: bytes, data: st.DataObject) -> None:
    value = json.loads(body)
    for _ in range(data.draw(st.integers(1, 3))):
        value = _altered(value, data)
    _consistent(decode_reply(json.dumps(value).encode()))


@given(st.sampled_from(STREAMS), st.data())
def test_an_altered_event_never_raises(body: bytes, data: st.DataObject) -> None:
    lines = body.split(b"\n")
    at = data.draw(st.sampled_from([n for n, line in enumerate(lines) if line.startswith(b"data: {")]))
    lines[at] = b"data: " + json.dumps(_altered(json.loads(lines[at][6:]), data)).encode()
    _consistent(decode_reply(b"\n".join(lines)))


@given(st.sampled_from(REQUESTS), st.data())
def test_an_altered_request_never_raises(body: bytes, data: st.DataObject) -> None:
    value = _altered(json.loads(body), data)
    facts = decode_request(json.dumps(value).encode(), uri=data.draw(st.none() | st.text(max_size=20)))
    assert facts.wire is not None or "unknown-format" in facts.flags


@given(st.sampled_from(DOCUMENTS), st.integers(1, 9000))
def test_d08_deep_nesting_never_raises(body: bytes, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    for needle in (b'"usage"', b'"content"', b'"output"', b'"arguments"', b'"parts"', b'"choices"'):
        _consistent(decode_reply(body.replace(needle, needle + b": " + deep + b', "x"', 1)))
    decode_request(b'{"messages": ' + deep + b', "input": ' + deep + b', "contents": ' + deep + b"}")


@given(st.sampled_from(STREAMS), st.sampled_from([b"\r\n", b"\r", b"\n"]))
def test_line_endings_do_not_matter(body: bytes, ending: bytes) -> None:
    assert decode_reply(body.replace(b"\n", ending)) == decode_reply(body)


@given(st.sampled_from(DOCUMENTS + STREAMS), st.data())
def test_a_damaged_body_never_raises(body: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body)))
    _consistent(
        decode_reply(body[:at] + data.draw(st.binary(max_size=4)) + body[at + data.draw(st.integers(0, 9)) :])
    )


@given(st.binary(max_size=200), st.none() | st.integers(100, 599))
def test_any_bytes_never_raise(body: bytes, status: int | None) -> None:
    for prefix in (b"", b"data: ", b"{"):
        _consistent(decode_reply(prefix + body, status=status))
        decode_request(prefix + body)


@given(SHAPED | VALUES)
def test_any_json_never_raises(value: object) -> None:
    body = json.dumps(value).encode()
    _consistent(decode_reply(body))
    decode_request(body)


@given(st.lists(SHAPED, max_size=4))
def test_any_events_never_raise(values: list[object]) -> None:
    _consistent(decode_reply(b"".join(b"data: %b\n\n" % json.dumps(value).encode() for value in values)))
    _consistent(decode_reply(json.dumps(values).encode()))
