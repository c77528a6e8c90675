"""Gemini: parts of every kind, streams as events and as lists, blocked prompts, and what a request says."""

from __future__ import annotations

import json

import pytest

from turnledger.providers.decode import decode_reply, decode_request


def _chunk(*parts: object, **more: object) -> dict[str, object]:
    return {"candidates": [{"content": {"parts": list(parts)}, **more}], "modelVersion": "gemini-x"}


USAGE = {
    "promptTokenCount": 20,
    "candidatesTokenCount": 30,
    "thoughtsTokenCount": 400,
    "totalTokenCount": 450,
}


def test_t02_thoughts_stand_beside_the_answer() -> None:
    body = _chunk({"text": "hm", "thought": True}, {"text": "hi"}, finishReason="STOP")
    reply = decode_reply(json.dumps({**body, "usageMetadata": USAGE}).encode())
    assert (reply.text, reply.reasoning_text, reply.finish) == ("hi", "hm", "stop")
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 20, "out": 30, "reasoning": 400}
    assert (reply.usage.total, reply.usage.flags, reply.flags) == (450, (), ())


def test_s04_calls_without_ids_are_told_by_their_place_and_keep_their_text() -> None:
    body = (
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a": 1.0,  "b":[ ]}}},'
        b'{"functionCall":{"name":"f","args":{}}},{"functionCall":{"id":"x","name":"g"}}]},'
        b'"finishReason":"STOP"}],"modelVersion":"gemini-x"}'
    )
    reply = decode_reply(body)
    assert [(call.ordinal, call.id, call.name, call.supplied) for call in reply.tool_requests] == [
        (0, None, "f", '{"a": 1.0,  "b":[ ]}'),
        (1, None, "f", "{}"),
        (2, "x", "g", ""),
    ]
    assert (reply.finish, reply.finish_raw) == ("tool_calls", "STOP")


def test_a_list_is_read_as_the_stream_that_it_is() -> None:
    chunks = [
        _chunk({"text": "Hel"}),
        {**_chunk({"text": "lo"}, finishReason="STOP"), "usageMetadata": USAGE},
    ]
    whole = json.dumps(chunks, indent=1).encode()
    reply = decode_reply(whole)
    assert (reply.wire, reply.text, reply.finish, reply.flags) == ("gemini", "Hello", "stop", ())
    torn = decode_reply(whole[: whole.index(b'"lo"')])
    assert (torn.wire, torn.text, torn.finish) == ("gemini", "Hel", None)
    assert torn.flags == ("cut", "usage-absent")


def test_exact_arguments_are_cut_out_of_lists_too() -> None:
    reply = decode_reply(b'[{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"a" : 1}}}]}}]}]')
    assert [call.supplied for call in reply.tool_requests] == ['{"a" : 1}']


def test_a_stream_ends_with_its_finish_reason() -> None:
    events = b"".join(b"data: %b\r\n\r\n" % json.dumps(_chunk({"text": text})).encode() for text in "ab")
    assert decode_reply(events).flags == ("cut", "usage-absent")
    last = json.dumps(_chunk({"text": ""}, finishReason="MAX_TOKENS")).encode()
    reply = decode_reply(events + b"data: " + last)
    assert (reply.text, reply.truncated, reply.flags) == ("ab", True, ("usage-absent",))


def test_a_call_in_parts_is_one_call() -> None:
    events = [
        _chunk({"functionCall": {"name": "f", "willContinue": True}}),
        _chunk(
            {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}], "willContinue": True}}
        ),
        _chunk({"functionCall": {}}, finishReason="STOP"),
    ]
    reply = decode_reply(b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events))
    assert [(call.name, call.supplied) for call in reply.tool_requests] == [("f", '{"a":"x"}')]
    assert "supplied-reencoded" in reply.flags


def test_parts_of_arguments_are_one_value() -> None:
    parts: list[dict[str, object]] = [
        {"jsonPath": "$.to.name", "stringValue": "An", "willContinue": True},
        {"jsonPath": "$.to.name", "stringValue": "na"},
        {"jsonPath": "$.days[0]", "numberValue": 1},
        {"jsonPath": "$.days[1]", "numberValue": 2.5},
        {"jsonPath": "$.list[0].ok", "boolValue": True},
        {"jsonPath": "$['a b']", "nullValue": "NULL_VALUE"},
    ]
    more = {"name": "f", "willContinue": True}
    events = [_chunk({"functionCall": {**more, "partialArgs": [part]}}) for part in parts[:1]]
    events += [_chunk({"functionCall": {"partialArgs": [part], "willContinue": True}}) for part in parts[1:]]
    events.append(_chunk({"functionCall": {}}, finishReason="STOP"))
    reply = decode_reply(b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events))
    (call,) = reply.tool_requests
    assert json.loads(call.supplied) == {
        "to": {"name": "Anna"},
        "days": [1, 2.5],
        "list": [{"ok": True}],
        "a b": None,
    }


@pytest.mark.parametrize("path", ["$", "a", "$.a[1]", "$.a.b", "$.a[", None, 7])
def test_a_part_that_fits_nowhere_stands_as_it_came(path: object) -> None:
    parts: list[object] = [{"jsonPath": "$.a[0]", "numberValue": 1}, {"jsonPath": path, "stringValue": "x"}]
    parts = parts if path != "$.a[1]" else [parts[1]]
    reply = decode_reply(json.dumps(_chunk({"functionCall": {"name": "f", "partialArgs": parts}})).encode())
    assert json.dumps(parts[-1]) in reply.tool_requests[0].supplied


def test_a_blocked_prompt_has_no_answer() -> None:
    reply = decode_reply(b'{"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"gemini-x"}')
    assert (reply.finish, reply.finish_raw, reply.text) == ("content_filter", "SAFETY", None)
    assert reply.flags == ("no-choices", "usage-absent")


@pytest.mark.parametrize(
    ("raw", "finish"),
    [("SPII", "content_filter"), ("MALFORMED_FUNCTION_CALL", "error"), ("SOMETHING_NEW", "other")],
)
def test_s06_finish_reasons(raw: str, finish: str) -> None:
    reply = decode_reply(json.dumps(_chunk(finishReason=raw)).encode())
    assert (reply.finish, reply.finish_raw) == (finish, raw)


def test_two_candidates_are_two_answers() -> None:
    body = {
        "candidates": [
            {"index": 1, "content": {"parts": [{"text": "b"}]}},
            {"index": 0, "content": {"parts": [{"text": "a"}]}},
        ]
    }
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.text, reply.flags) == ("a", ("several-choices", "model-absent", "usage-absent"))


def test_an_error_in_a_list() -> None:
    error = {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}
    reply = decode_reply(json.dumps([_chunk({"text": "a"}), {"error": error}]).encode(), status=200)
    assert reply.error is not None
    assert (reply.error.type, reply.error.code, reply.text) == ("RESOURCE_EXHAUSTED", "429", "a")


ADDRESS = "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:"


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
def test_facts_of_a_request(key: str) -> None:
    request = {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        key: {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]},
        "tools": {"functionDeclarations": [{"name": "f"}]},
    }
    facts = decode_request(json.dumps(request).encode(), uri=f"{ADDRESS}streamGenerateContent?alt=sse")
    assert (facts.wire, facts.model, facts.stream, facts.messages) == ("gemini", "gemini-x", True, 1)
    assert (facts.system_texts, facts.tools) == (("Be brief.", "Be kind."), (request["tools"],))
    assert not decode_request(request, uri=f"{ADDRESS}generateContent").stream


def test_contents_may_be_a_text() -> None:
    assert decode_request({"contents": "hi"}).messages == 1
