"""OpenAI chat completions: what bug reports and the servers' own habits taught."""

from __future__ import annotations

import json

from turnledger.providers.decode import decode_reply
from turnledger.providers.exchange import Reply


def _reply(message: object, finish: str | None = "stop", **more: object) -> Reply:
    body = {"id": "r1", "model": "m-1", "choices": [{"message": message, "finish_reason": finish}], **more}
    return decode_reply(json.dumps(body).encode())


def _sse(*chunks: object, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


def _delta(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"id": "r1", "model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _call(index: int | None, call_id: str | None, name: str | None, arguments: str) -> dict[str, object]:
    call: dict[str, object] = {"function": {"arguments": arguments}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call["id"] = call_id
    if name is not None:
        call["function"] = {"name": name, "arguments": arguments}
    return call


def _calls(reply: Reply) -> list[tuple[str | None, str, str]]:
    return [(request.id, request.name, request.supplied) for request in reply.tool_requests]


def test_s01_stream_without_usage_is_absent_and_not_zero() -> None:
    reply = decode_reply(_sse(_delta(content="Hel"), _delta(content="lo"), _delta("stop")))
    assert reply.text == "Hello"
    assert reply.usage is None
    assert reply.flags == ("usage-absent",)


def test_s02_empty_ids_are_no_ids() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    last = {"id": "", "choices": [], "usage": usage}
    reply = decode_reply(_sse(last))
    assert reply.response_id is None
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 9, "out": 2}
    assert decode_reply(_sse(_delta("stop", content="x"), last)).response_id == "r1"


def test_s03_abandoned_stream_is_cut_and_keeps_what_came() -> None:
    reply = decode_reply(_sse(_delta(content="par"), _delta(content="tial"), done=False))
    assert reply.text == "partial"
    assert reply.finish is None
    assert reply.flags == ("cut", "usage-absent")


def test_s03_counts_of_a_stream_that_broke_off_are_partial() -> None:
    running = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    reply = decode_reply(_sse({**_delta(content="a"), "usage": running}, done=False))
    assert reply.usage is not None
    assert (reply.usage.in_, reply.usage.out) == (9, None)
    assert reply.usage.flags == ("partial",)


def test_s04_interleaved_tool_deltas_are_joined_by_index() -> None:
    reply = decode_reply(
        _sse(
            _delta(tool_calls=[_call(0, "A", "get", ""), _call(1, "B", "put", "")]),
            _delta(tool_calls=[_call(0, None, None, '{"k":')]),
            _delta(tool_calls=[_call(1, None, None, '{"k":2}')]),
            _delta(tool_calls=[_call(0, None, None, "1}")]),
            _delta("tool_calls"),
        )
    )
    assert _calls(reply) == [("A", "get", '{"k":1}'), ("B", "put", '{"k":2}')]
    assert [request.ordinal for request in reply.tool_requests] == [0, 1]
    assert reply.finish == "tool_calls"


def test_s04_all_calls_of_a_plain_reply_are_kept() -> None:
    calls = [_call(None, "A", "get", '{"k":1}'), _call(None, "B", "put", '{"k":2}')]
    assert _calls(_reply({"tool_calls": calls})) == [("A", "get", '{"k":1}'), ("B", "put", '{"k":2}')]


def test_s04_servers_that_number_every_call_zero() -> None:
    with_ids = _sse(
        _delta(tool_calls=[_call(0, "A", "get", '{"k":1}')]),
        _delta(tool_calls=[_call(0, "B", "get", '{"k":2}')]),
    )
    without_ids = _sse(
        _delta(tool_calls=[_call(0, "", "get", '{"k":1}')]),
        _delta(tool_calls=[_call(0, "", "get", '{"k":2}')]),
    )
    assert _calls(decode_reply(with_ids)) == [("A", "get", '{"k":1}'), ("B", "get", '{"k":2}')]
    assert _calls(decode_reply(without_ids)) == [(None, "get", '{"k":1}'), (None, "get", '{"k":2}')]


def test_s04_servers_that_repeat_id_and_name_with_every_delta() -> None:
    body = _sse(
        _delta(tool_calls=[_call(0, "A", "get", '{"k"')]),
        _delta(tool_calls=[_call(0, "A", "get", ":1}")]),
    )
    assert _calls(decode_reply(body)) == [("A", "get", '{"k":1}')]


def test_s04_deltas_without_an_index_go_by_id_or_follow_the_last() -> None:
    body = _sse(
        _delta(tool_calls=[_call(None, "A", "get", '{"k"')]),
        _delta(tool_calls=[_call(None, None, None, ":1}")]),
        _delta(tool_calls=[_call(None, "B", "put", "{}")]),
    )
    assert _calls(decode_reply(body)) == [("A", "get", '{"k":1}'), ("B", "put", "{}")]


def test_s06_length_is_told_and_half_arguments_stay_as_supplied() -> None:
    body = _sse(_delta(tool_calls=[_call(0, None, None, '{"path": "a')]), _delta("length"))
    reply = decode_reply(body)
    assert (reply.finish, reply.finish_raw, reply.truncated) == ("length", "length", True)
    assert _calls(reply) == [(None, "", '{"path": "a')]


def test_s06_an_unknown_reason_is_kept_beside_its_closed_form() -> None:
    reply = _reply({"content": "x"}, "because")
    assert (reply.finish, reply.finish_raw, reply.truncated) == ("other", "because", False)
    assert _reply({"content": "x"}, None).finish is None


def test_s07_compressed_bytes_are_undecodable_and_no_guess() -> None:
    reply = decode_reply(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", media_type="application/json")
    assert (reply.wire, reply.usage, reply.text) == (None, None, None)
    assert reply.flags[0] == "undecodable"


def test_d05_big_integers_in_an_argument_object_keep_their_digits() -> None:
    body = b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":'
    supplied = '{ "n": 123456789012345678901234567890,\n "x": 1.50 }'
    reply = decode_reply(body + supplied.encode() + b'}}]},"finish_reason":"tool_calls"}]}')
    assert _calls(reply) == [(None, "f", supplied)]
    assert "supplied-reencoded" not in reply.flags


def test_d07_a_lone_surrogate_is_read() -> None:
    reply = decode_reply(b'{"choices":[{"message":{"content":"ok \\ud83d"},"finish_reason":"stop"}]}')
    assert reply.text == "ok \ud83d"
    assert reply.flags == ("usage-absent",)


def test_d07_a_lone_surrogate_in_an_argument_object_is_kept_in_canonical_form() -> None:
    calls = '[{"function":{"name":"f","arguments":{"b" :1, "a": "\\ud83d"}}}]'
    reply = decode_reply(f'{{"choices":[{{"message":{{"tool_calls":{calls}}}}}]}}'.encode())
    assert _calls(reply) == [(None, "f", '{"a":"\\ud83d","b":1}')]
    assert "supplied-reencoded" in reply.flags


def test_d08_deep_argument_text_is_only_text() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    reply = _reply({"tool_calls": [_call(None, "A", "f", deep)]})
    assert reply.tool_requests[0].supplied == deep


def test_d08_a_deep_body_is_undecodable() -> None:
    body = b'{"choices":[{"message":' + b"[" * 200_000 + b"]" * 200_000 + b"}]}"
    assert decode_reply(body).flags == ("undecodable", "usage-absent")


def test_d10_arguments_that_are_no_object_stay_exact_text() -> None:
    supplied = ['"list all users"', '{"q": "x",, "force": true}', "", "{ }"]
    reply = _reply({"tool_calls": [_call(None, "c", "search", text) for text in supplied]})
    assert [request.supplied for request in reply.tool_requests] == supplied


def test_o05_missing_and_repeated_ids_give_one_request_each() -> None:
    calls = [
        _call(0, "", "read", "a"),
        _call(0, "", "read", "b"),
        _call(0, "c1", "x", ""),
        _call(0, "c1", "y", ""),
    ]
    reply = _reply({"tool_calls": calls})
    assert _calls(reply) == [(None, "read", "a"), (None, "read", "b"), ("c1", "x", ""), ("c1", "y", "")]
    assert [request.ordinal for request in reply.tool_requests] == [0, 1, 2, 3]


def test_t05_the_served_model_is_the_one_in_the_reply() -> None:
    first = {"id": "", "model": "", "choices": [], "prompt_filter_results": []}
    body = _sse(first, {**_delta("stop", content="x"), "model": "gpt-4o-2024-11-20"})
    assert decode_reply(body, provider="azure").served_model == "gpt-4o-2024-11-20"
    assert decode_reply(body, provider="azure").provider == "azure"


def test_events_in_every_spelling() -> None:
    body = (
        b"\xef\xbb\xbf: OPENROUTER PROCESSING\r\n\r\n"
        b"id: 7\r\nevent: chunk\r\ndata: {\r\n"
        b'data: "choices": [{"delta": {"content": "a"}}]}\r\n\r\n'
        b'data:{"choices": [{"delta": {"content": "b"}}]}\r\r'
        b"retry: 10\n\n"
        b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
        b"data: [DONE]"
    )
    reply = decode_reply(body)
    assert (reply.text, reply.finish, reply.flags) == ("ab", "stop", ("usage-absent",))


def test_a_broken_event_is_passed_over_and_flagged() -> None:
    body = _sse(_delta(content="a"), done=False) + b"data: {oops}\n\n" + _sse(_delta("stop", content="b"))
    reply = decode_reply(body)
    assert reply.text == "ab"
    assert reply.flags == ("bad-event", "usage-absent")


def test_groq_and_moonshot_put_usage_elsewhere() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    groq = decode_reply(_sse({**_delta("stop"), "x_groq": {"id": "req_1", "usage": usage}}))
    moonshot = decode_reply(
        _sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]})
    )
    for reply in (groq, moonshot):
        assert reply.usage is not None
        assert reply.usage.buckets() == {"in_": 9, "out": 2}


