"""The real client of Google against a provider on this machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from google import genai
from google.genai import types

import turnledger
from tests.adapters.stub import Provider, Reply, google_events, google_reply

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder


def client(provider: Provider) -> genai.Client:
    return turnledger.record(
        genai.Client(api_key="sk-secret", http_options=types.HttpOptions(base_url=provider.url))
    )


def test_t02_thoughts_stand_beside_what_is_visible(provider: Provider, recorder: Recorder) -> None:
    provider.says(google_reply())
    with client(provider) as recorded, recorder.conversation.turn() as turn:
        recorded.models.generate_content(model="gemini-asked", contents="Hello?")
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["reasoning"]) == ("20", "30", "400")
    assert result.tokens["model"] == "gemini-served"


@pytest.mark.parametrize("another_library", [False, True])
def test_async_calls_and_streams(
    provider: Provider, recorder: Recorder, monkeypatch: pytest.MonkeyPatch, *, another_library: bool
) -> None:
    monkeypatch.setattr("google.genai._api_client.has_aiohttp", another_library)
    replies = [google_reply(), google_events("Hel", "lo")]
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


def test_counting_tokens_is_no_request_to_a_model(provider: Provider) -> None:
    provider.says(Reply([b'{"totalTokens": 3}']))
    with client(provider) as recorded:
        assert recorded.models.count_tokens(model="m", contents="Hello?").total_tokens == 3
