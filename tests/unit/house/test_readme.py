"""The README's example is a program that runs, and what it does is on record."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import turnledger
from tests.patience import PROGRAM_S

README = Path(__file__).parents[3] / "README.md"

THE_READERS_OWN = """
request = {"model": "gpt-5.2", "messages": [{"role": "user", "content": "Where is my order?"}]}
asked = {"id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": '{"id": 7}'}}

def send(request):
    message = {"role": "assistant", "content": None, "tool_calls": [asked]}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}

def lookup_order(id):
    return {"status": "on its way"}
"""


def test_the_ten_lines_run_and_are_on_record(ledger_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert example
    environment = os.environ | {"TURNLEDGER_URL": str(ledger_path)}
    subprocess.run(
        [sys.executable, "-c", THE_READERS_OWN + example[1]], env=environment, check=True, timeout=PROGRAM_S
    )
    with turnledger.read(str(ledger_path)) as reading:
        turns = reading.turns(limit=2)
        assert [(turn.status, turn.model_calls, turn.tool_calls) for turn in turns] == [("completed", 1, 1)]
