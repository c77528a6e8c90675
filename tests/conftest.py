"""Fixtures for every test: a file for a ledger, databases of one's own, and both engines by one name."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from hypothesis import settings

from tests.chromium import obstacle
from tests.pg_server import Server, find_binaries, running_server
from turnledger.capture.context import _entered

# Two cores shared with a database make single examples slow now and then; the test's own timeout decides.
settings.register_profile("turnledger", deadline=None, print_blob=True)
settings.load_profile("turnledger")

MEMORY = Path("/dev/shm")  # noqa: S108  tests make folders of their own in it
ROOM = 4 << 30
RUNS_LAST = ("slow", "crash", "console")


@cache
def can_mount() -> bool:
    """Whether a test may have a mount namespace of its own, for a disk that is small or read-only."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    return subprocess.run([unshare, "--map-root-user", "--mount", "true"], check=False).returncode == 0


def left_out() -> dict[str, str]:
    """The markers whose tests cannot run on this machine, each with the line that says so."""
    here = {
        "postgres": (find_binaries() is not None, "PostgreSQL: left out (no server binaries found)"),
        "mount": (can_mount(), "Full and read-only disks: left out (no mount namespace to be had)"),
    }
    missing = {marker: line for marker, (there, line) in here.items() if not there}
    reason = obstacle()
    return missing if reason is None else {**missing, "console": f"Console in a browser: left out ({reason})"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-postgres", action="store_true", help="fail where no PostgreSQL server is found"
    )


def pytest_configure(config: pytest.Config) -> None:
    _hear_ctrl_c()
    _keep_files_in_memory()
    missing = left_out()
    asked_for = config.getoption("--require-postgres") and "postgres" in missing
    if missing and (asked_for or os.environ.get("CI") == "true"):
        msg = f"{'; '.join(missing.values())}: leaving it out is a failure here."
        raise pytest.UsageError(msg)


def _hear_ctrl_c() -> None:
    """A shell's background job is deaf to Ctrl-C, and so were the programs that tests send it to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _keep_files_in_memory() -> None:
    """Where there is room: what is tested flushes as often as ever, and waits for no disk.

    ``TMPDIR`` says otherwise, and is inherited by all that tests start, PostgreSQL included.
    """
    try:
        has_room = shutil.disk_usage(MEMORY).free >= ROOM
    except OSError:
        return
    if has_room and os.access(MEMORY, os.W_OK) and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # it is looked for anew


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot run here; run what is fast before what is slow."""
    missing = left_out()
    cannot_run = {item for item in items if any(item.get_closest_marker(marker) for marker in missing)}
    if cannot_run:
        config.hook.pytest_deselected(items=list(cannot_run))
        items[:] = [item for item in items if item not in cannot_run]
    items.sort(key=lambda item: any(item.get_closest_marker(name) for name in RUNS_LAST))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in left_out().values():
        terminalreporter.write_line(line, yellow=True)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the ledger of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TURNLEDGER_URL", raising=False)
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))
        yield


@pytest.fixture(autouse=True)
def _outside_of_any_turn() -> None:
    """A turn that a test left open, as a killed process does, is not the next one's in this thread."""
    _entered.set(None)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop that ``async def`` tests run on."""
    return "asyncio"


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which nobody listens but whom the test tells to, again and again if it likes."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))  # and never listens, so that it is in nobody's way
        yield reserved.getsockname()[1]


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    """A file name for a new SQLite ledger."""
    return tmp_path / "agent.ledger"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One throw-away server per test process, started when the first test asks for it."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_dsn(postgres_server: Server) -> str:
    """The server's administrative URL, for tests that make roles or databases themselves."""
    return postgres_server.url


@pytest.fixture
def postgres_url(postgres_server: Server) -> Iterator[str]:
    """A fresh, empty database of this test's own."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> str:
    """The URL of a new, empty store, once for each engine."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("ledger_path"))
    return str(request.getfixturevalue("postgres_url"))
