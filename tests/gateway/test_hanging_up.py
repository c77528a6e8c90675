"""Clients that close their connection at once: what they were answered whole is on record as such."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.adapters.stub import Reply, anthropic_events, chat_events, chat_reply
from tests.gateway.kit import Through, ask_and_hang_up

CLIENTS = {
    "keeps alive": {"version": "1.1"},
    "closes": {"version": "1.1", "head": "Connection: close"},
    "old": {"version": "1.0"},
}
LAST_CHUNK = b"0\r\n\r\n"


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> dict[str, str]:
    return CLIENTS[request.param]


def address(through: Through) -> str:
    return f"{through.url}/openai/v1/chat/completions"


def test_an_answer_of_known_length(through: Through, client: dict[str, str]) -> None:
    reply = chat_reply("Here I am.").sized()
    through.provider.says(reply)
    ask_and_hang_up(address(through), lambda came: came.endswith(reply.pieces[0]), **client)
    (turn,) = through.turns()
    assert turn.status == "completed"
    assert through.bodies("MODEL_RESULT") == reply.pieces
    assert through.bodies("COMMIT") == [b"Here I am."]


def test_a_compressed_answer_of_known_length(through: Through, client: dict[str, str]) -> None:
    plain = chat_reply("Here I am.")
    reply = plain.zipped().sized()
    through.provider.says(reply)
    ask_and_hang_up(address(through), lambda came: came.endswith(reply.pieces[-1]), **client)
    assert [turn.status for turn in through.turns()] == ["completed"]
    assert through.bodies("MODEL_RESULT") == plain.pieces


@pytest.mark.parametrize("reply", [chat_reply("one"), chat_events("one"), chat_events("one", done=False)])
def test_an_answer_that_ends_with_its_last_chunk(
    through: Through, client: dict[str, str], reply: Reply
) -> None:
    through.provider.says(reply)
    end = None if client["version"] == "1.0" else LAST_CHUNK
    ask_and_hang_up(address(through), None if end is None else lambda came: came.endswith(end), **client)
    assert [turn.status for turn in through.turns()] == ["completed"]
    assert through.bodies("MODEL_RESULT") == [b"".join(reply.pieces)]


@pytest.mark.parametrize("reply", [chat_events("one"), anthropic_events("one")])
def test_a_stream_that_is_read_to_its_mark(through: Through, client: dict[str, str], reply: Reply) -> None:
    held = replace(reply, pieces=[*reply.pieces, b": that was it\n\n"], hold=threading.Event())
    through.provider.says(held)
    ask_and_hang_up(address(through), lambda came: reply.pieces[-1] in came, **client)
    (turn,) = through.turns()
    assert held.hold is not None
    held.hold.set()
    assert turn.status == "completed"
    assert through.bodies("MODEL_RESULT") == [b"".join(reply.pieces)]
    assert through.bodies("COMMIT") == [b"one"]


@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_providers_error(through: Through, client: dict[str, str], status: int) -> None:
    body = b'{"error":{"message":"no","type":"invalid_request_error"}}'
    through.provider.says(Reply([body], status=status).sized())
    ask_and_hang_up(address(through), lambda came: came.endswith(body), **client)
    (turn,) = through.turns()
    assert turn.status == "failed"
    assert through.bodies("MODEL_RESULT") == [body]


@pytest.mark.parametrize(
    ("reply", "ended"),
    [
        (Reply([], status=204), "completed"),
        (Reply([]).sized(), "completed"),
        (Reply([], status=503).sized(), "failed"),
    ],
)
def test_an_answer_without_a_body(through: Through, client: dict[str, str], reply: Reply, ended: str) -> None:
    through.provider.says(reply)
    ask_and_hang_up(address(through), lambda came: came.endswith(b"\r\n\r\n"), **client)
    assert [turn.status for turn in through.turns()] == [ended]


@pytest.mark.parametrize("is_sized", [True, False])
def test_a_client_that_leaves_before_the_end(
    through: Through, client: dict[str, str], *, is_sized: bool
) -> None:
    reply = Reply([b'{"half":', b"1}"])
    reply = replace(reply.sized() if is_sized else reply, hold=threading.Event())
    through.provider.says(reply)
    ask_and_hang_up(address(through), lambda came: b'{"half":' in came, **client)
    (turn,) = through.turns()
    assert reply.hold is not None
    reply.hold.set()
    assert turn.status == "cancelled"
    assert through.bodies("COMMIT") == []


def test_a_client_that_leaves_in_the_middle_of_what_is_all_there(through: Through) -> None:
    through.provider.says(Reply([b"x" * (64 << 20)]).sized())
    ask_and_hang_up(address(through), lambda came: len(came) > 1000)
    assert [turn.status for turn in through.turns()] == ["cancelled"]
