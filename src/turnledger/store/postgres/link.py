"""One connection: named statements in pipelines, so that a whole step of a transaction is one round trip.

It speaks to libpq directly.  A statement is prepared at its first use, parameters and results travel in
binary, and a silent server is given up after a while instead of being waited for without end.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import pq
from psycopg.adapt import Transformer

from turnledger.store.postgres.address import Address
from turnledger.store.postgres.problems import LinkLostError, ServerError, explain, unreachable
from turnledger.store.postgres.values import Format, encode, oid
from turnledger.store.sql import Statement

__all__ = ["Call", "Link", "Row", "connect"]

Row: TypeAlias = tuple[Any, ...]
Call: TypeAlias = tuple[Statement, Sequence[object]]

OLDEST_SERVER: Final = 14
OLDEST_LIBPQ: Final = 140000  # the first with pipelines
ANSWER_SECONDS: Final = 60.0

_LOST: Final = "the connection was closed"
# The session ended (shutdown, crash, idle too long, an administrator), or somebody migrated since its
# statements were prepared (0A000): either way the next one is a new one.
_ENDED: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "0A000"})


def connect(address: Address) -> psycopg.Connection[Row]:
    """A connection in autocommit mode.  Raises LedgerUnavailableError with what the server said."""
    if pq.version() < OLDEST_LIBPQ:
        reason = f"the PostgreSQL client library here is version {pq.version_pretty(pq.version())}"
        raise unreachable(
            address.label, reason, "Run pip install 'psycopg[binary]', which brings a newer one."
        )
    try:
        connection = psycopg.connect(address.conninfo, autocommit=True)
    except psycopg.OperationalError as error:
        raise unreachable(address.label, _one_line(str(error)), _advice(error)) from error
    version = connection.pgconn.server_version // 10000
    if version < OLDEST_SERVER:
        connection.close()
        reason = f"it is PostgreSQL {version}"
        raise unreachable(address.label, reason, f"PostgreSQL {OLDEST_SERVER} or newer is needed.")
    return connection


def _advice(error: psycopg.OperationalError) -> str:
    text = str(error)
    if "does not exist" in text and "database" in text:
        return "Create the database first (createdb), or correct its name in the URL."
    if "password" in text or "authentication" in text or "pg_hba" in text:
        return (
            "Check the user and password in the URL, or PGPASSWORD, ~/.pgpass and the server's pg_hba.conf."
        )
    if "read-only" in text or "hot standby" in text:
        return "Name the primary in the URL."
    return ""


def _one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


class Link:
    """A connection for statements.  For one thread at a time; after LinkLostError it is closed for good."""

    def __init__(self, address: Address, session: Sequence[Call] = ()) -> None:
        """Connect and run ``session`` (its settings).  Raises LedgerError where one of the two fails."""
        self.label = address.label
        self._connection = connect(address)
        self._pgconn = self._connection.pgconn
        self._loader = Transformer(self._connection)
        self._prepared: set[bytes] = set()
        self._sent: list[
            tuple[bytes, bool]
        ] = []  # since the last run: names, and whether prepared on the way
        self._unread = 0
        self._pgconn.enter_pipeline_mode()
        try:
            self.run(session)
        except LinkLostError as error:
            raise unreachable(self.label, str(error)) from error
        except ServerError as error:
            self.close()
            raise explain(error, self.label) from error

    # --- statements ----------------------------------------------------------------------------

    def send(self, calls: Sequence[Call]) -> None:
        """Put calls down to go with the next ``run``, whose answers theirs come before.

        A packet of their own would cost more than it wins; where they are many they go earlier.
        Raises ServerError for a value that no column could hold (nothing is sent then), LinkLostError.
        """
        encoded = [encode(values) for _, values in calls]
        with self._guarded():
            for call, (data, formats) in zip(calls, encoded, strict=True):
                self._send(call, data, formats)

    def run(self, calls: Sequence[Call], answer_seconds: float | None = ANSWER_SECONDS) -> list[list[Row]]:
        """Send calls and wait for the rows of all that were sent since the last ``run``, a list per call.

        Where one fails the server skips the rest and ServerError says what it was.
        Raises LinkLostError where the connection broke or ``answer_seconds`` went by in silence.
        """
        encoded = [encode(values) for _, values in calls]
        with self._guarded():
            for call, (data, formats) in zip(calls, encoded, strict=True):
                self._send(call, data, formats)
            self._pgconn.pipeline_sync()
            results = self._receive(answer_seconds)
        return self._rows(results)

    def post(self, call: Call) -> None:
        """Send a call whose answer nobody waits for: it is thrown away when the next one is read."""
        with self._guarded():
            self._send(call, *encode(call[1]))
            self._pgconn.pipeline_sync()
            self._pgconn.flush()
            self._sent.clear()
            self._unread += 1

    def script(self, text: str) -> None:
        """Run a text of many statements as one transaction.  Raises ServerError, LinkLostError."""
        self.run(())  # nothing may be on its way when the mode changes
        self._pgconn.exit_pipeline_mode()
        result = self._pgconn.exec_(text.encode())
        if self.closed:
            raise LinkLostError(_LOST)
        self._pgconn.enter_pipeline_mode()
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise _server_error(result)

    def notified(self) -> bool:
        """Take in what came by itself; whether a notification was among it.  Raises LinkLostError."""
        try:
            self._pgconn.consume_input()
        except psycopg.OperationalError as error:
            self.close()
            raise LinkLostError(_LOST) from error
        found = False
        while self._pgconn.notifies() is not None:
            found = True
        return found

    def fileno(self) -> int:
        """The socket, to wait for what comes by itself."""
        return self._pgconn.socket

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._pgconn.status != pq.ConnStatus.OK

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open or may be, failed ones included."""
        idle = pq.TransactionStatus.IDLE
        return not self.closed and (bool(self._sent) or self._pgconn.transaction_status != idle)

    def parameter(self, name: str) -> str:
        """A setting that the server reports by itself, such as ``server_encoding``; else empty."""
        return (self._pgconn.parameter_status(name.encode()) or b"").decode()

    def close(self) -> None:
        """Give the connection back.  Idempotent."""
        self._connection.close()

    # --- the wire ------------------------------------------------------------------------------

    @contextmanager
    def _guarded(self) -> Generator[None]:
        """Close the connection where a conversation breaks off: it cannot be gone on with."""
        try:
            yield
        except psycopg.OperationalError as error:
            self.close()
            raise LinkLostError(_one_line(str(error)) or _LOST) from error
        except BaseException:
            self.close()
            raise

    def _send(self, call: Call, data: list[bytes | None], formats: list[int]) -> None:
        statement, values = call
        name = statement.name.encode()
        new = name not in self._prepared
        if new:
            types = [oid(value) for value in values]
            self._pgconn.send_prepare(name, statement.numbered().encode(), types)
        if name:  # the unnamed statement is prepared each time
            self._prepared.add(name)
        self._pgconn.send_query_prepared(name, data, formats, Format.BINARY)
        self._sent.append((name, new))

    def _receive(self, answer_seconds: float | None) -> list[pq.abc.PGresult]:
        """Results of everything behind the last but one sync, in order."""
        results: list[pq.abc.PGresult] = []
        wait = self._waiter(answer_seconds)
        sending = self._pgconn.flush()
        while True:
            while sending or self._pgconn.is_busy():
                wait(bool(sending))
                self._pgconn.consume_input()
                sending = self._pgconn.flush()
            result = self._pgconn.get_result()
            if result is None:
                if self.closed:
                    raise psycopg.OperationalError(_LOST)
                continue
            if result.status != pq.ExecStatus.PIPELINE_SYNC:
                results.append(result)
            elif self._unread:
                self._unread -= 1
                results.clear()
            else:
                return results

    def _waiter(self, answer_seconds: float | None) -> Callable[[bool], None]:
        poll = select.poll()
        socket = self._pgconn.socket
        timeout = None if answer_seconds is None else int(answer_seconds * 1000)

        def wait(sending: bool) -> None:  # noqa: FBT001  one flag of one inner function
            poll.register(socket, select.POLLIN | (select.POLLOUT if sending else 0))
            if not poll.poll(timeout):
                msg = f"the server did not answer for {answer_seconds:.0f} s"
                raise psycopg.OperationalError(msg)

        return wait

    def _rows(self, results: Sequence[pq.abc.PGresult]) -> list[list[Row]]:
        answers = iter(results)
        found: list[list[Row]] = []
        failure: ServerError | None = None
        for name, new in self._sent:
            preparing = next(answers) if new else None
            result = next(answers)
            if preparing is not None and preparing.status != pq.ExecStatus.COMMAND_OK:
                self._prepared.discard(name)
                result = preparing
            if failure is None and result.status == pq.ExecStatus.FATAL_ERROR:
                failure = _server_error(result)
            if failure is None:
                self._loader.set_pgresult(result)
                found.append(self._loader.load_rows(0, result.ntuples, tuple))
        self._sent.clear()
        if failure is None:
            return found
        if failure.sqlstate in _ENDED:
            self.close()
            raise LinkLostError(str(failure))
        raise failure


def _server_error(result: pq.abc.PGresult) -> ServerError:
    field = pq.DiagnosticField
    state = (result.error_field(field.SQLSTATE) or b"").decode()
    message = (result.error_field(field.MESSAGE_PRIMARY) or b"no message").decode("utf-8", "replace")
    return ServerError(state, message)
