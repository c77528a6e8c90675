"""Starting the gateway: one process, one ledger."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from turnledger.errors import LedgerUnavailableError
from turnledger.gateway.log import say_it_once

if TYPE_CHECKING:
    from turnledger.gateway.proxy import Proxy

__all__ = ["RunningGateway"]

GRACE_S: Final = 10


class RunningGateway:
    """A gateway about to run: bound to its address, so that it can be told before it serves.

    Raises LedgerUnavailableError where the address cannot be had.
    """

    def __init__(self, proxy: Proxy, *, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen()
        except OSError as error:
            self._socket.close()
            msg = f"The address {host} port {port} cannot be listened at: {error.strerror or error}."
            raise LedgerUnavailableError(msg, next_step="Choose another with --host and --port.") from error
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}"
        """Where it listens, without an upstream."""
        say_it_once()
        self._server = uvicorn.Server(
            uvicorn.Config(
                proxy,
                access_log=False,
                log_config=None,
                server_header=False,
                date_header=False,
                ws="none",
                http="h11",
                loop="asyncio",
                timeout_keep_alive=75,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    def run(self) -> None:
        """Serve until told to stop by a signal."""
        try:
            self._server.run([self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Stop serving; for another thread."""
        self._server.handle_exit(0, None)
