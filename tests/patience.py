"""How long tests wait for what has to come true: as long as a machine may take that is busy elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

__all__ = ["NEVER_S", "PATIENCE_S", "PROGRAM_S", "becomes", "eventually"]

PATIENCE_S = 60.0
"""A wait ends when what it waits for is there; only a test that fails lasts this long."""
PROGRAM_S = 240.0
"""How long a program may take that a test starts."""
NEVER_S = 3600.0
"""A wait that something else has to end: a test that sees the end of it has failed long before."""


def eventually(holds: Callable[[], object], within: float = PATIENCE_S) -> None:
    """Wait until something comes true.  Raises AssertionError where it does not, ``within`` seconds long."""
    until = time.monotonic() + within
    while not holds():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.02)


async def becomes(holds: Callable[[], object], within: float = PATIENCE_S) -> None:
    """The same inside an event loop, which goes on meanwhile."""
    until = time.monotonic() + within
    while not holds():
        assert time.monotonic() < until, "it did not come true"
        await asyncio.sleep(0.01)
