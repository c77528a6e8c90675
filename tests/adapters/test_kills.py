"""An agent that is killed in the middle of a step: its intent is on record, and says that it is in doubt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import turnledger
from tests.adapters.frameworks import FRAMEWORKS
from tests.adapters.stub import Provider, Reply, chat_reply
from tests.adapters.turns import SUPPLIED, ToolCall, chat_tools, tool_calls

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.crash

PROGRAM = """
import sys, time
import turnledger
from tests.adapters.frameworks import FRAMEWORKS, play

def lookup(id: int, place: str) -> str:
    print("running", flush=True)
    time.sleep(60)
    return "never"

conversation = turnledger.open(sys.argv[1]).agent("support").conversation("chat:1")
play(FRAMEWORKS[sys.argv[3]], "async", conversation.turn(), sys.argv[2], {"lookup": lookup})
"""


def started(*arguments: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def killed(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_tool_that_was_running_is_in_doubt(provider: Provider, ledger_path: Path, framework: str) -> None:
    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)))
    process = started(ledger_path, provider.url, framework)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        types = [entry.row.type for entry in reading.events(turn.id)]
    assert types == ["INTAKE", "PROMPT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL"]
    (call,) = tool_calls(ledger_path, turn.id)
    assert (call.supplied, call.tokens["from"]) == (SUPPLIED.encode(), "3")


def test_a_request_that_was_under_way_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    never = threading.Event()
    provider.says(Reply(chat_reply().pieces, hold=never))
    process = started(ledger_path, provider.url, "langchain")
    try:
        while not provider.asked:
            assert process.poll() is None
    finally:
        killed(process)
        never.set()
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        *_, last = reading.events(turn.id)
        assert (last.row.type, reading.body(last.row.event_id)) == ("MODEL_CALL", provider.asked[0].body)
