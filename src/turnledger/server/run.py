"""Starting the server: one process, one ledger, and a login link where nobody could log in yet."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final

import uvicorn

from turnledger.clock import SYSTEM, Clock
from turnledger.engine.access import Access
from turnledger.engine.location import Database, store_of
from turnledger.errors import LedgerUnavailableError
from turnledger.model.access import Grant, OperatorRow, Scope
from turnledger.pricing.book import PriceBook
from turnledger.server.app import create_app
from turnledger.server.capture_intake import CaptureIntake
from turnledger.server.ledger_check import LedgerCheck
from turnledger.server.live import LiveFeed
from turnledger.server.meter import Meter
from turnledger.server.render.access import login_path
from turnledger.server.service import Service
from turnledger.store.costs import CostReader
from turnledger.store.figures import FiguresReader

__all__ = ["Address", "RunningServer", "is_loopback", "open_service"]

LOCAL: Final = "local"
"""Name of the operator whom the machine's own login link logs in."""
GRACE_S: Final = 3


def open_service(database: Database, clock: Clock = SYSTEM, prices: PriceBook | None = None) -> Service:
    """Open a ledger for serving; it is made where there is none.  Raises LedgerError.

    By ``prices`` model calls are priced as they come in; without them nothing is.
    """
    store = store_of(database).open()
    access = Access(store, clock)
    meter = Meter()
    return Service(
        store=store,
        clock=clock,
        access=access,
        figures=FiguresReader(lambda: store.reader),
        costs=CostReader(lambda: store.reader),
        live=LiveFeed(lambda: store.reader, database.listener, access, meter),
        intake=CaptureIntake(store, meter),
        check=LedgerCheck(lambda: store.reader, clock),
        meter=meter,
        prices=prices or PriceBook(),
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that is bound to ``host``."""
    return host in {"localhost", "::1"} or host.startswith("127.")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8321

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def bind(self) -> socket.socket:
        """The listening socket.  Raises LedgerUnavailableError where the address cannot be had."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # asyncio answers without delay only on sockets that name their protocol.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
            listening.listen()
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
            msg = f"The address {self.host} port {self.port} cannot be listened at: {reason}."
            raise LedgerUnavailableError(msg, next_step="Choose another with --host and --port.") from error
        return listening


class RunningServer:
    """A server about to run: bound to its address, so that its link can be told before it serves."""

    def __init__(self, service: Service, address: Address, hosts: Sequence[str] = ()) -> None:
        """Raises LedgerUnavailableError where the address cannot be had."""
        self.service = service
        self._socket = address.bind()
        self.address = Address(address.host, self._socket.getsockname()[1])
        named = () if address.host in {"0.0.0.0", "::"} else (address.host,)  # noqa: S104  compared, not bound
        config = uvicorn.Config(
            create_app(service, [*named, *hosts]),
            access_log=False,
            log_config=None,
            server_header=False,
            date_header=False,
            proxy_headers=True,  # of a proxy on this machine: whether the browser speaks TLS with it
            forwarded_allow_ips="127.0.0.1",
            ws="none",
            timeout_keep_alive=75,
            timeout_graceful_shutdown=GRACE_S,
        )
        self._server = _Server(config, service.live)

    def login_url(self) -> str:
        """A link that logs the browser of whoever started this in, once."""
        access = self.service.access
        operator = access.operator(LOCAL) or self._local()
        code, _ = access.login_code(operator.id)
        return self.address.url + login_path(code)

    def _local(self) -> OperatorRow:
        return self.service.access.add_operator(LOCAL, Grant(frozenset(Scope) - {Scope.CAPTURE}))

    def run(self) -> None:
        """Serve until told to stop by a signal."""
        try:
            self._server.run([self._socket])
        finally:
            self.service.store.close()
            self._socket.close()

    def stop(self) -> None:
        """Stop serving; for another thread."""
        self._server.handle_exit(0, None)


class _Server(uvicorn.Server):
    """Ends the streams before it waits for answers to end."""

    def __init__(self, config: uvicorn.Config, live: LiveFeed) -> None:
        super().__init__(config)
        self._live = live

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See ``uvicorn.Server``."""
        self._live.end_all()
        super().handle_exit(sig, frame)
