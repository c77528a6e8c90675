"""The live stream: from the commit in another process to one reader, and to a thousand, on both engines."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.harness import Row, Table, folder, p50, p99
from bench.readers import Readers, readers
from bench.served import ROOT, Serving, serving
from tests.pg_server import find_binaries, running_server

READERS = 1000
EVENTS = 100
PAUSE_MS = 100
PATH = "/api/stream?scope=install"
WAIT_S = 60.0


def run() -> Table:
    """A recorder beside the ledger, a server, and this process as all its readers."""
    rows: list[Row] = []
    with folder() as place:
        rows += _rows("SQLite", str(place / "live.ledger"))
    if find_binaries() is not None:
        with running_server() as server, server.database() as url:
            rows += _rows("PostgreSQL", url)
    note = f"{EVENTS} messages, {1000 // PAUSE_MS} a second, recorded by another process than the server."
    return Table("Live stream", note, rows)


@dataclass(frozen=True)
class Delivered:
    """Milliseconds of each event to each reader, events that did not come, the server's share of a core."""

    ms: list[float]
    missing: int
    share: float


def _rows(engine: str, ledger: str) -> Iterator[Row]:
    with serving(ledger) as (served, _):
        with readers(served, PATH, 1) as one:
            alone = _delivered(served, ledger, one)
        before = served.memory_mb()
        with readers(served, PATH, READERS) as many:
            each_kb = (served.memory_mb() - before) / READERS * 1000
            crowd = _delivered(served, ledger, many)
        yield Row(f"{engine}: commit to delivery, p50", p50(alone.ms), "ms", 50)
        yield Row(f"{engine}: commit to delivery, p99", p99(alone.ms), "ms")
        yield Row(f"{engine}: to {READERS:,} readers, p50", p50(crowd.ms), "ms")
        yield Row(f"{engine}: to {READERS:,} readers, p99", p99(crowd.ms), "ms")
        yield Row(f"{engine}: share of a core with {READERS:,} readers", crowd.share * 100, "%", 100)
        yield Row(f"{engine}: events that somebody missed", alone.missing + crowd.missing, "", 0)
        yield Row(f"{engine}: memory of a reader", each_kb, "kB")


def _delivered(served: Serving, ledger: str, waiting: Readers) -> Delivered:
    command = [sys.executable, "-m", "bench.live_process", ledger, str(EVENTS), str(PAUSE_MS)]
    with subprocess.Popen(  # noqa: S603  our own program
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as recorder:
        assert recorder.stdin is not None  # noqa: S101  it was asked for
        assert recorder.stdout is not None  # noqa: S101
        recorder.stdout.readline()
        waiting.settle()
        early = [len(one.arrived) for one in waiting.all]
        used, began = served.cpu_seconds(), time.perf_counter()
        recorder.stdin.close()
        waiting.until(max(early) + EVENTS, WAIT_S)
        share = (served.cpu_seconds() - used) / (time.perf_counter() - began)
        committed = [int(line) for line in recorder.stdout.read().split()]
    ms: list[float] = []
    missing = 0
    for reader, start in zip(waiting.all, early, strict=True):
        got = reader.arrived[start:]
        missing += abs(EVENTS - len(got))
        ms += [(at - sent) / 1e6 for at, sent in zip(got, committed, strict=False)]
    return Delivered(ms, missing, share)
