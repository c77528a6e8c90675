"""An address is the state of its page: opened, copied, reloaded, gone back to, and with ids that are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

import turnledger
from tests.console.kit import Browse, House, Watch, house
from tests.console.story import Told, tell_all
from turnledger.ids import new_id

TALL = {"width": 1280, "height": 3000}
UNKNOWN = "0198c0de-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Told]]:
    """The story, and conversations of another agent at other places."""
    url = str(tmp_path_factory.mktemp("links") / "agent.ledger")
    with turnledger.open(url) as ledger:
        other = ledger.agent("billing")
        for number in range(3):
            talk = other.conversation(f"mail:{number}", connector="mail", shape="dm", place=f"box {number}")
            talk.inbound("An invoice, please.", actor="mail:ada")
        told = tell_all(ledger)
    with house(url) as served:
        yield served, told


def test_what_an_address_asks_for_in_vain_is_said(recorded: tuple[House, Told], browse: Browse) -> None:
    page = browse(recorded[0], "/?status=bogus&text=hana&shape=dm")
    note = page.get_by_role("status").filter(has_text="left out")
    expect(note).to_contain_text("“bogus” is no status; it was left out.")
    expect(note).to_contain_text("This page has no “text” to choose by; “hana” was left out.")
    expect(note).not_to_contain_text("dm")
    page.get_by_role("link", name="Agents").click()
    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
    expect(note).to_have_count(0)


@pytest.fixture
def told(recorded: tuple[House, Told]) -> Told:
    """What was recorded."""
    return recorded[1]


@pytest.fixture
def page(recorded: tuple[House, Told], browse: Browse) -> Page:
    """A window at the list of conversations."""
    return browse(recorded[0], viewport=TALL, permissions=["clipboard-read", "clipboard-write"])


def rows(page: Page) -> Locator:
    """Conversations in the list."""
    return page.get_by_role("list", name="Conversations").get_by_role("link")


def query(page: Page) -> dict[str, list[str]]:
    """Parameters of the address."""
    return parse_qs(urlsplit(page.url).query)


def tool_line(page: Page) -> Locator:
    """The row of the timeline in which the tool was called."""
    return (
        page.get_by_role("list", name="Timeline")
        .get_by_role("listitem")
        .filter(has_text='with {"order_id":7}')
    )


# --- conversations ---------------------------------------------------------------------------------


def test_filters_stand_in_the_address_and_come_back_from_it(page: Page) -> None:
    expect(rows(page)).to_have_count(4)
    page.get_by_label("Connector").fill("mail")
    page.get_by_label("Shape").select_option("dm")
    page.get_by_label("Place").fill("box 1")
    expect(rows(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(r"place=box"))
    assert query(page) == {"connector": ["mail"], "shape": ["dm"], "place": ["box 1"]}
    page.reload()
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_label("Connector")).to_have_value("mail")
    expect(page.get_by_label("Shape")).to_have_value("dm")
    expect(page.get_by_label("Place")).to_have_value("box 1")


def test_a_filter_that_lets_nothing_through_can_be_cleared(page: Page) -> None:
    page.goto("/?q=no+such+name&status=open&last=1h")
    expect(page.get_by_label("Text")).to_have_value("no such name")
    expect(page.get_by_label("Time", exact=True)).to_have_value("1h")
    expect(page.get_by_label("Status")).to_have_value("open")
    expect(page.get_by_role("heading", name="No conversation matches")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(rows(page)).to_have_count(4)
    assert query(page) == {}


def test_words_of_the_address_that_mean_nothing_are_passed_over(page: Page) -> None:
    page.goto("/?shape=circle&status=9&last=forever&day=2026-99-99&nonsense=1")
    expect(rows(page)).to_have_count(4)


def test_back_leads_to_the_row_that_was_opened_and_forward_to_its_timeline(page: Page, told: Told) -> None:
    page.get_by_label("Agent", exact=True).select_option(label="support")
    expect(rows(page)).to_have_count(1)
    rows(page).first.click()
    expect(page).to_have_url(re.compile(re.escape(told.timeline)))
    expect(page.get_by_role("list", name="Timeline")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Conversations", level=1)).to_be_visible()
    assert query(page) == {"agent": [str(told.agent)], "sel": [str(told.conversation)]}
    expect(rows(page).first).to_be_focused()
    page.go_forward()
    expect(page.get_by_role("list", name="Timeline")).to_be_visible()


# --- timeline --------------------------------------------------------------------------------------


def test_an_event_of_a_timeline_has_an_address_of_its_own(page: Page, told: Told) -> None:
    page.goto(told.timeline)
    line = tool_line(page)
    line.get_by_role("button", name="Copy the link to this event").click()
    expect(page.get_by_role("status").filter(has_text="Copied the link")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert urlsplit(link).path == told.timeline
    page.goto(f"{link}&open=1")
    expect(page.get_by_role("region", name=re.compile("TOOL_CALL"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^Close event")).click()
    expect(page.get_by_role("region", name=re.compile("TOOL_CALL"))).to_have_count(0)
    assert "open" not in query(page)
    page.reload()
    expect(page.get_by_role("list", name="Timeline")).to_contain_text("lookup_order")
    assert query(page)["at"] == parse_qs(urlsplit(link).query)["at"]


def test_a_row_leads_to_its_turn_at_its_event_and_back(page: Page, told: Told) -> None:
    page.goto(told.timeline)
    line = tool_line(page)
    line.get_by_role("link", name=re.compile(r"^T\d+$")).click()
    expect(page.get_by_role("article", name=re.compile("TOOL_CALL$"))).to_have_attribute(
        "aria-current", "true"
    )
    assert query(page)["turnId"] == [str(told.turns["whole"])]
    page.go_back()
    expect(page.get_by_role("list", name="Timeline")).to_be_visible()
    page.get_by_role("link", name="support", exact=True).click()
    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
    assert query(page) == {"agent": [str(told.agent)]}


# --- inspector -------------------------------------------------------------------------------------


def test_the_view_the_event_and_its_bodies_stand_in_the_address(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole") + "&seq=5&open=1")
    card = page.get_by_role("article", name="Event 5, TOOL_CALL")
    expect(card).to_have_attribute("aria-current", "true")
    expect(card).to_contain_text("2 differences")
    page.get_by_role("tab", name="Waterfall").click()
    page.reload()
    expect(page.get_by_role("tab", name="Waterfall")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name=re.compile("gpt-5")).click()
    expect(page.get_by_role("article", name="Event 3, MODEL_CALL")).to_have_attribute("aria-current", "true")
    assert "view" not in query(page)
    page.go_back()
    expect(page.get_by_role("tab", name="Waterfall")).to_have_attribute("aria-selected", "true")


def test_the_old_address_of_the_inspector_works(page: Page, told: Told) -> None:
    """The form of links that were handed out before: both ids, nothing else."""
    page.goto(f"/agents/turns?agentId={told.agent}&turnId={told.turns['whole']}")
    expect(page.get_by_role("heading", name="Turn inspector", level=1)).to_be_visible()
    expect(page.get_by_text("Test & monitor")).to_be_visible()
    expect(page.get_by_role("article", name="Event 0, INTAKE")).to_be_visible()
    assert page.title() == "Turn inspector · Turnledger"


# --- the other pages -------------------------------------------------------------------------------


def test_each_page_is_found_by_its_name_and_shows_its_request(page: Page) -> None:
    for name, path, request in (
        ("Agents", "/agents", "/overview"),
        ("Actors", "/actors", "/actors"),
        ("Balance", "/balance", "/balance"),
        ("Memory", "/memory", "/memory"),
        ("Search", "/search", None),
        ("Integrity", "/integrity", "/api/integrity"),
        ("Settings", "/settings", "/api/session"),
        ("Conversations", "/", "/api/conversations"),
    ):
        link = page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True)
        link.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(name)
        expect(link).to_have_attribute("aria-current", "page")
        assert urlsplit(page.url).path == path
        if request is not None:
            shown = page.get_by_role("contentinfo").get_by_role("link", name=re.compile("^GET "))
            expect(shown).to_contain_text(request)
            assert page.request.get(shown.get_attribute("href") or "").ok


def test_the_span_of_the_figures_stands_in_the_address(page: Page, told: Told) -> None:
    for path in ("/agents", "/balance"):
        page.goto(f"{path}?agent={told.agent}&last=7d")
        expect(page.get_by_label("Agent", exact=True)).to_have_value(str(told.agent))
        expect(page.get_by_label("Time", exact=True)).to_have_value("7d")
        page.get_by_label("Time", exact=True).select_option("24h")
        expect(page).to_have_url(re.compile("last=24h"))
        page.get_by_label("Time", exact=True).select_option("day")
        page.get_by_label("Day", exact=True).fill("2020-02-29")
        expect(page).to_have_url(re.compile("day=2020-02-29"))
        assert query(page) == {"agent": [str(told.agent)], "day": ["2020-02-29"]}
        page.go_back()
        expect(page.get_by_label("Day", exact=True)).not_to_have_value("2020-02-29")


def test_an_actor_a_memory_entry_and_a_search_have_addresses(page: Page, told: Told) -> None:
    page.goto(f"/actors?agent={told.agent}")
    page.get_by_role("link", name="slack:U7").click()
    expect(page.get_by_role("table", name="Messages of one actor")).to_contain_text("Where is order 7?")
    page.reload()
    expect(page.get_by_role("table", name="Messages of one actor")).to_contain_text("Where is order 7?")
    page.goto(f"/memory?agent={told.agent}")
    page.get_by_role("link", name="prefers").click()
    expect(page.get_by_role("heading", name="Revision 1, the newest")).to_be_visible()
    page.reload()
    expect(page.get_by_role("group", name="the content of this revision")).to_contain_text("pickup")
    page.go_back()
    expect(page.get_by_role("heading", name="Revision 1, the newest")).to_have_count(0)
    page.goto("/search")
    page.get_by_role("searchbox").fill('"one moment"')
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("status").filter(has_text="found")).to_be_visible()
    assert query(page) == {"q": ['"one moment"']}
    page.get_by_role("link", name="inspect the turn").first.click()
    expect(page.get_by_role("article", name=re.compile("PROGRESS$"))).to_have_attribute(
        "aria-current", "true"
    )
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value('"one moment"')


# --- ids that are none -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nowhere/at/all", "There is no page at this address"),
        (f"/agents/{UNKNOWN}/conversations/{UNKNOWN}", "404"),
        ("/agents/7/conversations/7", "422"),
        (f"/agents?agent={UNKNOWN}", "404"),
        (f"/balance?agent={UNKNOWN}", "404"),
        (f"/actors?agent={UNKNOWN}", "404"),
        (f"/memory?agent={UNKNOWN}", "404"),
        ("/actors?agent={agent}&actor=" + UNKNOWN, "This agent knows no such actor"),
        ("/memory?agent={agent}&entry=" + UNKNOWN, "404"),
        ("/memory?agent={agent}&entry=x", "422"),
        (f"/?agent={UNKNOWN}", "404"),
        ("/?agent=x", "422"),
        ("/?actor=nobody", "No conversation matches"),
        (f"/search?q=order&agent={UNKNOWN}", "404"),
    ],
)
def test_what_is_not_there_is_said_to_be_not_there(
    page: Page, told: Told, watch: Watch, path: str, said: str
) -> None:
    watch.allow("status of 404", "status of 422")
    page.goto(path.replace("{agent}", str(told.agent)))
    expect(page.get_by_role("main")).to_contain_text(said)
    expect(page.get_by_role("main").get_by_role("status").filter(has_text="Loading")).to_have_count(0)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Conversations").click()
    expect(rows(page)).to_have_count(4)


def test_a_link_to_an_event_that_is_not_there(page: Page, told: Told, watch: Watch) -> None:
    watch.allow("status of 404")
    page.goto(f"{told.timeline}?at={new_id()}")
    expect(page.get_by_role("alert")).to_contain_text("404")
    page.goto(told.inspector("whole") + "&seq=999&open=1")
    expect(page.get_by_role("article", name="Event 0, INTAKE")).to_be_visible()
