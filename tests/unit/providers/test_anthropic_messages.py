"""Anthropic messages: what bug reports and the format's own rules taught."""

from __future__ import annotations

import json

from turnledger.providers.decode import decode_reply
from turnledger.providers.exchange import Reply


def _sse(*events: dict[str, object]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _start(**usage: object) -> dict[str, object]:
    message = {"id": "msg_1", "type": "message", "model": "claude-x", "content": [], "usage": usage}
    return {"type": "message_start", "message": message}


def _begin(index: int, **block: object) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, **delta: object) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _end(index: int) -> dict[str, object]:
    return {"type": "content_block_stop", "index": index}


def _finish(reason: str, **usage: object) -> dict[str, object]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


STOP: dict[str, object] = {"type": "message_stop"}


def _calls(reply: Reply) -> list[tuple[str | None, str, str]]:
    return [(request.id, request.name, request.supplied) for request in reply.tool_requests]


def _message(content: str, stop: str = "end_turn") -> bytes:
    """A body with ``content`` exactly as written."""
    return f'{{"type":"message","model":"claude-x","stop_reason":"{stop}","content":{content}}}'.encode()


def test_s04_interleaved_tool_blocks_are_joined_by_index() -> None:
    body = _sse(
        _begin(1, type="tool_use", id="A", name="get"),
        _begin(2, type="tool_use", id="B", name="put"),
        _delta(1, type="input_json_delta", partial_json='{"k":'),
        _delta(2, type="input_json_delta", partial_json='{"k":2}'),
        _delta(1, type="input_json_delta", partial_json="1}"),
        STOP,
    )
    assert _calls(decode_reply(body)) == [("A", "get", '{"k":1}'), ("B", "put", '{"k":2}')]


def test_s04_an_index_that_is_used_again_means_a_new_block() -> None:
    body = _sse(
        _begin(0, type="tool_use", id="A", name="get"),
        _delta(0, type="input_json_delta", partial_json="{}"),
        _begin(0, type="tool_use", id="B", name="put"),
        _delta(0, type="input_json_delta", partial_json="[]"),
        STOP,
    )
    assert _calls(decode_reply(body)) == [("A", "get", "{}"), ("B", "put", "[]")]


def test_s04_deltas_of_a_block_whose_start_was_lost_are_kept() -> None:
    body = _sse(
        _delta(0, type="text_delta", text="a"), _delta(1, type="input_json_delta", partial_json="{}"), STOP
    )
    reply = decode_reply(body)
    assert reply.text == "a"
    assert _calls(reply) == [(None, "", "{}")]


def test_s06_max_tokens_cuts_the_arguments() -> None:
    body = _sse(
        _begin(0, type="tool_use", id="A", name="write", input={}),
        _delta(0, type="input_json_delta", partial_json='{"path": "a'),
        _end(0),
        _finish("max_tokens", output_tokens=9),
        STOP,
    )
    reply = decode_reply(body)
    assert (reply.finish, reply.finish_raw, reply.truncated) == ("length", "max_tokens", True)
    assert _calls(reply) == [("A", "write", '{"path": "a')]


def test_d05_d10_supplied_arguments_are_cut_out_of_the_body_unchanged() -> None:
    supplied = '{ "b" : 1.50, "a":123456789012345678901234567890, "b":"\\u00e9" }'
    call = f'{{"type":"tool_use","id":"","name":"f","input":{supplied}}}'
    reply = decode_reply(_message(f'[{{"type":"text","text":"x"}},{call}]', "tool_use"))
    assert _calls(reply) == [(None, "f", supplied)]
    assert "supplied-reencoded" not in reply.flags


def test_d07_bytes_that_are_no_utf8_are_replaced_and_flagged() -> None:
    reply = decode_reply(_message('[{"type":"text","text":"a?b"}]').replace(b"?", b"\xff"))
    assert reply.text == "a\ufffdb"
    assert reply.flags == ("invalid-utf8", "usage-absent")


def test_d03_arguments_that_only_the_lenient_parser_reads_are_flagged() -> None:
    reply = decode_reply(_message('[{"type":"tool_use","id":"A","name":"f","input":{"x":NaN}}]'))
    assert "supplied-reencoded" in reply.flags
    assert reply.tool_requests[0].supplied.startswith('{"x":')


def test_input_that_came_with_the_start_of_its_block() -> None:
    whole = _sse(_begin(0, type="tool_use", id="A", name="f", input={"k": 1}), _end(0), STOP)
    empty = _sse(
        _begin(0, type="tool_use", id="A", name="f", input={}), _delta(0, partial_json=""), _end(0), STOP
    )
    assert _calls(decode_reply(whole)) == [("A", "f", '{"k": 1}')]
    assert _calls(decode_reply(empty)) == [("A", "f", "{}")]


def test_s03_a_call_cut_before_its_input_has_no_input() -> None:
    reply = decode_reply(_sse(_start(), _begin(0, type="tool_use", id="A", name="f", input={})))
    assert _calls(reply) == [("A", "f", "")]
    assert "cut" in reply.flags


def test_o05_equal_ids_give_one_request_each() -> None:
    block = '{"type":"tool_use","id":"c1","name":"x","input":{}}'
    assert len(decode_reply(_message(f"[{block},{block}]")).tool_requests) == 2


