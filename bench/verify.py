"""Verification from the store: the chains alone, and every body hashed too, by one thread."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import turnledger
from bench.events import say
from bench.harness import Row, Table, folder, seconds
from bench.recording import prepare, record_all
from bench.workload import Shape
from tests.pg_server import find_binaries, running_server
from turnledger.query.verify import verify_ledger
from turnledger.store.contract import Reader
from turnledger.wire.compression import unpack

SHAPE = Shape(conversations=20, turns=10)
SERVED = Shape(conversations=5, turns=10)
ROUNDS = 5
FRAMES = """
    SELECT data FROM parts WHERE substr(data, 1, 1) <> x'00'
    UNION ALL SELECT recipe FROM bodies WHERE substr(recipe, 1, 1) <> x'00'
"""


def run() -> Table:
    """The workload's ledger, verified whole; best of several rounds, since the reader's caches warm up."""
    with folder() as place:
        ledger = place / "verify.ledger"
        with turnledger.open(ledger) as opened:
            record_all(opened.agent("bench"), prepare(SHAPE))
        events, size = _facts(ledger)
        messages = place / "messages.ledger"
        said = _say(messages)
        small = _best(messages, bodies=True)
        small_chains = _best(messages, bodies=False)
        chains = _best(ledger, bodies=False)
        whole = _best(ledger, bodies=True)
        frames, unfolding = _unfold_all(ledger)
    hash_one = _seconds_a_hash()
    hash_all = _work(lambda: hmac.digest(bytes(32), bytes(size), "sha256"))
    floor = hash_all + unfolding + events * hash_one
    rows = [
        Row("events, chains only", events / chains, "/s", 200_000, more=True, floor=1 / hash_one,
            floor_is="two SHA-256 of a preimage and a detail"),
        Row("events of journals of 400, chains only", said / small_chains, "/s", 200_000, more=True),
        Row("events, every body hashed", events / whole, "/s", 50_000, more=True, floor=events / floor,
            floor_is="the same, one hash of all bodies, and unfolding what is stored once"),
        Row("events with bodies of 290 bytes, every body hashed", said / small, "/s", 50_000, more=True),
        Row("bodies hashed", size / whole / 1e6, "MB/s", floor=size / hash_all / 1e6, more=True,
            floor_is="one hash of as many bytes"),
        Row("body of an event, mean", size / events / 1000, "kB"),
        Row("stored frames to unfold, for each event", frames / events, ""),
        Row("unfolding one of them", unfolding / frames * 1e6, "µs"),
        *_served(),
    ]  # fmt: skip
    note = (
        f"{events:,} events of the workload in journals of 17 to 51, {size / 1e6:,.0f} MB of bodies; SQLite, "
        "processor time of the one thread.  An event counts once, however many bodies it has."
    )
    return Table("Verification", note, rows)


def _served() -> list[Row]:
    """The same from PostgreSQL on this machine, by the clock."""
    if find_binaries() is None:
        return []
    with running_server() as server, server.database() as ledger:
        with turnledger.open(ledger) as opened:
            record_all(opened.agent("bench"), prepare(SERVED))
        events, _ = _facts(ledger)
        times = [_best(ledger, bodies=bodies, timed=seconds) for bodies in (False, True)]
    return [
        Row(f"PostgreSQL, client and server together: events, {what}", events / each, "/s")
        for what, each in zip(("chains only", "every body hashed"), times, strict=True)
    ]


def _say(ledger: Path) -> int:
    """Messages in conversations of 400; the number of events."""
    talks, each = 10, 400
    with turnledger.open(ledger) as opened:
        agent = opened.agent("bench")
        for number in range(talks):
            say(agent.conversation(f"bench:{number}"), each)
    return talks * (each + 1)


def _work(work: Callable[[], object]) -> float:
    """Seconds of a processor that this thread takes for it."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def _best(
    ledger: Path | str, *, bodies: bool, timed: Callable[[Callable[[], object]], float] = _work
) -> float:
    """Seconds of the best round; opening the ledger is not among them."""
    with turnledger.read(ledger) as reading:
        reader = reading.reader
        return min(timed(lambda: _verify(reader, bodies=bodies)) for _ in range(ROUNDS))


def _verify(reader: Reader, *, bodies: bool) -> None:
    for finding in verify_ledger(reader, bodies=bodies):
        if not finding.sound:
            msg = f"{finding.kind} {finding.id} is {finding.verdict.value}: {finding.reason}"
            raise RuntimeError(msg)


def _facts(ledger: Path | str) -> tuple[int, int]:
    """Events, and bytes of their bodies."""
    events = size = 0
    with turnledger.read(ledger) as reading:
        for finding in verify_ledger(reading.reader, bodies=False):
            events += finding.events
            size += sum(row[2] for rows in reading.reader.recorded_bodies(finding.id) for row in rows)
    return events, size


def _unfold_all(ledger: Path) -> tuple[int, float]:
    """How many compressed frames there are, and the seconds that it takes to unfold each once."""
    with closing(sqlite3.connect(ledger)) as file:
        frames = [frame for (frame,) in file.execute(FRAMES)]
    return len(frames), min(
        _work(lambda: [len(unpack(frame, 1 << 26)) for frame in frames]) for _ in range(ROUNDS)
    )


def _seconds_a_hash() -> float:
    preimage, detail, rounds = bytes(420), bytes(160), 20_000

    def work() -> None:
        for _ in range(rounds):
            hashlib.sha256(preimage).hexdigest()
            hashlib.sha256(detail).hexdigest()

    return _work(work) / rounds
