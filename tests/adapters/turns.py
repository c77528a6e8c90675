"""Turns of two model calls with tools between them, as a provider plays them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import turnledger
import turnledger.errors
from tests.adapters.stub import Provider, Reply, chat_reply

__all__ = [
    "SUPPLIED",
    "Called",
    "ToolCall",
    "chat_tool_events",
    "chat_tools",
    "lookup_turn",
    "refusing",
    "tool_calls",
]

SUPPLIED = '{"id": 7,  "place": "Köln"}'
"""Arguments with what a parser loses: two blanks, a letter that needs no escape."""


class ToolCall(NamedTuple):
    """A call that a model asks for."""

    id: str
    name: str
    arguments: str


HEAD = {"id": "c-1", "created": 1, "model": "gpt-served"}
USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}


def chat_tools(*calls: ToolCall) -> Reply:
    """A chat completion that asks for tools."""
    asked = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
    ]
    message = {"role": "assistant", "content": None, "tool_calls": asked}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    return Reply([json.dumps(body).encode()])


def chat_tool_events(*calls: ToolCall) -> Reply:
    """The same as a stream; each call's arguments come in two pieces, those of parallel calls interleaved."""
    deltas: list[list[dict[str, object]]] = [
        [
            {
                "index": number,
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": ""},
            }
            for number, call in enumerate(calls)
        ]
    ]
    for half in (slice(0, 5), slice(5, None)):
        deltas.extend(
            [{"index": number, "function": {"arguments": call.arguments[half]}}]
            for number, call in enumerate(calls)
        )
    chunk = {**HEAD, "object": "chat.completion.chunk"}
    bodies: list[dict[str, object]] = [
        {**chunk, "choices": [{"index": 0, "delta": {"tool_calls": delta}, "finish_reason": None}]}
        for delta in deltas
    ]
    bodies.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    bodies.append({**chunk, "choices": [], "usage": USAGE})
    pieces = [b"data: " + json.dumps(body).encode() + b"\n\n" for body in bodies]
    return Reply([*pieces, b"data: [DONE]\n\n"], "text/event-stream")


def lookup_turn(provider: Provider) -> None:
    """The model looks up order 7, then answers."""
    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)), chat_reply("It is on its way."))


@contextmanager
def refusing(path: Path, *types: str) -> Iterator[None]:
    """The ledger cannot be written to meanwhile: not at all, or not with events of these types."""
    when = f"WHEN NEW.type IN ({', '.join(map(repr, types))})" if types else ""
    refuse = "BEGIN SELECT RAISE(ABORT, 'read-only'); END"
    with closing(sqlite3.connect(path)) as ledger:
        ledger.execute(f"CREATE TRIGGER refusing BEFORE INSERT ON events {when} {refuse}")
        try:
            yield
        finally:
            ledger.execute("DROP TRIGGER refusing")


class Called(NamedTuple):
    """A TOOL_CALL with both forms of its arguments."""

    tokens: dict[str, str]
    payload: bytes | None
    supplied: bytes | None


def tool_calls(path: Path, turn: UUID) -> list[Called]:
    """The tool calls of a turn, in order."""
    with turnledger.read(str(path)) as reading:
        return [
            Called(
                dict(entry.tokens),
                _body(reading, entry.row.event_id, "payload"),
                _body(reading, entry.row.event_id, "supplied"),
            )
            for entry in reading.events(turn)
            if entry.row.type == "TOOL_CALL"
        ]


def _body(reading: turnledger.Reading, event: UUID, slot: str) -> bytes | None:
    try:
        return reading.body(event, slot)
    except turnledger.errors.NotFoundError:
        return None
