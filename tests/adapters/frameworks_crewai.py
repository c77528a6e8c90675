"""CrewAI, in an environment of its own: recorded by ``install()``, for all that runs in this process."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["CREWAI_TESTING"] = "true"  # else it asks whoever is at a terminal
os.environ["XDG_DATA_HOME"] = str(Path(tempfile.gettempdir()) / "turnledger-crewai")

import turnledger

turnledger.install()

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it refuses an attribute that Python's import system sets
    import crewai
    from crewai.tools import tool as make_tool

from tests.adapters.playing import QUESTION, Play, Tools  # noqa: E402

__all__ = ["FRAMEWORKS", "crew_of", "with_crewai"]


async def with_crewai(url: str, tools: Tools, mode: str) -> str:
    """A crew of one agent with one task, in each of its three ways to be started."""
    model: Any = crewai.LLM(model="openai/gpt-asked", base_url=url, api_key="sk-secret")
    try:
        return await _kickoff(crew_of(model, tools), mode)
    finally:
        model._client.close()


async def _kickoff(crew: Any, mode: str) -> str:  # noqa: ANN401
    if mode == "sync":
        return str(await asyncio.to_thread(crew.kickoff))
    if mode == "async":
        return str(await crew.akickoff())
    crew.stream = True
    streamed = await crew.kickoff_async()
    async for _ in streamed:
        pass
    return str(streamed.result)


def crew_of(model: crewai.BaseLLM, tools: Tools, **more: Any) -> crewai.Crew:  # noqa: ANN401
    """An agent of this model, which is asked the question."""
    agent = crewai.Agent(
        role="support",
        goal="help",
        backstory="long",
        llm=model,
        tools=[_tool(name, function) for name, function in tools.items()],
        **more,
    )
    task = crewai.Task(description=QUESTION, expected_output="an answer", agent=agent)
    return crewai.Crew(agents=[agent], tasks=[task])


def _tool(name: str, function: Callable[..., Any]) -> Any:  # noqa: ANN401
    function.__doc__ = function.__doc__ or name
    return make_tool(name)(function)


FRAMEWORKS: Mapping[str, Play] = {"crewai": with_crewai}
