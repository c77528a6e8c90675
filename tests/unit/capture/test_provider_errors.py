"""Errors that a provider reports in the middle of a stream: the call failed, however its block was left."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.unit.capture.house import House
from tests.unit.providers.test_bedrock_converse import event, frame
from turnledger.capture.model_call import ModelCallStep


def said(value: dict[str, Any], kind: str | None = None) -> bytes:
    """An event of a text stream."""
    name = b"" if kind is None else b"event: %b\n" % kind.encode()
    return name + b"data: %b\n\n" % json.dumps(value).encode()


CHAT = said({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hel"}}]})
CHAT_ERROR = said({"error": {"message": "The server had an error", "type": "server_error"}})
RESPONSE = {"id": "r", "object": "response", "status": "in_progress", "output": []}
FAILED = {**RESPONSE, "status": "failed", "error": {"code": "server_error", "message": "no"}}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "claude", "content": []}
OVERLOADED = {"type": "overloaded_error", "message": "Overloaded"}

STREAMS = {
    "openai chat": [CHAT, CHAT_ERROR],
    "openai chat, done all the same": [CHAT, CHAT_ERROR, b"data: [DONE]\n\n"],
    "openai responses": [
        said({"type": "response.created", "response": RESPONSE}, "response.created"),
        said({"type": "error", "code": "server_error", "message": "no"}, "error"),
    ],
    "openai responses, failed": [said({"type": "response.failed", "response": FAILED}, "response.failed")],
    "anthropic": [
        said({"type": "message_start", "message": MESSAGE}, "message_start"),
        said({"type": "error", "error": OVERLOADED}, "error"),
    ],
    "gemini": [
        said({"candidates": [{"content": {"parts": [{"text": "Hel"}], "role": "model"}, "index": 0}]}),
        said({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}),
    ],
    "bedrock": [
        event("messageStart", {"role": "assistant"}),
        event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hel"}}),
        frame({"message": "slow down"}, message_type="exception", exception_type="throttlingException"),
    ],
    "cohere": [
        said({"type": "message-start", "id": "c", "delta": {"message": {"role": "assistant"}}}),
        said({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "no"}}, "message-end"),
    ],
}


def _give_result(call: ModelCallStep) -> None:
    call.result()


def _leave(call: ModelCallStep) -> None:
    """As a client does that raises for the error itself and closes the response."""


def _raise(_: ModelCallStep) -> None:
    raise ValueError


def _stop(_: ModelCallStep) -> None:
    raise GeneratorExit


@pytest.mark.parametrize("ends", [_give_result, _leave, _raise, _stop])
@pytest.mark.parametrize("form", STREAMS)
def test_an_error_in_a_stream_is_the_end_of_the_call(
    house: House, form: str, ends: Callable[[ModelCallStep], None]
) -> None:
    with house.agent.turn() as turn:
        with (
            suppress(ValueError, GeneratorExit),
            turn.model_call(request={"model": "m", "messages": []}) as call,
        ):
            for piece in STREAMS[form]:
                call.chunk(piece)
            ends(call)
        turn.commit()
    result = house.only(turn.id, "MODEL_RESULT")
    assert result.detail["providerError"] is not None
    assert result.tokens["status"] == "error"
    assert house.body(result) == b"".join(STREAMS[form])


@pytest.mark.parametrize("form", STREAMS)
def test_an_error_counts_where_the_turn_ends_before_its_call(house: House, form: str) -> None:
    with house.agent.turn() as turn:
        call = turn.model_call(request={"model": "m", "messages": []}).__enter__()
        for piece in STREAMS[form]:
            call.chunk(piece)
        turn.commit()
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "error"
