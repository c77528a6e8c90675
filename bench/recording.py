"""The workload through the public recorder, as an agent that sends bytes to its provider records itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bench.workload import Conversation, ModelStep, Shape, Turn, conversations

if TYPE_CHECKING:
    from turnledger.capture.agent import Agent
    from turnledger.capture.conversation import Conversation as Recorded

__all__ = ["Prepared", "prepare", "record_all", "record_in_tasks", "record_turn"]

Prepared = tuple[Conversation, Sequence[Turn]]


def prepare(shape: Shape, *, part: int = 0, parts: int = 1) -> list[Prepared]:
    """Conversations with their turns, made beforehand; every ``parts``-th for one of several processes."""
    made = enumerate(conversations(shape))
    return [(talk, tuple(talk.turns)) for number, talk in made if number % parts == part]


def record_all(agent: Agent, work: Iterable[Prepared], *, at_once: int = 8) -> None:
    """Record conversations, ``at_once`` of them at a time in threads, each turn after turn."""
    with ThreadPoolExecutor(at_once) as pool:
        for done in [pool.submit(_record_conversation, agent, *one) for one in work]:
            done.result()


def _record_conversation(agent: Agent, talk: Conversation, turns: Iterable[Turn]) -> None:
    recorded = agent.conversation(talk.key, connector="bench", shape="thread")
    for turn in turns:
        record_turn(recorded, talk.actor, turn)


def record_turn(recorded: Recorded, actor: str, told: Turn) -> None:
    """One turn, every step durable before it is taken: 8 model events, 6 tool events, 7 around them."""
    message = recorded.inbound(told.question, actor=actor)
    message.verdict("engage", reason="direct message")
    with recorded.turn(trigger=message) as turn:
        for step in told.steps:
            if isinstance(step, ModelStep):
                with turn.model_call(role="primary", request=step.request_bytes) as call:
                    call.result(step.response_bytes)
            else:
                arguments = json.loads(step.arguments)
                with turn.tool_call(
                    step.name, supplied=step.arguments, validated=arguments, call_id=step.call_id
                ) as tool:
                    tool.result(step.observation)
        turn.commit(told.answer)


async def record_in_tasks(agent: Agent, work: Iterable[Prepared], *, at_once: int = 8) -> None:
    """The same in tasks of one event loop."""
    rest = iter(work)

    async def record_some() -> None:
        for talk, turns in rest:
            async with agent.conversation(talk.key, connector="bench", shape="thread") as recorded:
                for turn in turns:
                    await _record_turn_async(recorded, talk.actor, turn)

    await asyncio.gather(*[record_some() for _ in range(at_once)])


async def _record_turn_async(recorded: Recorded, actor: str, told: Turn) -> None:
    message = recorded.inbound(told.question, actor=actor)
    await message
    await message.verdict("engage", reason="direct message")
    async with recorded.turn(trigger=message) as turn:
        for step in told.steps:
            if isinstance(step, ModelStep):
                async with turn.model_call(role="primary", request=step.request_bytes) as call:
                    call.result(step.response_bytes)
            else:
                arguments = json.loads(step.arguments)
                async with turn.tool_call(
                    step.name, supplied=step.arguments, validated=arguments, call_id=step.call_id
                ) as tool:
                    tool.result(step.observation)
        turn.commit(told.answer)
