"""The server's memory: after very many answers and events, beside a reader that does not read, in ranges."""

from __future__ import annotations

import json
import socket
import time

import turnledger
from bench.harness import Row, Table, folder
from bench.memory import run_turns
from bench.served import Client, Serving, serving

WARM, ANSWERS = 500, 10_000
EVENTS_OF_TURN = 9
CAPTURED = 20_000
LARGE_BYTES = 50 << 20
PIECE = 1 << 16
SLOW_EVENTS = 5000


def run() -> Table:
    """One server on SQLite; how much more it holds after each of these than before."""
    rows: list[Row] = []
    with folder() as place, serving(place / "memory.ledger") as (served, _):
        with turnledger.open(served.url, token=served.token) as remote:
            run_turns(remote, 300)
            rows.append(Row("of 20,000 events more on record", _captured(served, remote), "MB", 10))
            with Client(served) as client:
                rows.append(Row("of 10,000 answers more", _answers(served, client), "MB", 10))
            rows.append(Row("of a reader that does not read, 5,000 events", _slow(served, remote), "MB", 5))
            message = remote.agent("bench").conversation("large").inbound(_large())
            with Client(served) as client:
                rows += _ranges(served, client, message)
        rows.append(Row("memory after all that", served.memory_mb(), "MB"))
    note = "What was resident more after than before, each after as much of the same had been done before."
    return Table("Memory of the server", note, rows)


def _captured(served: Serving, remote: turnledger.Ledger) -> float:
    turns = CAPTURED // EVENTS_OF_TURN
    run_turns(remote, turns)
    before = served.memory_mb()
    run_turns(remote, turns)
    return served.memory_mb() - before


def _answers(served: Serving, client: Client) -> float:
    agent = f"/api/agents/{json.loads(client.get('/api/agents'))['items'][0]['id']}"
    talk = json.loads(client.get(f"{agent}/conversations?limit=1"))["items"][0]["id"]
    timeline = f"{agent}/conversations/{talk}/timeline"
    events = [one for one in json.loads(client.get(timeline))["entries"] if one["bodies"]]
    paths = [f"{agent}/conversations?previews=true", timeline]
    paths += [f"{agent}/events/{one['eventId']}/body/{one['bodies'][0]['slot']}" for one in events]
    for number in range(WARM):
        client.get(paths[number % len(paths)])
    before = served.memory_mb()
    for number in range(ANSWERS):
        client.get(paths[number % len(paths)])
    return served.memory_mb() - before


def _slow(served: Serving, remote: turnledger.Ledger) -> float:
    headers = f"Host: 127.0.0.1\r\nAuthorization: Bearer {served.token}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port)) as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        reader.sendall(f"GET /api/stream?scope=install HTTP/1.1\r\n{headers}".encode())
        reader.recv(PIECE)
        before = served.memory_mb()
        run_turns(remote, SLOW_EVENTS // EVENTS_OF_TURN)
        time.sleep(1)
        return served.memory_mb() - before


def _large() -> bytes:
    """A body of 50 MB that no part of is like another."""
    return b"".join(number.to_bytes(4, "big") * 2 for number in range(LARGE_BYTES // 8))


def _ranges(served: Serving, client: Client, message: turnledger.Message) -> list[Row]:
    data = _large()
    agent = json.loads(client.get("/api/agents"))["items"][0]["id"]
    path = f"/api/agents/{agent}/events/{message.event_id}/body/payload"
    before = served.memory_mb()
    for start in range(0, LARGE_BYTES, LARGE_BYTES // 100):
        if client.get(path, Range=f"bytes={start}-{start + PIECE - 1}") != data[start : start + PIECE]:
            raise RuntimeError(path, start)
    pieces = served.memory_mb() - before
    if client.get(path) != data:
        raise RuntimeError(path)
    whole = served.memory_mb() - before
    return [
        Row("of 100 ranges of a body of 50 MB", pieces, "MB", 10),
        Row("of that body read whole", whole, "MB", 25),
    ]
