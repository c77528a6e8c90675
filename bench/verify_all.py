"""Verify a ledger whole; prints the number of events, fails where something is broken."""

from __future__ import annotations

import sys

import turnledger
from turnledger.query.verify import verify_ledger


def main(ledger: str) -> int:
    """Exit status 1 where a journal is not sound."""
    events = 0
    with turnledger.read(ledger) as reading:
        for finding in verify_ledger(reading.reader):
            if not finding.sound:
                sys.stderr.write(
                    f"{finding.kind} {finding.id}: {finding.reason} at {finding.broken_at_seq}\n"
                )
                return 1
            events += finding.events
    sys.stdout.write(f"{events}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
