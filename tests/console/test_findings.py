"""What a check found not to prove is said on every page that shows it, until a check finds otherwise."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

import turnledger
from tests.conformance.test_tampering import edit
from tests.console.kit import Browse, House
from tests.console.look import TALL
from tests.console.story import KEY, Told, whole_turn

PLACE = 5
EVENT = f"jid = (SELECT j.jid FROM journals AS j WHERE j.kind = 'turn' AND j.ordinal = 0) AND seq = {PLACE}"
ALTER = f"UPDATE events SET tokens = tokens || ' x=1' WHERE {EVENT}"
MEND = f"UPDATE events SET tokens = substr(tokens, 1, length(tokens) - 4) WHERE {EVENT}"


def tell(site: House) -> Told:
    """A whole turn that is altered, and one in another conversation that is not."""
    with turnledger.open(site.ledger) as ledger:
        teller = ledger.agent("support")
        talk = teller.conversation(KEY)
        told = Told(teller.id, talk.id, {"altered": whole_turn(talk)})
        whole_turn(teller.conversation("mail:7"))
    edit(site.ledger, ALTER)
    return told


def verify_everything(page: Page, verdict: str) -> None:
    page.goto("/integrity")
    page.get_by_role("button", name=re.compile("^Verify everything")).click()
    expect(page.get_by_role("main").get_by_text(verdict, exact=True).first).to_be_visible()


def test_a_known_break_is_marked_wherever_it_is_shown(site: House, browse: Browse) -> None:
    story = tell(site)
    page = browse(site, story.timeline, **TALL)
    expect(page.get_by_text("T1 started")).to_be_visible()
    expect(page.get_by_text("record breaks here")).to_have_count(0)
    verify_everything(page, "broken")
    mark = page.get_by_role("navigation", name="Pages").get_by_text("1 broken")
    expect(mark).to_be_visible()
    page.get_by_role("link", name="Conversations").click()
    row = page.locator(f"[data-conversation='{story.conversation}']")
    expect(row.get_by_text("record broken")).to_be_visible()
    expect(page.get_by_text("record broken")).to_have_count(1)
    page.goto(story.timeline)
    expect(page.get_by_text("record breaks here")).to_have_count(1)
    expect(page.get_by_text("record broken", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="inspect", exact=True)).to_be_visible()
    edit(site.ledger, MEND)
    verify_everything(page, "intact")
    expect(mark).to_have_count(0)


def test_what_the_inspector_found_is_marked_too(site: House, browse: Browse) -> None:
    story = tell(site)
    page = browse(site, story.inspector("altered"))
    expect(page.get_by_role("navigation", name="Pages").get_by_text("1 broken")).to_be_visible()
    page.get_by_role("link", name="Its conversation").click()
    expect(page.get_by_text("record breaks here")).to_be_visible()


def test_n_stops_where_a_record_is_known_to_break(site: House, browse: Browse) -> None:
    story = tell(site)
    page = browse(site)
    verify_everything(page, "broken")
    page.goto(story.timeline)
    expect(page.get_by_text("record breaks here")).to_be_visible()
    stops = [page.url]
    chosen = page.locator("[role=list][aria-label=Timeline] [aria-current=true]")
    while "record breaks here" not in stops:
        page.keyboard.press("n")
        expect(page).not_to_have_url(stops[-1])
        expect(chosen).to_have_count(1)
        stops += (
            [page.url] if chosen.get_by_text("record breaks here").count() == 0 else ["record breaks here"]
        )


def test_all_times_of_a_page_are_in_the_zone_that_it_shows(site: House, browse: Browse) -> None:
    story = tell(site)
    page = browse(site, story.inspector("altered"), timezone_id="Asia/Kolkata")
    times = page.get_by_role("main").locator("time")
    for mark, button in ((r"UTC\+5:30", "Asia"), ("UTC", "UTC")):
        expect(times.first).to_have_text(re.compile(rf" {mark}$"))
        for words in times.all_inner_texts():
            assert re.search(rf" {mark}$", words), words
        page.get_by_role("button", name=re.compile(f"^{button}")).click()
