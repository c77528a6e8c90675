"""Resident memory of this process, and turns to fill it with."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import turnledger

__all__ = ["resident", "run_turns"]


def resident() -> float:
    """Megabytes of physical memory that this process has now (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run_turns(ledger: turnledger.Ledger, number: int) -> None:
    """Turns of a model call with a request of 8 KB and a tool call, each in a conversation of its own."""
    agent = ledger.agent("bench")
    for place in range(number):
        talk = agent.conversation()
        with talk.turn(trigger=talk.inbound(f"Question {place}")) as turn:
            request = {"messages": [{"role": "user", "content": f"{place} " * 4000}]}
            with turn.model_call(role="primary", request=request) as call:
                call.result({"choices": [{"message": {"role": "assistant", "content": f"Answer {place}"}}]})
            with turn.tool_call("look", supplied=f'{{"id": {place}}}') as tool:
                tool.result(f"Observation {place} " * 50)
            turn.commit(f"Answer {place}")
