"""A ledger in a PostgreSQL database: how its engine, its reader and its listener are opened."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerVersionError, UsageError
from turnledger.store.migrate import Migration, load_migrations, migrate, pending
from turnledger.store.postgres.address import Address
from turnledger.store.postgres.engine import PostgresEngine
from turnledger.store.postgres.link import Link
from turnledger.store.postgres.listen import PostgresListener
from turnledger.store.postgres.pool import LinkPool
from turnledger.store.postgres.read_session import PostgresReadSession
from turnledger.store.postgres.redial import Redial
from turnledger.store.postgres.schema import Schema
from turnledger.store.postgres.statements import call
from turnledger.store.sql_reader import SqlReader

__all__ = ["PostgresDatabase"]

PACKAGE: Final = "turnledger.store.postgres"
WAIT_MS: Final = 10_000
READERS: Final = 8


class PostgresDatabase:
    """One ledger, named by a ``postgresql://`` URL; ``options=-csearch_path=…`` in it chooses the schema.

    Gives connections; holds none itself.  ``wait_ms`` is how long a writer waits for other writers' locks.
    """

    def __init__(
        self, url: str, *, clock: Clock = SYSTEM, wait_ms: int = WAIT_MS, readers: int = READERS
    ) -> None:
        """Raises UsageError for a URL that cannot be read."""
        self._address = Address.parse(url)
        self.label = self._address.label
        self._clock = clock
        self._wait_ms = wait_ms
        self._readers = readers
        self._migrations = load_migrations(PACKAGE)

    def engine(self) -> PostgresEngine:
        """Open for writing, and bring the schema up to date where needed.

        Raises LedgerUnavailableError, LedgerVersionError, LedgerBusyError.
        """
        with self._schema() as schema:
            migrate(schema, self._migrations)
        redial = Redial(self._writing_link, self._clock)
        return PostgresEngine(redial.open(patient=False), redial, self._clock)

    def reader(self) -> SqlReader:
        """Open for reading, for many threads.  Raises as ``engine``; the schema has to be up to date."""
        if self.pending():
            msg = f"The ledger at {self.label} has not been made, or has an older schema."
            raise LedgerVersionError(msg, next_step="Run `turnledger migrate`, or open it for writing once.")
        pool = LinkPool(Redial(self._reading_link, self._clock), self.label, self._readers)
        return SqlReader(PostgresReadSession(pool))

    def listener(self) -> PostgresListener:
        """Waits for news of other processes' appends."""
        return PostgresListener(lambda: Link(self._address, [call("listen")]), self._clock)

    def pending(self, *, may_be_empty: bool = True) -> list[Migration]:
        """The migrations that ``engine`` would apply.  Changes nothing; raises as ``reader``.

        A database is empty because no ledger was made in it: there is no file that could have been cut.
        """
        del may_be_empty
        with self._schema() as schema:
            return pending(schema, self._migrations)

    def back_up(self, target: Path, advance: Callable[[int], None]) -> int:
        """Raises UsageError: the server's own program does it, with the rights that it takes."""
        del target, advance
        msg = f"{self.label} is backed up by PostgreSQL's own program."
        next_step = "Run `pg_dump --format=custom --file=FILE` with its URL; pg_restore brings it back."
        raise UsageError(msg, next_step=next_step)

    @contextmanager
    def _schema(self) -> Generator[Schema]:
        link = Link(self._address)
        try:
            yield Schema(link)
        finally:
            link.close()

    def _writing_link(self) -> Link:
        # The second call also shows a standby for what it is.
        return Link(self._address, [call("set_up_writing", self._wait_ms), call("raise_xid_base")])

    def _reading_link(self) -> Link:
        return Link(self._address, [call("set_up_reading")])
