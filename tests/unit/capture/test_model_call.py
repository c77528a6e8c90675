"""Model calls: bytes before they leave, what came back, usage as reported, streams, retries."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

import pytest

from tests.unit.capture.house import House
from turnledger.capture import decoding
from turnledger.errors import UsageError

REQUEST = {
    "model": "gpt-5.2",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
    "tools": [{"type": "function", "function": {"name": "search"}}],
}


def reply(**changes: object) -> dict[str, Any]:
    return {
        "id": "r1",
        "object": "chat.completion",
        "model": "gpt-5.2-2026-10",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}
        ],
        "usage": {
            "prompt_tokens": 30,
            "completion_tokens": 12,
            "total_tokens": 42,
            "prompt_tokens_details": {"cached_tokens": 10},
            "completion_tokens_details": {"reasoning_tokens": 4},
        },
        **changes,
    }


def sse(*events: bytes) -> list[bytes]:
    return [b"data: " + event + b"\n\n" for event in events]


PIECES = sse(
    b'{"id":"","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}',
    b'{"id":"","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}',
    b'{"id":"","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    b"[DONE]",
)


def test_a_call_and_its_result(house: House) -> None:
    answer = reply()
    with house.agent.turn() as turn:
        with turn.model_call(role="primary", request=REQUEST, provider="openai") as call:
            assert call.result(answer) is answer
        assert (call.reply.text, call.finish, call.served_model) == ("hello", "stop", "gpt-5.2-2026-10")
        turn.commit("hello")
    asked, result = house.only(turn.id, "MODEL_CALL"), house.only(turn.id, "MODEL_RESULT")
    assert asked.tokens == {
        "role": "primary",
        "model": "gpt-5.2",
        "attempt": "1",
        "bytes": str(len(house.body(asked))),
        "stream": "0",
        "prompt": "1",
        "form": "encoded",
        "assurance": "w",
        "detail": asked.tokens["detail"],
    }
    counts = {key: result.tokens[key] for key in ("in", "cacheRead", "out", "reasoning", "status", "call")}
    assert counts == {
        "in": "20",
        "cacheRead": "10",
        "out": "8",
        "reasoning": "4",
        "status": "ok",
        "call": "2",
    }
    assert result.detail["usage"] == answer["usage"]
    outbound = house.all(turn_conversation(house), "MESSAGE")[0]
    assert outbound.detail["model"] == "gpt-5.2-2026-10"
    assert outbound.detail["promptDigest"] == house.only(turn.id, "PROMPT").detail["promptDigest"]


def turn_conversation(house: House) -> UUID:
    return house.reading.turns()[0].conversation


def test_bytes_and_text_are_kept_as_they_are(house: House) -> None:
    body = b'{ "model": "m",  "messages": [] }'
    with house.agent.turn() as turn:
        with turn.model_call(request=body) as call:
            call.result(b'{"x": 1.50}')
        with turn.model_call(request=body.decode()) as call:
            call.result("plain words")
        turn.commit()
    calls, results = house.all(turn.id, "MODEL_CALL"), house.all(turn.id, "MODEL_RESULT")
    assert [house.body(each) for each in calls] == [body, body]
    assert {each.tokens["form"] for each in calls} == {"wire"}
    assert [house.body(each) for each in results] == [b'{"x": 1.50}', b"plain words"]


def test_d04_what_is_stored_is_what_was_there_at_the_call(house: House) -> None:
    messages = [{"role": "user", "content": "a"}]
    answer = reply()
    with house.agent.turn() as turn:
        with turn.model_call(request={"model": "m", "messages": messages}) as call:
            messages.append({"role": "assistant", "content": "b"})
            messages[0]["content"] = "CHANGED"
            call.result(answer)
            answer["choices"] = []
        turn.commit()
    assert (
        house.body(house.only(turn.id, "MODEL_CALL"))
        == b'{"messages":[{"content":"a","role":"user"}],"model":"m"}'
    )
    assert b"hello" in house.body(house.only(turn.id, "MODEL_RESULT"))


def test_l11_hostile_objects_do_not_reach_the_agent(house: House) -> None:
    class EvilError(Exception):
        pass

    class Evil:
        def __repr__(self) -> str:
            raise EvilError

        def __reduce__(self) -> str:
            raise EvilError

    request = {"model": "m", "messages": [{"role": "user", "content": None}], "metadata": {"x": Evil()}}
    with house.agent.turn() as turn:
        with turn.model_call(request=request) as call:
            call.result({"choices": None, "usage": Evil()})
        turn.tool("t", lambda **_: Evil(), validated={"x": Evil()})
        turn.commit(Evil())
    assert [entry.detail.get("lossy") for entry in house.entries(turn.id)] == [None, *([True] * 5)]


def test_l11_a_fault_in_reading_is_recorded_and_does_not_reach_the_agent(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(decoding, "decode_reply", fail)
    monkeypatch.setattr(decoding, "decode_request", fail)
    convo = house.agent.conversation()
    with convo.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            assert call.result("said") == "said"
        turn.commit()
    with convo.model_call(request=REQUEST) as call:
        call.result("said")
    errors = house.all(convo.id, "CAPTURE_ERROR")
    assert [(error.tokens["stage"], error.tokens["class"]) for error in errors] == [
        *[("request", "RecursionError"), ("reply", "RecursionError")] * 2
    ]
    assert house.body(house.only(turn.id, "MODEL_RESULT")) == b"said"
    house.fail_on("CAPTURE_ERROR")
    with convo.model_call(request=REQUEST) as call:
        call.result("said")
    assert "could not record a capture error" in caplog.text


def test_the_prompt_is_recorded_once_in_a_turn(house: House) -> None:
    with house.agent.turn() as turn:
        for role in ("primary", "primary", "check"):
            with turn.model_call(role=role, request=REQUEST) as call:
                call.result(reply())
        with turn.model_call(request={**REQUEST, "tools": []}) as call:
            call.result(reply())
        own = turn.prompt("Be brief.", role="raw")
        with turn.model_call(request=b"opaque", prompt=own) as call:
            call.result(b"opaque")
        turn.commit()
    prompts = [entry.row.seq for entry in house.all(turn.id, "PROMPT")]
    assert len(prompts) == 3
    named = [int(entry.tokens["prompt"]) for entry in house.all(turn.id, "MODEL_CALL")]
    assert named == [prompts[0], prompts[0], prompts[0], prompts[1], prompts[2]]
    assert house.body(house.entries(turn.id)[prompts[2]]) == b'{"instructions":["Be brief."],"tools":[]}'


def test_outside_a_turn_calls_stand_in_the_conversation(house: House) -> None:
    convo = house.agent.conversation("c")
    msg = convo.inbound("hm")
    for _ in range(2):
        with convo.model_call(role="triage", request=REQUEST) as call:
            call.result(reply())
    convo.guard("spam", "flag")
    convo.memory_write("k", "v")
    msg.verdict("observe", by="triage")
    assert house.types(convo.id) == [
        *("OPENED", "MESSAGE", "PROMPT", "MODEL_CALL", "MODEL_RESULT", "MODEL_CALL", "MODEL_RESULT"),
        *("GUARD", "MEMORY_WRITE", "VERDICT"),
    ]
    assert [entry.tokens["call"] for entry in house.all(convo.id, "MODEL_RESULT")] == ["3", "5"]


def test_s01_usage_that_is_not_there_is_absent_and_never_zero(house: House) -> None:
    answer = reply()
    del answer["usage"]
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result(answer)
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert result.detail["usage"] == "absent"
    assert not {"in", "out"} & result.tokens.keys()


def test_audio_and_images_are_counted_with_the_text_and_apart_in_the_detail(house: House) -> None:
    usage = {
        "prompt_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 70, "image_tokens": 20},
        "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 5, "audio_tokens": 40},
        "total_tokens": 170,
    }
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result(reply(usage=usage))
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert (result.tokens["in"], result.tokens["out"], result.tokens["reasoning"]) == ("120", "45", "5")
    assert result.detail["usage"] == usage
    (row,) = house.reading.turns()
    assert (row.tokens_in, row.tokens_out) == (120, 45)


@dataclass
class SdkUsage:
    prompt_tokens: int
    completion_tokens: int


def test_t03_what_changes_the_price_stands_in_the_detail(house: House) -> None:
    beside = {"web_search": {"num_requests": 2}, "image_gen": {"total_tokens": 0}}
    answer = {
        "id": "r1",
        "object": "response",
        "status": "completed",
        "model": "gpt-5.2-2026-10",
        "output": [],
        "service_tier": "flex",
        "tool_usage": beside,
    }
    with house.agent.turn() as turn:
        for one in (answer, reply(service_tier="priority"), reply()):
            with turn.model_call(request=REQUEST, provider="openai") as call:
                call.result(one)
        turn.commit("hello")
    told = [
        (result.detail.get("serviceTier"), result.detail.get("toolUsage"))
        for result in house.all(turn.id, "MODEL_RESULT")
    ]
    assert told == [("flex", {"searches": 2}), ("priority", None), (None, None)]


def test_ollamas_lines_are_recorded_as_they_came(house: House) -> None:
    last = (
        b'{"model":"m-x","message":{"role":"assistant","content":"lo"},"done":true,"done_reason":"stop",'
        b'"prompt_eval_count":9,"eval_count":2}\n'
    )
    lines = [b'{"model":"m-x","message":{"role":"assistant","content":"Hel"},"done":false}\n', last]
    with house.agent.turn() as turn:
        with turn.model_call(request={"model": "m", "messages": []}, url="http://h/api/chat") as call:
            for line in lines:
                call.chunk(line)
        turn.commit("hello")
    asked, result = house.only(turn.id, "MODEL_CALL"), house.only(turn.id, "MODEL_RESULT")
    assert asked.tokens["stream"] == "1"
    keys = ("status", "model", "in", "out", "finish")
    assert [result.tokens[key] for key in keys] == ["ok", "m-x", "9", "2", "stop"]
    assert house.body(result) == b"".join(lines)


def test_usage_that_came_another_way_is_taken(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result("text only", usage=SdkUsage(7, 3))
        with turn.model_call(request=REQUEST) as call:
            call.result("text only", usage={"what": "is this"})
        turn.commit()
    known, unknown = house.all(turn.id, "MODEL_RESULT")
    assert (known.tokens["in"], known.tokens["out"]) == ("7", "3")
    assert known.detail["usage"] == {"prompt_tokens": 7, "completion_tokens": 3}
    assert "in" not in unknown.tokens
    assert unknown.detail["usageFlags"] == ["no-counts"]


@dataclass
class SdkReply:
    """As client libraries' models do: what was set, under its name on the wire."""

    fields: dict[str, Any]

    def model_dump(self, *, mode: str, by_alias: bool, exclude_unset: bool) -> dict[str, Any]:
        assert (mode, by_alias, exclude_unset) == ("json", True, True)
        if not self.fields:
            raise TypeError
        return self.fields


