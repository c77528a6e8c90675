"""Very many readers of the live stream in one thread, and when each of them got what."""

from __future__ import annotations

import re
import resource
import selectors
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.served import Serving

__all__ = ["Reader", "Readers", "readers"]

_EVENT = re.compile(rb"\nevent: append\ndata: [^\n]*\n\n")
_AT_ONCE = 50
_CHUNK = 1 << 16


@dataclass
class Reader:
    """One stream."""

    connection: socket.socket
    arrived: list[int] = field(default_factory=list)
    """When each event came, in nanoseconds of the shared clock."""
    _left: bytes = b""

    def read(self) -> None:
        """Take in what came."""
        data = self._left + self.connection.recv(_CHUNK)
        now, end = time.monotonic_ns(), 0
        for match in _EVENT.finditer(data):
            self.arrived.append(now)
            end = match.end()
        self._left = data[end:]


class Readers:
    """All of them."""

    def __init__(self) -> None:
        self.all: list[Reader] = []
        self._chooser = selectors.DefaultSelector()

    def add(self, served: Serving, path: str, count: int) -> None:
        """Open streams, and wait until each is open."""
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.token}\r\n\r\n"
        for start in range(0, count, _AT_ONCE):
            some = [_connected(served.port, request) for _ in range(min(_AT_ONCE, count - start))]
            for connection in some:
                while b": open" not in connection.recv(_CHUNK):
                    pass
                reader = Reader(connection)
                self.all.append(reader)
                self._chooser.register(connection, selectors.EVENT_READ, reader)

    def until(self, events: int, seconds: float) -> bool:
        """Read until every one got that many events; False where some did not in that time."""
        deadline = time.monotonic() + seconds
        while any(len(one.arrived) < events for one in self.all):
            if time.monotonic() > deadline:
                return False
            for _ in range(20):
                for key, _ in self._chooser.select(0.2):
                    key.data.read()
        return True

    def settle(self) -> None:
        """Read until nothing comes for half a second."""
        while found := self._chooser.select(0.5):
            for key, _ in found:
                key.data.read()


def _connected(port: int, request: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(request.encode())
    return connection


@contextmanager
def readers(served: Serving, path: str, count: int) -> Generator[Readers]:
    """That many open streams."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, count + 200), hard), hard))
    opened = Readers()
    try:
        opened.add(served, path, count)
        yield opened
    finally:
        for one in opened.all:
            one.connection.close()
