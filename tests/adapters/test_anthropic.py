"""The real client of Anthropic against a provider on this machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anthropic
import pytest

import turnledger
from tests.adapters.stub import Provider, Reply, anthropic_events, anthropic_reply

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

ASK = {"model": "claude-asked", "max_tokens": 50, "messages": [{"role": "user", "content": "Where is it?"}]}


def client(provider: Provider, **options: object) -> anthropic.Anthropic:
    made = anthropic.Anthropic(api_key="sk", base_url=provider.url, **options)  # type: ignore[arg-type]
    return turnledger.record(provider.closes(made))


def test_a_message_is_recorded_byte_for_byte(provider: Provider, recorder: Recorder) -> None:
    reply = anthropic_reply("It is on its way.")
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        answer = client(provider).messages.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert answer.content[0].text == "It is on its way."
    call, result = recorder.steps(turn)
    assert (call.payload, result.payload) == (provider.asked[0].body, reply.pieces[0])
    assert (result.tokens["model"], result.tokens["in"], result.tokens["out"]) == ("claude-served", "9", "3")


def test_a_refusal_is_not_tried_again_and_stays_ours(provider: Provider) -> None:
    class Own(anthropic.Anthropic):
        """A user's own."""

    own = turnledger.record(provider.closes(Own(api_key="sk", base_url=provider.url)))
    for recorded in (client(provider), own):
        with pytest.raises(turnledger.CaptureRefused, match="No turn is open") as refused:
            recorded.messages.create(**ASK)  # type: ignore[call-overload]
        assert isinstance(refused.value, anthropic.AnthropicError)
        assert refused.value.next_step
    assert provider.asked == []


@pytest.mark.parametrize("helper", [False, True])
def test_a_stream_is_recorded_as_it_arrived(provider: Provider, recorder: Recorder, helper: bool) -> None:  # noqa: FBT001
    reply = anthropic_events("It is ", "on its way.")
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        if helper:
            with client(provider).messages.stream(**ASK) as stream:  # type: ignore[arg-type]
                assert "".join(stream.text_stream) == "It is on its way."
                assert stream.get_final_message().usage.output_tokens == 3
        else:
            assert list(client(provider).messages.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.payload == b"".join(reply.pieces)
    assert (result.tokens["status"], result.tokens["finish"], result.tokens["out"]) == ("ok", "stop", "3")


def test_t04_an_overloaded_provider_is_asked_again_as_the_next_attempt(
    provider: Provider, recorder: Recorder
) -> None:
    overloaded = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    provider.says(Reply([overloaded], status=529, headers={"retry-after-ms": "1"}), anthropic_reply())
    with recorder.conversation.turn() as turn:
        client(provider).messages.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert [step.tokens["attempt"] for step in recorder.steps(turn, "MODEL_CALL")] == ["1", "2"]
    assert [step.tokens["status"] for step in recorder.steps(turn, "MODEL_RESULT")] == ["error", "ok"]


def test_async_messages_and_streams(provider: Provider, recorder: Recorder) -> None:
    provider.says(anthropic_reply(), anthropic_events("a", "b"))

    async def main() -> turnledger.Turn:
        recorded = turnledger.record(anthropic.AsyncAnthropic(api_key="sk", base_url=provider.url))
        async with recorder.conversation.turn() as turn:
            await recorded.messages.create(**ASK)  # type: ignore[call-overload]
            async with recorded.messages.stream(**ASK) as stream:  # type: ignore[arg-type]
                assert [text async for text in stream.text_stream] == ["a", "b"]
            await turn.commit("done")
        await recorded.close()
        return turn

    turn = asyncio.run(main())
    assert [step.tokens["status"] for step in recorder.steps(turn, "MODEL_RESULT")] == ["ok", "ok"]


def test_an_async_refusal_is_not_tried_again(provider: Provider) -> None:
    async def main() -> None:
        recorded = turnledger.record(anthropic.AsyncAnthropic(api_key="sk", base_url=provider.url))
        with pytest.raises(turnledger.CaptureRefused):
            await recorded.messages.create(**ASK)  # type: ignore[call-overload]
        await recorded.close()

    asyncio.run(main())
    assert provider.asked == []