def test_objects_of_client_libraries_are_recorded_as_on_the_wire(house: House) -> None:
    answer, broken = SdkReply(reply()), SdkReply({})
    with house.agent.turn() as turn:
        for given in (answer, broken):
            with turn.model_call(request=REQUEST) as call:
                assert call.result(given) is given
        turn.commit()
    known, unknown = house.all(turn.id, "MODEL_RESULT")
    assert (known.tokens["in"], known.tokens["finish"]) == ("20", "stop")
    assert b"SdkReply" in house.body(unknown)


def test_s02_ids_of_the_provider_are_no_keys(house: House) -> None:
    with house.agent.turn() as turn:
        for _ in range(2):
            with turn.model_call(request=REQUEST) as call:
                call.result(b"".join(PIECES))
        turn.commit()
    assert len(house.all(turn.id, "MODEL_RESULT")) == 2


def test_a_stream_is_kept_piece_by_piece(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request={**REQUEST, "stream": True}) as call:
            house.clock.steady_us += 250_000
            for piece in PIECES:
                assert call.chunk(piece) is piece
            house.clock.steady_us += 1_000_000
            call.result()
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert house.body(result) == b"".join(PIECES)
    assert (result.tokens["status"], result.tokens["finish"]) == ("ok", "stop")
    assert (result.tokens["ttftMs"], result.tokens["ms"], result.detail["chunks"]) == ("250", "1250", 4)
    assert result.detail["mediaType"] == "text/event-stream"
    assert house.only(turn.id, "MODEL_CALL").tokens["stream"] == "1"