def test_t01_last_cumulative_counts_of_a_stream_stand() -> None:
    body = _sse(
        _start(input_tokens=2307, cache_read_input_tokens=5, cache_creation_input_tokens=1, output_tokens=2),
        _begin(0, type="text", text=""),
        _delta(0, type="text_delta", text="ok"),
        _end(0),
        _finish("end_turn", input_tokens=7621, cache_read_input_tokens=None, output_tokens=384),
        STOP,
    )
    reply = decode_reply(body)
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 7621, "cache_read": 5, "cache_write": 1, "out": 384}
    assert (reply.text, reply.flags) == ("ok", ())


def test_s03_usage_of_an_abandoned_stream_is_partial() -> None:
    body = _sse(_start(input_tokens=20, output_tokens=1), _begin(0, type="text", text="so far"))
    reply = decode_reply(body)
    assert reply.usage is not None
    assert (reply.usage.in_, reply.usage.out) == (20, None)
    assert reply.usage.flags == ("partial",)
    assert (reply.text, reply.flags) == ("so far", ("cut",))


def test_an_error_event_ends_the_stream() -> None:
    error: dict[str, object] = {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"},
    }
    reply = decode_reply(_sse(_start(input_tokens=20, output_tokens=1), error))
    assert reply.error is not None
    assert (reply.error.type, reply.error.message) == ("overloaded_error", "Overloaded")
    assert reply.flags == ()
    assert reply.usage is not None
    assert reply.usage.out is None


def test_thinking_is_reasoning_and_unknown_events_are_passed_over() -> None:
    body = _sse(
        _start(),
        {"type": "ping"},
        {"type": "something_new", "index": [1]},
        _begin(0, type="thinking", thinking="", signature=""),
        _delta(0, type="thinking_delta", thinking="hm"),
        _delta(0, type="signature_delta", signature="x"),
        _begin(1, type="redacted_thinking", data="x"),
        _begin(2, type="text", text=""),
        _delta(2, type="text_delta", text="a"),
        STOP,
    )
    reply = decode_reply(body)
    assert (reply.reasoning_text, reply.text) == ("hm", "a")


def test_tools_that_ran_at_the_provider_do_not_wait_for_the_agent() -> None:
    content = json.dumps(
        [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            {"type": "mcp_tool_use", "id": "m1", "name": "ask", "server_name": "w", "input": {}},
            {"type": "tool_use", "id": "t1", "name": "mine", "input": {}},
        ]
    )
    reply = decode_reply(_message(content, "tool_use"))
    assert [(call.ordinal, call.name) for call in reply.hosted_tools] == [(0, "web_search"), (1, "ask")]
    assert [(call.ordinal, call.name) for call in reply.tool_requests] == [(0, "mine")]


def test_refusal_and_pause_have_a_closed_form() -> None:
    assert decode_reply(_message("[]", "refusal")).finish == "refusal"
    assert decode_reply(_message("[]", "pause_turn")).finish == "pause"


def test_a_stream_may_begin_with_blocks_that_are_whole() -> None:
    """So it does where what ran at the provider goes on without the model."""
    start = (
        b'data: {"type":"message_start","message":{"model":"claude-x","stop_reason":"tool_use","usage":{},'
        b'"content":[{"type":"text","text":"Hi"},'
        b'{"type":"tool_use","id":"t1","name":"f","input":{"a": 1.0}}]}}'
    )
    reply = decode_reply(start + b"\n\n" + _sse(STOP))
    assert (reply.text, reply.finish, _calls(reply)) == ("Hi", "tool_calls", [("t1", "f", '{"a": 1.0}')])


def test_a_start_that_comes_twice_counts_once() -> None:
    events = (_begin(0, type="text", text=""), _delta(0, type="text_delta", text="Hi"), _end(0))
    reply = decode_reply(
        _sse(_start(input_tokens=9), *events, _start(input_tokens=99), _finish("end_turn"), STOP)
    )
    assert reply.text == "Hi"
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 9}


def test_the_model_that_took_over_is_the_one_that_served() -> None:
    block = {"type": "fallback", "from": {"model": "claude-x"}, "to": {"model": "claude-y"}}
    reply = decode_reply(_sse(_start(), _begin(0, **block), _end(0), _finish("end_turn"), STOP))
    assert reply.served_model == "claude-y"
    body = {"type": "message", "model": "claude-y", "content": [block], "stop_reason": "end_turn"}
    assert decode_reply(json.dumps(body).encode()).served_model == "claude-y"


def test_why_it_refuses_is_its_refusal() -> None:
    details = {"type": "refusal", "category": "c", "explanation": "Not this."}
    delta = {"stop_reason": "refusal", "stop_details": details}
    end: dict[str, object] = {"type": "message_delta", "delta": delta}
    reply = decode_reply(_sse(_start(), end, STOP))
    assert (reply.finish, reply.refusal, reply.text) == ("refusal", "Not this.", None)
    body = {"type": "message", "content": [], "stop_reason": "refusal", "stop_details": details}
    assert decode_reply(json.dumps(body).encode()).refusal == "Not this."


def test_a_pause_for_a_shorter_history_is_a_pause() -> None:
    body = {"type": "message", "content": [{"type": "compaction"}], "stop_reason": "compaction"}
    assert decode_reply(json.dumps(body).encode()).finish == "pause"
