"""Forked children: writers of their own that lose nothing and touch nothing of the parent's."""

from __future__ import annotations

from pathlib import Path

from tests.unit.capture.processes import run
from turnledger import read
from turnledger.integrity.verdict import Verdict
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.verify import verify_ledger


def test_l02_a_worker_that_leaves_by_os_exit_loses_nothing(ledger_path: Path) -> None:
    run(
        """
        import os, sys, turnledger
        agent = turnledger.open(sys.argv[1]).agent("w")
        agent.conversation("job-6").inbound("before")
        pid = os.fork()
        if pid == 0:
            with agent.conversation("job-7").turn() as turn:
                with turn.model_call(request=b"{}") as call:
                    call.result(b"{}")
                turn.commit("done")
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        """,
        ledger_path,
    )
    with read(ledger_path) as ledger:
        (row,) = ledger.turns("w")
        assert (row.status, row.model_calls) == (TurnStatus.COMPLETED, 1)


def test_l03_parent_and_child_both_go_on_and_every_event_is_there_once(ledger_path: Path) -> None:
    run(
        """
        import os, sys, turnledger
        agent = turnledger.open(sys.argv[1]).agent("a")
        convo = agent.conversation("c")
        convo.inbound("parent-before")
        pid = os.fork()
        convo.inbound("child" if pid == 0 else "parent-after")
        with convo.turn() as turn:
            turn.commit("child" if pid == 0 else "parent")
        if pid == 0:
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        """,
        ledger_path,
    )
    with read(ledger_path) as ledger:
        (convo,) = ledger.conversations()
        messages = [entry for entry in ledger.events(convo.id) if entry.row.type == "MESSAGE"]
        said = sorted(ledger.body(entry.row.event_id) or b"" for entry in messages)
        assert said == [b"child", b"child", b"parent", b"parent-after", b"parent-before"]
        assert {finding.verdict for finding in verify_ledger(ledger.reader)} == {Verdict.INTACT}


def test_l03_a_turn_of_the_parent_is_refused_in_the_child_and_left_alone(ledger_path: Path) -> None:
    out = run(
        """
        import os, sys, turnledger
        agent = turnledger.open(sys.argv[1]).agent("a")
        reading, writing = os.pipe()
        with agent.conversation("c").turn() as turn:
            with turn.tool_call("pay") as step:
                if os.fork() == 0:
                    try:
                        with turn.tool_call("pay again"):
                            os.write(writing, b"it ran")
                    except turnledger.TurnLost as error:
                        os.write(writing, str(error).encode())
                    handoff = turn.handoff()
                    with agent.turn(parent=handoff) as part:
                        part.commit("the child's part")
                    step.result("from the child")
                    raise SystemExit(0)
                os.wait()
                step.result("from the parent")
            turn.commit("done")
        print(os.read(reading, 1000).decode())
        """,
        ledger_path,
    )
    assert "belongs to the process that this one was forked from" in out
    with read(ledger_path) as ledger:
        part, turn = ledger.turns()
        assert (turn.status, part.status) == (TurnStatus.COMPLETED, TurnStatus.COMPLETED)
        assert part.parent == turn.id
        types = [entry.row.type for entry in ledger.events(turn.id)]
        assert types == ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]
