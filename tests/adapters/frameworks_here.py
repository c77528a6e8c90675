"""Frameworks beside which this package is developed, which run the same agent over functions as tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import agents
import httpx2
import openai
from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.adapters.playing import QUESTION, Play, Tools
from tests.patience import PATIENCE_S
from turnledger.adapters import langchain, openai_agents, pydantic_ai

__all__ = ["FRAMEWORKS"]

agents.set_tracing_disabled(disabled=True)


def in_a_loop(client: openai.AsyncOpenAI, run: Callable[[], str]) -> str:
    """Run what makes an event loop for itself where it finds none, and leave nothing open behind it."""
    asyncio.set_event_loop(loop := asyncio.new_event_loop())
    try:
        return run()
    finally:
        loop.run_until_complete(client.close())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        asyncio.set_event_loop(None)


async def with_pydantic_ai(url: str, tools: Tools, mode: str) -> str:
    """Pydantic AI with the capability."""
    client = openai.AsyncOpenAI(base_url=url, api_key="sk-secret")
    model = OpenAIChatModel("gpt-asked", provider=OpenAIProvider(openai_client=client))
    named = [Tool(function, name=name) for name, function in tools.items()]
    agent = Agent(model, tools=named, capabilities=[pydantic_ai.Recording()])
    if mode == "sync":
        return await asyncio.to_thread(in_a_loop, client, lambda: agent.run_sync(QUESTION).output)
    async with client:
        if mode == "async":
            return (await agent.run(QUESTION)).output
        async with agent.run_stream(QUESTION) as streamed:
            return await streamed.get_output()


async def with_langchain(url: str, tools: Tools, mode: str) -> str:
    """LangChain with the middleware."""
    async with httpx2.AsyncClient(timeout=PATIENCE_S) as asynchronous:
        with httpx2.Client(timeout=PATIENCE_S) as synchronous:
            model = ChatOpenAI(
                model="gpt-asked",
                base_url=url,
                api_key="sk-secret",  # type: ignore[arg-type]
                http_client=synchronous,
                http_async_client=asynchronous,
            )
            return await _ask_langchain(model, tools, mode)


async def _ask_langchain(model: ChatOpenAI, tools: Tools, mode: str) -> str:
    named = [_langchain_tool(name, function) for name, function in tools.items()]
    agent = create_agent(model, named, middleware=[langchain.Recording()])
    question: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    if mode == "sync":
        return str((await asyncio.to_thread(agent.invoke, question))["messages"][-1].content)
    if mode == "async":
        return str((await agent.ainvoke(question))["messages"][-1].content)
    answer = ""
    pieces: AsyncIterator[Any] = agent.astream(question, stream_mode="messages")
    async for message, _ in pieces:
        answer += message.text if message.type == "AIMessageChunk" else ""
    return answer


def _langchain_tool(name: str, function: Callable[..., Any]) -> StructuredTool:
    if asyncio.iscoroutinefunction(function):
        return StructuredTool.from_function(coroutine=function, name=name, description=name)
    return StructuredTool.from_function(function, name=name, description=name)


async def with_openai_agents(url: str, tools: Tools, mode: str) -> str:
    """OpenAI Agents with the hooks."""
    client = openai.AsyncOpenAI(base_url=url, api_key="sk-secret")
    model = agents.OpenAIChatCompletionsModel("gpt-asked", client)
    named: list[agents.Tool] = [
        agents.function_tool(function, name_override=name) for name, function in tools.items()
    ]
    agent: agents.Agent[None] = agents.Agent("support", model=model, tools=named)
    hooks = openai_agents.Recording()
    if mode == "sync":
        return await asyncio.to_thread(
            in_a_loop, client, lambda: str(agents.Runner.run_sync(agent, QUESTION, hooks=hooks).final_output)
        )
    async with client:
        if mode == "async":
            return str((await agents.Runner.run(agent, QUESTION, hooks=hooks)).final_output)
        streamed = agents.Runner.run_streamed(agent, QUESTION, hooks=hooks)
        async for _ in streamed.stream_events():
            pass
        return str(streamed.final_output)


FRAMEWORKS: Mapping[str, Play] = {
    "pydantic-ai": with_pydantic_ai,
    "langchain": with_langchain,
    "openai-agents": with_openai_agents,
}
