"""Frameworks whose pins exclude those of the others, in an environment of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import strands
from strands.models.openai import OpenAIModel

from tests.adapters.playing import QUESTION, Play, Tools
from turnledger.adapters.strands import Recording

__all__ = ["FRAMEWORKS"]


async def with_strands(url: str, tools: Tools, mode: str) -> str:
    """Strands with the plugin; its model makes a client for each request."""
    model = OpenAIModel(
        client_args={"base_url": url, "api_key": "sk-secret"},
        model_id="gpt-asked",
        stream=mode == "stream",
    )
    named: list[Any] = [_strands_tool(name, function) for name, function in tools.items()]
    agent = strands.Agent(model=model, tools=named, plugins=[Recording()], callback_handler=None)
    if mode == "sync":
        return str(await asyncio.to_thread(agent, QUESTION)).strip()
    if mode == "async":
        return str(await agent.invoke_async(QUESTION)).strip()
    answer = ""
    async for event in agent.stream_async(QUESTION):
        answer = str(event["result"]).strip() if "result" in event else answer
    return answer


def _strands_tool(name: str, function: Callable[..., Any]) -> Any:  # noqa: ANN401
    return strands.tool(name=name, description=name)(function)


FRAMEWORKS: Mapping[str, Play] = {"strands": with_strands}
