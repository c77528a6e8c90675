"""What the PostgreSQL tests need beside a database: drafts, an agent at work, and a wire that can be cut."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import psycopg

from tests.patience import PATIENCE_S
from turnledger.ids import NIL, new_id, new_salt
from turnledger.model.draft import AliasKind, Batch, Body, Claim, Draft, Journal, Lease
from turnledger.model.vocabulary import JournalKind
from turnledger.store.appender import Appender
from turnledger.store.body_writer import BodyWriter
from turnledger.store.postgres import PostgresDatabase
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash
from turnledger.wire.details import encode_detail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

    from turnledger.model.draft import BatchResult
    from turnledger.store.appender import Outcome
    from turnledger.store.postgres.engine import PostgresEngine


PATIENT_MS = int(PATIENCE_S * 1000)
"""How long a writer waits for others, except where a test is about its giving up."""


class Scribe:
    """An agent with one conversation and one running turn, and a writer for them."""

    def __init__(self, url: str, *, wait_ms: int = PATIENT_MS, known: Scribe | None = None) -> None:
        self.database = PostgresDatabase(url, wait_ms=wait_ms)
        self.engine: PostgresEngine = self.database.engine()
        self.appender = Appender(self.engine, BodyWriter(self.engine))
        self.agent: UUID = known.agent if known else new_id()
        self.conversation: UUID = known.conversation if known else new_id()
        self.turn: UUID = known.turn if known else new_id()
        self.lease: Lease = known.lease if known else Lease(new_id(), 1, 600_000)
        if known is None:
            self.append(Batch(claim=Claim(AliasKind.AGENT, NIL, f"agent {self.agent}", self.agent)))
            self.append(Batch(drafts=(self.opened(self.conversation),)))
            self.append(Batch(drafts=self.turn_opened(self.turn)))

    def append(self, *batches: Batch) -> list[BatchResult]:
        """Append and expect every batch to be answered."""
        return [answered(outcome) for outcome in self.appender.run(list(batches))]

    def step(self, tokens: str = "guard=size decision=allow", body: bytes | None = None) -> Draft:
        """A step of the turn."""
        return self.draft(Journal(JournalKind.TURN, self.turn), "GUARD", tokens, body)

    def opened(self, conversation: UUID) -> Draft:
        """The first event of a conversation."""
        return self.draft(
            Journal(JournalKind.CONVERSATION, conversation), "OPENED", conversation=conversation
        )

    def turn_opened(self, turn: UUID) -> tuple[Draft, Draft]:
        """The first events of a turn."""
        conversation = Journal(JournalKind.CONVERSATION, self.conversation)
        return (
            self.draft(conversation, "TURN_OPENED", f"turn={turn} trigger=api"),
            self.draft(Journal(JournalKind.TURN, turn), "INTAKE", "attachments=0"),
        )

    def draft(
        self,
        journal: Journal,
        kind: str,
        tokens: str = "",
        body: bytes | None = None,
        conversation: UUID | None = None,
    ) -> Draft:
        """An event of any journal of the agent."""
        event_id, salt = new_id(), new_salt()
        return Draft(
            journal=journal,
            agent=self.agent,
            conversation=conversation or self.conversation,
            event_id=event_id,
            type=kind,
            tokens=f"{tokens} assurance=w".strip(),
            detail=encode_detail({"id": event_id.hex}),
            payload_hash=NO_PAYLOAD if body is None else payload_hash(body, salt),
            bodies=() if body is None else (Body("payload", body, salt),),
            lease=self.lease if journal.kind is JournalKind.TURN else None,
        )

    def close(self) -> None:
        self.engine.close()


def answered(outcome: Outcome) -> BatchResult:
    """The result of a batch that was answered; raises the error of one that was not."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def batch(*drafts: Draft) -> Batch:
    return Batch(drafts=drafts)


def execute(url: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run one statement beside the ledger."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode(), values or None)
        return cursor.fetchall() if cursor.description else []


def waiting(url: str) -> int:
    """How many locks are waited for."""
    [(count,)] = execute(url, "SELECT count(*) FROM pg_locks WHERE NOT granted")
    assert isinstance(count, int)
    return count


def end_sessions(url: str) -> None:
    """End all other sessions of this database, as a restart of the server would."""
    execute(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


class SetClock:
    """Time that stands still until a test moves it; nobody is held up by sleeping."""

    def __init__(self) -> None:
        self.us = 0

    def epoch_ms(self) -> int:
        return 0

    def monotonic_us(self) -> int:
        return self.us

    def sleep(self, seconds: float) -> None:
        self.us += int(seconds * 1_000_000)


class Wire:
    """Stands between a client and the server, and can cut the connection at a chosen place."""

    def __init__(self, server: str, folder: Path) -> None:
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / Path(server).name))
        self._listener.listen()
        self._open: list[socket.socket] = []
        self.cut_before: bytes | None = None
        """Cut, once, when the client sends this, without passing it on."""
        self.cut_after: bytes | None = None
        """Pass this on, once, and cut when the server answers, without giving the answer to the client."""
        self.silent = False
        """Swallow everything that the server says."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                self._open += [client, server]
                losing = threading.Event()
                threading.Thread(target=self._up, args=(client, server, losing), daemon=True).start()
                threading.Thread(target=self._down, args=(server, client, losing), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                if self.cut_before is not None and self.cut_before in data:
                    self.cut_before = None
                    break
                if self.cut_after is not None and self.cut_after in data:
                    self.cut_after = None
                    losing.set()
                server.sendall(data)
        _end(client, server)

    def _down(self, server: socket.socket, client: socket.socket, losing: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                if losing.is_set():
                    break
                if not self.silent:
                    client.sendall(data)
        _end(client, server)

    def close(self) -> None:
        _end(self._listener, *self._open)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@contextmanager
def wire(url: str, folder: Path) -> Iterator[tuple[str, Wire]]:
    """A wire to the server of ``url``, and the URL that goes through it."""
    host = parse_qs(urlsplit(url).query)["host"][0]
    between = Wire(f"{host}/.s.PGSQL.5432", folder)
    try:
        yield re.sub(r"host=[^&]*", f"host={quote(str(folder), safe='')}", url), between
    finally:
        between.close()
