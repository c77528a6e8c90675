"""Turns whose writer is gone are ended by the server, so that those who record through it need not read."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import StoreSink
from turnledger.errors import LedgerError
from turnledger.store.ledger_store import Store

__all__ = ["sweep_on"]

EVERY_S: Final = 5.0

_log = logging.getLogger("turnledger.server")


async def sweep_on(store: Store) -> None:
    """End every turn that was found twice with a lease that ran out; for as long as the server runs."""
    sweeper = Sweeper(StoreSink(store))
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            ended = await asyncio.to_thread(sweeper.sweep_twice_seen)
        except LedgerError as error:
            _log.warning("Interrupted turns could not be looked for (%s).", error.code)
            continue
        if ended:
            _log.warning("%d turns were interrupted: their writers showed no sign of life.", ended)