def test_the_last_usage_of_a_stream_stands() -> None:
    counts = [{"prompt_tokens": 9, "completion_tokens": n} for n in (1, 2, 3)]
    reply = decode_reply(_sse(*({**_delta("stop"), "usage": usage} for usage in counts)))
    assert reply.usage is not None
    assert reply.usage.out == 3
    assert reply.usage.raw == counts[2]


def test_null_content_is_none_and_refusal_is_its_own() -> None:
    reply = _reply({"content": None, "refusal": "I can't help with that."})
    assert (reply.text, reply.refusal) == (None, "I can't help with that.")
    assert _reply({"content": ""}).text == ""


def test_content_parts_and_thinking_parts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}
    reply = _reply({"content": [thinking, {"type": "text", "text": "Yes"}, {"type": "text", "text": "."}]})
    assert (reply.text, reply.reasoning_text) == ("Yes.", "hmm")


def test_reasoning_under_each_of_its_names() -> None:
    details = [{"type": "reasoning.summary", "summary": "why"}, {"type": "reasoning.encrypted", "data": "x"}]
    assert _reply({"content": "a", "reasoning_content": "why", "reasoning": "why"}).reasoning_text == "why"
    assert _reply({"content": "a", "reasoning": "why", "reasoning_details": details}).reasoning_text == "why"
    assert _reply({"content": "a", "reasoning_details": details}).reasoning_text == "why"


