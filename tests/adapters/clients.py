"""Clients that ask one question, each in every way that it has; imported when they are asked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import turnledger

__all__ = ["CLIENTS", "LITELLM", "WAYS", "ask"]

QUESTION = "Où est ma commande ?"
WAYS = ("sync", "async", "stream", "async stream")


class Client(NamedTuple):
    """How a client is made for an address, and what it is asked."""

    sync: Callable[[str], AbstractContextManager[Any]]
    asynchronous: Callable[[str], AbstractAsyncContextManager[Any]]
    ask: Callable[[Any, str, bool], Any]
    """With the client, the address, and whether it streams; gives what is read or awaited."""


def ask(client: Client, url: str, way: str) -> None:
    """Ask, and read all of the answer."""
    if "async" in way:
        asyncio.run(_ask_asynchronously(client, url, is_stream="stream" in way))
        return
    with client.sync(url) as made:
        told = client.ask(made, url, way == "stream")
        if way == "stream":
            deque(told, maxlen=0)


async def _ask_asynchronously(client: Client, url: str, *, is_stream: bool) -> None:
    async with client.asynchronous(url) as made:
        told = await client.ask(made, url, is_stream)
        if is_stream:
            async for _ in told:
                pass


# --- recorded as objects ---------------------------------------------------------------------------


def _openai(url: str) -> Any:  # noqa: ANN401
    import openai  # noqa: PLC0415

    return turnledger.record(openai.OpenAI(base_url=f"{url}/v1", api_key="x"))


def _async_openai(url: str) -> Any:  # noqa: ANN401
    import openai  # noqa: PLC0415

    return turnledger.record(openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="x"))


def _chat(client: Any, _: str, stream: bool) -> Any:  # noqa: ANN401, FBT001
    messages = [{"role": "user", "content": QUESTION}]
    return client.chat.completions.create(model="gpt-asked", messages=messages, stream=stream)


def _responses(client: Any, _: str, stream: bool) -> Any:  # noqa: ANN401, FBT001
    return client.responses.create(model="gpt-asked", input=QUESTION, stream=stream)


def _anthropic(url: str) -> Any:  # noqa: ANN401
    import anthropic  # noqa: PLC0415

    return turnledger.record(anthropic.Anthropic(base_url=url, api_key="x"))


def _async_anthropic(url: str) -> Any:  # noqa: ANN401
    import anthropic  # noqa: PLC0415

    return turnledger.record(anthropic.AsyncAnthropic(base_url=url, api_key="x"))


def _message(client: Any, _: str, stream: bool) -> Any:  # noqa: ANN401, FBT001
    messages = [{"role": "user", "content": QUESTION}]
    return client.messages.create(model="claude-asked", max_tokens=9, messages=messages, stream=stream)


def _google(url: str) -> Any:  # noqa: ANN401
    from google import genai  # noqa: PLC0415

    options = genai.types.HttpOptions(base_url=url)
    return turnledger.record(genai.Client(api_key="x", http_options=options))


class _AsyncGoogle:
    def __init__(self, url: str) -> None:
        self._client = _google(url)

    async def __aenter__(self) -> Any:  # noqa: ANN401
        return self._client.aio

    async def __aexit__(self, *_: object) -> None:
        await self._client.aio.aclose()
        self._client.close()


def _generate(client: Any, _: str, stream: bool) -> Any:  # noqa: ANN401, FBT001
    models = client.models
    generate = models.generate_content_stream if stream else models.generate_content
    return generate(model="gemini-asked", contents=QUESTION)


CLIENTS: Mapping[str, Client] = {
    "openai chat": Client(_openai, _async_openai, _chat),
    "openai responses": Client(_openai, _async_openai, _responses),
    "anthropic": Client(_anthropic, _async_anthropic, _message),
    "google": Client(_google, _AsyncGoogle, _generate),
}

# --- recorded by ``install()``, which lasts: for a process of their own ----------------------------


def _function(name: str) -> Callable[[str], nullcontext[Any]]:
    def made(_: str) -> nullcontext[Any]:
        import litellm  # noqa: PLC0415

        return nullcontext(getattr(litellm, name))

    return made


def _litellm(model: str, place: str, function: str = "completion", **asked: object) -> Client:
    """Of the provider that ``model`` begins with, at ``place`` of the address."""
    asked = asked or {"messages": [{"role": "user", "content": QUESTION}]}

    def call(function: Any, url: str, stream: bool) -> Any:  # noqa: ANN401, FBT001
        there = {"api_base": url + place, "api_key": "x", "num_retries": 2}
        return function(model=model, stream=stream, **there, **asked)

    return Client(_function(function), _function("a" + function), call)


LITELLM: Mapping[str, Client] = {
    "by OpenAI's client": _litellm("openai/gpt-asked", "/v1"),
    "by its own, anthropic": _litellm("anthropic/claude-asked", ""),
    "by its own, google": _litellm("gemini/gemini-asked", "/v1beta/models/gemini-asked"),
    "responses": _litellm("openai/gpt-asked", "/v1", "responses", input=QUESTION),
}
