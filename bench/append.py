"""One append, alone: how much longer than the bare commit of the same bytes, on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.bare import Bare, BarePostgres, BareSqlite
from bench.harness import Row, Table, folder, p50, p99, seconds
from tests.pg_server import find_binaries, running_server
from turnledger.capture.composer import compose
from turnledger.capture.content import snapshot
from turnledger.engine.location import connect
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Batch, Claim, Journal
from turnledger.model.events import Message, Opened
from turnledger.model.vocabulary import Direction, JournalKind
from turnledger.store.ledger_store import Store

REPEATS = 600
BYTES = 1000
ROUNDS = 20


def run() -> Table:
    """Both engines; the bare commits are made in turns with the appends, on the same disk."""
    rows: list[Row] = []
    with folder() as place:
        rows += _rows("SQLite", str(place / "append.ledger"), BareSqlite(place / "bare.db"))
    if find_binaries() is not None:
        with running_server() as server, server.database() as ledger, server.database() as bare:
            rows += _rows("PostgreSQL", ledger, BarePostgres(bare))
    return Table(
        "One append", f"{REPEATS} messages of {BYTES} bytes, one after the other, each durable.", rows
    )


def _rows(engine: str, url: str, bare: Bare) -> list[Row]:
    store = connect(url).open()
    ours: list[float] = []
    theirs: list[float] = []
    try:
        batches = _messages(store)
        for _ in range(ROUNDS):
            some = [next(batches) for _ in range(REPEATS // ROUNDS)]
            theirs += [seconds(_commit(bare, batch)) for batch in some]
            ours += [seconds(_append(store, batch)) for batch in some]
    finally:
        store.close()
        bare.close()
    above = (p50(ours) - p50(theirs)) * 1000
    is_floor = "the bare commit of the same bytes"
    return [
        Row(f"{engine}: append, p50 above the bare commit", above, "ms", 0.3),
        Row(f"{engine}: append, p50", p50(ours) * 1000, "ms", floor=p50(theirs) * 1000, floor_is=is_floor),
        Row(f"{engine}: append, p99", p99(ours) * 1000, "ms", floor=p99(theirs) * 1000, floor_is=is_floor),
    ]


def _append(store: Store, batch: Batch) -> Callable[[], object]:
    return lambda: store.append(batch).result()


def _commit(bare: Bare, batch: Batch) -> Callable[[], object]:
    """All bytes of the event: body, salt, detail, summary, hashes."""
    (draft,) = batch.drafts
    parts: Sequence[bytes] = [draft.tokens.encode(), draft.detail, draft.payload_hash, bytes(32)]
    data = b"".join([*parts, *(body.data + body.salt for body in draft.bodies)])
    return lambda: bare.commit(data)


def _messages(store: Store) -> Iterator[Batch]:
    """Messages of one conversation, composed beforehand; no two have the same text."""
    agent, conversation = new_id(), new_id()
    store.append(Batch(claim=Claim(AliasKind.AGENT, NIL, "bench", agent))).result()
    journal = Journal(JournalKind.CONVERSATION, conversation)
    store.append(Batch((compose(Opened()).draft(journal, agent, conversation),))).result()
    number = 0
    while True:
        number += 1
        content = snapshot(f"{number:08} {_text(number)}"[:BYTES])
        event = Message(direction=Direction.INBOUND, chars=BYTES)
        yield Batch((compose(event, content).draft(journal, agent, conversation),))


def _text(number: int) -> str:
    words = Path(__file__).with_name("workload.py").read_text().split()
    start = number * 37 % len(words)
    return " ".join([*words[start:], *words[:start]])