def test_pieces_that_are_objects_make_a_readable_stream(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.chunk(
                {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}
            )
            call.chunk(
                {
                    "object": "chat.completion.chunk",
                    "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                }
            )
            call.result()
        assert call.reply.text == "a"
        turn.commit()
    assert house.body(house.only(turn.id, "MODEL_RESULT")).startswith(
        b'data: {"choices":[{"delta":{"content":"a"}'
    )


ENDINGS: list[tuple[type[BaseException] | None, str]] = [
    (None, "aborted"),
    (GeneratorExit, "aborted"),
    (TimeoutError, "error"),
    (ValueError, "error"),
]


@pytest.mark.parametrize(("error", "status"), ENDINGS)
def test_s03_an_abandoned_stream_is_one_row_with_what_arrived(
    house: House, error: type[BaseException] | None, status: str
) -> None:
    def consume() -> None:
        with house.agent.turn() as turn, turn.model_call(request=REQUEST) as call:
            call.chunk(PIECES[0])
            if error is not None:
                raise error

    if error is None:
        consume()
    else:
        with pytest.raises(error):
            consume()
    result = house.only(house.reading.turns()[0].id, "MODEL_RESULT")
    assert result.tokens["status"] == status
    assert house.body(result) == PIECES[0]
    assert result.detail["usage"] == "absent"
    assert "ttftMs" in result.tokens
    if error is not None:
        assert error.__name__.encode() in house.body(result, "attachment-0")


def test_a_stream_left_after_its_end_is_complete(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            for piece in PIECES:
                call.chunk(piece)
        turn.commit()
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "ok"


def test_s06_a_cut_reply_says_so_and_keeps_the_text(house: House) -> None:
    pieces = sse(
        b'{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c",'
        b'"function":{"name":"write","arguments":"{\\"path\\": \\"a"}}]},"finish_reason":null}]}',
        b'{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}',
        b"[DONE]",
    )
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result(b"".join(pieces))
        (asked,) = call.tool_requests
        with pytest.raises(UsageError, match="no JSON object"):
            turn.tool(asked.name, lambda path: path, supplied=asked.supplied, call_id=asked.id)
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert (result.tokens["finish"], result.detail["finishRaw"], result.detail["truncatedReply"]) == (
        "length",
        "length",
        True,
    )
    tool, outcome = house.only(turn.id, "TOOL_CALL"), house.only(turn.id, "TOOL_RESULT")
    assert house.body(tool, "supplied") == house.body(tool) == b'{"path": "a'
    assert (tool.tokens["validated"], outcome.tokens["status"]) == ("0", "invalid")


def test_a_stream_that_stops_in_the_middle_is_cut(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result(b"".join(PIECES[:2]))
        turn.commit()
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "cut"


def test_t04_retries_are_attempts_of_one_call(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as first:
            first.result(b'{"error":{"message":"slow down","type":"rate_limit"}}', http_status=429)
        with pytest.raises(ConnectionError), turn.model_call(request=REQUEST, retry_of=first) as second:
            raise ConnectionError
        with turn.model_call(request=REQUEST, retry_of=second) as third:
            third.result(reply())
        turn.commit()
    calls, results = house.all(turn.id, "MODEL_CALL"), house.all(turn.id, "MODEL_RESULT")
    assert [call.tokens["attempt"] for call in calls] == ["1", "2", "3"]
    assert [call.detail.get("retryOf") for call in calls] == [None, first.seq, second.seq]
    assert [result.tokens["status"] for result in results] == ["error", "error", "ok"]
    assert results[0].detail["httpStatus"] == 429
    assert results[0].detail["providerError"] == {"status": 429, "type": "rate_limit", "code": None}
    row = house.reading.turns()[0]
    assert (row.model_calls, row.tokens_out) == (3, 8)


def test_a_block_without_a_reply_is_unknown(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST):
            pass
        turn.commit()
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "unknown"


def test_a_call_has_one_result_and_is_entered_once(house: House) -> None:
    with house.agent.turn() as turn:
        call = turn.model_call(request=REQUEST)
        with pytest.raises(UsageError, match="no reply yet"):
            _ = call.reply
        with pytest.raises(UsageError, match="not on record"):
            _ = call.seq
        with call:
            call.result(reply())
            with pytest.raises(UsageError, match="result already"):
                call.result(reply())
        with pytest.raises(UsageError, match="entered before"), call:
            pytest.fail("it was entered twice")
        turn.commit()


def test_names_too_long_for_a_token_stand_whole_in_the_detail(house: House) -> None:
    name = "models/" + "ä" * 200
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST, model=name) as call:
            call.result(reply())
        turn.commit()
    asked = house.only(turn.id, "MODEL_CALL")
    assert name.startswith(asked.tokens["model"])
    assert asked.detail["model"] == name


def test_a_detail_that_would_be_too_large_says_what_it_left_out(house: House) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "notes": "x" * 300_000}
    with house.agent.turn() as turn:
        with turn.model_call(request=REQUEST) as call:
            call.result(reply(usage=usage))
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert result.detail["truncated"] == ["usage"]
    assert result.detail["finishRaw"] == "stop"
    assert b"x" * 300_000 in house.body(result)


@pytest.mark.parametrize(("given", "noted"), [(HTTPStatus.TOO_MANY_REQUESTS, 429), ("200 OK", None)])
def test_a_http_status_of_another_type_costs_no_reply(house: House, given: object, noted: int | None) -> None:
    status: Any = given
    with house.agent.turn() as turn:
        with turn.model_call(request={"model": "m"}) as call:
            call.result({"said": "hi"}, http_status=status)
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert house.body(result) == b'{"said":"hi"}'
    assert result.detail.get("httpStatus") == noted
    assert type(result.detail.get("httpStatus")) is type(noted)
