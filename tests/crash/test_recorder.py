"""Processes that end at any moment, kindly or not: what was done is on record, and what was not says so."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.leases import run_out
from tests.patience import PROGRAM_S
from tests.unit.capture.processes import run, started
from turnledger import open as open_ledger
from turnledger import read
from turnledger.integrity.verdict import Verdict
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.turn_report import Doubt
from turnledger.query.verify import verify_ledger

pytestmark = pytest.mark.crash


def test_l01_a_script_that_just_ends_has_lost_nothing(ledger_path: Path) -> None:
    run(
        """
        import sys, turnledger
        agent = turnledger.open(sys.argv[1]).agent("a1")
        with agent.conversation("c1").turn() as turn:
            for number in range(200):
                turn.tool("noop", lambda i: {"ok": i}, validated={"i": number})
            turn.commit("done")
        """,
        ledger_path,
    )
    with read(ledger_path) as ledger:
        (row,) = ledger.turns()
        assert (row.status, row.tool_calls, row.open_steps) == (TurnStatus.COMPLETED, 200, 0)


def test_l01_so_has_one_that_ends_inside_an_event_loop(ledger_path: Path) -> None:
    run(
        """
        import asyncio, sys, turnledger
        async def main():
            async with turnledger.open(sys.argv[1]).agent("a1").turn() as turn:
                for number in range(100):
                    turn.progress(f"{number}")
                sys.exit(3)
        asyncio.run(main())
        """,
        ledger_path,
        code=3,
    )
    with read(ledger_path) as ledger:
        (row,) = ledger.turns()
        assert (row.status, row.events) == (TurnStatus.CANCELLED, 102)


LOOP = """
    import os, signal, sys, time, turnledger
    if sys.argv[2] == "own":
        signal.signal(signal.SIGTERM, lambda *_: (print("handled", flush=True), os._exit(7)))
    agent = turnledger.open(sys.argv[1]).agent("a")
    with agent.conversation("c").turn() as turn:
        for number in range(3):
            turn.tool("step", lambda n: n, validated={"n": number})
        with turn.tool_call("deploy", supplied='{"env":"prod"}'):
            print("ready", flush=True)
            time.sleep(60)
"""


@pytest.mark.parametrize(("handler", "code"), [("none", -signal.SIGTERM), ("own", 7)])
def test_l04_sigterm_keeps_what_was_done_and_the_turn_is_interrupted(
    ledger_path: Path, handler: str, code: int
) -> None:
    process = started(LOOP, ledger_path, handler)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=PROGRAM_S)
    assert process.returncode == code
    assert ("handled" in out) is (handler == "own")
    _is_interrupted_once_its_lease_ran_out(ledger_path)


def test_l06_sigkill_leaves_a_running_turn_that_is_later_interrupted(ledger_path: Path) -> None:
    process = started(LOOP, ledger_path, "none")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with read(ledger_path) as ledger:
        (row,) = ledger.turns()
        assert (row.status, row.tool_calls, row.open_steps) == (TurnStatus.RUNNING, 4, 1)
    process.kill()
    process.communicate(timeout=PROGRAM_S)
    _is_interrupted_once_its_lease_ran_out(ledger_path)


def _is_interrupted_once_its_lease_ran_out(path: Path) -> None:
    with read(path) as ledger:
        (row,) = ledger.turns()
        assert row.status is TurnStatus.RUNNING
    run_out(path)
    open_ledger(path).close()
    with read(path) as ledger:
        report = ledger.turn(row.id)
        assert report.turn.status is TurnStatus.INTERRUPTED
        assert [step.doubt for step in report.steps] == [None, None, None, Doubt.IN_DOUBT]
        assert {finding.verdict for finding in verify_ledger(ledger.reader)} == {Verdict.INTACT}


def test_l05_a_worker_that_idles_shows_its_turn_at_once(ledger_path: Path) -> None:
    process = started(
        """
        import sys, time, turnledger
        with turnledger.open(sys.argv[1]).agent("a").turn() as turn:
            turn.commit("x")
        print("idle", flush=True)
        time.sleep(60)
        """,
        ledger_path,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "idle\n"
    with read(ledger_path) as ledger:
        assert ledger.turns()[0].status is TurnStatus.COMPLETED
    process.kill()
    process.communicate(timeout=PROGRAM_S)


def test_a_process_that_was_stopped_past_its_lease_is_lost_when_it_comes_back(ledger_path: Path) -> None:
    process = started(
        """
        import sys, turnledger
        agent = turnledger.open(sys.argv[1], lease_s=600).agent("a")
        ran = 0
        try:
            with agent.conversation("c").turn() as turn:
                with turn.tool_call("pay") as step:
                    print("paying", flush=True)
                    sys.stdin.readline()
                    ran += 1
                    step.result("paid")
                with turn.tool_call("pay"):
                    ran += 1
        except turnledger.TurnLost:
            print(f"lost after {ran}", flush=True)
        """,
        ledger_path,
        stdin=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "paying\n"
    os.kill(process.pid, signal.SIGSTOP)
    run_out(ledger_path)
    open_ledger(ledger_path).close()
    with read(ledger_path) as ledger:
        assert ledger.turns()[0].status is TurnStatus.INTERRUPTED
    os.kill(process.pid, signal.SIGCONT)
    out, err = process.communicate("go on\n", timeout=PROGRAM_S)
    assert out == "lost after 1\n", err
    with read(ledger_path) as ledger:
        (row,) = ledger.turns()
        assert [entry.row.type for entry in ledger.events(row.id)] == ["INTAKE", "TOOL_CALL", "ABORT"]
        (late,) = [entry for entry in ledger.events(row.conversation) if entry.row.type == "LATE"]
        assert ledger.body(late.row.event_id) == b"paid"
