"""An agent in a process of its own: records one whole turn for each line on its standard input."""

from __future__ import annotations

import sys

import turnledger
from tests.console.story import KEY, whole_turn

if __name__ == "__main__":
    with turnledger.open(sys.argv[1]) as ledger:
        talk = ledger.agent("support").conversation(KEY)
        for line in sys.stdin:
            whole_turn(talk, line.strip())
            sys.stdout.write("recorded\n")
            sys.stdout.flush()
