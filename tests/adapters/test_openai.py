"""The real client of OpenAI against a provider on this machine."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import weakref
from types import ModuleType
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import turnledger
from tests.adapters.stub import Provider, Reply, chat_events, chat_reply
from tests.patience import PATIENCE_S, becomes, eventually
from turnledger.model.costs import CostReason
from turnledger.pricing.call import Unbilled, read_call

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

ASK = {"model": "gpt-asked", "messages": [{"role": "user", "content": "Où est ma commande ?"}]}


def client(provider: Provider, **options: object) -> openai.OpenAI:
    made = openai.OpenAI(api_key="sk-secret", base_url=f"{provider.url}/v1", **options)  # type: ignore[arg-type]
    return turnledger.record(provider.closes(made))


def async_client(provider: Provider) -> openai.AsyncOpenAI:
    return turnledger.record(openai.AsyncOpenAI(api_key="sk-secret", base_url=f"{provider.url}/v1"))


def test_a_call_is_recorded_byte_for_byte(provider: Provider, recorder: Recorder) -> None:
    reply = chat_reply("It is on its way.")
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        answer = client(provider).chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert isinstance(answer, ChatCompletion)
    assert answer.choices[0].message.content == "It is on its way."
    call, result = recorder.steps(turn)
    assert call.payload == provider.asked[0].body
    assert result.payload == reply.pieces[0]
    assert (call.tokens["model"], call.tokens["form"], call.tokens["role"]) == (
        "gpt-asked",
        "wire",
        "primary",
    )
    assert (result.tokens["model"], result.tokens["status"]) == ("gpt-served", "ok")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["finish"]) == ("9", "3", "stop")
    assert {call.tokens["assurance"], result.tokens["assurance"]} == {"w"}


def test_credentials_are_nowhere_in_the_ledger(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply())
    with recorder.conversation.turn() as turn:
        client(provider).chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    recorder.ledger.close()
    for file in recorder.path.parent.iterdir():
        assert b"sk-secret" not in file.read_bytes()


def test_the_intent_is_durable_before_the_provider_is_asked(provider: Provider, recorder: Recorder) -> None:
    answered = threading.Event()
    provider.says(Reply(chat_reply().pieces, hold=answered))
    with recorder.conversation.turn() as turn:
        thread = threading.Thread(
            target=turnledger.propagate(client(provider).chat.completions.create), kwargs=ASK
        )
        thread.start()
        eventually(lambda: provider.asked)
        (call,) = recorder.steps(turn)
        assert (call.type, call.payload) == ("MODEL_CALL", provider.asked[0].body)
        answered.set()
        thread.join()
        turn.commit("done")
    assert [step.type for step in recorder.steps(turn)] == ["MODEL_CALL", "MODEL_RESULT"]


def test_without_a_turn_nothing_is_sent(provider: Provider) -> None:
    with pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
        client(provider).chat.completions.create(**ASK)  # type: ignore[call-overload]
    assert provider.asked == []


def test_after_a_refusal_the_turn_is_refused_and_nothing_more_is_sent(
    provider: Provider, recorder: Recorder
) -> None:
    recorded = client(provider)
    refusals = 0
    with pytest.raises(turnledger.CaptureRefused), recorder.conversation.turn() as turn:  # noqa: PT012
        recorder.ledger.close()
        for _ in range(2):
            with pytest.raises(turnledger.CaptureRefused):
                recorded.chat.completions.create(**ASK)  # type: ignore[call-overload]
            refusals += 1
        turn.commit("an answer that nobody gave")
    assert (refusals, provider.asked) == (2, [])


def test_t04_retries_are_attempts_of_one_call(provider: Provider, recorder: Recorder) -> None:
    soon = {"retry-after-ms": "1"}
    provider.says(
        Reply([b'{"error":{"message":"slow down","type":"rate_limit"}}'], status=429, headers=soon),
        Reply([b"oops"], "text/plain", status=500, headers=soon),
        chat_reply(),
    )
    with recorder.conversation.turn() as turn:
        client(provider).chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    steps = recorder.steps(turn)
    assert [step.tokens["attempt"] for step in steps if step.type == "MODEL_CALL"] == ["1", "2", "3"]
    assert [step.tokens["status"] for step in steps if step.type == "MODEL_RESULT"] == [
        "error",
        "error",
        "ok",
    ]
    assert [step.tokens.get("in") for step in steps if step.type == "MODEL_RESULT"] == [None, None, "9"]


def test_the_next_call_is_no_attempt_of_the_one_before(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply(), chat_reply())
    recorded = client(provider)
    with recorder.conversation.turn() as turn:
        recorded.chat.completions.create(**ASK)  # type: ignore[call-overload]
        recorded.chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert [step.tokens["attempt"] for step in recorder.steps(turn, "MODEL_CALL")] == ["1", "1"]


def test_a_lost_connection_is_an_error_of_the_call(provider: Provider, recorder: Recorder) -> None:
    provider.says(Reply(chat_reply().pieces, cut=True))
    with recorder.conversation.turn() as turn:
        with pytest.raises(openai.APIConnectionError):
            client(provider, max_retries=0).chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert [step.tokens.get("status") for step in recorder.steps(turn)] == [None, "error"]


# --- streams ---------------------------------------------------------------------------------------


def test_a_stream_is_recorded_as_it_arrived(provider: Provider, recorder: Recorder) -> None:
    reply = chat_events("It ", "is ", "on its way.")
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        chunks = list(client(provider).chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    assert all(isinstance(chunk, ChatCompletionChunk) for chunk in chunks)
    call, result = recorder.steps(turn)
    assert result.payload == b"".join(reply.pieces)
    assert (call.tokens["stream"], result.tokens["status"], result.tokens["out"]) == ("1", "ok", "3")
    assert "ttftMs" in result.tokens


def test_the_result_is_on_record_before_the_stream_says_that_it_is_done(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_events("one", "two"))
    with recorder.conversation.turn() as turn:
        seen = 0
        for _ in client(provider).chat.completions.create(**ASK, stream=True):  # type: ignore[call-overload]
            seen += 1
        (result,) = recorder.steps(turn, "MODEL_RESULT")
        assert (seen, result.tokens["status"]) == (4, "ok")
        turn.commit("done")


def test_s01_a_stream_without_usage_has_none(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_events("Hello", usage=False))
    with recorder.conversation.turn() as turn:
        list(client(provider).chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert not {"in", "out", "cacheRead"} & result.tokens.keys()


@pytest.mark.parametrize("leave", ["close", "drop"])
def test_s03_a_stream_that_is_abandoned_is_one_aborted_call(
    provider: Provider, recorder: Recorder, leave: str
) -> None:
    reply = chat_events("one ", "two ", "three")
    reply.hold = threading.Event()
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        stream = client(provider).chat.completions.create(**ASK, stream=True)  # type: ignore[call-overload]
        assert next(iter(stream)).choices[0].delta.content == "one "
        if leave == "close":
            stream.close()
        del stream
        gc.collect()
        turn.commit("done")
        reply.hold.set()
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "aborted"
    assert result.payload is not None
    assert result.payload.startswith(reply.pieces[0])


@pytest.mark.parametrize("coded", [False, True])
def test_a_response_that_nobody_holds_is_gone_at_once(
    provider: Provider, recorder: Recorder, *, coded: bool
) -> None:
    """Bodies are large: they do not wait for the collector of cycles, nor does the end of the call."""
    reply = chat_reply("It is on its way.")
    provider.says(reply.zipped() if coded else reply)
    http = turnledger.record(provider.closes(httpx2.Client(timeout=PATIENCE_S)))
    gc.collect()
    gc.disable()
    try:
        with recorder.conversation.turn() as turn:
            request = http.build_request("POST", f"{provider.url}/v1/chat/completions", json=ASK)
            response = http.send(request, stream=True)
            known = weakref.ref(response)
            stream = weakref.ref(response.stream)
            if not coded:
                response.read()
            del response
            assert known() is None
            assert stream() is None
            turn.commit("done")
    finally:
        gc.enable()
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == ("unknown" if coded else "ok")


def test_a_stream_that_breaks_off_keeps_what_arrived(provider: Provider, recorder: Recorder) -> None:
    reply = chat_events("one ", "two")
    reply.cut = True
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):  # before 3.0 the latter
            list(client(provider).chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] in {"error", "cut"}
    assert result.payload == b"".join(reply.pieces[:-1])


def test_a_stream_that_ends_without_its_mark_is_cut(provider: Provider, recorder: Recorder) -> None:
    provider.says(Reply(chat_events("one", done=False).pieces[:1], "text/event-stream"))
    with recorder.conversation.turn() as turn:
        list(client(provider).chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "cut"


def test_s07_a_compressed_reply_is_kept_as_it_was_before(provider: Provider, recorder: Recorder) -> None:
    plain, events = chat_reply("Hello"), chat_events("Hello")
    provider.says(plain.zipped(), events.zipped())
    with recorder.conversation.turn() as turn:
        client(provider).chat.completions.create(**ASK)  # type: ignore[call-overload]
        list(client(provider).chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        turn.commit("done")
    first, second = recorder.steps(turn, "MODEL_RESULT")
    assert (first.payload, first.tokens["in"]) == (plain.pieces[0], "9")
    assert (second.payload, second.tokens["in"]) == (b"".join(events.pieces), "9")


# --- the client stays what it is -------------------------------------------------------------------


def test_s05_every_helper_gives_what_it_gave_and_is_one_call(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply("raw"), chat_reply("streamed"), chat_events("helped"), chat_reply("again"))
    recorded = client(provider)
    with recorder.conversation.turn() as turn:
        raw = recorded.chat.completions.with_raw_response.create(**ASK)  # type: ignore[call-overload]
        assert (raw.parse().choices[0].message.content, raw.status_code) == ("raw", 200)
        with recorded.chat.completions.with_streaming_response.create(**ASK) as response:  # type: ignore[call-overload]
            assert json.loads(response.read())["choices"][0]["message"]["content"] == "streamed"
        with recorded.chat.completions.stream(**ASK) as stream:  # type: ignore[arg-type]
            stream.until_done()
            assert stream.get_final_completion().choices[0].message.content == "helped"
        assert recorded.with_options(timeout=PATIENCE_S).chat.completions.create(**ASK).choices  # type: ignore[call-overload]
        turn.commit("done")
    assert len(recorder.steps(turn, "MODEL_RESULT")) == 4
    assert {step.tokens["status"] for step in recorder.steps(turn, "MODEL_RESULT")} == {"ok"}


def test_recording_a_client_twice_records_once(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_reply())
    recorded = turnledger.record(client(provider))
    with recorder.conversation.turn() as turn:
        recorded.chat.completions.create(**ASK)  # type: ignore[call-overload]
        turn.commit("done")
    assert len(recorder.steps(turn, "MODEL_CALL")) == 1


def test_an_async_transport_is_still_taken_for_what_it_is() -> None:
    http = httpx2.AsyncClient(timeout=PATIENCE_S)
    kind = type(http._transport)
    assert type(turnledger.record(http)._transport) is not kind
    assert isinstance(http._transport, kind)


def test_what_is_no_request_to_a_model_passes_unrecorded(provider: Provider) -> None:
    provider.says(Reply([b'{"id":"file-1","object":"file"}']))
    client(provider).files.create(file=("a.txt", b"text"), purpose="batch")
    assert [asked.path for asked in provider.asked] == ["/v1/files"]


def test_an_object_without_a_client_is_refused_with_what_to_do() -> None:
    with pytest.raises(turnledger.UsageError, match=r"No HTTP client is found in a builtins\.dict"):
        turnledger.record({})
    with pytest.raises(turnledger.UsageError, match=r"Write turnledger\.install\(\)"):
        turnledger.record(ModuleType("litellm"))


# --- async -----------------------------------------------------------------------------------------


def test_async_calls_and_streams(provider: Provider, recorder: Recorder) -> None:
    whole, events = chat_reply("Hello"), chat_events("Hel", "lo")
    provider.says(whole, events)

    async def main() -> turnledger.Turn:
        recorded = async_client(provider)
        async with recorder.conversation.turn() as turn:
            await recorded.chat.completions.create(**ASK)  # type: ignore[call-overload]
            async for _ in await recorded.chat.completions.create(**ASK, stream=True):  # type: ignore[call-overload]
                pass
            await turn.commit("done")
        await recorded.close()
        return turn

    turn = asyncio.run(main())
    first, second = recorder.steps(turn, "MODEL_RESULT")
    assert (first.payload, second.payload) == (whole.pieces[0], b"".join(events.pieces))


def test_a_cancelled_async_call_is_aborted(provider: Provider, recorder: Recorder) -> None:
    hold = threading.Event()
    provider.says(Reply(chat_reply().pieces, hold=hold))

    async def main() -> turnledger.Turn:
        recorded = async_client(provider)
        async with recorder.conversation.turn() as turn:
            call = asyncio.create_task(recorded.chat.completions.create(**ASK))  # type: ignore[call-overload]
            await becomes(lambda: provider.asked)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await turn.commit("done")
        hold.set()
        await recorded.close()
        return turn

    turn = asyncio.run(main())
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "aborted"


def test_parallel_async_calls_each_have_their_own_result(provider: Provider, recorder: Recorder) -> None:
    provider.says(*[chat_reply(str(number)) for number in range(8)])

    async def main() -> turnledger.Turn:
        recorded = async_client(provider)
        async with recorder.conversation.turn() as turn:
            await asyncio.gather(*[recorded.chat.completions.create(**ASK) for _ in range(8)])  # type: ignore[call-overload]
            await turn.commit("done")
        await recorded.close()
        return turn

    turn = asyncio.run(main())
    results = recorder.steps(turn, "MODEL_RESULT")
    assert len({step.tokens["call"] for step in results}) == len({step.payload for step in results}) == 8


def test_what_only_the_address_tells_is_on_record(provider: Provider, recorder: Recorder) -> None:
    body = b'{"contents": [{"role": "user", "parts": [{"text": "Hello?"}]}]}'
    provider.says(Reply([b'{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}']))
    http = turnledger.record(httpx2.Client(timeout=PATIENCE_S))
    with recorder.conversation.turn() as turn:
        http.post(f"{provider.url}/v1beta/models/gemini-asked:generateContent?key=sk-secret", content=body)
        turn.commit("done")
    http.close()
    call, result = recorder.steps(turn)
    assert (call.tokens["model"], call.payload, result.tokens["finish"]) == ("gemini-asked", body, "stop")
    recorder.ledger.close()
    assert not any(b"sk-secret" in file.read_bytes() for file in recorder.path.parent.iterdir())


def test_an_error_in_the_middle_of_a_stream_is_the_result(provider: Provider, recorder: Recorder) -> None:
    said = b'data: {"error":{"message":"The server had an error","type":"server_error","code":"oops"}}\n\n'
    reply = Reply([chat_events("It ").pieces[0], said], "text/event-stream")
    provider.says(reply)
    with recorder.conversation.turn() as turn:
        stream = client(provider).chat.completions.create(**ASK, stream=True)  # type: ignore[call-overload]
        with pytest.raises(openai.APIError, match="The server had an error"):
            list(stream)
        turn.abort("no answer")
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "error"
    assert result.payload == b"".join(reply.pieces)


def test_a_request_without_a_connection_was_not_started_and_costs_nothing(recorder: Recorder) -> None:
    there: dict[str, Any] = {"api_key": "sk", "base_url": "http://127.0.0.1:9/v1", "max_retries": 0}
    plain, other = turnledger.record(openai.OpenAI(**there)), turnledger.record(openai.AsyncOpenAI(**there))
    with recorder.conversation.turn() as turn, plain:
        with pytest.raises(openai.APIConnectionError):
            plain.chat.completions.create(**ASK)  # type: ignore[call-overload]
        with pytest.raises(openai.APIConnectionError):
            asyncio.run(other.chat.completions.create(**ASK))  # type: ignore[call-overload]
        turn.abort("no answer")
    results = recorder.steps(turn, "MODEL_RESULT")
    assert [result.tokens["status"] for result in results] == ["not_started", "not_started"]
    assert all(b"ConnectError" in (result.payload or b"") for result in results)
    ended = [read_call(({}, {}, 0), (result.tokens, {})) for result in results]
    assert ended == [Unbilled(CostReason.NOT_STARTED)] * 2
