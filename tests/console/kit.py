"""Servers with a real login, and windows of a browser in which nothing may go wrong unnoticed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

from tests.patience import PATIENCE_S
from tests.server.kit import listening
from turnledger.engine.access import Access
from turnledger.server.run import RunningServer

WAIT_MS = int(PATIENCE_S * 1000)
"""How long the page may take to show what it has to."""

POLICY_LISTENER = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`content policy: ${event.violatedDirective} refused ${event.blockedURI}`);
});
"""

NOT_REACHED = r"net::ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)"
"""What a browser writes into its console where a server is gone."""
OFFLINE = r"net::ERR_INTERNET_DISCONNECTED"
REFUSED = r"the server responded with a status of 401"
ASKED_WHO = rf"{REFUSED} .*/api/session\)"
"""A browser says so where a page asks who is logged in, and nobody is."""


class Site(Protocol):
    """A served ledger that browsers can log in to."""

    ledger: str
    """URL of the ledger, for those who record into it or edit it behind the server's back."""
    cookies: Any
    """What a browser keeps of a login; None before the first one."""

    @property
    def address(self) -> str:
        """Origin, such as ``http://127.0.0.1:40001``."""

    def login_url(self) -> str:
        """A link that logs in once."""


@dataclass
class House:
    """A server in a thread of this process."""

    ledger: str
    server: RunningServer
    cookies: Any = None

    @property
    def address(self) -> str:
        """See ``Site``."""
        return self.server.address.url

    @property
    def access(self) -> Access:
        """Who may log in, and who is."""
        return self.server.service.access

    def login_url(self) -> str:
        """See ``Site``."""
        return self.server.login_url()


@contextmanager
def house(ledger: str) -> Iterator[House]:
    """The ledger at a URL, served by a thread."""
    with listening(ledger) as server:
        yield House(ledger, server)


class Process:
    """A server of its own, ``turnledger serve``, that can be killed and started again on its port."""

    def __init__(self, ledger: str, port: int) -> None:
        self.ledger = ledger
        self.cookies: Any = None
        self.address = ""
        self._port = port
        self._link = ""
        self._running: subprocess.Popen[str] | None = None

    def login_url(self) -> str:
        """The link that it printed; good once."""
        return self._link

    def start(self) -> None:
        """Serve, on the same port as before."""
        command = [sys.executable, "-m", "turnledger", "serve", "--port", str(self._port)]
        command += ["--ledger", self.ledger]
        self._running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._running.stderr is not None
        first, second = self._running.stderr.readline(), self._running.stderr.readline()
        found = re.search(r"at (http://\S+) \(Ctrl-C", first)
        assert found, first + second
        self.address, self._link = found[1], second.split()[-1]

    def kill(self) -> None:
        """End it as a machine does that loses its power."""
        if self._running is not None:
            self._running.kill()
            self._running.communicate()
            self._running = None


@contextmanager
def process(ledger: str, port: int) -> Iterator[Process]:
    """The ledger at a URL, served by a process."""
    served = Process(ledger, port)
    served.start()
    try:
        yield served
    finally:
        served.kill()


@dataclass
class Watch:
    """Keeps what went wrong in any window of a test; what a test provokes, it allows."""

    allowed: list[re.Pattern[str]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def allow(self, *patterns: str) -> None:
        """Expect complaints that contain one of these patterns."""
        self.allowed += map(re.compile, patterns)

    def forget(self, pattern: str) -> None:
        """Pass over complaints that are there already and contain this pattern."""
        self.seen = [one for one in self.seen if not re.search(pattern, one)]

    @property
    def complaints(self) -> list[str]:
        """All that was not allowed."""
        return [one for one in self.seen if not any(pattern.search(one) for pattern in self.allowed)]

    def look_at(self, context: BrowserContext, origin: str) -> None:
        """Hear of errors in the console, uncaught errors, and requests to anywhere else."""

        def said(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.seen.append(f"console: {message.text} ({message.location.get('url', '')})")

        def asked(request: Request) -> None:
            if not request.url.startswith(f"{origin}/"):
                self.seen.append(f"request to {request.url[:200]}")

        context.add_init_script(POLICY_LISTENER)
        context.on("console", said)
        context.on("weberror", lambda error: self.seen.append(f"uncaught: {error.error}"))
        context.on("request", asked)


class Browse(Protocol):
    """Opens a window of its own at a path of a site, logged in."""

    def __call__(self, site: Site, path: str = "/", **options: object) -> Page:
        """``options`` are those of a browser context: viewport, color_scheme …"""


def browsing(chromium: Browser, watch: Watch) -> tuple[Browse, Callable[[], None]]:
    """How to open windows, and how to close all of them."""
    opened: list[BrowserContext] = []

    def browse(site: Site, path: str = "/", **options: object) -> Page:
        wanted: dict[str, Any] = {
            "viewport": {"width": 1280, "height": 800},
            "reduced_motion": "reduce",
        } | options
        context = chromium.new_context(base_url=site.address, storage_state=site.cookies, **wanted)
        opened.append(context)
        context.set_default_timeout(WAIT_MS)
        watch.look_at(context, site.address)
        page = context.new_page()
        if site.cookies is None:
            log_in(page, site)
            watch.forget(ASKED_WHO)
            site.cookies = context.storage_state()
        page.goto(path)
        return page

    def close() -> None:
        for context in opened:
            context.close()

    return browse, close


def log_in(page: Page, site: Site) -> None:
    """Follow the login link, as whoever started the server does."""
    page.goto(site.login_url())
    expect(page.get_by_role("heading", name="Conversations", level=1)).to_be_visible()
