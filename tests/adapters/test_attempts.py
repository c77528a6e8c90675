"""Who tries again makes no difference: what asks the same again after it failed is an attempt of one call."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import anthropic
import httpx
import httpx2
import openai
import pytest
from google import genai
from google.genai import types

import turnledger
from tests.adapters.processes import killed, started
from tests.adapters.stub import Provider, Reply, anthropic_reply, chat_events, chat_reply, google_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.adapters.conftest import Recorder

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
BUSY = Reply(
    [b'{"error":{"message":"busy","type":"overloaded"}}'], status=503, headers={"retry-after-ms": "1"}
)
DEAD = "http://127.0.0.1:9"


def attempts(recorder: Recorder, turn: turnledger.Turn) -> list[tuple[str, str]]:
    """Attempt and status of each call."""
    calls = [step.tokens["attempt"] for step in recorder.steps(turn, "MODEL_CALL")]
    results = [step.tokens["status"] for step in recorder.steps(turn, "MODEL_RESULT")]
    return list(zip(calls, results, strict=True))


RETRIED = [("1", "error"), ("2", "error"), ("3", "ok")]


def _openai(url: str) -> None:
    client = turnledger.record(openai.OpenAI(api_key="x", base_url=f"{url}/v1"))
    with client:
        client.chat.completions.create(**BODY)  # type: ignore[call-overload]


def _anthropic(url: str) -> None:
    with turnledger.record(anthropic.Anthropic(api_key="x", base_url=url)) as client:
        client.messages.create(max_tokens=9, **BODY)  # type: ignore[call-overload]


def _google(url: str) -> None:
    again = types.HttpRetryOptions(attempts=3, initial_delay=0.001, max_delay=0.001)
    options = types.HttpOptions(base_url=url, retry_options=again)
    with turnledger.record(genai.Client(api_key="x", http_options=options)) as client:
        client.models.generate_content(model="gemini-asked", contents="Hello?")


def _by_hand(url: str) -> None:
    with turnledger.record(httpx.Client()) as client:
        while client.post(f"{url}/v1/chat/completions", json=BODY).is_error:
            continue


async def _asynchronously(url: str) -> None:
    async with turnledger.record(httpx2.AsyncClient()) as client:
        while (await client.post(f"{url}/v1/chat/completions", json=BODY)).is_error:
            continue


@pytest.mark.parametrize(
    ("ask", "reply"),
    [
        (_openai, chat_reply()),
        (_anthropic, anthropic_reply()),
        (_google, google_reply()),
        (_by_hand, chat_reply()),
        (lambda url: asyncio.run(_asynchronously(url)), chat_reply()),
    ],
    ids=["openai", "anthropic", "google", "by hand", "by hand, async"],
)
def test_t04_retries_are_attempts_of_one_call(
    provider: Provider, recorder: Recorder, ask: Callable[[str], None], reply: Reply
) -> None:
    provider.says(BUSY, BUSY, reply)
    with recorder.conversation.turn() as turn:
        ask(provider.url)
        turn.commit("done")
    assert attempts(recorder, turn) == RETRIED


PROGRAM = """
import asyncio, json, sys
import turnledger
turnledger.install()
import litellm

path, url = sys.argv[1:]
conversation = turnledger.open(path).agent("support").conversation("litellm")
asked = {"messages": [{"role": "user", "content": "Hello?"}], "api_key": "x", "num_retries": 2}
for model, place in (("openai/gpt-asked", "/v1"), ("anthropic/claude-asked", "")):
    for way in ("sync", "async"):
        with conversation.turn() as turn:
            there = {"model": model, "api_base": url + place, **asked}
            if way == "sync":
                litellm.completion(**there)
            else:
                asyncio.run(litellm.acompletion(**there))
            turn.commit("done")
        print(json.dumps([model, way, str(turn.id)]), flush=True)
