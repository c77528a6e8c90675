"""A few connections for many threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from turnledger.errors import LedgerClosedError
from turnledger.store.postgres.link import Call, Link, Row
from turnledger.store.postgres.problems import LinkLostError, ServerError, explain, unreachable
from turnledger.store.postgres.redial import Redial
from turnledger.store.postgres.statements import call

__all__ = ["LinkPool"]


_inherited: list[list[Link]] = []


class LinkPool:
    """At most ``size`` links; a thread waits where all are in use.  A forked child opens links of its own."""

    def __init__(self, redial: Redial, label: str, size: int) -> None:
        self._redial = redial
        self._label = label
        self._size = size
        self._closed = False
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._pid = os.getpid()
        self._free = threading.BoundedSemaphore(self._size)
        self._idle: list[Link] = []

    def read(self, calls: Sequence[Call]) -> list[list[Row]]:
        """Run calls on any link.  Raises LedgerError."""
        with self._link(calls) as (_, results):
            return results

    @contextmanager
    def transaction(self) -> Generator[Link]:
        """A link in which one state of the database is seen.  Raises LedgerError."""
        with self._link([call("begin_reading")]) as (link, _):
            try:
                yield link
            finally:
                with suppress(LinkLostError, ServerError):
                    link.run([call("rollback")])

    def run(self, link: Link, calls: Sequence[Call]) -> list[list[Row]]:
        """Run calls on a link in a transaction.  Raises LedgerError."""
        try:
            return link.run(calls)
        except LinkLostError as error:
            raise unreachable(self._label, str(error), "Try again.") from error
        except ServerError as error:
            raise explain(error, self._label) from error

    def close(self) -> None:
        """Close the links, those in use when they come back.  Idempotent."""
        self._closed = True
        self._leave_to_parent()
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _link(self, calls: Sequence[Call]) -> Generator[tuple[Link, list[list[Row]]]]:
        """A link on which ``calls`` were run, and their results."""
        if self._closed:
            msg = f"The reader of {self._label} was closed."
            raise LedgerClosedError(msg, next_step="Open the ledger again.")
        self._leave_to_parent()
        free = self._free
        with free:
            link, results = self._first_run(calls)
            try:
                yield link, results
            finally:
                self._give_back(link, free)

    def _leave_to_parent(self) -> None:
        if self._pid != os.getpid():
            _inherited.append(self._idle)  # what the parent uses is not for this process to close
            self._start_afresh()

    def _give_back(self, link: Link, free: threading.BoundedSemaphore) -> None:
        if self._closed or link.closed or free is not self._free:
            link.close()
        else:
            self._idle.append(link)

    def _first_run(self, calls: Sequence[Call]) -> tuple[Link, list[list[Row]]]:
        while self._idle:
            link = self._idle.pop()
            try:
                return link, link.run(calls)
            except LinkLostError:
                continue  # it broke while it lay idle
            except ServerError as error:
                self._idle.append(link)
                raise explain(error, self._label) from error
        link = self._redial.open(patient=True)
        try:
            return link, self.run(link, calls)
        except BaseException:
            link.close()
            raise
