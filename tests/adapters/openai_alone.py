"""The same agent without a framework: what the journals of all are compared with."""

from __future__ import annotations

import json
from typing import Any

import openai

import turnledger
from tests.adapters.playing import QUESTION, Tools

__all__ = ["with_openai"]


async def with_openai(url: str, tools: Tools, mode: str) -> str:
    """The client of OpenAI alone, and the loop that an agent is."""
    turn = turnledger.current_turn()
    assert turn is not None
    assert mode == "sync"
    with turnledger.record(openai.OpenAI(base_url=url, api_key="sk-secret")) as client:
        return _ask_openai(client, turn, tools)


def _ask_openai(client: openai.OpenAI, turn: turnledger.Turn, tools: Tools) -> str:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    offered: Any = [
        {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
        for name in tools
    ]
    while True:
        answer = client.chat.completions.create(model="gpt-asked", messages=messages, tools=offered)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.model_dump(exclude_unset=True))
        for call in message.tool_calls:
            assert call.type == "function"
            asked = call.function
            result = turn.tool(asked.name, tools[asked.name], supplied=asked.arguments, call_id=call.id)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
