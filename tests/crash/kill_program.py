"""Forks writers and kills them at random moments; what a writer says is on record goes to a file.

Arguments: ledger URL, file for acknowledgements, number of kills, seed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import turnledger


def main() -> None:
    """Fork and kill, one writer after the other."""
    url, acknowledged, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    turnledger.open(url).close()  # all modules are loaded before the first fork
    dice = random.Random(seed)
    for number in range(kills):
        child = os.fork()
        if child == 0:
            write_until_killed(url, acknowledged, number)
        if number % 2:
            wait_for_a_note(acknowledged)
        time.sleep(dice.uniform(0.0, 0.2))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os._exit(0)


def wait_for_a_note(acknowledged: str) -> None:
    """Let a writer get to work, however slow the machine is; the others are killed wherever they are."""
    notes = Path(acknowledged)
    size = notes.stat().st_size if notes.exists() else 0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if notes.exists() and notes.stat().st_size > size:
            return
        time.sleep(0.005)


def write_until_killed(url: str, acknowledged: str, number: int) -> None:
    """Two turns at once, over and over; each step is noted once the recorder says it is durable."""
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    agent = turnledger.open(url, lease_s=2.0).agent("victim")
    threads = [threading.Thread(target=talk, args=(agent, number, lane, notes)) for lane in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def talk(agent: turnledger.Agent, number: int, lane: int, notes: int) -> None:
    """Turns of one conversation without end."""
    conversation = agent.conversation(f"talk-{lane}", connector="test", shape="thread")
    history: list[dict[str, str]] = []
    while True:
        message = conversation.inbound(f"question {number} of lane {lane}", actor=f"person-{lane}")
        with conversation.turn(trigger=message) as turn:
            history.append({"role": "user", "content": f"question {number} " * 20})
            with turn.model_call(role="primary", model="m", request={"messages": history}) as call:
                note(notes, turn, call.seq)
                call.result({"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
            note(notes, turn, call.seq + 1)
            with turn.tool_call("look", validated={"n": number}) as step:
                note(notes, turn, step.seq)
                step.result({"found": "x" * 3000})
            note(notes, turn, step.seq + 1)
            turn.commit("done")
            note(notes, turn, step.seq + 2)


def note(notes: int, turn: turnledger.Turn, seq: int) -> None:
    """One line in one write, so that a kill leaves it whole or not at all."""
    os.write(notes, f"{turn.id} {seq}\n".encode())


if __name__ == "__main__":
    main()
