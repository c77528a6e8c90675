"""Bedrock: Converse and its binary event stream, and streams of Anthropic's models inside of it."""

from __future__ import annotations

import json
from base64 import b64encode
from zlib import crc32

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Reply

USAGE = {
    "inputTokens": 14,
    "outputTokens": 5,
    "cacheReadInputTokens": 7,
    "cacheWriteInputTokens": 1503,
    "totalTokens": 1529,
}


def _header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2, "big") + value.encode()


def frame(payload: object, **headers: str) -> bytes:
    """One message of an AWS event stream."""
    head = b"".join(_header(f":{name.replace('_', '-')}", value) for name, value in headers.items())
    head += b"\x04flag\x00" + b"\x03num\x04\x00\x00\x00\x01"
    body = json.dumps(payload).encode()
    prelude = (16 + len(head) + len(body)).to_bytes(4, "big") + len(head).to_bytes(4, "big")
    message = prelude + crc32(prelude).to_bytes(4, "big") + head + body
    return message + crc32(message).to_bytes(4, "big")


def event(kind: str, payload: object) -> bytes:
    """A frame that carries an event."""
    return frame(payload, message_type="event", event_type=kind, content_type="application/json")


FRAMES = [
    event("messageStart", {"role": "assistant", "p": "abc"}),
    event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "hm"}}}),
    event("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hel"}}),
    event("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "lo"}}),
    event("contentBlockStop", {"contentBlockIndex": 1}),
    event(
        "contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t1", "name": "f"}}}
    ),
    event(
        "contentBlockStart", {"contentBlockIndex": 3, "start": {"toolUse": {"toolUseId": "t2", "name": "g"}}}
    ),
    event("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a"'}}}),
    event("contentBlockDelta", {"contentBlockIndex": 3, "delta": {"toolUse": {"input": "{}"}}}),
    event("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": ": 1}"}}}),
    event("messageStop", {"stopReason": "tool_use"}),
    event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 1}}),
]


def _calls(reply: Reply) -> list[tuple[str | None, str, str]]:
    return [(call.id, call.name, call.supplied) for call in reply.tool_requests]


def test_t01_cache_counts_stand_beside_the_input() -> None:
    body = {"output": {"message": {"content": [{"text": "5"}]}}, "stopReason": "end_turn", "usage": USAGE}
    reply = decode_reply(json.dumps(body).encode())
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 14, "cache_read": 7, "cache_write": 1503, "out": 5}
    assert (reply.usage.total, reply.usage.flags) == (1529, ())
    assert (reply.text, reply.finish, reply.flags) == ("5", "stop", ("model-absent",))


def test_the_model_that_a_router_chose_is_the_one_that_served() -> None:
    trace = {"promptRouter": {"invokedModelId": "arn:model"}}
    body = {"output": {"message": {"content": []}}, "trace": trace}
    assert decode_reply(json.dumps(body).encode()).served_model == "arn:model"


def test_arguments_keep_their_text() -> None:
    body = (
        b'{"output":{"message":{"content":[{"toolUse":{"toolUseId":"t1","name":"f","input":{"a": 1.0 }}}]}},'
        b'"stopReason":"tool_use"}'
    )
    assert _calls(decode_reply(body)) == [("t1", "f", '{"a": 1.0 }')]


def test_text_with_citations_is_text() -> None:
    content = [{"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": []}}]
    assert decode_reply(json.dumps({"output": {"message": {"content": content}}}).encode()).text == "ab"


def test_s04_a_binary_stream_keeps_interleaved_calls_apart() -> None:
    reply = decode_reply(b"".join(FRAMES))
    assert (reply.wire, reply.text, reply.reasoning_text) == ("bedrock-converse", "Hello", "hm")
    assert _calls(reply) == [("t1", "f", '{"a": 1}'), ("t2", "g", "{}")]
    assert (reply.finish, reply.flags) == ("tool_calls", ("model-absent",))
    assert reply.usage is not None
    assert reply.usage.total == 1529


def test_a_binary_stream_cut_anywhere_says_so() -> None:
    body = b"".join(FRAMES)
    for end in range(len(body)):
        reply = decode_reply(body[:end], media_type="application/vnd.amazon.eventstream")
        assert "cut" in reply.flags
        assert "Hello".startswith(reply.text or "")
        assert reply.usage is None


def test_a_damaged_frame_is_passed_over() -> None:
    damaged = FRAMES[2].replace(b"Hel", b"hEL")
    reply = decode_reply(b"".join([*FRAMES[:2], damaged, *FRAMES[3:]]))
    assert (reply.text, reply.flags) == ("lo", ("bad-event", "model-absent"))


def test_an_exception_ends_a_stream() -> None:
    failure = frame({"message": "slow down"}, message_type="exception", exception_type="throttlingException")
    reply = decode_reply(b"".join(FRAMES[:4]) + failure, status=200)
    assert reply.error is not None
    assert (reply.error.type, reply.error.message) == ("throttlingException", "slow down")
    assert (reply.text, "cut" in reply.flags) == ("Hello", False)


def test_events_that_a_client_wrote_down_are_read_like_frames() -> None:
    events = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"text": "hi"}, "contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": USAGE}},
    ]
    reply = decode_reply(json.dumps(events).encode())
    assert (reply.wire, reply.text, reply.finish) == ("bedrock-converse", "hi", "stop")
    assert reply.flags == ("model-absent",)


def test_invoke_model_carries_the_stream_of_the_model_s_maker() -> None:
    events = [
        {"type": "message_start", "message": {"model": "claude-x", "usage": {"input_tokens": 3}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    chunks = [{"bytes": b64encode(json.dumps(one).encode()).decode(), "p": "ab"} for one in events]
    reply = decode_reply(b"".join(event("chunk", chunk) for chunk in chunks))
    assert (reply.wire, reply.text, reply.served_model) == ("anthropic-messages", "hi", "claude-x")
    assert reply.flags == ()
    assert "bad-event" in decode_reply(event("chunk", {"bytes": "a"})).flags


def test_facts_of_a_request() -> None:
    request = {
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]},
    }
    address = (
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse-stream"
    )
    facts = decode_request(json.dumps(request).encode(), uri=address)
    assert (facts.wire, facts.model) == ("bedrock-converse", "us.amazon.nova-lite-v1:0")
    assert (facts.stream, facts.messages) == (True, 1)
    assert (facts.system_texts, len(facts.tools)) == (("Be brief.",), 1)
    plain = decode_request({"messages": request["messages"]})
    assert (plain.wire, plain.prompt) == ("bedrock-converse", None)


def test_the_tier_that_served_is_read() -> None:
    message = {"output": {"message": {"content": []}}, "stopReason": "end_turn"}
    body = {**message, "serviceTier": {"type": "priority"}, "performanceConfig": {"latency": "standard"}}
    assert decode_reply(json.dumps(body).encode()).service_tier == "priority"
    assert (
        decode_reply(event("metadata", {"usage": USAGE, "serviceTier": {"type": "flex"}})).service_tier
        == "flex"
    )
    fast = {**message, "performanceConfig": {"latency": "optimized"}}
    assert decode_reply(json.dumps(fast).encode()).service_tier == "latency-optimized"
