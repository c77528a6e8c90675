"""What addresses tell, and answers of endpoints where no model replies."""

from __future__ import annotations

import json

import pytest

from turnledger.providers.decode import decode_reply, decode_request
from turnledger.providers.endpoint import Endpoint, endpoint_of


@pytest.mark.parametrize(
    ("uri", "provider"),
    [
        ("https://api.anthropic.com/v1/messages", "anthropic"),
        ("https://API.OpenAI.com./v1/chat/completions", "openai"),
        ("https://eu.api.openai.com/v1/responses", "openai"),
        ("https://acme.openai.azure.com/openai/v1/responses", "azure"),
        ("https://europe-west1-aiplatform.googleapis.com/v1/projects/p", "google"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/model/m/converse", "bedrock"),
        ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse", "bedrock"),
        ("https://bedrock-mantle.us-east-1.api.aws/v1/responses", "bedrock"),
        ("https://api.openai.com.evil.example/v1", None),
        ("https://notopenrouter.ai/api", None),
        ("http://localhost:8000/v1/chat/completions", None),
        ("http://[broken/v1", None),
        ("", None),
    ],
)
def test_a_host_names_its_provider(uri: str, provider: str | None) -> None:
    assert endpoint_of(uri).provider == provider
    assert decode_reply(b"{}", uri=uri).provider == provider
    assert decode_reply(b"{}", uri=uri, provider="mine").provider == "mine"


@pytest.mark.parametrize(
    ("path", "model", "streams"),
    [
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini-2.5-pro", True),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@1:rawPredict", "claude-x@1", False),
        (
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:streamRawPredict",
            "claude-x",
            True,
        ),
        ("/model/us.amazon.nova-lite-v1%3A0/converse-stream", "us.amazon.nova-lite-v1:0", True),
        ("/model/us.amazon.nova-lite-v1:0/invoke", "us.amazon.nova-lite-v1:0", False),
        ("/model/m/invoke-with-response-stream", "m", True),
        ("/openai/deployments/prod-chat-eu/chat/completions", "prod-chat-eu", False),
        ("/v1/models", None, False),
        ("/v1/chat/completions", None, False),
    ],
)
def test_a_path_may_name_model_and_streaming(path: str, model: str | None, *, streams: bool) -> None:
    assert endpoint_of(f"https://h{path}") == Endpoint(model=model, streams=streams)


@pytest.mark.parametrize(
    ("path", "wire"),
    [
        ("/v1/messages", "anthropic-messages"),
        ("/proxy/v1/messages/", "anthropic-messages"),
        ("/v2/chat", "cohere-chat"),
        ("/v1/chat/completions", "openai-chat"),
    ],
)
def test_a_plain_request_is_of_the_format_that_its_path_takes(path: str, wire: str) -> None:
    plain = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert decode_request(plain, uri=f"https://h{path}").wire == wire


@pytest.mark.parametrize(
    ("body", "wire", "counts"),
    [
        (
            {
                "object": "list",
                "data": [{"object": "embedding", "embedding": [0.1]}],
                "model": "e",
                "usage": {"prompt_tokens": 8, "total_tokens": 8},
            },
            "embeddings",
            {"in_": 8},
        ),
        ({"embedding": {"values": [0.1]}}, "embeddings", None),
        (
            {"id": "x", "embeddings": {"float": [[0.1]]}, "meta": {"billed_units": {"input_tokens": 2}}},
            "embeddings",
            {"in_": 2},
        ),
        (
            {
                "created": 1,
                "data": [{"b64_json": "…"}],
                "usage": {
                    "input_tokens": 50,
                    "output_tokens": 7,
                    "total_tokens": 57,
                    "input_tokens_details": {"text_tokens": 10, "image_tokens": 40},
                },
            },
            "other",
            {"in_": 10, "image_in": 40, "out": 7},
        ),
        ({"id": "m", "results": [{"flagged": False}]}, "other", None),
        (
            {"id": "x", "results": [{"index": 0, "relevance_score": 0.9}], "meta": {"billed_units": {}}},
            "other",
            {},
        ),
        ({"text": "hi", "task": "transcribe", "duration": 1.5}, "other", None),
        ({"input_tokens": 12}, "token-count", None),
        ({"object": "response.input_tokens", "input_tokens": 12}, "token-count", None),
        ({"totalTokens": 31, "promptTokensDetails": []}, "token-count", None),
    ],
)
def test_what_is_no_reply_is_not_taken_for_one(
    body: object, wire: str, counts: dict[str, int] | None
) -> None:
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.wire, reply.text, reply.finish) == (wire, None, None)
    assert (reply.usage.buckets() if reply.usage else None) == counts
    assert reply.flags == (("no-reply", "usage-absent") if counts is None else ("no-reply",))


@pytest.mark.parametrize(
    "body",
    [
        {"id": "b", "object": "batch"},
        {"id": "b", "type": "message_batch"},
        {"object": "list", "data": [{"object": "model"}]},
        {"id": "chatcmpl-1", "object": "chat.completion.deleted", "deleted": True},
    ],
)
def test_what_a_provider_keeps_is_no_reply(body: object) -> None:
    reply = decode_reply(json.dumps(body).encode())
    assert (reply.wire, reply.flags) == ("other", ("no-reply", "usage-absent"))


@pytest.mark.parametrize(
    ("body", "flag"),
    [
        (b'{"custom_id":"a","response":{}}\n{"custom_id":"b","response":{}}\n', "unknown-format"),
        (b'{"a":1}\nno json\n', "unknown-format"),
        (b'{\n  "a": 1,\n', "cut"),
    ],
)
def test_lines_that_are_no_stream_are_no_reply(body: bytes, flag: str) -> None:
    reply = decode_reply(body)
    assert (reply.wire, flag in reply.flags) == (None, True)
