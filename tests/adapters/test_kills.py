"""Agents that are killed in the middle of a step: its intent is on record, and says that it is in doubt."""

from __future__ import annotations

import threading
from pathlib import Path
from uuid import UUID

import pytest

import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tools, tool_calls
from tests.patience import eventually

PROGRAM = """
import sys, threading, time
import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.playing import play

agent = turnledger.open(sys.argv[1]).agent("support")

def say(words):
    print(words + "\\n", end="", flush=True)  # at once, since all threads do

def lookup(id: int, place: str) -> str:
    say("running")
    time.sleep(600)
    return "never"

def start(name, case):
    turn = agent.conversation(name + "/" + case).turn()
    say(f"{name}/{case} {turn.id}")
    play(FRAMEWORKS[name], "async", turn, sys.argv[2] + "/" + case, {"lookup": lookup})

for name in FRAMEWORKS:
    for case in ("tool", "held"):
        threading.Thread(target=start, args=(name, case)).start()
time.sleep(600)
"""


@pytest.mark.crash
def test_what_was_under_way_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    never = threading.Event()

    def answer(asked: Asked) -> Reply:
        pieces = chat_tools(ToolCall("call-1", "lookup", SUPPLIED)).pieces
        return Reply(pieces, hold=never if asked.path.startswith("/held/") else None)

    provider.otherwise = answer
    process = started(PROGRAM, ledger_path, provider.url)
    try:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(3 * len(FRAMEWORKS))]
        eventually(lambda: len(provider.asked) == 2 * len(FRAMEWORKS))
    finally:
        killed(process)
        never.set()
    held = [asked.body for asked in provider.asked if asked.path.startswith("/held/")]
    turns = dict(line.split() for line in told if line != "running\n")
    with turnledger.read(str(ledger_path)) as reading:
        for name in FRAMEWORKS:
            events = reading.events(turns[f"{name}/tool"])
            types = [entry.row.type for entry in events]
            assert types == ["INTAKE", "PROMPT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL"], name
            (call,) = tool_calls(ledger_path, UUID(turns[f"{name}/tool"]))
            assert (call.supplied, call.tokens["from"]) == (SUPPLIED.encode(), "3"), name

            *_, last = reading.events(turns[f"{name}/held"])
            assert last.row.type == "MODEL_CALL", name
            held.remove(reading.body(last.row.event_id) or b"")
    assert held == []
