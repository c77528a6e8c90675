"""Models that go on with a text: Bedrock's InvokeModel in the words of each vendor, and older endpoints."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from tests.unit.providers.test_bedrock_converse import event
from turnledger.providers.decode import decode_reply, decode_request

METRICS = {"inputTokenCount": 9, "outputTokenCount": 4, "invocationLatency": 120, "firstByteLatency": 8}


def _chunks(*events: object) -> bytes:
    payloads = ({"bytes": b64encode(json.dumps(event).encode()).decode()} for event in events)
    return b"".join(event("chunk", payload) for payload in payloads)


@pytest.mark.parametrize(
    ("body", "finish", "counts"),
    [
        (
            {
                "inputTextTokenCount": 9,
                "results": [{"outputText": "Hi", "tokenCount": 4, "completionReason": "FINISH"}],
            },
            "stop",
            {"in_": 9, "out": 4},
        ),
        (
            {
                "generation": "Hi",
                "prompt_token_count": 9,
                "generation_token_count": 4,
                "stop_reason": "length",
            },
            "length",
            {"in_": 9, "out": 4},
        ),
        ({"generations": [{"text": "Hi", "finish_reason": "MAX_TOKENS"}]}, "length", None),
        (
            {
                "generations": [{"text": "Hi", "finish_reason": "COMPLETE"}],
                "meta": {"billed_units": {"input_tokens": 9, "output_tokens": 4}},
            },
            "stop",
            {"in_": 9, "out": 4},
        ),
        ({"outputs": [{"text": "Hi", "stop_reason": "stop"}]}, "stop", None),
        (
            {"completions": [{"data": {"text": "Hi"}, "finishReason": {"reason": "endoftext"}}]},
            "stop",
            None,
        ),
        ({"type": "completion", "completion": "Hi", "stop_reason": "max_tokens"}, "length", None),
    ],
)
def test_whole_replies(body: object, finish: str, counts: dict[str, int] | None) -> None:
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.wire, reply.text, reply.finish) == ("text-completion", "Hi", finish)
    assert (reply.usage.buckets() if reply.usage else None) == counts
    assert reply.flags == (("model-absent",) if counts else ("model-absent", "usage-absent"))


@pytest.mark.parametrize(
    "events",
    [
        [
            {"outputText": "H", "completionReason": None, "inputTextTokenCount": 9},
            {"outputText": "i", "completionReason": "FINISH", "totalOutputTextTokenCount": 4},
        ],
        [
            {"generation": "H", "prompt_token_count": 9, "generation_token_count": 1, "stop_reason": None},
            {
                "generation": "i",
                "prompt_token_count": None,
                "generation_token_count": 4,
                "stop_reason": "stop",
            },
        ],
        [
            {"outputs": [{"text": "H", "stop_reason": None}]},
            {"outputs": [{"text": "i", "stop_reason": "stop"}], "amazon-bedrock-invocationMetrics": METRICS},
        ],
        [
            {"is_finished": False, "text": "H"},
            {"is_finished": False, "text": "i"},
            {
                "is_finished": True,
                "finish_reason": "COMPLETE",
                "amazon-bedrock-invocationMetrics": METRICS,
            },
        ],
        [
            {"type": "completion", "completion": "H", "stop_reason": None},
            {
                "type": "completion",
                "completion": "i",
                "stop_reason": "stop_sequence",
                "amazon-bedrock-invocationMetrics": METRICS,
            },
        ],
    ],
)
def test_streams(events: list[object]) -> None:
    reply = decode_reply(_chunks(*events))
    assert (reply.wire, reply.text, reply.finish, reply.flags) == (
        "text-completion",
        "Hi",
        "stop",
        ("model-absent",),
    )
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 9, "out": 4}
    cut = decode_reply(_chunks(*events[:1]))
    assert (cut.text, cut.finish, cut.flags[0]) == ("H", None, "cut")


def test_chat_that_streams_whole_messages_is_read_and_ends_with_its_metrics() -> None:
    """Mistral on Bedrock: no deltas, another word for the reason, and no ``[DONE]``."""

    def piece(text: str, reason: str | None) -> dict[str, object]:
        message = {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "message": message, "stop_reason": reason}]}

    reply = decode_reply(
        _chunks(
            piece("H", None),
            piece("i", None),
            {**piece("", "stop"), "amazon-bedrock-invocationMetrics": METRICS},
        )
    )
    assert (reply.wire, reply.text, reply.finish, reply.flags) == ("openai-chat", "Hi", "stop", ())
    assert reply.usage is not None
    assert reply.usage.buckets() == {"in_": 9, "out": 4}
    assert decode_reply(_chunks(piece("H", None))).flags == ("cut", "usage-absent")


@pytest.mark.parametrize(
    ("uri", "body"),
    [
        ("https://api.openai.com/v1/completions", {"model": "m", "prompt": "x"}),
        ("https://api.openai.com/v1/completions", {"model": "m", "prompt": ["x", "y"]}),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke", {"prompt": "x", "max_gen_len": 9}),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke", {"inputText": "x"}),
    ],
)
def test_requests(uri: str, body: dict[str, object]) -> None:
    facts = decode_request(body, uri=uri)
    assert (facts.wire, facts.model, facts.messages, facts.flags) == ("text-completion", "m", 1, ())


def test_a_picture_that_is_asked_for_is_no_text() -> None:
    assert decode_request({"model": "m", "prompt": "a cat", "size": "1x1"}).wire is None