def test_reasoning_without_a_count_is_flagged_on_the_usage() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 9, "total_tokens": 10}
    reply = _reply({"content": "a", "reasoning": "why"}, usage=usage)
    assert reply.usage is not None
    assert (reply.usage.out, reply.usage.reasoning) == (9, None)
    assert reply.usage.flags == ("reasoning-unsplit",)


def test_legacy_function_call_in_both_forms() -> None:
    plain = _reply({"content": None, "function_call": {"name": "f", "arguments": "{}"}}, "function_call")
    body = _sse(
        _delta(function_call={"name": "f", "arguments": ""}),
        _delta(function_call={"arguments": "{"}),
        _delta("function_call", function_call={"arguments": "}"}),
    )
    for reply in (plain, decode_reply(body)):
        assert _calls(reply) == [(None, "f", "{}")]
        assert reply.finish == "tool_calls"


def test_custom_tools_supply_plain_text() -> None:
    call = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    assert _calls(_reply({"tool_calls": [call]})) == [("c", "sql", "select 1")]


def test_several_choices_speak_with_the_first_and_keep_every_call() -> None:
    choices = [
        {"index": n, "message": {"content": f"t{n}", "tool_calls": [_call(None, f"c{n}", "f", "{}")]}}
        for n in range(2)
    ]
    reply = decode_reply(json.dumps({"choices": choices}).encode())
    assert reply.text == "t0"
    assert [(call.ordinal, call.id, call.choice) for call in reply.tool_requests] == [
        (0, "c0", 0),
        (1, "c1", 1),
    ]
    assert "several-choices" in reply.flags


