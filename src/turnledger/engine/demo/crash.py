"""An agent whose process is killed in the middle of a tool: its intent is on record, its outcome is not.

``python -m turnledger.engine.demo.crash LEDGER AGENT KEY`` begins a turn, says its id, and waits for its end.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID

from turnledger.clock import SYSTEM
from turnledger.engine.demo.dialogue import Dialogue
from turnledger.engine.demo.pace import AT_ONCE
from turnledger.engine.recorder import open_ledger
from turnledger.errors import LedgerUnavailableError
from turnledger.ids import parse_uuid

__all__ = ["Doomed", "doomed"]

_LEASE_S: Final = 0.3
_QUESTION: Final = "Please pay back what I paid twice for B-2050."


class Doomed:
    """A process with an agent in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def kill(self) -> UUID:
        """Kill it in the middle of its tool, and wait until its lease has run out.  Gives its turn.

        Raises LedgerUnavailableError where it has not come that far.
        """
        told = self._process.stdout.readline().strip() if self._process.stdout else ""
        self._process.kill()
        if not told:
            msg = "The process that was to be killed in the middle of its turn did not begin one."
            raise LedgerUnavailableError(msg, next_step="Run the demo again.")
        SYSTEM.sleep(_LEASE_S)
        return parse_uuid(told, "turn")


@contextmanager
def doomed(ledger: Path, agent: str, key: str) -> Generator[Doomed]:
    """A process that begins a turn of the agent; it is gone when the block is left."""
    command = [sys.executable, "-m", __name__, str(ledger), agent, key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own module
        try:
            yield Doomed(process)
        finally:
            process.kill()


def _begin(ledger: str, agent: str, key: str) -> None:
    """Begin a turn, and stay in the middle of its tool until whoever started this is gone."""
    with open_ledger(ledger, lease_s=_LEASE_S) as opened:
        desk = opened.agent(agent, environment="scripted").conversation(key, connector="demo", shape="dm")
        message = desk.inbound(_QUESTION, actor="demo:jo")
        message.verdict("engage", reason="A direct message is always answered.", by="dm-rule")
        with desk.turn(trigger=message) as turn:
            model = Dialogue(turn, AT_ONCE, _QUESTION)
            (wanted,) = model.ask(("refund_order", '{"order": "B-2050", "amount_eur": 62}'))
            with turn.tool_call(wanted.name, supplied=wanted.supplied, call_id=wanted.id):
                sys.stdout.write(f"{turn.id}\n")
                sys.stdout.flush()
                sys.stdin.read()


if __name__ == "__main__":
    _begin(*sys.argv[1:])
