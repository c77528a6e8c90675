"""One of several processes that record into one ledger: prepares its part, waits for the word, records."""

from __future__ import annotations

import sys

import turnledger
from bench.recording import prepare, record_all
from bench.workload import Shape


def main(ledger: str, conversations: int, turns: int, part: int, parts: int, at_once: int) -> None:
    """Record every ``parts``-th conversation, ``at_once`` at a time."""
    work = prepare(Shape(conversations=conversations, turns=turns), part=part, parts=parts)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    with turnledger.open(ledger) as opened:
        record_all(opened.agent("bench"), work, at_once=at_once)


if __name__ == "__main__":
    main(sys.argv[1], *[int(word) for word in sys.argv[2:]])
