"""A killed server, a cut network, an ended session: the page says so, and goes on without a gap."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from playwright.sync_api import Page, expect

import turnledger
from tests.console.kit import (
    ASKED_WHO,
    NOT_REACHED,
    OFFLINE,
    REFUSED,
    Browse,
    House,
    Process,
    Site,
    Watch,
    process,
)
from tests.console.look import ROWS, TALL, badge, disorder, ended, expect_same_after_reload, watch_order
from tests.console.story import KEY, Told, tell_one, whole_turn

GONE = "The server does not answer."
SESSION_ENDED = "Your session has ended."

ALL_PAGES_FETCHED = (
    """() => performance.getEntriesByType("resource").some((one) => one.name.includes("SettingsPage"))"""
)


@pytest.fixture
def spawned(engine: str, port: int) -> Iterator[Process]:
    """A server in a process of its own, over each engine."""
    with process(engine, port) as served:
        yield served


def told(site: Site) -> Told:
    with turnledger.open(site.ledger) as ledger:
        return tell_one(ledger)


def another_turn(site: Site) -> None:
    with turnledger.open(site.ledger) as ledger:
        whole_turn(ledger.agent("support").conversation(KEY))


def looking_on(page: Page) -> None:
    expect(badge(page, "live")).to_be_visible()
    watch_order(page)


def test_a_killed_server_is_said_and_nothing_is_missed_or_doubled(
    spawned: Process, browse: Browse, watch: Watch
) -> None:
    watch.allow(NOT_REACHED)
    page = browse(spawned, told(spawned).timeline, **TALL)
    looking_on(page)
    another_turn(spawned)
    spawned.kill()  # what the page has heard of by now, it may not have asked for
    expect(page.get_by_text(GONE)).to_be_visible()
    expect(badge(page, "reconnecting")).to_be_visible()
    another_turn(spawned)
    spawned.start()
    expect(ended(page, 2)).to_be_visible()
    expect(page.get_by_text(GONE)).to_be_hidden()
    expect(badge(page, "live")).to_be_visible()
    another_turn(spawned)
    expect(ended(page, 3)).to_be_visible()
    assert disorder(page) == []
    expect_same_after_reload(page, 3)


def test_pages_that_are_opened_while_the_server_is_gone_come_when_it_is_back(
    spawned: Process, browse: Browse, watch: Watch
) -> None:
    watch.allow(NOT_REACHED)
    story = told(spawned)
    page = browse(spawned)
    row = page.locator(f"[data-conversation='{story.conversation}']")
    expect(row).to_be_visible()
    page.wait_for_function(ALL_PAGES_FETCHED)
    spawned.kill()
    row.click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.get_by_role("link", name="Agents", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.go_back()
    expect(page.get_by_text(GONE)).to_be_visible()
    spawned.start()
    expect(ended(page, 0)).to_be_visible()
    expect(page.get_by_text(GONE)).to_be_hidden()
    page.go_forward()
    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_cut_network_is_said_and_the_page_goes_on(site: House, browse: Browse, watch: Watch) -> None:
    watch.allow(OFFLINE)
    page = browse(site, told(site).timeline, **TALL)
    looking_on(page)
    page.context.set_offline(True)
    expect(page.get_by_text(GONE)).to_be_visible()
    expect(badge(page, "reconnecting")).to_be_visible()
    another_turn(site)
    page.context.set_offline(False)
    expect(ended(page, 1)).to_be_visible()
    expect(page.get_by_text(GONE)).to_be_hidden()
    expect(badge(page, "live")).to_be_visible()
    assert disorder(page) == []
    expect_same_after_reload(page, 1)


def test_a_line_that_says_nothing_is_taken_for_cut(site: House, browse: Browse) -> None:
    """A server that lost its power says no goodbye; here the page's time runs faster than its heartbeat."""
    story = told(site)
    page = browse(site, "/settings")
    page.clock.install()
    page.goto(story.timeline)
    expect(badge(page, "live")).to_be_visible()
    with page.expect_request(lambda request: "/api/stream" in request.url):
        page.clock.fast_forward(41_000)
    another_turn(site)
    page.clock.run_for(2_000)
    expect(ended(page, 1)).to_be_visible()


@pytest.mark.parametrize("how", ["expired", "revoked"])
def test_an_ended_session_is_said_and_login_leads_back(
    site: House, browse: Browse, watch: Watch, how: str
) -> None:
    watch.allow(ASKED_WHO, REFUSED)
    page = browse(site, told(site).timeline)
    expect(badge(page, "live")).to_be_visible()
    page.locator(ROWS).nth(2).click()
    page.wait_for_url("**?at=*")
    place = page.url
    link = site.login_url()
    if how == "expired":
        expire_sessions(site.ledger)
    else:
        page.context.request.delete("/api/session", headers=csrf(page))
    site.server.service.live.recheck()
    expect(page.get_by_text(SESSION_ENDED)).to_be_visible()
    expect(page.get_by_role("list", name="Timeline")).to_be_hidden()
    page.get_by_label("Login link, or its code").fill(link)
    page.get_by_role("button", name="Log in").click()
    expect(ended(page, 0)).to_be_visible()
    assert page.url == place
    another_turn(site)
    expect(page.get_by_role("button", name=re.compile(r"^\d+ new$"))).to_be_visible()


def expire_sessions(ledger: str) -> None:
    """Let all sessions run out, as eight hours do."""
    statement = "UPDATE sessions SET expires_ms = 1"
    if ledger.startswith("postgresql://"):
        with psycopg.connect(ledger) as server:
            server.execute(statement)
    else:
        with closing(sqlite3.connect(ledger)) as file, file:
            file.execute(statement)


def csrf(page: Page) -> dict[str, str]:
    session = page.context.request.get("/api/session").json()
    return {"X-CSRF-Token": session["csrfToken"]}
