"""A recorder with the policy ``spool`` on a ledger that can be made to go away."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

from tests.patience import eventually
from tests.unit.capture.house import FaultySink, SetClock
from turnledger.capture.ledger import Ledger
from turnledger.capture.spool_sink import SpoolSink
from turnledger.engine.reading import Reading
from turnledger.errors import LedgerUnavailableError
from turnledger.integrity.verdict import Verdict
from turnledger.query.timeline import Entry
from turnledger.query.verify import verify_ledger
from turnledger.store.sqlite.spool import SqliteSpool

GONE = LedgerUnavailableError("The ledger is gone.", next_step="Bring it back.")
ROOMY = 1 << 30


class SpoolHouse:
    """A ledger's file, its spool, and a recorder that uses both."""

    def __init__(self, folder: Path, *, cap: int = ROOMY) -> None:
        self.path = folder / "agent.ledger"
        self.spool_path = folder / "spool.db"
        self.clock = SetClock()
        self.ledger_sink = FaultySink(str(self.path), self.clock)
        self.sink = self.another_sink(cap)
        self.ledger = Ledger(self.sink)
        self.agent = self.ledger.agent("support")
        self.reading = Reading(self.ledger_sink.store, owns_store=False)
        self.ended = 0
        """How many turns were ended because they showed no sign of life."""

    def another_sink(self, cap: int = ROOMY) -> SpoolSink:
        """As another process would open it on the same spool."""
        spool = SqliteSpool(self.spool_path, str(self.path), cap=cap)
        return SpoolSink(self.ledger_sink, spool, clock=self.clock)

    def leave(self) -> None:
        """The ledger goes away."""
        self.ledger_sink.fault = lambda _: GONE

    def come_back(self) -> None:
        """The ledger is there again; returns when the spool is drained."""
        self.ledger_sink.fault = lambda _: None
        self.drain()

    def drain(self) -> None:
        self.sink._forwarder.hurry()
        eventually(self.sink.spool.is_empty)

    def summaries(self, journal: UUID) -> list[str]:
        """Type and tokens of each event."""
        return [f"{one.row.type} {one.row.summary.partition(' detail=')[0]}" for one in self.entries(journal)]

    def entries(self, journal: UUID) -> list[Entry]:
        return self.reading.events(journal)

    def types(self, journal: UUID) -> list[str]:
        return [entry.row.type for entry in self.entries(journal)]

    def refused(self) -> list[tuple[int, str, str]]:
        """Events, refusal and reason of what the ledger refused when it was forwarded."""
        with closing(sqlite3.connect(self.spool_path)) as connection:
            return list(connection.execute("SELECT events, refusal, reason FROM refused ORDER BY id"))

    def check(self) -> None:
        """Every chain verifies, and no event is there twice."""
        findings = list(verify_ledger(self.reading.reader))
        assert {finding.verdict for finding in findings} == {Verdict.INTACT}
        assert self.conflicts() == 0

    def conflicts(self) -> int:
        with closing(sqlite3.connect(self.path)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM conflicts").fetchone()
        return int(count)

    def close(self) -> None:
        self.ledger_sink.fault = lambda _: None
        self.ledger.close()


@contextmanager
def spooling(folder: Path, *, cap: int = ROOMY) -> Iterator[SpoolHouse]:
    house = SpoolHouse(folder, cap=cap)
    try:
        yield house
    finally:
        house.close()
