"""Model calls are priced soon after they are on record, out of the way of whoever records them."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Final

from turnledger.engine.pricing import AT_ONCE, FollowingPricer, Pricer
from turnledger.errors import LedgerError
from turnledger.server.service import Service

__all__ = ["price_on"]

EVERY_S: Final = 1.0
REST_S: Final = 0.2
"""Between full portions: a ledger of many calls is priced beside the server's work, not instead of it."""

_log = logging.getLogger("turnledger.server")


class _StoppedError(Exception):
    pass


async def price_on(service: Service) -> None:
    """Price every model call without a cost record; for as long as the server runs and has prices."""
    if service.prices.is_empty:
        return
    pricer = FollowingPricer(service.store, Pricer(service.store, service.prices, service.clock))
    stopped = threading.Event()
    try:
        while True:
            await asyncio.sleep(EVERY_S)
            await asyncio.to_thread(_price_new, pricer, stopped)
    finally:
        stopped.set()


def _price_new(pricer: FollowingPricer, stopped: threading.Event) -> None:
    def advance(calls: int) -> None:
        if stopped.wait(REST_S) if calls == AT_ONCE else stopped.is_set():
            raise _StoppedError

    try:
        pricer.price_new(advance)
    except _StoppedError:
        return
    except LedgerError as error:
        _log.warning("Model calls could not be priced (%s).", error.code)
