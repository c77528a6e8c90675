"""One browser for each test process, servers, and windows that fail a test where anything went wrong in them.

A test that needs a page asks for ``browse`` and for a site::

    def test_that(site: House, browse: Browse) -> None:
        page = browse(site, "/agents")

``site`` serves an empty ledger of each engine to one test; ``served`` serves a recorded one to a whole module
that only reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

import turnledger
from tests.chromium import find_chromium
from tests.console.kit import WAIT_MS, Browse, House, Watch, browsing, house
from tests.console.story import Told, tell_all

HERE = Path(__file__).parent
SWITCHES = ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.console)


@pytest.fixture(scope="session")
def _browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=SWITCHES)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def chromium(_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The browser; other tests, which run loops of their own in this thread, do not see its driver's."""
    browser, loop = _browser
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture
def watch() -> Watch:
    """Where a test says which complaints it provokes."""
    return Watch()


@pytest.fixture
def browse(chromium: Browser, watch: Watch) -> Iterator[Browse]:
    """Opens windows; the test fails where one of them complained."""
    browse, close = browsing(chromium, watch)
    yield browse
    close()
    assert watch.complaints == []


@pytest.fixture
def site(engine: str) -> Iterator[House]:
    """An empty ledger of each engine, served to this test alone."""
    with house(engine) as served:
        yield served


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Told]:
    """URL of a recorded ledger, and what is in it."""
    url = str(tmp_path_factory.mktemp("told") / "agent.ledger")
    with turnledger.open(url) as ledger:
        return url, tell_all(ledger)


@pytest.fixture(scope="module")
def served(told: tuple[str, Told]) -> Iterator[House]:
    """The recorded ledger, served to all tests of a module that only read."""
    with house(told[0]) as served:
        yield served


@pytest.fixture
def story(told: tuple[str, Told]) -> Told:
    """Ids of what is in the recorded ledger."""
    return told[1]
