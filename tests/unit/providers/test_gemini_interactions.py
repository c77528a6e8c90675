"""Gemini Interactions: steps of every kind, streams of both versions, and how they end."""

from __future__ import annotations

import json

import pytest

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Finish, Reply

USAGE = {
    "total_tokens": 160,
    "total_input_tokens": 60,
    "total_cached_tokens": 10,
    "total_tool_use_tokens": 20,
    "total_output_tokens": 15,
    "total_thought_tokens": 65,
}
TEXT = {"type": "model_output", "content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}
THOUGHT = {"type": "thought", "signature": "x", "summary": [{"type": "text", "text": "hm"}]}
CALL = {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}}
SEARCH = {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["q"]}}
MCP = {"type": "mcp_server_tool_call", "id": "m1", "name": "roll", "arguments": {}, "server_name": "d"}
RESULT = {"type": "google_search_result", "call_id": "s1", "result": [{"text": "not the model's"}]}


def _interaction(*steps: object, status: str = "completed", **more: object) -> dict[str, object]:
    return {
        "id": "v1_x",
        "object": "interaction",
        "status": status,
        "model": "gemini-x",
        "service_tier": "standard",
        "steps": list(steps),
        "usage": USAGE,
        **more,
    }


def _read(body: object) -> Reply:
    return decode_reply(json.dumps(body).encode())


def _stream(*events: object) -> Reply:
    return decode_reply(b"".join(b"event: x\ndata: %b\n\n" % json.dumps(event).encode() for event in events))


def _event(kind: str, **more: object) -> dict[str, object]:
    return {"event_type": kind, **more}


def test_steps_are_told_apart() -> None:
    user = {"type": "user_input", "content": [{"type": "text", "text": "hi"}]}
    reply = _read(_interaction(user, THOUGHT, SEARCH, RESULT, MCP, TEXT, CALL, status="requires_action"))
    assert (reply.wire, reply.served_model, reply.response_id) == ("gemini-interactions", "gemini-x", "v1_x")
    assert (reply.text, reply.reasoning_text, reply.finish) == ("Hello", "hm", "tool_calls")
    assert [(call.id, call.name, call.supplied) for call in reply.tool_requests] == [("c1", "f", '{"a": 1}')]
    assert [(call.id, call.name) for call in reply.hosted_tools] == [("s1", "google_search"), ("m1", "roll")]
    assert reply.flags == ()


def test_t02_counts_are_disjoint() -> None:
    usage = _read(_interaction(TEXT)).usage
    assert usage is not None
    assert usage.buckets() == {"in_": 70, "cache_read": 10, "out": 15, "reasoning": 65}
    assert (usage.total, usage.flags) == (160, ())


def test_a_stream_is_put_together() -> None:
    reply = _stream(
        _event("interaction.created", interaction=_interaction(status="in_progress", usage=None)),
        _event("interaction.status_update", interaction_id="v1_x", status="in_progress"),
        _event("step.start", index=0, step={"type": "thought"}),
        _event(
            "step.delta",
            index=0,
            delta={"type": "thought_summary", "content": {"type": "text", "text": "hm"}},
        ),
        _event("step.start", index=1, step={"type": "model_output"}),
        _event("step.delta", index=1, delta={"type": "text", "text": "Hel"}),
        _event("step.delta", index=1, delta={"type": "text", "text": "lo"}),
        _event("step.start", index=2, step={**CALL, "arguments": {}}),
        _event("step.delta", index=2, delta={"type": "arguments_delta", "arguments": '{"a": '}),
        _event("step.delta", index=2, delta={"type": "arguments_delta", "arguments": "1}"}),
        _event("step.start", index=3, step={**CALL, "id": "c2", "arguments": {}}),
        _event("step.stop", index=3),
        _event("step.start", index=4, step={"type": "google_search_call", "id": "s1"}),
        _event("step.delta", index=4, delta={"type": "google_search_call", "arguments": {"queries": ["q"]}}),
        _event(
            "interaction.completed",
            interaction={"id": "v1_x", "status": "requires_action", "usage": USAGE, "model": "gemini-x"},
        ),
    )
    assert (reply.text, reply.reasoning_text, reply.finish) == ("Hello", "hm", "tool_calls")
    assert [(call.id, call.supplied) for call in reply.tool_requests] == [("c1", '{"a": 1}'), ("c2", "{}")]
    assert [(call.id, call.supplied) for call in reply.hosted_tools] == [("s1", '{"queries": ["q"]}')]
    assert reply.usage is not None
    assert reply.flags == ()


def test_the_first_version_is_read_too() -> None:
    body = _interaction(outputs=[THOUGHT, {"type": "text", "text": "Hello"}])
    del body["steps"]
    assert (_read(body).text, _read(body).reasoning_text) == ("Hello", "hm")
    reply = _stream(
        _event("content.start", index=0, content={"type": "text"}),
        _event("content.delta", index=0, delta={"type": "text", "text": "Hello"}),
        _event(
            "interaction.complete", interaction={"id": "v1_x", "status": "completed", "model": "gemini-x"}
        ),
    )
    assert (reply.text, reply.finish, reply.flags) == ("Hello", "stop", ("usage-absent",))


def test_s02_without_its_end_it_is_cut() -> None:
    reply = _stream(
        _event("interaction.created", interaction={"id": "v1_x", "status": "in_progress", "model": "m"}),
        _event("step.start", index=0, step={"type": "model_output"}),
        _event("step.delta", index=0, delta={"type": "text", "text": "Hel"}),
    )
    assert (reply.text, reply.finish, reply.flags) == ("Hel", None, ("cut", "usage-absent"))


def test_an_error_ends_a_stream() -> None:
    reply = _stream(
        _event("interaction.created", interaction={"id": "v1_x", "status": "in_progress", "model": "m"}),
        _event("error", error={"code": "resource_exhausted", "message": "slow down"}),
    )
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == ("resource_exhausted", "slow down")


@pytest.mark.parametrize(
    ("status", "finish"),
    [
        ("completed", "stop"),
        ("incomplete", "length"),
        ("requires_continuation", "pause"),
        ("failed", "error"),
        ("budget_exceeded", "other"),
    ],
)
def test_s06_how_it_ends(status: str, finish: Finish) -> None:
    reply = _read(_interaction(TEXT, status=status))
    assert (reply.finish, reply.finish_raw, reply.flags) == (finish, status, ())


def test_what_the_provider_still_works_on_is_pending() -> None:
    reply = _read(_interaction(status="in_progress", usage=None))
    assert (reply.finish, reply.flags) == (None, ("pending", "usage-absent"))


@pytest.mark.parametrize("more", [{}, {"system_instruction": "Be brief."}])
def test_a_request_is_told_by_its_address(more: dict[str, str]) -> None:
    uri = "https://generativelanguage.googleapis.com/v1beta/interactions"
    facts = decode_request({"model": "gemini-x", "input": "hi", "stream": True, **more}, uri=uri)
    assert (facts.wire, facts.model, facts.stream) == ("gemini-interactions", "gemini-x", True)
    assert facts.system_texts == tuple(more.values())
