"""The server: its start, its memory, reading, the live stream, and the workload recorded through it."""

from __future__ import annotations

import http.client
import json
import resource
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import turnledger
from bench.bare import commit_seconds
from bench.harness import Row, Table, folder, p50, seconds
from bench.recording import prepare, record_all
from bench.workload import Shape
from turnledger.engine.access import Access
from turnledger.engine.location import connect
from turnledger.model.access import Grant, Scope

SHAPE = Shape(conversations=60, turns=10)
READS = 100
APPENDS = 500
SUBSCRIBERS = 1000
EVENTS = 100
PAUSE_S = 0.1


@dataclass
class Serving:
    """A server process, asked over one connection."""

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


class Client:
    """One kept-alive connection."""

    def __init__(self, serving: Serving) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", serving.port)
        self._headers = {"Authorization": f"Bearer {serving.token}"}

    def get(self, path: str) -> bytes:
        """The body of an answer."""
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:  # noqa: PLR2004
            raise RuntimeError(path, response.status)
        return body

    def time(self, path: str, count: int = READS) -> float:
        """Median milliseconds of an answer."""
        return p50([seconds(lambda: self.get(path)) for _ in range(count)]) * 1000

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()


@contextmanager
def serving(ledger: Path) -> Iterator[tuple[Serving, float]]:
    """A server, and the seconds from its start to its first answer."""
    store = connect(str(ledger)).open()
    token, _ = Access(store).add_token("bench", Grant(frozenset(Scope)))
    store.close()
    port = 18_321
    command = [sys.executable, "-m", "turnledger", "serve", "--port", str(port), "--ledger", str(ledger)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603  our own program
    try:
        yield Serving(process, port, token), _first_answer(port, started)
    finally:
        process.terminate()
        process.wait()


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


def run() -> Table:
    """One server on a SQLite ledger with the shared workload in it."""
    work = prepare(SHAPE)
    turns = sum(len(told) for _, told in work)
    with folder() as place:
        ledger = place / "served.ledger"
        commit = commit_seconds(place / "bare.db") * 1000
        with serving(ledger) as (served, first):
            idle = served.memory_mb()
            with turnledger.open(served.url, token=served.token) as opened:
                rate = turns / seconds(lambda: record_all(opened.agent("bench"), work))
                append = _appends(opened)
            with closing(Client(served)) as client:
                read = _reads(client)
            single, all_got, cpu = _streams(served)
    round_trip = read[0].measured
    rows = [
        Row("start to first answer", first, "s", 1),
        Row("idle memory", idle, "MB", 120),
        Row("turns recorded through it, 8 at once", rate, "/s", 60, more=True),
        Row("one durable append over HTTP, p50", append, "ms", 2, floor=commit + round_trip,
            floor_is="a bare commit and an empty answer"),
        *read,
        Row("commit to delivery, one reader, p50", single, "ms", 50),
        Row(f"the same with {SUBSCRIBERS:,} readers, all of them", all_got, "ms"),
        Row(f"share of a core for {SUBSCRIBERS:,} readers at 10 events/s", cpu * 100, "%"),
    ]  # fmt: skip
    return Table(
        "Server", f"{turns} turns on record; SQLite, synchronous=FULL; one machine for both sides.", rows
    )


def _appends(opened: turnledger.Ledger) -> float:
    with opened.agent("bench").conversation("appends").turn() as turn:
        times = [seconds(lambda: turn.progress("on it")) for _ in range(APPENDS)]
        turn.commit("done")
    return p50(times) * 1000


def _reads(client: Client) -> list[Row]:
    agent = f"/api/agents/{json.loads(client.get('/api/agents'))['items'][0]['id']}"
    listed = json.loads(client.get(f"{agent}/conversations?limit=5"))["items"]
    talk = next(row for row in listed if row["turns"] == SHAPE.turns)["id"]
    timeline = f"{agent}/conversations/{talk}/timeline"
    export = f"{agent}/conversations/{talk}/export?bodies=true"
    empty = client.time("/api/health")
    return [
        Row("an empty answer, p50", empty, "ms"),
        Row("50 conversations, p50", client.time(f"{agent}/conversations"), "ms", 10, floor=empty,
            floor_is="an empty answer"),
        Row("100 events of a timeline, p50", client.time(timeline), "ms", 15, floor=empty,
            floor_is="an empty answer"),
        Row("a conversation of 10 turns with all bodies", client.time(export, 10), "ms", 100),
        Row("its size as a journal file", len(client.get(export)) / 1e6, "MB"),
        Row("an agent's overview of 24 hours", client.time(f"{agent}/overview", 10), "ms"),
    ]  # fmt: skip


# --- the live stream ------------------------------------------------------------------------------


def _streams(served: Serving) -> tuple[float, float, float]:
    """Median ms from commit to one reader, to all of very many, and then the server's share of a core."""
    with turnledger.open(served.url, token=served.token) as opened:
        talk = opened.agent("bench").conversation("live")
        talk.inbound("first")
        alone = _delivery(served, talk, 1)[0]
        many, cpu = _delivery(served, talk, SUBSCRIBERS)
    return alone, many, cpu


def _delivery(served: Serving, talk: turnledger.Conversation, readers: int) -> tuple[float, float]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, readers + 200), hard), hard))
    connections = [http.client.HTTPConnection("127.0.0.1", served.port) for _ in range(readers)]
    chooser = selectors.DefaultSelector()
    for connection in connections:
        connection.request(
            "GET", "/api/stream?scope=install", headers={"Authorization": f"Bearer {served.token}"}
        )
        response = connection.getresponse()
        response.read1()
        chooser.register(response, selectors.EVENT_READ)
    committed: list[float] = []
    arrived = [0.0] * EVENTS
    done = threading.Event()

    def read() -> None:
        got = dict.fromkeys(range(EVENTS), 0)
        seen: dict[int, int] = {}
        while got[EVENTS - 1] < readers:
            for key, _ in chooser.select(5):
                response = key.fileobj
                for _ in range(response.read1().count(b"event: append")):  # type: ignore[union-attr]
                    number = seen.get(key.fd, 0)
                    seen[key.fd] = number + 1
                    if number < EVENTS:
                        got[number] += 1
                        arrived[number] = time.perf_counter()
        done.set()

    threading.Thread(target=read, daemon=True).start()
    used, began = _cpu_seconds(served), time.perf_counter()
    for _ in range(EVENTS):
        talk.inbound("x")
        committed.append(time.perf_counter())
        time.sleep(PAUSE_S)
    done.wait(60)
    share = (_cpu_seconds(served) - used) / (time.perf_counter() - began)
    for connection in connections:
        connection.close()
    return p50([(got - sent) * 1000 for got, sent in zip(arrived, committed, strict=True)]), share


def _cpu_seconds(served: Serving) -> float:
    fields = Path(f"/proc/{served.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
