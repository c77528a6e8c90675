"""What all routes share: the store and what is built on it, for the life of one server."""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from turnledger.clock import Clock
from turnledger.engine.access import Access
from turnledger.pricing.book import PriceBook
from turnledger.server.capture_intake import CaptureIntake
from turnledger.server.ledger_check import LedgerCheck
from turnledger.server.live import LiveFeed
from turnledger.server.meter import Meter
from turnledger.store.contract import Reader
from turnledger.store.costs import CostReader
from turnledger.store.figures import FiguresReader
from turnledger.store.ledger_store import Store

__all__ = ["Service", "service_of"]


@dataclass(slots=True)
class Service:
    """One ledger being served."""

    store: Store
    clock: Clock
    access: Access
    figures: FiguresReader
    costs: CostReader
    live: LiveFeed
    intake: CaptureIntake
    check: LedgerCheck
    meter: Meter = field(default_factory=Meter)
    prices: PriceBook = field(default_factory=PriceBook)
    """What calls are priced by as they come in; where it is empty nothing is priced."""

    @property
    def reader(self) -> Reader:
        """Read access to the ledger."""
        return self.store.reader


def service_of(connection: HTTPConnection) -> Service:
    """The service that an app was made with."""
    service = connection.app.state.service
    if not isinstance(service, Service):
        msg = "The app was made without a service."
        raise TypeError(msg)
    return service
