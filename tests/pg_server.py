"""A throw-away PostgreSQL for one test process, and the program that keeps and ends it.

The server runs under a keeper process of its own (``python tests/pg_server.py``): it starts the server,
prints its URL, waits until its standard input says anything or ends, stops the server and removes its
files.  So whatever happens to the tests, Ctrl-C and SIGKILL included, nothing is left behind.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import psycopg
from psycopg import sql

OLDEST = 14
START_SECONDS = 60


class Binaries(NamedTuple):
    """Where one PostgreSQL server's programs are."""

    folder: Path
    major: int


@cache
def find_binaries() -> Binaries | None:
    """The newest usable PostgreSQL server on this machine, or None.

    A client package may put a ``pg_config`` on the path that only complains, so a folder counts when its
    ``postgres`` runs and names its version.
    """
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    found = [Binaries(folder, major) for folder in folders if (major := _major_version(folder)) >= OLDEST]
    return max(found, key=lambda binaries: binaries.major, default=None)


def _major_version(folder: Path) -> int:
    """The server's major version, 0 where the folder holds none that runs."""
    if not (folder / "initdb").is_file() or not (folder / "postgres").is_file():
        return 0
    run = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"\(PostgreSQL\) (\d+)", run.stdout)
    return int(version[1]) if run.returncode == 0 and version else 0


class Server:
    """A running server; every test gets a database of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = count(1)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a fresh, empty database that is dropped again, connections or not."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield self.url.replace("/postgres?", f"/{name}?")
        finally:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def running_server() -> Iterator[Server]:
    """A server for as long as the block lasts; this process or its death ends it."""
    keeper = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C goes to the tests; the keeper sees them end
    )
    with keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        url = keeper.stdout.readline().strip()
        if not url:
            msg = "The throw-away PostgreSQL did not start; its log is above."
            raise RuntimeError(msg)
        try:
            yield Server(url)
        finally:
            # A word, not only the end of the pipe: a forked test process may still hold the other end.
            keeper.stdin.write("stop\n")
            keeper.stdin.flush()


# --- the keeper ---


def _keep() -> int:
    """Start a server, say where it is, wait for the other side to be done, leave nothing behind."""
    binaries = find_binaries()
    if binaries is None:
        sys.stderr.write("No PostgreSQL server binaries found.\n")
        return 3
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    home = Path(tempfile.mkdtemp(prefix="turnledger-pg-"))
    try:
        with _postgres(binaries, home):
            sys.stdout.write(f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}\n")
            sys.stdout.flush()
            sys.stdin.readline()
    finally:
        shutil.rmtree(home)
    return 0


@contextmanager
def _postgres(binaries: Binaries, home: Path) -> Iterator[None]:
    """The server process, listening on a socket in ``home`` only; durable as in real life (fsync on)."""
    user = _server_user()
    if user:
        shutil.chown(home, user)
    data, log = home / "data", home / "log"
    with log.open("wb") as output:
        subprocess.run(
            [binaries.folder / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--no-locale", "--no-sync"],
            check=True, user=user, cwd=home, stdout=output, stderr=output,
        )  # fmt: skip
        server = subprocess.Popen(
            [binaries.folder / "postgres", "-D", data, "-k", home, "-c", "listen_addresses="],
            user=user, cwd=home, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        _wait_until_ready(server, data / "postmaster.pid", log)
        yield
    finally:
        server.send_signal(signal.SIGINT)  # "fast": end the sessions, write a checkpoint, stop
        server.wait()


def _server_user() -> str | None:
    """PostgreSQL refuses to run as root, so root hands it to an account without rights."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _wait_until_ready(server: subprocess.Popen[bytes], pid_file: Path, log: Path) -> None:
    """Return when the server takes connections (it writes so into line 8 of its pid file)."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if pid_file.exists() and pid_file.read_text().splitlines()[7:8] == ["ready   "]:
            return
        time.sleep(0.02)
    sys.stderr.write(log.read_text(errors="replace"))
    msg = f"PostgreSQL was not ready after {START_SECONDS} s or has ended."
    raise RuntimeError(msg)


if __name__ == "__main__":
    sys.exit(_keep())
