"""Cohere chat, version 1: JSON, JSON lines, calls in pieces, and an end that repeats everything or little."""

from __future__ import annotations

import json

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Reply

META = {
    "api_version": {"version": "1"},
    "warnings": ["private"],
    "billed_units": {"input_tokens": 7, "output_tokens": 5},
    "tokens": {"input_tokens": 69, "output_tokens": 5},
}
WHOLE = {
    "response_id": "r1",
    "generation_id": "g1",
    "text": "Hello",
    "finish_reason": "COMPLETE",
    "meta": META,
}
CALLS = [{"name": "f", "parameters": {"a": "x"}}, {"name": "f", "parameters": {"a": "y"}}]


def _lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def _event(kind: str, **more: object) -> dict[str, object]:
    return {"is_finished": kind == "stream-end", "event_type": kind, **more}


START = _event("stream-start", generation_id="g1")


def _calls(reply: Reply) -> list[tuple[str | None, str, str]]:
    return [(call.id, call.name, call.supplied) for call in reply.tool_requests]


def test_a_whole_reply() -> None:
    reply = decode_reply(json.dumps({**WHOLE, "chat_history": [{"role": "USER", "message": "x"}]}).encode())
    assert (reply.wire, reply.response_id, reply.text) == ("cohere-chat-v1", "r1", "Hello")
    assert (reply.finish, reply.flags) == ("stop", ("model-absent",))
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 69, "out": 5}
    assert reply.usage.flags == ("billed-otherwise",)
    assert "private" not in json.dumps(dict(reply.usage.raw))  # warnings are no counts


def test_an_end_that_repeats_everything_is_not_added_to_it() -> None:
    pieces = [_event("text-generation", text=text) for text in ("Hel", "lo")]
    reply = decode_reply(
        _lines(START, *pieces, _event("stream-end", response=WHOLE, finish_reason="COMPLETE"))
    )
    assert (reply.text, reply.response_id, reply.finish) == ("Hello", "r1", "stop")
    assert reply.flags == ("model-absent",)


def test_an_end_that_only_counts_leaves_what_streamed() -> None:
    end = _event("stream-end", response={"meta": META}, finish_reason="MAX_TOKENS")
    reply = decode_reply(_lines(START, _event("text-generation", text="Hel"), end))
    assert (reply.text, reply.response_id, reply.finish) == ("Hel", "g1", "length")
    assert reply.usage is not None


def test_s02_without_its_end_it_is_cut() -> None:
    reply = decode_reply(_lines(START, _event("text-generation", text="Hel")))
    assert (reply.text, reply.finish, reply.flags) == ("Hel", None, ("cut", "model-absent", "usage-absent"))
    assert decode_reply(_lines(START)).flags == ("cut", "model-absent", "usage-absent")


def test_calls_come_once_though_they_are_told_three_times() -> None:
    chunks = [
        _event("tool-calls-chunk", text="I look."),
        _event("tool-calls-chunk", tool_call_delta={"index": 0, "name": "f"}),
        _event("tool-calls-chunk", tool_call_delta={"index": 0, "parameters": '{"a": '}),
        _event("tool-calls-chunk", tool_call_delta={"index": 0, "parameters": '"x"}'}),
    ]
    cut = decode_reply(_lines(START, *chunks))
    assert (cut.text, _calls(cut)) == ("I look.", [(None, "f", '{"a": "x"}')])
    told = _event("tool-calls-generation", text="I look.", tool_calls=CALLS)
    end = _event("stream-end", response={**WHOLE, "text": "I look.", "tool_calls": CALLS})
    reply = decode_reply(_lines(START, *chunks, told, end))
    assert (reply.text, reply.finish) == ("I look.", "tool_calls")
    assert _calls(reply) == [(None, "f", '{"a": "x"}'), (None, "f", '{"a": "y"}')]


def test_a_request() -> None:
    tools = [{"name": "f", "description": "d", "parameter_definitions": {}}]
    body = {"model": "command-x", "message": "hi", "preamble": "Be brief.", "tools": tools, "stream": True}
    facts = decode_request({**body, "chat_history": [{"role": "USER", "message": "a"}]})
    assert (facts.wire, facts.model, facts.messages, facts.stream) == ("cohere-chat-v1", "command-x", 2, True)
    assert (facts.system_texts, len(facts.tools)) == (("Be brief.",), 1)
