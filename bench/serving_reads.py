"""Lists of a ledger with 100,000 turns on record: with every filter, on both ends."""

from __future__ import annotations

import json

from bench.harness import Row, Table
from bench.served import Client, bare_serving, paired, serving
from bench.stored import BUSY, TURNS, stored

LIST_MS = 10


def run() -> Table:
    """SQLite; the ledger stays where the environment names a place for it (see ``bench.stored``)."""
    with (
        stored(TURNS) as ledger,
        serving(ledger) as (served, first),
        bare_serving() as (bare, bare_first),
        Client(served) as client,
        Client(bare) as plain,
    ):
        agents = {one["name"]: one["id"] for one in json.loads(client.get("/api/agents"))["items"]}
        rows = [Row("start to first answer", first, "s", 1, floor=bare_first, floor_is="of a bare server")]
        rows += [
            paired(client, plain, f"{what}, p50", path, LIST_MS) for what, path in _lists(client, agents)
        ]
        rows.append(Row("memory after that", served.memory_mb(), "MB", 120))
    note = f"{TURNS:,} turns in conversations of ten, seven tenths of them of one agent."
    return Table("Lists", note, rows)


def _lists(client: Client, agents: dict[str, str]) -> list[tuple[str, str]]:
    """What is asked, and where."""
    busy, small = f"/api/agents/{agents[BUSY]}", f"/api/agents/{agents['second']}"
    first = json.loads(client.get(f"{busy}/conversations"))
    talk = f"{busy}/conversations/{first['items'][0]['id']}"
    actor = json.loads(client.get(f"{busy}/actors?limit=1"))["items"][0]["id"]
    return [
        ("50 conversations of an agent", f"{busy}/conversations"),
        ("50 conversations of all", "/api/conversations"),
        ("the same with previews", "/api/conversations?previews=true"),
        ("the page behind it", f"{busy}/conversations?after={first['next']}"),
        ("50 of a connector", f"{busy}/conversations?connector=email"),
        ("none of a connector", f"{busy}/conversations?connector=none"),
        ("50 of a shape and place", f"{busy}/conversations?shape=dm&place=C7"),
        ("50 of an actor", f"{busy}/conversations?actor={actor}"),
        ("50 with a failed turn", f"{small}/conversations?status=failed"),
        ("none with an open turn", f"{busy}/conversations?status=open"),
        ("50 by words in their key", f"{busy}/conversations?q=stored:99"),
        ("50 turns", f"{busy}/turns"),
        ("50 failed turns", f"{small}/turns?status=failed"),
        ("50 completed turns", f"{small}/turns?status=completed"),
        ("a timeline", f"{talk}/timeline"),
    ]
