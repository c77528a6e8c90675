"""No page breaks a rule of WCAG 2.2 AA that a program can check, in light and in dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.console.axe import violations
from tests.console.kit import ASKED_WHO, Browse, House, Watch
from tests.console.story import Told

PATHS = [
    "/",
    "/agents",
    "/actors",
    "/balance",
    "/memory",
    "/search?q=order",
    "/integrity",
    "/settings",
    "/agents/turns",
    "/nowhere",
    "timeline",
    "inspector",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_accessible(served: House, story: Told, browse: Browse, path: str) -> None:
    paths = {"timeline": story.timeline, "inspector": story.inspector("whole")}
    page = browse(served, paths.get(path, path), color_scheme="light")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Loading")).to_have_count(0)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []


def test_the_door_is_accessible(served: House, browse: Browse, watch: Watch) -> None:
    watch.allow(ASKED_WHO)
    page = browse(served)
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_label("Login link, or its code")).to_be_visible()
    assert violations(page) == []
