"""Forks while other threads are inside a transaction: nobody hangs, nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.capture.processes import run
from turnledger import read
from turnledger.model.vocabulary import TurnStatus

pytestmark = pytest.mark.crash


def test_l03_forking_while_other_threads_record_does_not_hang(ledger_path: Path) -> None:
    run(
        """
        import os, sys, threading, turnledger, turnledger.capture.heartbeat
        turnledger.capture.heartbeat.BEATS = 600  # ten a second, of leases that last
        ledger = turnledger.open(sys.argv[1], lease_s=60)
        def work(name):
            for number in range(15):
                with ledger.agent(name).conversation(f"{name}/{number}").turn() as turn:
                    turn.tool("t", lambda: number)
                    turn.commit("x")
        threads = [threading.Thread(target=work, args=(f"p{n}",)) for n in range(3)]
        for thread in threads:
            thread.start()
        children = []
        for number in range(4):
            pid = os.fork()
            if pid == 0:
                work(f"c{number}")
                os._exit(0)
            children.append(pid)
        for pid in children:
            assert os.waitpid(pid, 0)[1] == 0
        for thread in threads:
            thread.join()
        """,
        ledger_path,
    )
    with read(ledger_path) as ledger:
        rows = ledger.turns(limit=200)
        assert len(rows) == 105
        assert {row.status for row in rows} == {TurnStatus.COMPLETED}
