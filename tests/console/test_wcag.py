"""Every page and dialog by the rules of WCAG 2.2 AA: in light and dark, on a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.console.axe import violations
from tests.console.guests import Guest
from tests.console.kit import Browse, House, Watch
from tests.console.story import Told
from turnledger.model.access import Scope

DESK = {"width": 1280, "height": 800}
PHONES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 320, "height": 640})
WIDE = """() => {
  const main = document.querySelector("main");
  const doc = document.documentElement;
  return [doc.scrollWidth - doc.clientWidth, main === null ? 0 : main.scrollWidth - main.clientWidth];
}"""
"""By how many pixels the page, and what scrolls in it, are wider than the window."""
SMALL = """() => [...document.querySelectorAll("button, select, [role=tab], input:not([type=checkbox])")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => !one.closest(".visually-hidden") && !one.classList.contains("visually-hidden"))
  .map((one) => [one.getBoundingClientRect(), one.getAttribute("aria-label") ?? one.textContent])
  .filter(([{ width, height }]) => width > 0 && (width < 23.5 || height < 23.5))
  .map(([{ width, height }, name]) => `${name}: ${width} x ${height}`)"""
"""Controls that a finger misses."""

PAGES = {
    "conversations": "/",
    "timeline": "{timeline}",
    "inspector": "{inspector}",
    "waterfall": "{inspector}&view=waterfall",
    "prompt": "{inspector}&view=prompt",
    "raw": "{inspector}&view=raw",
    "event": "{inspector}&seq=5&open=1",
    "failed turn": "{failed}",
    "inspector, idle": "/agents/turns",
    "inspector, invalid": "/agents/turns?agentId=1&turnId=2",
    "agents": "/agents?agent={agent}",
    "actors": "/actors?agent={agent}",
    "balance": "/balance?agent={agent}",
    "memory": "/memory?agent={agent}",
    "search": "/search?q=order",
    "search, idle": "/search",
    "integrity": "/integrity",
    "settings": "/settings",
    "no page": "/nowhere",
    "nothing found": "/?q=no+such+name",
}


def settled(page: Page) -> None:
    """All that the page asked for is there."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text=re.compile("^Loading"))).to_have_count(0)


def is_fit_for_all(page: Page) -> None:
    """Colours of both schemes, and reflow and targets on a phone."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
    for phone in PHONES:
        page.set_viewport_size(phone)
        settled(page)
        assert page.evaluate(WIDE) == [0, 0], phone
        assert page.evaluate(SMALL) == [], phone
    assert violations(page) == [], "phone"


@pytest.mark.parametrize("name", PAGES)
def test_a_page(served: House, story: Told, browse: Browse, name: str) -> None:
    path = PAGES[name].format(
        timeline=story.timeline,
        inspector=story.inspector("whole"),
        failed=story.inspector("failed"),
        agent=story.agent,
    )
    page = browse(served, path, viewport=DESK)
    settled(page)
    is_fit_for_all(page)


def opens_keys(page: Page) -> None:
    """The help on keys."""
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def opens_palette(page: Page) -> None:
    """The palette, with something found."""
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="A page, an id, a command").fill("in")
    expect(page.get_by_role("listbox", name="Commands")).to_be_visible()


def opens_rows(page: Page) -> None:
    """A row of the timeline, with its bodies."""
    page.get_by_role("link", name=re.compile("slack:C042")).click()
    page.get_by_role("button", name=re.compile(r"^Open event \d+$")).last.click()
    expect(page.get_by_role("button", name=re.compile("^Close event"))).to_have_count(1)


def opens_secret(page: Page) -> None:
    """Settings with a new token, an error beside a field, and a question before something final."""
    page.goto("/settings")
    tokens = page.locator("section", has=page.get_by_role("heading", name="Tokens", exact=True))
    tokens.get_by_label("Name").fill("bot")
    tokens.get_by_role("button", name="Make token").click()
    expect(tokens.get_by_role("status")).to_contain_text("shown this once")
    tokens.get_by_role("button", name="Revoke").first.click()
    page.get_by_role("button", name="Add operator").click()
    expect(page.get_by_text("It needs a name.")).to_be_visible()


def opens_findings(page: Page) -> None:
    """Integrity with all of it verified."""
    page.goto("/integrity")
    page.get_by_role("button", name=re.compile("^Verify everything")).click()
    expect(page.get_by_text(re.compile("^Done|^Finished|^Completed"))).to_be_visible()


@pytest.mark.parametrize("opens", [opens_keys, opens_palette, opens_rows, opens_secret, opens_findings])
def test_what_opens_on_a_page(served: House, browse: Browse, opens: Callable[[Page], None]) -> None:
    page = browse(served, viewport=DESK)
    settled(page)
    opens(page)
    is_fit_for_all(page)


def test_the_door(served: House, browse: Browse, watch: Watch) -> None:
    watch.allow("status of 401")
    page = browse(served)
    page.context.clear_cookies()
    page.goto("/")
    expect(page.get_by_label("Login link, or its code")).to_be_visible()
    is_fit_for_all(page)


def test_a_refusal(served: House, story: Told, browse: Browse, watch: Watch) -> None:
    watch.allow("status of 403")
    page = browse(Guest(served, Scope.MANAGE), story.inspector("whole"))
    expect(page.get_by_role("alert")).to_be_visible()
    is_fit_for_all(page)


def test_the_menu_and_the_filters_of_a_phone(served: House, browse: Browse) -> None:
    page = browse(served, viewport=PHONES[0], has_touch=True)
    settled(page)
    expect(page.get_by_role("link", name="Integrity")).to_have_count(0)
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_label("Connector")).to_be_visible()
    page.get_by_role("button", name="Pages").click()
    assert violations(page) == []
    assert page.evaluate(WIDE) == [0, 0]
    page.get_by_role("link", name="Integrity").click()
    expect(page.get_by_role("heading", name="Integrity", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Search")).to_have_count(0)


def test_it_says_which_language_zone_and_page_it_is(served: House, browse: Browse) -> None:
    page = browse(served, "/balance", timezone_id="Asia/Kolkata")
    settled(page)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert page.title() == "Balance and failures · Turnledger"
    page.get_by_role("button", name=re.compile("^Asia.(Calcutta|Kolkata)$")).click()
    expect(page.get_by_role("button", name="UTC")).to_be_visible()
