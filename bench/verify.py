"""Verification from the store: the chains alone, and every body hashed too, in one process on one core."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import turnledger
from bench.events import say
from bench.harness import Row, Table, folder, seconds
from bench.recording import prepare, record_all
from bench.workload import Shape
from turnledger.query.verify import verify_ledger
from turnledger.store.contract import Reader

SHAPE = Shape(conversations=20, turns=10)
ROUNDS = 5


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
        chains = _best(ledger, bodies=False)
        whole = _best(ledger, bodies=True)
    hash_one = _seconds_a_hash()
    hash_all = seconds(lambda: hmac.digest(bytes(32), bytes(size), "sha256"))
    rows = [
        Row("events, chains only", events / chains, "/s", 200_000, more=True, floor=1 / hash_one,
            floor_is="two SHA-256 of a preimage and a detail"),
        Row("events, every body hashed", events / whole, "/s", 50_000, more=True,
            floor=events / (hash_all + events * hash_one), floor_is="the same, and one hash of all bodies"),
        Row("events with bodies of 290 bytes, every body hashed", said / small, "/s", 50_000, more=True),
        Row("bodies hashed", size / whole / 1e6, "MB/s", floor=size / hash_all / 1e6, more=True,
            floor_is="one hash of as many bytes"),
        Row("body of an event, mean", size / events / 1000, "kB"),
    ]  # fmt: skip
    return Table("Verification", f"{events:,} events of the workload, {size / 1e6:,.0f} MB of bodies.", rows)


def _say(ledger: Path) -> int:
    """Messages in conversations of 400; the number of events."""
    talks, each = 10, 400
    with turnledger.open(ledger) as opened:
        agent = opened.agent("bench")
        for number in range(talks):
            say(agent.conversation(f"bench:{number}"), each)
    return talks * (each + 1)


def _best(ledger: Path, *, bodies: bool) -> float:
    """Seconds of the best round; opening the ledger is not among them."""
    with turnledger.read(ledger) as reading:
        reader = reading.reader
        return min(seconds(lambda: _verify(reader, bodies=bodies)) for _ in range(ROUNDS))


def _verify(reader: Reader, *, bodies: bool) -> None:
    for finding in verify_ledger(reader, bodies=bodies):
        if not finding.sound:
            msg = f"{finding.kind} {finding.id} is {finding.verdict.value}: {finding.reason}"
            raise RuntimeError(msg)


def _facts(ledger: Path) -> tuple[int, int]:
    """Events, and bytes of their bodies."""
    events = size = 0
    with turnledger.read(ledger) as reading:
        for finding in verify_ledger(reading.reader, bodies=False):
            events += finding.events
            size += sum(row[2] for rows in reading.reader.recorded_bodies(finding.id) for row in rows)
    return events, size


def _seconds_a_hash() -> float:
    preimage, detail, rounds = bytes(420), bytes(160), 20_000

    def work() -> None:
        for _ in range(rounds):
            hashlib.sha256(preimage).hexdigest()
            hashlib.sha256(detail).hexdigest()

    return seconds(work) / rounds
