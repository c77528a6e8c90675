"""Takes the pictures of every page anew, light and dark, of the demo: ``make screenshots``."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.chromium import find_chromium

HERE: Final = Path(__file__).parent
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
SETTLED_MS: Final = 2_500
PAGES: Final = {
    "conversations": "/",
    "agents": "/agents",
    "actors": "/actors",
    "balance": "/balance",
    "memory": "/memory",
    "search": "/search?q=refund",
    "integrity": "/integrity",
    "settings": "/settings",
}
TABS: Final = ("Waterfall", "Prompt", "Raw")
PHONE: Final = ViewportSize(width=390, height=844)


@contextmanager
def demo(folder: str) -> Generator[str]:
    """The demo's words, with the addresses where it is served."""
    command = [sys.executable, "-m", "turnledger", "demo", "--no-browser", "--port", "0"]
    ledger = f"{folder}/demo.ledger"
    with subprocess.Popen(  # noqa: S603  our own program
        [*command, "--ledger", ledger], stdout=subprocess.PIPE, text=True
    ) as process:
        said = ""
        while process.stdout is not None and "Another link" not in said:
            said += process.stdout.readline()
        yield said
        process.terminate()


def shoot(page: Page, name: str, theme: str) -> None:
    """One picture, once the page is quiet."""
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=HERE / f"{name}-{theme}.png")


def found(pattern: str, said: str) -> str:
    """The address that the demo told."""
    match = re.search(pattern, said)
    if match is None:
        msg = f"The demo did not tell {pattern}."
        raise LookupError(msg)
    return match[1]


def take(said: str, page: Page, theme: str) -> None:
    """All pages in one theme."""
    login = found(r"(http://\S+/login#\S+)", said)
    home = login.partition("/login")[0]
    page.goto(login)
    page.get_by_role("heading", name="Conversations").wait_for()
    for name, path in PAGES.items():
        page.goto(home + path)
        shoot(page, name, theme)
    page.goto(found(r"altered turn:\s+(\S+)", said))
    shoot(page, "inspector-altered", theme)
    page.goto(found(r"killed one:\s+(\S+)", said))
    shoot(page, "inspector-killed", theme)
    page.goto(found(r"by a person:\s+(\S+)", said))
    shoot(page, "inspector", theme)
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        shoot(page, f"inspector-{tab.lower()}", theme)
    page.get_by_role("link", name="Its conversation").click()
    shoot(page, "timeline", theme)
    page.set_viewport_size(PHONE)
    shoot(page, "timeline-phone", theme)
    page.goto(found(r"by a person:\s+(\S+)", said))
    shoot(page, "inspector-phone", theme)
    page.goto(home)
    shoot(page, "conversations-phone", theme)


def main() -> None:
    """Take them all; each theme logs in for itself."""
    for theme in THEMES:
        with tempfile.TemporaryDirectory() as folder, demo(folder) as said, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium())
            page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
            take(said, page, theme)
            browser.close()


if __name__ == "__main__":
    main()