def test_choices_of_a_stream_do_not_mix() -> None:
    body = _sse(*({"choices": [{"index": n % 2, "delta": {"content": str(n)}}]} for n in range(4)))
    assert decode_reply(body).text == "02"


def test_empty_choices_are_flagged() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 0}
    reply = decode_reply(json.dumps({"choices": [], "usage": usage}).encode())
    assert (reply.text, reply.flags) == (None, ("no-choices",))


def test_an_error_inside_a_stream_ends_it() -> None:
    error = {"error": {"code": 502, "message": "Provider disconnected"}}
    reply = decode_reply(_sse(_delta(content="a"), error, done=False), status=200)
    assert reply.error is not None
    assert (reply.error.status, reply.error.code, reply.error.message) == (
        200,
        "502",
        "Provider disconnected",
    )
    assert reply.text == "a"
    assert "cut" not in reply.flags


def test_an_error_inside_a_choice_is_the_reply_s() -> None:
    choice = {"message": {"content": ""}, "finish_reason": "error", "error": {"code": 429, "message": "slow"}}
    reply = decode_reply(json.dumps({"choices": [choice]}).encode())
    assert reply.finish == "error"
    assert reply.error is not None
    assert reply.error.code == "429"


def test_content_does_not_show_in_a_representation() -> None:
    reply = _reply({"content": "secret", "refusal": "secret", "tool_calls": [_call(0, "a", "f", "secret")]})
    assert "secret" not in repr(reply)


def test_a_call_that_the_request_asked_for_ends_with_stop_and_is_a_call() -> None:
    reply = _reply({"content": None, "tool_calls": [_call(0, "a", "f", "{}")]}, "stop")
    assert (reply.finish, reply.finish_raw) == ("tool_calls", "stop")
    cut = _reply({"content": None, "tool_calls": [_call(0, "a", "f", "{")]}, "length")
    assert cut.finish == "length"


def test_a_refusal_ends_with_stop_and_is_a_refusal() -> None:
    assert _reply({"content": None, "refusal": "No."}, "stop").finish == "refusal"
    assert _reply({"content": "Yes.", "refusal": None}, "stop").finish == "stop"


def test_the_tier_that_served_is_read() -> None:
    assert _reply({"content": "x"}, service_tier="priority").service_tier == "priority"
    chunks = [{**_delta(content="x"), "service_tier": "flex"}, {**_delta("stop"), "service_tier": None}]
    assert decode_reply(_sse(*chunks)).service_tier == "flex"
