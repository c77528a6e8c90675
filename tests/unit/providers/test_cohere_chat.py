"""Cohere chat, version 2: blocks, plans, streams, and two sets of counts."""

from __future__ import annotations

import json

import pytest

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.usage import normalise_usage

USAGE = {
    "billed_units": {"input_tokens": 13, "output_tokens": 61},
    "tokens": {"input_tokens": 542, "output_tokens": 63},
    "cached_tokens": 500,
}


def _events(*events: dict[str, object]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (b"x", json.dumps(event).encode()) for event in events)


EVENTS: list[dict[str, object]] = [
    {"type": "message-start", "id": "r1", "delta": {"message": {"role": "assistant", "content": []}}},
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will"}}},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Hel"}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "lo"}}}},
    {
        "type": "tool-call-start",
        "index": 0,
        "delta": {"message": {"tool_calls": {"id": "c1", "function": {"name": "f", "arguments": ""}}}},
    },
    {
        "type": "tool-call-delta",
        "index": 0,
        "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}},
    },
    {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": USAGE}},
]


def test_a_stream_is_put_together() -> None:
    reply = decode_reply(_events(*EVENTS))
    assert (reply.wire, reply.response_id, reply.text) == ("cohere-chat", "r1", "Hello")
    assert (reply.reasoning_text, reply.finish) == ("I will", "tool_calls")
    assert [(call.id, call.name, call.supplied) for call in reply.tool_requests] == [("c1", "f", "{}")]
    assert reply.flags == ("model-absent",)


def test_a_cut_stream_says_so() -> None:
    reply = decode_reply(_events(*EVENTS[:-1]))
    assert (reply.text, reply.finish, reply.usage) == ("Hello", None, None)
    assert reply.flags == ("cut", "model-absent", "usage-absent")


def test_an_error_ends_a_stream() -> None:
    end: dict[str, object] = {
        "type": "message-end",
        "delta": {"finish_reason": "ERROR", "error": "overloaded"},
    }
    reply = decode_reply(_events(*EVENTS[:-1], end))
    assert reply.error is not None
    assert (reply.error.message, reply.finish) == ("overloaded", "error")


def test_buckets_hold_what_was_processed_and_say_that_the_bill_is_another() -> None:
    usage = normalise_usage(USAGE)
    assert usage is not None
    assert usage.buckets() == {"in_": 42, "cache_read": 500, "out": 63}
    assert usage.flags == ("billed-otherwise",)


def test_billed_units_stand_in_where_they_are_all_there_is() -> None:
    usage = normalise_usage({"billed_units": {"input_tokens": 3}})
    assert usage is not None
    assert (usage.buckets(), usage.flags) == ({"in_": 3}, ())


@pytest.mark.parametrize(("raw", "finish"), [("MAX_TOKENS", "length"), ("ERROR_TOXIC", "content_filter")])
def test_s06_finish_reasons(raw: str, finish: str) -> None:
    body = {"id": "r1", "message": {"content": "hi"}, "finish_reason": raw}
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.finish, reply.text) == (finish, "hi")


def test_plan_and_calls_of_a_whole_reply() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    body = {
        "id": "r1",
        "message": {"tool_plan": "I will", "tool_calls": [call]},
        "finish_reason": "TOOL_CALL",
    }
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.reasoning_text, reply.text) == ("I will", None)
    assert [(one.name, one.supplied) for one in reply.tool_requests] == [("f", '{"a": 1}')]


def test_a_request_is_told_by_what_only_cohere_has() -> None:
    assert decode_request({"messages": [], "documents": []}).wire == "cohere-chat"
