"""Model calls are priced soon after they are on record, out of the way of whoever records them."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from turnledger.engine.pricing import FollowingPricer, Pricer
from turnledger.errors import LedgerError
from turnledger.server.service import Service

__all__ = ["price_on"]

EVERY_S: Final = 1.0

_log = logging.getLogger("turnledger.server")


async def price_on(service: Service) -> None:
    """Price every model call without a cost record; for as long as the server runs and has prices."""
    if service.prices.is_empty:
        return
    pricer = FollowingPricer(service.store, Pricer(service.store, service.prices, service.clock))
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await asyncio.to_thread(pricer.price_new)
        except LedgerError as error:
            _log.warning("Model calls could not be priced (%s).", error.code)