"""


@pytest.mark.crash
def test_t04_so_are_those_of_litellm(provider: Provider, recorder: Recorder) -> None:
    for reply in (chat_reply(), chat_reply(), anthropic_reply(), anthropic_reply()):
        provider.says(BUSY, BUSY, reply)
    process = started(PROGRAM, recorder.path, provider.url, LITELLM_LOCAL_MODEL_COST_MAP="True")
    try:
        assert process.stdout is not None
        rows = [json.loads(line) for line in process.stdout if line.startswith("[")]
    finally:
        killed(process)
    assert len(rows) == 4
    with turnledger.read(str(recorder.path)) as reading:
        for model, way, turn in rows:
            entries = [dict(entry.tokens) for entry in reading.events(turn)]
            found = [tokens["attempt"] for tokens in entries if "attempt" in tokens]
            assert found == ["1", "2", "3"], (model, way)


def test_a_transport_that_connects_again_is_one_attempt(recorder: Recorder) -> None:
    """Nothing of the request was sent before there was a connection."""
    again = httpx.Client(transport=httpx.HTTPTransport(retries=1))
    with recorder.conversation.turn() as turn, turnledger.record(again) as client:
        with pytest.raises(httpx.ConnectError):
            client.post(f"{DEAD}/v1/chat/completions", json=BODY)
        turn.commit("done")
    assert attempts(recorder, turn) == [("1", "not_started")]


def test_no_connection_and_a_stream_that_broke_off_are_tried_again(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(
        Reply([*chat_events("one").pieces[:1], b"gone"], "text/event-stream", cut=True), chat_reply()
    )
    with recorder.conversation.turn() as turn, turnledger.record(httpx.Client()) as client:
        for _ in range(2):
            with pytest.raises(httpx.ConnectError):
                client.post(f"{DEAD}/v1/chat/completions", json=BODY)
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(f"{provider.url}/v1/chat/completions", json=BODY)
        client.post(f"{provider.url}/v1/chat/completions", json=BODY)
        turn.commit("done")
    assert attempts(recorder, turn) == [
        ("1", "not_started"), ("2", "not_started"), ("1", "error"), ("2", "ok"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("replies", "second"),
    [
        ([chat_reply(), chat_reply()], {}),  # it did not fail
        ([BUSY, chat_reply()], {"temperature": 1}),  # something else is asked
    ],
    ids=["after an answer", "another request"],
)
def test_what_is_no_retry_is_a_call_of_its_own(
    provider: Provider, recorder: Recorder, replies: list[Reply], second: dict[str, Any]
) -> None:
    provider.says(*replies)
    with recorder.conversation.turn() as turn, turnledger.record(httpx.Client()) as client:
        for more in ({}, second):
            client.post(f"{provider.url}/v1/chat/completions", json={**BODY, **more})
        turn.commit("done")
    assert [attempt for attempt, _ in attempts(recorder, turn)] == ["1", "1"]


def test_the_next_turn_begins_anew(provider: Provider, recorder: Recorder) -> None:
    provider.says(BUSY, chat_reply())
    with turnledger.record(httpx.Client()) as client:
        turns = [recorder.conversation.turn() for _ in range(2)]
        for turn in turns:
            with turn:
                client.post(f"{provider.url}/v1/chat/completions", json=BODY)
                turn.commit("done")
    assert [attempts(recorder, turn) for turn in turns] == [[("1", "error")], [("1", "ok")]]


def test_what_others_ask_at_the_same_time_is_theirs(provider: Provider, recorder: Recorder) -> None:
    provider.otherwise = lambda _: BUSY
    with recorder.conversation.turn() as turn, turnledger.record(httpx.Client()) as client:

        def ask() -> None:
            client.post(f"{provider.url}/v1/chat/completions", json=BODY)

        threads = [threading.Thread(target=turnledger.propagate(ask)) for _ in range(3)]
        for thread in threads:
            thread.start()
            thread.join()
        turn.commit("done")
    assert attempts(recorder, turn) == [("1", "error")] * 3
