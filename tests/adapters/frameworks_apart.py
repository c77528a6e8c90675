"""Frameworks whose pins exclude those of the others, in an environment of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import openai
import strands
from agent_framework import Agent
from agent_framework import FunctionTool as FrameworkTool
from agent_framework.openai import OpenAIChatCompletionClient
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode, ToolThreadPoolConfig
from google.adk.apps import App
from google.adk.integrations.openai import OpenAILlm
from google.adk.runners import InMemoryRunner
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from strands.models.openai import OpenAIModel

from tests.adapters.playing import QUESTION, Play, Tools
from turnledger.adapters import agent_framework, google_adk
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


async def with_google_adk(url: str, tools: Tools, mode: str) -> str:
    """Google's kit with the plugin."""
    limits = httpx.Limits(max_keepalive_connections=0)  # in the loop of a run, which leaves none open
    http: Any = httpx.AsyncClient(limits=limits)
    client = openai.AsyncOpenAI(base_url=url, api_key="sk-secret", http_client=http)
    model = OpenAILlm(model="gpt-asked", client=client)
    agent = LlmAgent(name="support", model=model, tools=[_adk_tool(*tool) for tool in tools.items()])
    app = App(name="shop", root_agent=agent, plugins=[google_adk.Recording()])
    async with InMemoryRunner(app=app) as runner:
        session = await runner.session_service.create_session(app_name="shop", user_id="u")
        asked: dict[str, Any] = {
            "user_id": "u",
            "session_id": session.id,
            "new_message": types.UserContent(QUESTION),
        }
        if mode == "sync":
            asked["run_config"] = RunConfig(tool_thread_pool_config=ToolThreadPoolConfig())
            events = await asyncio.to_thread(lambda: list(runner.run(**asked)))
        else:
            streaming = StreamingMode.SSE if mode == "stream" else StreamingMode.NONE
            run = runner.run_async(**asked, run_config=RunConfig(streaming_mode=streaming))
            events = [event async for event in run]
    return "".join(part.text or "" for part in events[-1].content.parts)


def _adk_tool(name: str, function: Callable[..., Any]) -> FunctionTool:
    function.__name__ = name  # which is that of the tool
    return FunctionTool(function)


async def with_agent_framework(url: str, tools: Tools, mode: str) -> str:
    """Microsoft's framework with the middlewares; it has no synchronous way."""
    if mode == "sync":
        return await asyncio.to_thread(lambda: asyncio.run(_ask_agent_framework(url, tools, mode)))
    return await _ask_agent_framework(url, tools, mode)


async def _ask_agent_framework(url: str, tools: Tools, mode: str) -> str:
    named = [
        FrameworkTool(name=name, description=name, func=function, approval_mode="never_require")
        for name, function in tools.items()
    ]
    async with openai.AsyncOpenAI(base_url=url, api_key="sk-secret") as client:
        model = OpenAIChatCompletionClient(model="gpt-asked", async_client=client)
        agent = Agent(client=model, tools=named, middleware=[agent_framework.Recording()])
        if mode == "stream":
            streamed = agent.run(QUESTION, stream=True)
            return "".join([update.text async for update in streamed])
        return str((await agent.run(QUESTION)).text)


FRAMEWORKS: Mapping[str, Play] = {
    "agent-framework": with_agent_framework,
    "google-adk": with_google_adk,
    "strands": with_strands,
}
