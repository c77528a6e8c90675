"""The real client of Google against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
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


def interaction(**more: object) -> dict[str, object]:
    counts = {"total_tokens": 15, "total_input_tokens": 9, "total_output_tokens": 2}
    return {
        "id": "v1_x",
        "object": "interaction",
        "status": "completed",
        "model": "gemini-served",
        "created": "2026-01-01T00:00:00Z",
        "updated": "2026-01-01T00:00:00Z",
        "usage": {**counts, "total_thought_tokens": 4},
        **more,
    }


def interaction_events(*texts: str) -> Reply:
    events: list[dict[str, object]] = [
        {"event_type": "interaction.created", "interaction": interaction(status="in_progress", usage=None)},
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        *(
            {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text}}
            for text in texts
        ),
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": interaction()},
    ]
    pieces = [f"event: {event['event_type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    return Reply(pieces, media_type="text/event-stream")


def test_interactions_are_requests_to_a_model(provider: Provider, recorder: Recorder) -> None:
    step = {"type": "model_output", "content": [{"type": "text", "text": "Hello"}]}
    provider.says(Reply([json.dumps(interaction(steps=[step])).encode()]), interaction_events("Hel", "lo"))
    with client(provider) as recorded, recorder.conversation.turn() as turn:
        recorded.interactions.create(model="gemini-asked", input="Hello?")
        for _ in recorded.interactions.create(model="gemini-asked", input="Hello?", stream=True):
            pass
        turn.commit("done")
    calls, results = recorder.steps(turn, "MODEL_CALL"), recorder.steps(turn, "MODEL_RESULT")
    assert [call.tokens["model"] for call in calls] == ["gemini-asked"] * 2
    assert [call.payload for call in calls] == [asked.body for asked in provider.asked]
    for result in results:
        assert (result.tokens["status"], result.tokens["model"], result.tokens["finish"]) == (
            "ok",
            "gemini-served",
            "stop",
        )
        assert (result.tokens["in"], result.tokens["out"], result.tokens["reasoning"]) == ("9", "2", "4")
