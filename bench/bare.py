"""The baselines: what the database itself takes to make the same bytes durable, with nothing around it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Protocol

import psycopg

from bench.harness import p50, seconds

__all__ = ["Bare", "BarePostgres", "BareSqlite", "commit_seconds"]


class Bare(Protocol):
    """One table of byte strings."""

    def commit(self, data: bytes) -> None:
        """Insert one row and make it durable."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...


class BareSqlite:
    """WAL and synchronous=FULL, as the ledger's own file."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")

    def commit(self, data: bytes) -> None:
        """See ``Bare``."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO bare (data) VALUES (?)", (data,))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """See ``Bare``."""
        self._connection.close()


class BarePostgres:
    """One prepared INSERT a transaction, synchronous_commit on."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("CREATE TABLE bare (id bigserial PRIMARY KEY, data bytea NOT NULL)")

    def commit(self, data: bytes) -> None:
        """See ``Bare``."""
        self._connection.execute("INSERT INTO bare (data) VALUES (%s)", (data,), prepare=True, binary=True)

    def close(self) -> None:
        """See ``Bare``."""
        self._connection.close()


def commit_seconds(path: Path, size: int = 1000, repeats: int = 300) -> float:
    """The median of bare commits of ``size`` bytes into a new SQLite file."""
    bare = BareSqlite(path)
    times = [seconds(lambda: bare.commit(bytes(size))) for _ in range(repeats)]
    bare.close()
    return p50(times)
