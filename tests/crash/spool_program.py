"""Records into a spool while its ledger is away, or forwards one, until it is killed.

Arguments: ``spool`` or ``forward``, ledger file, spool file, file for acknowledgements, number.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import Future

import turnledger
from turnledger.capture.ledger import Ledger
from turnledger.capture.sink import StoreSink
from turnledger.capture.spool_sink import SpoolSink
from turnledger.engine.location import connect
from turnledger.engine.spooling import forward
from turnledger.errors import LedgerUnavailableError
from turnledger.model.draft import Batch, BatchResult
from turnledger.store.sqlite.spool import SqliteSpool


def main() -> None:
    """Work until the end comes."""
    what, ledger, spool, notes, number = sys.argv[1:]
    if what == "forward":
        store = connect(ledger).open()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        forward(SqliteSpool(spool, ledger), StoreSink(store), lambda _: None)
        store.close()
        return
    away = AwayAfterAWhile(ledger)
    agent = Ledger(SpoolSink(away, SqliteSpool(spool, ledger)), lease_s=600).agent("victim")
    descriptor = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    threads = [
        threading.Thread(target=talk, args=(agent, f"{number}-{lane}", descriptor)) for lane in range(2)
    ]
    for thread in threads:
        thread.start()


class AwayAfterAWhile(StoreSink):
    """A ledger that goes away shortly after the start, in the middle of turns."""

    def __init__(self, url: str) -> None:
        super().__init__(connect(url).open())
        real, until = self.append, time.monotonic() + 0.03

        def append(batch: Batch) -> Future[BatchResult]:
            if time.monotonic() < until:
                return real(batch)
            failed: Future[BatchResult] = Future()
            failed.set_exception(LedgerUnavailableError("It is away."))
            return failed

        self.append = append


def talk(agent: turnledger.Agent, name: str, notes: int) -> None:
    """Turns without end; each step is noted once the recorder says it is durable."""
    conversation = agent.conversation(f"talk-{name}", connector="test")
    while True:
        message = conversation.inbound("question", actor=f"person-{name}")
        with conversation.turn(trigger=message) as turn:
            with turn.tool_call("look", validated={"n": 1}) as step:
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
