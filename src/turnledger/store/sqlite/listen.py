"""Waiting for news of a file: SQLite tells a connection whether others have committed since it last asked."""

from __future__ import annotations

import sqlite3
import threading
from typing import Final

__all__ = ["SqliteListener"]

LOOK_EVERY_S: Final = 0.01
"""A look takes some microseconds: it reads one number in shared memory."""

_VERSION: Final = "PRAGMA data_version"


class SqliteListener:
    """See ``contract.Listener``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """``connection`` is this object's own from now on."""
        self._connection = connection
        self._closed = threading.Event()
        self._looking = threading.Lock()
        self._version = self._read()

    def _read(self) -> int:
        (version,) = self._connection.execute(_VERSION).fetchone()
        return int(version)

    def wait(self, seconds: float) -> bool:
        """See ``contract.Listener``."""
        for _ in range(max(int(seconds / LOOK_EVERY_S), 1)):
            with self._looking:
                if self._closed.is_set():
                    return False
                version = self._read()
            if version != self._version:
                self._version = version
                return True
            self._closed.wait(LOOK_EVERY_S)
        return False

    def close(self) -> None:
        """See ``contract.Listener``."""
        self._closed.set()
        with self._looking:
            self._connection.close()
