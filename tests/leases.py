"""Leases that run out when a test wants it, so that none of its own does because the machine is busy."""

from __future__ import annotations

import os
import time
from contextlib import closing

from turnledger.engine.location import connect

__all__ = ["run_out"]


def run_out(url: str | os.PathLike[str]) -> None:
    """All leases of a ledger run out, as if no writer had shown a sign of life for long.  Ends no turn."""
    with closing(connect(url).open()) as store:
        for lease in store.reader.leases(expired=False, limit=1000):
            if lease.until_ms is not None:
                assert store.renew(lease.holder, [(lease.turn, lease.epoch)], 0) == set()
    time.sleep(0.005)  # by a clock of milliseconds they have run out after one of them
