"""What a window shows, as a reader sees it: places of a timeline, cards of a turn."""

from __future__ import annotations

import re
from typing import cast

from playwright.sync_api import Locator, Page, expect

ROWS = "[role=list][aria-label=Timeline] a[title='Link to this event']"
TALL = {"viewport": {"width": 1280, "height": 3600}}
"""A window in which every row of a test's conversation is in view, so that none is left out of the page."""

_PLACES = (
    f"""() => [...document.querySelectorAll("{ROWS}")].map((link) => Number(link.textContent.slice(1)))"""
)
_WATCH = f"""() => {{
  const places = {_PLACES};
  window.disorder = [];
  new MutationObserver(() => {{
    const now = places();
    if (now.some((place, at) => at > 0 && now[at - 1] >= place)) window.disorder.push(now.join(" "));
  }}).observe(document.getElementById("main"), {{ childList: true, subtree: true, characterData: true }});
}}"""


def places(page: Page) -> list[int]:
    """Places in the conversation of the rows that are shown, from top to bottom."""
    return cast("list[int]", page.evaluate(_PLACES))


def watch_order(page: Page) -> None:
    """Look at every change of the timeline from now on; ``disorder`` tells."""
    page.evaluate(_WATCH)


def disorder(page: Page) -> list[str]:
    """Places that were shown twice or out of order at some moment since ``watch_order``."""
    return cast("list[str]", page.evaluate("() => window.disorder"))


def badge(page: Page, word: str) -> Locator:
    """The badge that says how the live stream goes."""
    return page.locator("header").get_by_text(re.compile(rf"^{word}\b"))


def ended(page: Page, turn: int) -> Locator:
    """The row that ends the conversation's turn of that number, counted from 0; people count from 1."""
    return page.get_by_text(f"T{turn + 1} ended", exact=True)


def card(page: Page, seq: int) -> Locator:
    """The card of an event in the turn inspector."""
    return page.locator(f"article[data-seq='{seq}']")


def verdict(page: Page, whose: str) -> Locator:
    """What the panel says of the verdict of ``This browser`` or ``The server``."""
    panel = page.get_by_role("region", name="Verification")
    return panel.locator("dl > div").filter(has=page.get_by_text(whose, exact=True)).locator("dd")


def expect_same_after_reload(page: Page, last_turn: int) -> None:
    """What came bit by bit is what a page shows that is loaded now: no row less, none twice."""
    shown = places(page)
    page.reload()
    expect(ended(page, last_turn)).to_be_visible()
    assert shown == places(page)
