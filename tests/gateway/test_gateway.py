"""Programs that ask their provider through the gateway, with real clients that know nothing of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import anthropic
import httpx2
import openai
import pytest

import turnledger
from tests.adapters.stub import Reply, anthropic_events, chat_events, chat_reply, running
from tests.gateway.kit import ASK, Through
from tests.patience import PATIENCE_S, PROGRAM_S
from turnledger.gateway.upstreams import parse_upstreams

post = partial(httpx2.post, timeout=PATIENCE_S)


def test_a_request_is_on_record_and_its_answer_unchanged(through: Through) -> None:
    reply = chat_reply("Here I am.")
    through.provider.says(reply)
    answer = through.openai().chat.completions.create(**ASK)  # type: ignore[call-overload]
    assert answer.choices[0].message.content == "Here I am."
    (asked,) = through.provider.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer sk-secret"
    (turn,) = through.turns()
    assert turn.status == "completed"
    assert through.bodies("MODEL_CALL") == [asked.body]
    assert through.bodies("MODEL_RESULT") == reply.pieces
    assert through.bodies("COMMIT") == [b"Here I am."]


def test_a_stream_passes_piece_by_piece(through: Through) -> None:
    reply = chat_events("one", "two")
    reply.hold = threading.Event()
    through.provider.says(reply)
    stream = through.openai().chat.completions.create(**ASK, stream=True)  # type: ignore[call-overload]
    first = next(stream)
    assert first.choices[0].delta.content == "one"
    reply.hold.set()
    assert len(list(stream)) == 3
    assert through.bodies("MODEL_RESULT") == [b"".join(reply.pieces)]


def test_anthropic_too(through: Through) -> None:
    reply = anthropic_events("Hel", "lo")
    through.provider.says(reply)
    client = through.provider.closes(
        anthropic.Anthropic(api_key="sk-secret", base_url=f"{through.url}/anthropic")
    )
    with client.messages.stream(
        model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]
    ) as stream:
        assert "".join(stream.text_stream) == "Hello"
    assert through.bodies("COMMIT") == [b"Hello"]


def test_a_compressed_answer_passes_as_it_is(through: Through) -> None:
    plain = chat_reply("Hello")
    through.provider.says(plain.zipped())
    address = f"{through.url}/openai/v1/chat/completions"
    with httpx2.stream("POST", address, json=ASK, timeout=PATIENCE_S) as response:
        raw = b"".join(response.iter_raw())
    assert raw == b"".join(plain.zipped().pieces)
    assert response.headers["content-encoding"] == "gzip"
    assert through.bodies("MODEL_RESULT") == plain.pieces


def test_a_providers_error_passes_and_is_on_record(through: Through) -> None:
    body = b'{"error":{"message":"slow down","type":"rate_limit_error"}}'
    through.provider.says(Reply([body], status=429, headers={"retry-after": "7", "x-request-id": "r-1"}))
    response = post(f"{through.url}/openai/v1/chat/completions", json=ASK)
    assert (response.status_code, response.content) == (429, body)
    assert (response.headers["retry-after"], response.headers["x-request-id"]) == ("7", "r-1")
    (turn,) = through.turns()
    assert turn.status == "failed"
    assert through.bodies("MODEL_RESULT") == [body]


def test_an_error_in_the_middle_of_a_stream_is_how_the_turn_ends(through: Through) -> None:
    broke = b'data: {"error":{"message":"no more","type":"server_error","code":null}}\n\n'
    through.provider.says(Reply([chat_events("one").pieces[0], broke], "text/event-stream"))
    address = f"{through.url}/openai/v1/chat/completions"
    assert post(address, json=ASK).content.endswith(broke)  # a client that reads on
    held = Reply([chat_events("one").pieces[0], broke, b": more\n\n"], "text/event-stream")
    held.hold = threading.Event()
    through.provider.says(held)
    with pytest.raises(openai.APIError, match="no more"):  # and one that leaves
        list(through.openai().chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
    assert [turn.status for turn in through.turns()] == ["failed", "failed"]
    held.hold.set()
    assert through.bodies("COMMIT") == []
    assert through.bodies("ABORT") == [b"no more", b"no more"]
    with turnledger.read(through.ledger) as reading:
        entries = [entry for turn in through.turns() for entry in reading.events(turn.id)]
    said = [dict(entry.tokens) for entry in entries if entry.row.type in {"MODEL_RESULT", "ABORT"}]
    assert [tokens.get("reason") for tokens in said] == [None, "server_error"] * 2
    assert [tokens["status"] for tokens in said] == ["error", "failed"] * 2


def test_what_cannot_be_recorded_is_not_sent_and_not_tried_again(through: Through) -> None:
    through.ledger.close()
    with pytest.raises(openai.PermissionDeniedError) as refused:
        through.openai().chat.completions.create(**ASK)  # type: ignore[call-overload]
    assert "could not be recorded" in str(refused.value)
    assert through.provider.asked == []


def test_a_client_that_leaves_ends_the_call(through: Through) -> None:
    reply = chat_events("one", "two", "three")
    reply.hold = threading.Event()
    through.provider.says(reply)
    stream = through.openai().chat.completions.create(**ASK, stream=True)  # type: ignore[call-overload]
    next(stream)
    stream.close()
    (turn,) = through.turns()
    reply.hold.set()
    assert (turn.status, turn.error_class) == ("cancelled", None)
    with turnledger.read(through.ledger) as reading:
        assert dict(reading.events(turn.id)[-1].tokens)["reason"] == "client_left"
    (body,) = through.bodies("MODEL_RESULT")
    assert body is not None
    assert body.startswith(reply.pieces[0])


def test_a_provider_that_is_not_there_is_said(through: Through) -> None:
    response = post(f"{through.url}/dead/v1/chat/completions", json=ASK)
    assert response.status_code == 502
    assert "no answer from dead: ConnectError" in response.json()["error"]["message"]
    assert [turn.status for turn in through.turns()] == ["failed"]


def test_an_unknown_upstream_is_asked_nothing(through: Through) -> None:
    response = post(f"{through.url}/elsewhere/v1/chat/completions", json=ASK)
    assert response.status_code == 404
    assert "one of anthropic, dead" in response.json()["error"]["message"]
    assert through.provider.asked == []


def test_other_requests_pass_unrecorded(through: Through) -> None:
    through.provider.says(Reply([b'{"id":"file-1"}']))
    response = post(f"{through.url}/openai/v1/files?purpose=batch", content=b"x" * 300_000)
    assert response.json() == {"id": "file-1"}
    (asked,) = through.provider.asked
    assert (asked.path, len(asked.body)) == ("/v1/files?purpose=batch", 300_000)
    assert through.turns() == []


def test_a_program_says_whose_request_it_is_and_that_goes_no_further(through: Through) -> None:
    through.provider.says(chat_reply(), chat_reply())
    parent = through.ledger.agent("boss").conversation("chat:1").turn()
    with parent:
        for words in (
            {"turnledger-agent": "helper", "turnledger-conversation": "task:7"},
            {"turnledger-agent": "helper", "turnledger-parent": parent.handoff()},
        ):
            post(f"{through.url}/openai/v1/chat/completions", json=ASK, headers=words)
        parent.commit("done")
    with turnledger.read(through.ledger) as reading:
        talks = {row.key for row in reading.conversations("helper")}
        turns = {row.parent for row in reading.turns("helper")}
    assert "task:7" in talks
    assert turns == {None, parent.id}
    assert not any(
        name.startswith("turnledger-") for asked in through.provider.asked for name in asked.headers
    )


@pytest.mark.parametrize("written", ["utf-8", "latin-1"])
def test_a_conversation_is_named_as_the_program_wrote_it(through: Through, written: str) -> None:
    through.provider.says(chat_reply())
    words = [
        (b"turnledger-agent", "hélper".encode(written)),
        (b"turnledger-conversation", "für:7".encode(written)),
    ]
    post(f"{through.url}/openai/v1/chat/completions", json=ASK, headers=words)
    with turnledger.read(through.ledger) as reading:
        assert {row.key for row in reading.conversations("hélper")} == {"für:7"}


def test_the_command_tells_where_it_listens_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    ledger = tmp_path / "agent.ledger"
    with running() as provider:
        provider.says(chat_reply())
        command = [sys.executable, "-m", "turnledger", "gateway", "--port", "0", "--ledger", str(ledger)]
        command += ["--upstream", f"local={provider.url}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            url = next(
                word
                for word in "".join(process.stderr.readline() for _ in range(2)).split()
                if word.startswith("http")
            )
            url = url.replace("<upstream>/…", "local/v1/chat/completions")
            assert post(url, json=ASK).json()["model"] == "gpt-served"
            process.send_signal(signal.SIGINT)
            assert process.wait(PROGRAM_S) == 0
    with turnledger.read(ledger) as reading:
        assert [row.status for row in reading.turns()] == ["completed"]


def test_an_upstream_is_a_name_and_an_address() -> None:
    with pytest.raises(turnledger.UsageError, match="is no upstream"):
        parse_upstreams(["file:///etc/passwd"])
    for text in ("local=htp://ann:s3cret@host", "http://ann:s3cret@host/?a=b", "s3cret"):
        with pytest.raises(turnledger.UsageError, match="is no upstream") as caught:
            parse_upstreams([text])
        assert "s3cret" not in str(caught.value)
