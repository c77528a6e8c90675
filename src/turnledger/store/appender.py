"""One append path for both engines: read under lock, plan, store bodies, write, commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from turnledger.errors import LedgerBusyError, LedgerError, LedgerUnavailableError
from turnledger.model.draft import Batch, BatchResult
from turnledger.store.body_writer import BodyWriter
from turnledger.store.contract import Engine, RowConflictError, StoredBody
from turnledger.store.plan import Planner, wants_of
from turnledger.store.state import NewBody

__all__ = ["Appender", "Outcome"]

Outcome = BatchResult | LedgerError

ATTEMPTS = 12


class Appender:
    """Turns batches into committed rows.  For one thread at a time."""

    def __init__(self, engine: Engine, bodies: BodyWriter) -> None:
        self._engine = engine
        self._bodies = bodies
        self._prunes = -1

    def run(self, batches: list[Batch], gather: Callable[[], Sequence[Batch]] = tuple) -> list[Outcome]:
        """Append these batches in one transaction; the outcomes match them one by one.

        ``gather`` gives batches that came while the write lock was waited for; they are added to ``batches``.
        When this returns, all that is not an error is durable.  A batch that the database itself
        refuses is tried alone, so that it fails alone.  Raises whatever leaves the commit unknown.
        """
        try:
            return self._transaction(batches, gather)
        except LedgerBusyError as error:
            return [error for _ in batches]
        except LedgerUnavailableError as error:
            if len(batches) == 1:
                return [error]
        return [outcome for batch in batches for outcome in self.run([batch])]

    def _transaction(self, batches: list[Batch], gather: Callable[[], Sequence[Batch]]) -> list[Outcome]:
        for _ in range(ATTEMPTS):
            try:
                return self._attempt(batches, gather)
            except RowConflictError:
                continue
        msg = f"{ATTEMPTS} attempts to append met other writers' rows."
        raise LedgerBusyError(msg, next_step="Try again; if it goes on, look for a stuck writer.")

    def _attempt(self, batches: list[Batch], gather: Callable[[], Sequence[Batch]]) -> list[Outcome]:
        engine = self._engine
        engine.begin()
        batches += gather()
        self._bodies.begin()
        try:
            found = engine.load(wants_of(batches))
            if found.prunes != self._prunes:
                self._bodies.forget()
                self._prunes = found.prunes
            planner = Planner(found, engine.next_id)
            outcomes: list[Outcome] = [planner.place(batch) for batch in batches]
            stored = [self._store(body) for body in planner.changes.bodies]
            engine.save(planner.changes, stored, planner.projection)
            engine.commit()
        except BaseException:
            self._bodies.rollback()
            engine.rollback()
            raise
        self._bodies.commit()
        return outcomes

    def _store(self, body: NewBody) -> StoredBody:
        stored = self._bodies.plan(body.aid, body.lane, body.data)
        return StoredBody(body.jid, body.seq, body.slot, stored.size, body.salt, stored.recipe)
