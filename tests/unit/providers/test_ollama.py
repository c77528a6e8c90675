"""Ollama's own API: JSON, JSON lines, and the requests that stream though they do not say so."""

from __future__ import annotations

import json

import pytest

from turnledger.providers.decode import decode_reply, decode_request

USAGE = {"prompt_eval_count": 44, "eval_count": 7, "eval_duration": 99}


def _line(done: bool = False, **more: object) -> dict[str, object]:  # noqa: FBT001, FBT002  a field's value
    return {"model": "llama-x", "created_at": "2026-01-01T00:00:00Z", "done": done, **more}


def _lines(*lines: object) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _said(text: str, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": text, **more}


LINES = [
    _line(message=_said("", thinking="hm")),
    _line(message=_said("Hel")),
    _line(message=_said("lo")),
    _line(done=True, message=_said(""), done_reason="stop", **USAGE),
]


def test_lines_are_one_reply() -> None:
    reply = decode_reply(_lines(*LINES))
    assert (reply.wire, reply.served_model, reply.text) == ("ollama", "llama-x", "Hello")
    assert (reply.reasoning_text, reply.finish, reply.flags) == ("hm", "stop", ())
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 44, "out": 7}
    assert reply.usage.flags == ("reasoning-unsplit",)


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_s02_lines_that_break_off_are_cut(kept: int) -> None:
    reply = decode_reply(_lines(*LINES[:kept]))
    assert (reply.text, reply.finish, reply.flags) == (
        ["", "Hel", "Hello"][kept - 1],
        None,
        ("cut", "usage-absent"),
    )


def test_half_a_line_is_told_and_the_others_are_read() -> None:
    reply = decode_reply(_lines(*LINES[:3]) + b'{"model":"llama-x","mess')
    assert (reply.text, reply.flags) == ("Hello", ("bad-event", "cut", "usage-absent"))


def test_an_error_within_the_lines_ends_the_reply() -> None:
    reply = decode_reply(_lines(LINES[1], {"error": "out of memory"}))
    assert reply.error is not None
    assert (reply.text, reply.error.message, reply.flags) == ("Hel", "out of memory", ("usage-absent",))


def test_calls_keep_their_text_and_end_the_reply_whatever_it_says() -> None:
    body = (
        b'{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f",'
        b'"arguments":{"a": 1.0}}},{"id":"c2","function":{"name":"g","arguments":{}}}]},"done":true,'
        b'"done_reason":"stop"}'
    )
    reply = decode_reply(body)
    assert [(call.id, call.name, call.supplied) for call in reply.tool_requests] == [
        (None, "f", '{"a": 1.0}'),
        ("c2", "g", "{}"),
    ]
    assert (reply.finish, reply.finish_raw) == ("tool_calls", "stop")


def test_a_completion_is_read_and_its_token_list_is_no_text() -> None:
    body = _line(done=True, response="Hi", done_reason="length", context=[1, 2], **USAGE)
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.wire, reply.text, reply.finish) == ("ollama", "Hi", "length")
    assert reply.usage is not None
    assert reply.usage.raw == {"prompt_eval_count": 44, "eval_count": 7}


def test_vectors_are_no_reply_but_count() -> None:
    reply = decode_reply(b'{"model":"e","embeddings":[[0.1]],"prompt_eval_count":8}')
    assert (reply.wire, reply.flags) == ("embeddings", ("no-reply",))
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 8}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/chat", {"messages": [{"role": "user", "content": "x"}]}),
        ("/api/generate", {"prompt": "x"}),
        ("/api/generate", {"prompt": "x", "system": "Be brief.", "options": {}}),
    ],
)
def test_a_request_streams_unless_it_says_otherwise(path: str, body: dict[str, object]) -> None:
    uri = f"http://127.0.0.1:11434{path}"
    facts = decode_request({"model": "m", **body}, uri=uri)
    assert (facts.wire, facts.model, facts.stream, facts.messages) == ("ollama", "m", True, 1)
    assert decode_request({"model": "m", "stream": False, **body}, uri=uri).stream is False
    assert (facts.prompt is not None) == ("system" in body)
