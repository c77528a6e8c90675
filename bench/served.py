"""A server process to be measured, and beside it a bare one: the same program loop with nothing behind it."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bench.harness import Row, p50, seconds
from turnledger.engine.access import Access
from turnledger.engine.location import connect
from turnledger.model.access import Grant, Scope

__all__ = ["ROOT", "Client", "Serving", "bare_serving", "median_ms", "paired", "providing", "serving"]

ROOT = Path(__file__).parent.parent
ROUNDS = 10
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Serving:
    """A server process."""

    process: subprocess.Popen[bytes]
    port: int
    token: str

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def memory_mb(self) -> float:
        """Resident memory."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def cpu_seconds(self) -> float:
        """Time that it has used of any processor."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


class Client:
    """One kept-alive connection."""

    def __init__(self, serving: Serving) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", serving.port)
        self._headers = {"Authorization": f"Bearer {serving.token}"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, path: str, **headers: str) -> bytes:
        """The body of an answer."""
        return self._ask("GET", path, None, headers)

    def post(self, path: str, data: bytes) -> bytes:
        """The body of an answer."""
        return self._ask("POST", path, data, {"Content-Type": "application/x-msgpack"})

    def _ask(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> bytes:
        self._connection.request(method, path, data, self._headers | headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.status not in {200, 206}:
            raise RuntimeError(path, response.status, body[:300])
        return body


def paired(
    client: Client, bare: Client, what: str, path: str, target: float | None = None, count: int = 100
) -> Row:
    """The median of an answer, and of the same bytes from the bare server, asked for in turns."""
    size = len(client.get(path))
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours += [seconds(lambda: client.get(path)) for _ in range(count // ROUNDS)]
        theirs += [seconds(lambda: bare.get(f"/{size}")) for _ in range(count // ROUNDS)]
    return Row(what, median_ms(ours), "ms", target, floor=median_ms(theirs), floor_is="as many bare bytes")


def median_ms(times: Sequence[float]) -> float:
    """The median of seconds, in milliseconds."""
    return p50(times) * 1000


@contextmanager
def serving(ledger: Path | str) -> Generator[tuple[Serving, float]]:
    """A server, and the seconds from its start to its first answer."""
    store = connect(str(ledger)).open()
    token, _ = Access(store).add_token("bench", Grant(frozenset(Scope)))
    store.close()
    with _running(token, "turnledger", "serve", "--ledger", str(ledger), "--port") as found:
        yield found


@contextmanager
def bare_serving() -> Generator[tuple[Serving, float]]:
    """The same of ``bench.bare_server``."""
    with _running("none", "bench.bare_server") as found:
        yield found


@contextmanager
def providing() -> Generator[str]:
    """A provider of models in a process of its own (``bench.provider``), and its address."""
    with _running("none", "bench.provider") as (found, _):
        yield found.url


@contextmanager
def _running(token: str, *arguments: str) -> Generator[tuple[Serving, float]]:
    port = _free_port()
    command = [sys.executable, "-m", *arguments, str(port)]
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)  # noqa: S603  our own program
    try:
        yield Serving(process, port, token), _first_answer(port, started)
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _first_answer(port: int, started: float) -> float:
    while True:
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
            try:
                connection.request("GET", "/api/health")
                connection.getresponse().read()
            except OSError:
                time.sleep(0.005)
            else:
                return time.perf_counter() - started
