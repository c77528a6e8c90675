"""Recording through the server: one append, and the shared workload, beside the same without a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import turnledger
from bench.bare import BareSqlite
from bench.harness import Row, Table, folder, p99, seconds
from bench.recording import prepare, record_all
from bench.served import Client, Serving, bare_serving, median_ms, serving
from bench.workload import Shape

SHAPE = Shape(conversations=50, turns=10)
PARTS = 2
APPENDS, ROUNDS = 500, 10
BYTES = 1000


def run() -> Table:
    """SQLite, ``synchronous=FULL``; both ways record the same in turns, each into a ledger of its own."""
    work = prepare(SHAPE)
    turns = sum(len(told) for _, told in work)
    with folder() as place, serving(place / "served.ledger") as (served, _):
        with (
            turnledger.open(served.url, token=served.token) as remote,
            turnledger.open(str(place / "beside.ledger")) as beside,
        ):
            through, without = Spent(), Spent()
            for part in range(PARTS):
                some = work[part::PARTS]
                through.add(lambda: record_all(remote.agent("bench"), some), served)  # noqa: B023  at once
                without.add(lambda: record_all(beside.agent("bench"), some))  # noqa: B023
            appends = _appends(remote, place)
        memory = served.memory_mb()
    rows = [
        Row("turns through the server, 8 at once", turns / through.wall, "/s", 60, more=True,
            floor=turns / without.wall, floor_is="the same recorder beside the ledger"),
        Row("time of a processor for one: the server", through.server / turns * 1000, "ms"),
        Row("time of a processor for one: the recorder", through.here / turns * 1000, "ms"),
        Row("both together", (through.server + through.here) / turns * 1000, "ms",
            floor=without.here / turns * 1000, floor_is="the same recorder beside the ledger"),
        *appends,
        Row("memory of the server after that", memory, "MB"),
    ]  # fmt: skip
    note = f"{turns} turns of the shared workload; SQLite, synchronous=FULL; one machine for both sides."
    return Table("Recording over HTTP", note, rows)


@dataclass
class Spent:
    """Seconds: on the wall, of processors in this process, and in a server."""

    wall: float = 0.0
    here: float = 0.0
    server: float = 0.0

    def add(self, work: Callable[[], object], served: Serving | None = None) -> None:
        """What ``work`` takes."""
        here = time.process_time()
        server = 0.0 if served is None else served.cpu_seconds()
        self.wall += seconds(work)
        self.here += time.process_time() - here
        self.server += 0.0 if served is None else served.cpu_seconds() - server


def _appends(remote: turnledger.Ledger, place: Path) -> list[Row]:
    """One thread, one event after the other; in turns with a bare commit and a bare request of as much."""
    ours: list[float] = []
    theirs: list[float] = []
    bare = BareSqlite(place / "bare.db")
    data = bytes(BYTES)
    with (
        bare_serving() as (plain, _),
        Client(plain) as client,
        remote.agent("bench").conversation("appends").turn() as turn,
    ):

        def bare_append() -> None:
            client.post("/", data)
            bare.commit(data)

        for _ in range(ROUNDS):
            ours += [seconds(lambda: turn.progress("on it")) for _ in range(APPENDS // ROUNDS)]
            theirs += [seconds(bare_append) for _ in range(APPENDS // ROUNDS)]
        turn.commit("done")
    bare.close()
    is_floor = "a bare request and a bare commit"
    return [
        Row("one durable append, p50", median_ms(ours), "ms", 2, floor=median_ms(theirs), floor_is=is_floor),
        Row("one durable append, p99", p99(ours) * 1000, "ms", floor=p99(theirs) * 1000, floor_is=is_floor),
    ]
