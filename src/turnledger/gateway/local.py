"""A gateway inside the agent's own process, for the length of a block."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from turnledger.adapters.tool_hook import open_turn
from turnledger.errors import UsageError
from turnledger.gateway.run import RunningGateway
from turnledger.gateway.turns import TurnGateway
from turnledger.gateway.upstreams import parse_upstreams

if TYPE_CHECKING:
    from turnledger.capture.turn import Turn

__all__ = ["local_gateway"]


@contextmanager
def local_gateway(turn: Turn | None = None, *, upstream: str = "anthropic") -> Generator[str]:
    """An address on this machine for a program that the agent starts: what it asks models is in this turn.

    ``turn`` is the one that is open here unless another is given; ``upstream`` a known provider, or
    ``name=url``.  What the address gives is what the provider's own would: put it into the variable that the
    program reads.  A request that cannot be recorded is not sent, and the program gets status 403.
    Raises CaptureRefused where no turn is open, UsageError for an upstream that is none.
    """
    name, is_other, _ = upstream.partition("=")
    known = parse_upstreams([upstream] if is_other else [])
    if name not in known:
        msg = f"No upstream is called {name[:31]!r}."
        raise UsageError(msg, next_step=f"Give one of {', '.join(sorted(known))}, or name=url.")
    proxy = TurnGateway(turn or open_turn(), {name: known[name]})
    gateway = RunningGateway(proxy, host="127.0.0.1", port=0)
    thread = threading.Thread(target=gateway.run, name="turnledger-gateway", daemon=True)
    thread.start()
    try:
        yield f"{gateway.url}/{name}"
    finally:
        gateway.stop()
        thread.join()
