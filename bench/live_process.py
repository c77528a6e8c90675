"""``python -m bench.live_process LEDGER EVENTS PAUSE_MS``: appends messages, and says when each was durable.

Prints ``ready`` once its conversation is open, waits for its input to end, then prints one time a line, in
nanoseconds of the clock that all processes of a machine share.
"""

from __future__ import annotations

import sys
import time

import turnledger


def main(ledger: str, events: int, pause_ms: int) -> None:
    """Append, one message after the other."""
    committed: list[int] = []
    with turnledger.open(ledger) as opened:
        talk = opened.agent("bench").conversation("live")
        talk.inbound("first")
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()
        for _ in range(events):
            talk.inbound("x")
            committed.append(time.monotonic_ns())
            time.sleep(pause_ms / 1000)
    sys.stdout.write("\n".join(map(str, committed)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
