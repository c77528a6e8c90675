"""The server: its start, its memory, and what a console asks of it, on the shared workload."""

from __future__ import annotations

import json
from pathlib import Path

import turnledger
from bench.harness import Row, Table, folder
from bench.recording import prepare, record_all
from bench.served import Client, Serving, bare_serving, paired, serving
from bench.workload import Shape

__all__ = ["run", "serving"]

SHAPE = Shape(conversations=60, turns=10)


def run() -> Table:
    """One server on a SQLite ledger, and the bare one beside it."""
    with folder() as place:
        ledger = place / "served.ledger"
        _record(ledger)
        with serving(ledger) as (served, first), bare_serving() as (bare, bare_first):
            rows = [
                Row("start to first answer", first, "s", 1, floor=bare_first, floor_is="of a bare server"),
                Row("idle memory", served.memory_mb(), "MB", 120, floor=bare.memory_mb(),
                    floor_is="of a bare server"),
                *_reads(served, bare),
            ]  # fmt: skip
    note = f"{SHAPE.conversations} conversations of {SHAPE.turns} turns; one machine for both sides."
    return Table("Server", note, rows)


def _record(ledger: Path) -> None:
    with turnledger.open(str(ledger)) as opened:
        record_all(opened.agent("bench"), prepare(SHAPE))


def _reads(served: Serving, bare: Serving) -> list[Row]:
    with Client(served) as client, Client(bare) as plain:
        agent = f"/api/agents/{json.loads(client.get('/api/agents'))['items'][0]['id']}"
        listed = json.loads(client.get(f"{agent}/conversations?limit=5"))["items"]
        talk = f"{agent}/conversations/{listed[0]['id']}"
        export = f"{talk}/export?bodies=true"
        return [
            paired(client, plain, "an empty answer, p50", "/api/health"),
            paired(client, plain, "100 events of a timeline, p50", f"{talk}/timeline", 15),
            paired(client, plain, "the same without previews", f"{talk}/timeline?previews=false"),
            paired(client, plain, "a conversation of 10 turns with all bodies", export, 100, 20),
            Row("its size as a journal file", len(client.get(export)) / 1e6, "MB"),
            paired(client, plain, "an agent's overview of 24 hours", f"{agent}/overview", None, 20),
        ]
