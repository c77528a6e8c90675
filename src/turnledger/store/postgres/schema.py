"""The ledger's schema in a PostgreSQL database: made, brought up to date, and looked at."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from turnledger.errors import LedgerUnavailableError
from turnledger.ids import new_id
from turnledger.store.migrate import Applied, Migration
from turnledger.store.postgres.link import Call, Link, Row
from turnledger.store.postgres.problems import LinkLostError, ServerError, explain, unreachable
from turnledger.store.postgres.statements import call

__all__ = ["Schema"]


class Schema:
    """See ``migrate.MigrationTarget``.  The schema is the first of the session's search path."""

    def __init__(self, link: Link) -> None:
        """Raises LedgerUnavailableError where there is no schema, or no UTF-8."""
        self._link = link
        encoding = link.parameter("server_encoding")
        if encoding != "UTF8":
            msg = f"The database of {link.label} has the encoding {encoding}; the ledger's text needs UTF8."
            raise LedgerUnavailableError(msg, next_step="Create the database with ENCODING 'UTF8'.")
        name, _ = self._look()
        if name is None:
            msg = f"The search path of {link.label} names no schema that exists."
            raise LedgerUnavailableError(
                msg, next_step="CREATE SCHEMA it first, or correct the URL's options."
            )

    def _look(self) -> Row:
        [[row]] = self._run([call("get_schema")])
        return row

    def applied(self) -> Sequence[Applied]:
        """See ``migrate.MigrationTarget``."""
        _, any_applied = self._look()
        if not any_applied:
            return ()
        [rows] = self._run([call("list_migrations")])
        return [Applied(*row) for row in rows]

    @contextmanager
    def alone(self) -> Generator[None]:
        """See ``migrate.MigrationTarget``.  The lock ends with its session, however that ends."""
        self._run([call("hold_migrations")])
        try:
            self._run([call("create_migrations")])
            yield
        finally:
            self._link.close()

    def apply(self, migration: Migration) -> None:
        """See ``migrate.MigrationTarget``."""
        self._run([call("begin")])
        try:
            self._link.script(migration.text)
        except ServerError as error:
            raise explain(error, self._link.label) from error
        except LinkLostError as error:
            raise unreachable(self._link.label, str(error)) from error
        row = (migration.number, migration.slug, migration.digest)
        self._run([call("insert_migration", *row), call("insert_ledger", new_id().bytes), call("commit")])

    def _run(self, calls: Sequence[Call]) -> list[list[Row]]:
        try:
            return self._link.run(calls, None)
        except LinkLostError as error:
            raise unreachable(self._link.label, str(error)) from error
        except ServerError as error:
            raise explain(error, self._link.label) from error
