"""Agents that are killed in the middle of a step: its intent is on record, and says that it is in doubt."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.playing import MODES
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tool_events, chat_tools, tool_calls
from tests.patience import eventually

PROGRAM = """
import sys, threading, time
import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.playing import MODES, play

agent = turnledger.open(sys.argv[1]).agent("support")

def say(words):
    print(words + "\\n", end="", flush=True)  # at once, since all threads do

def lookup(id: int, place: str) -> str:
    say("running")
    time.sleep(600)
    return "never"

def start(name, mode, case):
    place = f"{name}/{mode}/{case}"
    turn = agent.conversation(place).turn()
    say(f"{place} {turn.id}")
    play(FRAMEWORKS[name], mode, turn, f"{sys.argv[2]}/{mode}/{case}", {"lookup": lookup})

for name in FRAMEWORKS:
    for mode in MODES:
        for case in ("tool", "held"):
            threading.Thread(target=start, args=(name, mode, case)).start()
time.sleep(600)
"""


@pytest.mark.crash
def test_what_was_under_way_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    never = threading.Event()

    def answer(asked: Asked) -> Reply:
        call = ToolCall("call-1", "lookup", SUPPLIED)
        reply = chat_tool_events(call) if asked.path.startswith("/stream/") else chat_tools(call)
        return replace(reply, hold=never if "/held/" in asked.path else None)

    provider.otherwise = answer
    places = [f"{name}/{mode}" for name in FRAMEWORKS for mode in MODES]
    process = started(PROGRAM, ledger_path, provider.url)
    try:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(3 * len(places))]
        eventually(lambda: len(provider.asked) == 2 * len(places))
    finally:
        killed(process)
        never.set()
    held = [asked.body for asked in provider.asked if "/held/" in asked.path]
    turns = dict(line.split() for line in told if line != "running\n")
    with turnledger.read(str(ledger_path)) as reading:
        for place in places:
            events = reading.events(turns[f"{place}/tool"])
            types = [entry.row.type for entry in events]
            assert types == ["INTAKE", "PROMPT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL"], place
            (call,) = tool_calls(ledger_path, UUID(turns[f"{place}/tool"]))
            assert (call.supplied, call.tokens["from"]) == (SUPPLIED.encode(), "3"), place

            *_, last = reading.events(turns[f"{place}/held"])
            assert last.row.type == "MODEL_CALL", place
            held.remove(reading.body(last.row.event_id) or b"")
    assert held == []
