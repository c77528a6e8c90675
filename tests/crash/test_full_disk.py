"""A disk that fills up and a store that cannot be written: no tool runs unrecorded, no result vanishes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PROGRAM_S
from tests.unit.capture.processes import ROOT

pytestmark = [pytest.mark.crash, pytest.mark.mount]

FILLING = """
import json, os, sys, turnledger

place = sys.argv[1]
ran = refused = unrecorded = 0

def tool(n):
    global ran
    ran += 1
    return os.urandom(3000).hex()

ledger = turnledger.open(f"{place}/agent.ledger")
conversation = ledger.agent("a").conversation("c")
for _ in range(40):
    try:
        with conversation.turn() as turn:
            for number in range(40):
                turn.tool("fill", tool, validated={"n": number})
    except turnledger.OutcomeUnrecorded as error:
        assert isinstance(error.result, str) and len(error.result) == 6000
        unrecorded += 1
    except turnledger.CaptureRefused:
        refused += 1
ledger.close()
os.unlink(f"{place}/ballast")
with turnledger.open(f"{place}/agent.ledger") as ledger:
    with ledger.agent("a").conversation("c").turn() as turn:
        turn.commit("there is room again")
with turnledger.read(f"{place}/agent.ledger") as ledger:
    from turnledger.query.verify import verify_ledger
    on_record = sum(turn.tool_calls for turn in ledger.turns(limit=1000))
    sound = all(finding.sound for finding in verify_ledger(ledger.reader))
    last = ledger.turns(limit=1)[0].status
print(json.dumps([ran, on_record, refused, unrecorded, sound, last]))
"""


READ_ONLY = """
import subprocess, sys, turnledger

place = sys.argv[1]
turnledger.open(f"{place}/agent.ledger").close()
subprocess.run(["mount", "-o", "remount,ro", place], check=True)
try:
    conversation = turnledger.open(f"{place}/agent.ledger").agent("a").conversation("c")
    with conversation.turn() as turn:
        turn.tool("never", lambda: print("RAN"), validated={})
except turnledger.LedgerError as error:
    print(type(error).__name__, bool(error.next_step))
"""


def _on_a_small_disk(program: str, place: Path) -> list[str]:
    """Run a program in a mount namespace of its own, so that nothing is left mounted."""
    unshare = shutil.which("unshare")
    assert unshare is not None
    place.mkdir()
    file = place.with_suffix(".py")
    file.write_text(program)
    script = (
        f"mount -t tmpfs -o size=3m tmpfs '{place}' && head -c 200000 /dev/zero > '{place}/ballast' && "
        f"exec '{sys.executable}' '{file}' '{place}'"
    )
    done = subprocess.run(
        [unshare, "--map-root-user", "--mount", "sh", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=PROGRAM_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_refuses_steps_before_they_run_and_hands_back_results(tmp_path: Path) -> None:
    *_, last_line = _on_a_small_disk(FILLING, tmp_path / "small")
    ran, on_record, refused, unrecorded, sound, last = json.loads(last_line)
    assert ran >= 1
    assert on_record >= ran, "a tool ran that is not on record"
    assert refused > 0
    assert refused + unrecorded + ran // 40 >= 39, "every attempt met the full disk or ran to its end"
    assert (sound, last) == (True, "completed")


def test_a_store_that_may_not_be_written_runs_no_tool(tmp_path: Path) -> None:
    assert _on_a_small_disk(READ_ONLY, tmp_path / "small") == ["LedgerUnavailableError True"]
