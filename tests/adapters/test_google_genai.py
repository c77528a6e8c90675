"""The real client of Google against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from google import genai
from google.genai import types

import turnledger
from tests.adapters.stub import Provider, Reply
from tests.adapters.turns import refusing

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

USAGE = {"promptTokenCount": 20, "candidatesTokenCount": 30, "thoughtsTokenCount": 400}


def client(provider: Provider) -> genai.Client:
    return turnledger.record(
        genai.Client(api_key="sk-secret", http_options=types.HttpOptions(base_url=provider.url))
    )


def piece(text: str, *, last: bool = True) -> bytes:
    candidate: dict[str, object] = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    return json.dumps(
        {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "gemini-served"}
    ).encode()


def whole() -> Reply:
    return Reply([piece("Hello")])


def events() -> Reply:
    pieces = [piece("Hel", last=False), piece("lo")]
    return Reply([b"data: " + text + b"\r\n\r\n" for text in pieces], "text/event-stream")


def test_calls_and_streams_are_recorded_byte_for_byte(provider: Provider, recorder: Recorder) -> None:
    replies = [whole(), events()]
    provider.says(*replies)
    with client(provider) as recorded, recorder.conversation.turn() as turn:
        answer = recorded.models.generate_content(model="gemini-asked", contents="Où est ma commande ?")
        assert answer.text == "Hello"
        chunks = list(recorded.models.generate_content_stream(model="gemini-asked", contents="Hello?"))
        assert "".join(chunk.text or "" for chunk in chunks) == "Hello"
        turn.commit("done")
    assert [s.payload for s in recorder.steps(turn, "MODEL_CALL")] == [asked.body for asked in provider.asked]
    results = recorder.steps(turn, "MODEL_RESULT")
    assert [step.payload for step in results] == [b"".join(reply.pieces) for reply in replies]
    for result in results:
        assert (result.tokens["status"], result.tokens["finish"]) == ("ok", "stop")
        assert result.tokens["model"] == "gemini-served"


def test_t02_thoughts_stand_beside_what_is_visible(provider: Provider, recorder: Recorder) -> None:
    provider.says(whole())
    with client(provider) as recorded, recorder.conversation.turn() as turn:
        recorded.models.generate_content(model="gemini-asked", contents="Hello?")
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["reasoning"]) == ("20", "30", "400")


@pytest.mark.parametrize("another_library", [False, True])
def test_async_calls_and_streams(
    provider: Provider, recorder: Recorder, monkeypatch: pytest.MonkeyPatch, *, another_library: bool
) -> None:
    monkeypatch.setattr("google.genai._api_client.has_aiohttp", another_library)
    replies = [whole(), events()]
    provider.says(*replies)

    async def main() -> turnledger.Turn:
        recorded = turnledger.record(genai_client.aio)
        async with recorder.conversation.turn() as turn:
            await recorded.models.generate_content(model="gemini-asked", contents="Hello?")
            async for _ in await recorded.models.generate_content_stream(model="m", contents="Hello?"):
                pass
            await turn.commit("done")
        await recorded.aclose()
        return turn

    with monkeypatch.context() as made_without:
        made_without.setattr("google.genai._api_client.has_aiohttp", False)
        genai_client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=provider.url))
    turn = asyncio.run(main())
    genai_client.close()
    results = recorder.steps(turn, "MODEL_RESULT")
    assert [step.payload for step in results] == [b"".join(reply.pieces) for reply in replies]


def test_where_nothing_can_be_recorded_nothing_is_asked(provider: Provider, recorder: Recorder) -> None:
    with (
        client(provider) as recorded,
        pytest.raises(turnledger.CaptureRefused),
        refusing(recorder.path),
        recorder.conversation.turn(),
    ):
        recorded.models.generate_content(model="gemini-asked", contents="Hello?")
    assert provider.asked == []


def test_counting_tokens_is_no_request_to_a_model(provider: Provider) -> None:
    provider.says(Reply([b'{"totalTokens": 3}']))
    with client(provider) as recorded:
        assert recorded.models.count_tokens(model="m", contents="Hello?").total_tokens == 3
