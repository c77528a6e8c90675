"""``turnledger decode``: one line for each exchange, bad lines told with their number."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from tests.cli.kit import run
from tests.patience import PROGRAM_S
from tests.wire_data import all_exchanges

KEYS = ["provider", "servedModel", "finish", "text", "toolCalls", "usage", "flags", "error"]
CALL = '{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":  1}"}}'
REPLY = (
    '{"object":"chat.completion","model":"gpt-x","choices":[{"message":{"content":"hi","tool_calls":['
    + CALL
    + ']},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,'
    '"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":2}}}'
)
LINE = (
    '{"uri":"https://api.openai.com/v1/chat/completions","status":200,"kind":"json","response":' + REPLY + "}"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "exchanges.jsonl"


def test_an_exchange_is_one_line(source: Path) -> None:
    source.write_text(LINE + "\n")
    outcome = run("decode", source)
    assert (outcome.status, outcome.err) == (0, "")
    assert [json.loads(line) for line in outcome.lines] == [
        {
            "provider": "openai",
            "servedModel": "gpt-x",
            "finish": "tool_calls",
            "text": "hi",
            "toolCalls": [{"id": "c1", "name": "f", "supplied": '{"a":  1}'}],
            "usage": {"in": 12, "cacheRead": 8, "cacheWrite": None, "out": 3, "reasoning": 2},
            "flags": [],
            "error": None,
        }
    ]


def test_all_recorded_exchanges_decode(source: Path) -> None:
    exchanges = all_exchanges()
    source.write_text("".join(json.dumps(one) + "\n" for one in exchanges.values()))
    outcome = run("decode", source, "--json")
    told = [json.loads(line) for line in outcome.lines]
    assert (outcome.status, outcome.err, len(told)) == (0, "", 375)
    assert all(list(one) == KEYS for one in told)
    assert [one["provider"] for one in told] == [provider for provider, _ in exchanges]


BAD = [
    ('{"request": {}}', "It has no `response`."),
    ("[1]", "It is no JSON object."),
    ('{"response": {"a', "It breaks off."),
    ("nope", "It is no JSON."),
    ('{"kind": "xml", "response": ""}', "Its kind is none of json, sse, text, base64."),
    ('{"kind": "base64", "response": "?"}', "Its body is no base64."),
]


def test_bad_lines_are_told_with_their_number_and_passed_over(source: Path) -> None:
    source.write_text("\n\n".join([LINE, *(line for line, _ in BAD), LINE]))
    outcome = run("decode", source)
    assert (outcome.status, len(outcome.lines)) == (1, 2)
    told = [f"{source}:{3 + 2 * place}: {reason}" for place, (_, reason) in enumerate(BAD)]
    assert outcome.err.splitlines() == [*told, "2 exchanges decoded, 6 lines or files passed over."]


def test_a_body_that_nobody_can_read_is_decoded_as_far_as_it_goes(source: Path) -> None:
    source.write_text('{"response": null, "status": 503}\n{"response": "<html>"}\n{"response": NaN}\n')
    outcome = run("decode", source)
    flags = [json.loads(line)["flags"] for line in outcome.lines]
    assert outcome.status == 0
    assert flags == [
        ["undecodable", "cut", "usage-absent"],
        ["undecodable", "usage-absent"],
        ["unknown-format", "usage-absent"],
    ]
    assert json.loads(outcome.lines[0])["error"]["status"] == 503


def test_d03_arguments_of_a_line_that_is_not_strict_say_that_they_were_written_anew(source: Path) -> None:
    reply = '{"content":[{"type":"tool_use","id":"t","name":"f","input":{"b": NaN}}],"type":"message"}'
    source.write_text('{"kind":"json","response":' + reply + "}")
    (line,) = run("decode", source).lines
    assert "supplied-reencoded" in json.loads(line)["flags"]


def test_a_binary_stream_comes_in_base64(source: Path) -> None:
    body = b64encode(b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n').decode()
    source.write_text(json.dumps({"kind": "base64", "response": body, "provider": "mine"}))
    (line,) = run("decode", source).lines
    assert (json.loads(line)["text"], json.loads(line)["provider"]) == ("hi", "mine")


def test_more_says_what_else_was_read(source: Path) -> None:
    request = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}]}
    source.write_text(json.dumps({"response": json.loads(REPLY), "request": request}) + "\n" + LINE)
    first, second = (json.loads(line) for line in run("decode", source, "--more").lines)
    assert (first["wire"], first["finishRaw"], first["providerTotal"]) == ("openai-chat", "tool_calls", 25)
    assert (first["request"]["model"], first["request"]["messages"], first["hostedTools"]) == ("gpt-x", 1, [])
    assert second["request"] is None


def test_audio_tokens_are_in_the_buckets_that_are_shown(source: Path) -> None:
    usage = {
        "prompt_tokens": 20,
        "prompt_tokens_details": {"audio_tokens": 15},
        "completion_tokens": 9,
        "completion_tokens_details": {"audio_tokens": 4},
        "total_tokens": 29,
    }
    source.write_text(json.dumps({"response": {"choices": [], "usage": usage}}))
    (line,) = run("decode", source).lines
    shown = json.loads(line)["usage"]
    assert (shown["in"], shown["out"]) == (20, 9)


def test_files_that_cannot_be_read_are_told(source: Path, tmp_path: Path) -> None:
    source.write_bytes(b"SQLite format 3\0")
    outcome = run("decode", tmp_path / "none", source)
    assert (outcome.status, outcome.out) == (3, "")
    assert "No such file or directory." in outcome.err
    assert "This is an SQLite database, and not exchanges, one a line." in outcome.err


def test_standard_input_is_read() -> None:
    command = [sys.executable, "-m", "turnledger", "decode", "-"]
    done = subprocess.run(command, input=LINE.encode(), capture_output=True, check=True, timeout=PROGRAM_S)
    assert json.loads(done.stdout)["servedModel"] == "gpt-x"


def test_what_is_nested_too_deep_is_not_called_no_json(source: Path) -> None:
    source.write_bytes(b'{"response":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    refused = run("decode", source)
    assert refused.status == 3
    assert "nested too deep" in refused.err


def test_a_flood_of_bad_lines_is_counted_not_poured_out(source: Path) -> None:
    source.write_bytes(b"plain text\n" * 60)
    refused = run("decode", source)
    assert len(refused.err.splitlines()) == 21
    assert "40 of them untold. Is it the right file?" in refused.err


def test_help_is_laid_out() -> None:
    shown = run("decode", "--help").out
    assert "\\b" not in shown
    assert "  usage        tokens, each counted once" in shown.replace("\n", "\n  ")


def test_help_teaches_the_form_of_a_line() -> None:
    outcome = run("decode", "--help")
    assert outcome.status == 0
    assert all(word in outcome.out for word in ("response", "servedModel", "base64", "jq"))
