"""The door: bodies of no known kind, errors in every shape, and what a request asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from turnledger.providers.decode import decode_reply, decode_request, prompt_snapshot
from turnledger.providers.exchange import Finish, ReplyFlag, UsageFlag
from turnledger.providers.messages import tool_results
from turnledger.providers.registry import FORMATS


@pytest.mark.parametrize(
    ("body", "flags"),
    [
        (b"", ("undecodable", "cut")),
        (b"<html>502 Bad Gateway</html>", ("undecodable",)),
        (b'{"choices": [{"mess', ("undecodable", "cut")),
        (b'{"choices": [{"message": {"content": "a', ("undecodable", "cut")),
        (b'{"choices": [], "created": 1.5e-', ("undecodable", "cut")),
        (b'{"choices" []}', ("undecodable",)),
        (b'{"hello": "world"}', ("unknown-format",)),
        (b"[1, 2]", ("unknown-format",)),
        (b"null", ("unknown-format",)),
        (b'data: {"hello": 1}\n\n', ("unknown-format",)),
        (b": comment\n\n", ("undecodable", "cut")),
    ],
)
def test_d09_what_cannot_be_read_says_why(body: bytes, flags: tuple[str, ...]) -> None:
    reply = decode_reply(body)
    assert (reply.wire, reply.usage, reply.text, reply.tool_requests) == (None, None, None, ())
    assert reply.flags == (*flags, "usage-absent")


def test_the_media_type_only_decides_where_the_shape_cannot() -> None:
    assert "cut" in decode_reply(b"dat", media_type="text/event-stream").flags
    body = b'{"choices":[{"message":{"content":"a"}}]}'
    assert decode_reply(body, media_type="text/event-stream; charset=utf-8").text == "a"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"error": {"type": "t", "code": "c", "message": "m"}}, ("t", "c", "m")),
        ({"error": {"code": 400, "message": "m"}, "user_id": "u"}, (None, "400", "m")),
        (
            {"type": "error", "error": {"type": "not_found_error", "message": "m"}},
            ("not_found_error", None, "m"),
        ),
        ({"error": "m"}, (None, None, "m")),
        (
            {"object": "error", "message": "m", "type": "BadRequestError", "code": 404},
            ("BadRequestError", "404", "m"),
        ),
        ({"detail": "m"}, (None, None, "m")),
        ({"detail": [{"msg": "m"}]}, (None, None, '[{"msg":"m"}]')),
        ({"object": "error", "message": {"detail": "m"}}, (None, None, '{"detail":"m"}')),
        ({"error": ["m"], "error_type": "validation"}, ("validation", None, '["m"]')),
        ({"__type": "ThrottlingException", "Message": "m"}, ("ThrottlingException", None, "m")),
        ({"choices": [{"error": {"code": 502, "message": "m"}}]}, (None, "502", "m")),
        ({"message": "m"}, (None, None, "m")),
        (
            [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m"}}],
            ("INVALID_ARGUMENT", "400", "m"),
        ),
    ],
)
def test_errors_in_every_shape(body: object, told: tuple[str | None, str | None, str | None]) -> None:
    reply = decode_reply(json.dumps(body).encode(), status=404)
    assert reply.error is not None
    assert (reply.error.type, reply.error.code, reply.error.message) == told
    assert reply.error.status == 404
    assert reply.flags == ("usage-absent",)


def test_a_status_alone_is_an_error() -> None:
    reply = decode_reply(b"<html>", status=502)
    assert reply.error is not None
    assert (reply.error.status, reply.error.message) == (502, None)


def test_an_error_s_message_does_not_show_in_a_representation() -> None:
    assert "secret" not in repr(decode_reply(b'{"error": {"message": "secret"}}', status=400))


def test_formats_have_names_of_their_own() -> None:
    assert len({wire.name for wire in FORMATS}) == len(FORMATS)


def test_the_page_for_users_names_every_format_flag_and_end() -> None:
    page = (Path(__file__).parents[3] / "docs" / "providers.md").read_text(encoding="utf-8")
    words = [wire.name for wire in FORMATS]
    words += [word for literal in (ReplyFlag, UsageFlag, Finish) for word in get_args(literal)]
    assert [word for word in words if f"`{word}`" not in page] == []


TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
INSTRUCTIONS: list[object] = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
]
OPENAI = {
    "model": "gpt-x",
    "stream": True,
    "messages": [
        *INSTRUCTIONS,
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}, {"id": "c1"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "", "content": "two"},
    ],
    "tools": TOOLS,
}
ANTHROPIC = {
    "model": "claude-x",
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "one"}]},
                {"type": "tool_result", "tool_use_id": "t2", "content": "bad", "is_error": True},
            ],
        },
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
}


def test_facts_of_an_openai_request() -> None:
    facts = decode_request(json.dumps(OPENAI).encode())
    assert (facts.wire, facts.model, facts.stream, facts.messages) == ("openai-chat", "gpt-x", True, 6)
    assert facts.system_texts == ("Be brief.", "Be kind.")
    assert list(facts.tools) == TOOLS
    results = [(result.position, result.call_id, result.content) for result in tool_results(OPENAI)]
    assert results == [(4, "c1", "one"), (5, None, "two")]


def test_facts_of_an_anthropic_request() -> None:
    facts = decode_request(json.dumps(ANTHROPIC).encode())
    assert (facts.wire, facts.model, facts.stream, facts.messages) == (
        "anthropic-messages",
        "claude-x",
        False,
        3,
    )
    assert facts.system_texts == ("Be brief.",)
    results = [(result.position, result.call_id, result.is_error) for result in tool_results(ANTHROPIC)]
    assert results == [(2, "t1", False), (2, "t2", True)]


@pytest.mark.parametrize("request_", [OPENAI, ANTHROPIC])
def test_a_parsed_request_has_the_facts_of_its_bytes(request_: dict[str, object]) -> None:
    assert decode_request(request_) == decode_request(json.dumps(request_).encode())


def test_equal_prompts_have_equal_snapshots_whatever_the_history() -> None:
    reordered = {
        "tools": [{"function": {"parameters": {"type": "object"}, "name": "f"}, "type": "function"}],
        "messages": [*INSTRUCTIONS, {"role": "user", "content": "bye"}],
    }
    snapshot = prompt_snapshot(OPENAI)
    assert snapshot == prompt_snapshot(reordered)
    assert snapshot is not None
    assert json.loads(snapshot) == {"instructions": INSTRUCTIONS, "tools": TOOLS}
    assert snapshot != prompt_snapshot({**OPENAI, "tools": []})


def test_a_request_without_instructions_and_tools_has_no_snapshot() -> None:
    assert prompt_snapshot({"messages": [{"role": "user", "content": "hi"}]}) is None


def test_a_plain_anthropic_system_text_is_an_instruction() -> None:
    facts = decode_request({"system": "Be brief.", "messages": []})
    assert facts.system_texts == ("Be brief.",)
    assert facts.prompt == b'{"instructions":["Be brief."],"tools":[]}'


def test_legacy_functions_are_tools() -> None:
    facts = decode_request({"messages": [], "functions": [{"name": "f"}]})
    assert list(facts.tools) == [{"name": "f"}]


@pytest.mark.parametrize(
    ("body", "flags"),
    [
        (b"", ("undecodable",)),
        (b'{"messages": [', ("undecodable",)),
        (b'{"input": "hi"}', ("unknown-format",)),
        (b"[]", ("unknown-format",)),
        (b'{"messages": [{"role": "user", "content": "\xff"}]}', ("invalid-utf8",)),
    ],
)
def test_a_request_that_cannot_be_read_says_why(body: bytes, flags: tuple[str, ...]) -> None:
    assert decode_request(body).flags == flags


def test_d05_d07_digits_and_surrogates_of_a_request_reach_the_snapshot() -> None:
    body = (
        b'{"messages":[{"role":"system","content":"\\ud83d"}],'
        b'"tools":[{"default":123456789012345678901234567890}]}'
    )
    snapshot = decode_request(body).prompt
    assert snapshot is not None
    assert b"\\ud83d" in snapshot
    assert b"123456789012345678901234567890" in snapshot
