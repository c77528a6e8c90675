"""The one question that every framework is asked in a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import turnledger

__all__ = ["ASYNC_MODES", "MODES", "QUESTION", "Play", "Tools", "play"]

QUESTION = "Where is my order?"
MODES = ("sync", "async", "stream")
ASYNC_MODES = MODES[1:]

Tools = Mapping[str, Callable[..., Any]]
Play = Callable[[str, Tools, str], Awaitable[str]]


@asynccontextmanager
async def _opened(turn: turnledger.Turn, mode: str) -> AsyncIterator[None]:
    if mode == "sync":
        with turn:
            yield
    else:
        async with turn:
            yield


def play(run: Play, mode: str, turn: turnledger.Turn, url: str, tools: Tools) -> str:
    """Ask the question in this turn, and give the answer that it was committed with."""

    async def main() -> str:
        async with _opened(turn, mode):
            answer = await run(f"{url}/v1", tools, mode)
            await turn.commit(answer)
        return answer

    return asyncio.run(main())
