"""Several programs at once on one ledger: one chain each, one genesis, migrations once."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import pytest

import turnledger
from tests.patience import PROGRAM_S
from tests.unit.capture.processes import started
from turnledger.integrity.verdict import Verdict
from turnledger.query.verify import verify_ledger

pytestmark = pytest.mark.crash

RACER = """
import sys, turnledger
agent = turnledger.open(sys.argv[1]).agent("racer")
print("ready", flush=True)
sys.stdin.readline()
conversation = agent.conversation("the one", connector="test", shape="channel")
for number in range(12 - 1):
    conversation.inbound(f"{sys.argv[2]}:{number}")
"""

NEWCOMER = """
import sys, turnledger
print("ready", flush=True)
sys.stdin.readline()
with turnledger.open(sys.argv[1]).agent("newcomer").conversation(sys.argv[2]).turn() as turn:
    turn.commit("here")
print("done", flush=True)
"""


def _race(program: str, url: str, runners: int) -> Sequence[subprocess.Popen[str]]:
    """Start them all, let them go at once, wait for them."""
    racers = [started(program, url, number, stdin=subprocess.PIPE) for number in range(runners)]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n", racer.stderr
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        _, err = racer.communicate(timeout=PROGRAM_S)
        assert racer.returncode == 0, err
    return racers


def test_five_programs_race_into_one_new_journal(engine: str) -> None:
    """E04: 5 times 11 messages and one OPENED: whoever comes first opens, nobody forks."""
    turnledger.open(engine).close()
    _race(RACER, engine, 5)
    with turnledger.read(engine) as ledger:
        (conversation,) = ledger.conversations()
        entries = ledger.events(conversation.id)
        assert [entry.row.seq for entry in entries] == list(range(5 * 11 + 1))
        assert [entry.row.type for entry in entries].count("OPENED") == 1
        assert entries[0].row.type == "OPENED"
        assert sorted(entry.row.position for entry in entries if entry.row.position is not None) == list(
            range(56)
        )
        assert {finding.verdict for finding in verify_ledger(ledger.reader)} == {Verdict.INTACT}


def test_four_programs_open_a_brand_new_ledger_at_once(engine: str) -> None:
    _race(NEWCOMER, engine, 4)
    with turnledger.read(engine) as ledger:
        assert [agent.name for agent in ledger.agents()] == ["newcomer"]
        assert len(ledger.turns()) == 4
        assert {finding.verdict for finding in verify_ledger(ledger.reader)} == {Verdict.INTACT}
