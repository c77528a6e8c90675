"""OpenAI Responses: every kind of item, streams event by event, and how they end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.exchange import Finish, Reply

USAGE = {
    "input_tokens": 4000,
    "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 5},
    "output_tokens": 1500,
    "output_tokens_details": {"reasoning_tokens": 900},
    "total_tokens": 5500,
}


def _response(*items: object, status: str = "completed", **more: object) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "model": "gpt-x",
        "output": list(items),
        "usage": USAGE,
        **more,
    }


def _read(body: object) -> Reply:
    return decode_reply(json.dumps(body).encode())


def _stream(*events: object) -> Reply:
    return decode_reply(b"".join(b"event: x\ndata: %b\n\n" % json.dumps(event).encode() for event in events))


def _message(text: str, kind: str = "output_text") -> dict[str, object]:
    key = "refusal" if kind == "refusal" else "text"
    return {"type": "message", "role": "assistant", "content": [{"type": kind, key: text}]}


def test_t02_counts_are_disjoint() -> None:
    usage = _read(_response(_message("hi"))).usage
    assert usage is not None
    assert usage.buckets() == {
        "in_": 2995,
        "cache_read": 1000,
        "cache_write": 5,
        "out": 600,
        "reasoning": 900,
    }
    assert (usage.total, usage.flags) == (5500, ())


def test_what_waits_for_the_agent_and_what_ran_at_the_provider() -> None:
    body = (
        '{"object":"response","status":"completed","model":"m","output":['
        '{"type":"function_call","id":"fc_1","call_id":"c1","name":"f",'
        '"arguments":"{\\"a\\": 1,  \\"b\\":2}"},'
        '{"type":"custom_tool_call","call_id":"c2","name":"sql","input":"SELECT 1"},'
        '{"type":"computer_call","call_id":"c3","action":{"type":"click", "x": 1.0}},'
        '{"type":"local_shell_call","call_id":"c4","action":{"command":["ls"]}},'
        '{"type":"mcp_call","id":"m1","name":"ask","arguments":"{}"},'
        '{"type":"web_search_call","id":"w1","action":{"query": "q"}},'
        '{"type":"image_generation_call","id":"i1","result":"…"},'
        '{"type":"code_interpreter_call","id":"k1","code":"print(1)"},'
        '{"type":"later_than_this_call","id":"l1"}]}'
    ).encode()
    reply = decode_reply(body)
    assert [(call.id, call.name, call.supplied) for call in reply.tool_requests] == [
        ("c1", "f", '{"a": 1,  "b":2}'),
        ("c2", "sql", "SELECT 1"),
        ("c3", "computer", '{"type":"click", "x": 1.0}'),
        ("c4", "local_shell", '{"command":["ls"]}'),
    ]
    assert [(call.name, call.supplied) for call in reply.hosted_tools] == [
        ("ask", "{}"),
        ("web_search", '{"query": "q"}'),
        ("image_generation", ""),
        ("code_interpreter", "print(1)"),
        ("later_than_this", ""),
    ]
    assert (reply.finish, reply.flags) == ("tool_calls", ("usage-absent",))


@pytest.mark.parametrize(
    ("body", "finish", "raw"),
    [
        (_response(_message("hi")), "stop", "completed"),
        (_response(_message("no", "refusal")), "refusal", "completed"),
        (_response({"type": "mcp_approval_request", "name": "f", "arguments": "{}"}), "pause", "completed"),
        (
            _response(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "length",
            "max_output_tokens",
        ),
        (
            _response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "content_filter",
            "content_filter",
        ),
        (_response(status="failed", error={"code": "server_error", "message": "m"}), "error", "failed"),
        (_response(status="cancelled"), "other", "cancelled"),
    ],
)
def test_s06_how_a_response_ended(body: object, finish: Finish, raw: str) -> None:
    reply = _read(body)
    assert (reply.finish, reply.finish_raw) == (finish, raw)
    assert (reply.error is not None) == (finish == "error")
    assert reply.truncated == (finish == "length")
    streamed = _stream({"type": "response.completed", "response": body})
    assert (streamed.finish, streamed.text, streamed.refusal) == (finish, reply.text, reply.refusal)


def test_reasoning_itself_stands_before_its_summary() -> None:
    summary = [{"type": "summary_text", "text": "first"}, {"type": "summary_text", "text": "second"}]
    item = {"type": "reasoning", "summary": summary}
    assert _read(_response(item)).reasoning_text == "first\n\nsecond"
    item["content"] = [{"type": "reasoning_text", "text": "all"}]
    assert _read(_response(item)).reasoning_text == "all"


def test_a_stored_reply_that_is_asked_for_again_says_so() -> None:
    body = json.dumps(_response(_message("hi"))).encode()
    assert (
        "fetched"
        in decode_reply(body, uri="https://api.openai.com/v1/responses/resp_0a-1?stream=false").flags
    )
    assert "fetched" not in decode_reply(body, uri="https://api.openai.com/v1/responses").flags


EVENTS = [
    {"type": "response.created", "response": {**_response(status="in_progress"), "usage": None}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "hm"},
    {"type": "response.output_item.added", "output_index": 1, "item": {**_message(""), "content": []}},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Hel"},
    {
        "type": "response.output_item.added",
        "output_index": 2,
        "item": {"type": "function_call", "call_id": "c1", "name": "f", "arguments": ""},
    },
    {
        "type": "response.output_item.added",
        "output_index": 3,
        "item": {"type": "custom_tool_call", "call_id": "c2", "name": "g", "input": ""},
    },
    {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": '{"a"'},
    {"type": "response.custom_tool_call_input.delta", "output_index": 3, "delta": "SELECT"},
    {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": ": 1}"},
    {"type": "response.custom_tool_call_input.delta", "output_index": 3, "delta": " 1"},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "lo"},
]


def test_s04_interleaved_calls_are_kept_apart_while_they_stream() -> None:
    reply = _stream(*EVENTS)
    assert [(call.id, call.supplied) for call in reply.tool_requests] == [
        ("c1", '{"a": 1}'),
        ("c2", "SELECT 1"),
    ]
    assert (reply.text, reply.reasoning_text, reply.served_model) == ("Hello", "hm", "gpt-x")
    assert (reply.finish, reply.flags) == (None, ("cut", "usage-absent"))


def test_an_end_that_does_not_repeat_the_items_leaves_those_that_streamed() -> None:
    reply = _stream(*EVENTS, {"type": "response.completed", "response": _response()})
    assert (reply.text, len(reply.tool_requests), reply.finish) == ("Hello", 2, "tool_calls")
    assert (reply.flags, reply.usage is not None) == ((), True)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "m", "param": None},
        {
            "type": "response.failed",
            "response": _response(status="failed", error={"code": "rate_limit_exceeded", "message": "m"}),
        },
    ],
)
def test_an_error_ends_a_stream(event: dict[str, object]) -> None:
    reply = _stream(*EVENTS, event)
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == ("rate_limit_exceeded", "m")
    assert (reply.text, "cut" in reply.flags) == ("Hello", False)


def test_facts_of_a_request() -> None:
    request = {
        "model": "gpt-x",
        "stream": True,
        "instructions": "Be brief.",
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
            {"role": "user", "content": "hi"},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
        ],
        "tools": [{"type": "web_search"}],
    }
    facts = decode_request(json.dumps(request).encode())
    assert (facts.wire, facts.model, facts.stream, facts.messages) == ("openai-responses", "gpt-x", True, 3)
    assert facts.system_texts == ("Be brief.", "Be kind.")
    assert facts.prompt is not None
    assert json.loads(facts.prompt) == {
        "instructions": ["Be brief.", request["input"][0]],  # type: ignore[index]
        "tools": request["tools"],
    }


@pytest.mark.parametrize(
    ("request_", "wire", "messages"),
    [
        ({"model": "gpt-x", "input": "hi"}, "openai-responses", 1),
        ({"prompt": {"id": "pmpt_1"}, "input": "hi"}, "openai-responses", 1),
        ({"model": "text-embedding-3-small", "input": "hi"}, "embeddings", None),
        ({"model": "m", "input": ["hi", "you"]}, "embeddings", None),
        ({"model": "m", "input": "hi", "dimensions": 8}, "embeddings", None),
    ],
)
def test_an_input_may_be_for_something_else(
    request_: dict[str, object], wire: str, messages: int | None
) -> None:
    facts = decode_request(request_)
    assert (facts.wire, facts.messages) == (wire, messages)


@pytest.mark.parametrize(
    ("item", "waits"),
    [
        ({"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {}}, True),
        ({"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}}, False),
        ({"type": "shell_call", "call_id": "c", "environment": {"type": "local"}, "action": {}}, True),
        (
            {
                "type": "shell_call",
                "call_id": "c",
                "environment": {"type": "container_reference"},
                "action": {},
            },
            False,
        ),
        ({"type": "shell_call", "call_id": "c", "environment": None, "action": {}}, True),
    ],
)
def test_who_runs_a_call_is_what_its_item_says(item: dict[str, object], *, waits: bool) -> None:
    for reply in (
        _read(_response(item)),
        _stream({"type": "response.completed", "response": _response(item)}),
    ):
        assert (len(reply.tool_requests), len(reply.hosted_tools)) == (waits, not waits)
        assert reply.finish == ("tool_calls" if waits else "stop")


def test_a_program_runs_at_the_provider_and_asks_the_agent_for_its_calls() -> None:
    program = {"type": "program", "id": "cm", "call_id": "c1", "code": "f()"}
    call = {
        "type": "function_call",
        "call_id": "c2",
        "name": "f",
        "arguments": "{}",
        "caller": {"type": "program"},
    }
    reply = _read(_response(program, call))
    assert [(one.id, one.name, one.supplied) for one in reply.hosted_tools] == [("c1", "program", "f()")]
    assert [(one.id, one.name) for one in reply.tool_requests] == [("c2", "f")]


def test_a_computer_call_may_hold_several_actions() -> None:
    reply = _read(_response({"type": "computer_call", "call_id": "c", "actions": [{"type": "wait"}]}))
    assert [call.supplied for call in reply.tool_requests] == ['[{"type": "wait"}]']


def test_an_end_that_says_little_takes_nothing_from_what_was_said() -> None:
    """Servers that speak the format end a stream with the usage alone."""
    reply = _stream(
        {"type": "response.created", "response": {"id": "resp_1", "model": "m-x", "service_tier": "flex"}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
        {"type": "response.completed", "response": {"incomplete_details": None, "usage": USAGE}},
    )
    assert (reply.served_model, reply.response_id, reply.service_tier) == ("m-x", "resp_1", "flex")
    assert (reply.text, reply.finish, reply.flags) == ("Hi", "stop", ())


@pytest.mark.parametrize(
    ("event", "finish"),
    [("response.done", "stop"), ("response.failed", "error"), ("response.incomplete", "other")],
)
def test_an_end_without_a_status_is_what_its_event_is_called(event: str, finish: str) -> None:
    begun = {"type": "response.created", "response": {"id": "r", "model": "m", "status": "in_progress"}}
    reply = _stream(begun, {"type": event, "response": {"id": "r"}})
    assert (reply.finish, reply.flags) == (finish, ("usage-absent",))


def test_a_whole_reply_without_a_status_is_complete() -> None:
    body = _response(_message("hi"))
    del body["status"], body["object"]
    assert (_read(body).finish, _read(body).flags) == ("stop", ())
    assert _read({**body, "status": None}).finish is None


def test_what_tools_used_beside_the_tokens_is_read() -> None:
    beside = {"web_search": {"num_requests": 2}, "image_gen": {"total_tokens": 1100, "input_tokens": 100}}
    reply = _read(_response(_message("hi"), tool_usage=beside))
    assert reply.tool_usage == {"searches": 2, "image_tokens": 1100}
    none = {"web_search": {"num_requests": 0}, "image_gen": {"total_tokens": 0}}
    assert _read(_response(_message("hi"), tool_usage=none)).tool_usage == {}
