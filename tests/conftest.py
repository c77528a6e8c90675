"""Fixtures for every test: a file for a ledger, databases of one's own, and both engines by one name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.pg_server import Server, find_binaries, running_server

# Two cores shared with a database make single examples slow now and then; the test's own timeout decides.
settings.register_profile("turnledger", deadline=None, print_blob=True)
settings.load_profile("turnledger")

LEFT_OUT = "PostgreSQL: left out (no server binaries found)"
RUNS_LAST = ("slow", "crash")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-postgres", action="store_true", help="fail where no PostgreSQL server is found"
    )


def pytest_configure(config: pytest.Config) -> None:
    required = config.getoption("--require-postgres") or os.environ.get("CI") == "true"
    if required and find_binaries() is None:
        msg = f"{LEFT_OUT}, and leaving an engine out is a failure here."
        raise pytest.UsageError(msg)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot run here; run what is fast before what is slow."""
    if find_binaries() is None:
        left_out = [item for item in items if item.get_closest_marker("postgres")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("postgres")]
    items.sort(key=lambda item: any(item.get_closest_marker(name) for name in RUNS_LAST))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if find_binaries() is None:
        terminalreporter.write_line(LEFT_OUT, yellow=True)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the ledger of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TURNLEDGER_URL", raising=False)
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))
        yield


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop that ``async def`` tests run on."""
    return "asyncio"


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
