"""Pages beside the timeline: figures that follow the stream, filters, findings and hits that lead on."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

import turnledger
from tests.console.kit import Browse, House
from tests.console.look import card
from tests.console.story import Told, tell_all, whole_turn


def _tell(site: House) -> Told:
    with turnledger.open(site.ledger) as ledger:
        return tell_all(ledger)


def test_figures_follow_the_stream(site: House, browse: Browse) -> None:
    """Neither page asks by the clock: what is recorded shows within seconds."""
    told = _tell(site)
    agents = browse(site, f"/agents?agent={told.agent}")
    balance = browse(site, f"/balance?agent={told.agent}")
    turns = agents.locator("dl div").filter(has=agents.get_by_text("Turns", exact=True))
    expect(turns).to_contain_text("5")
    expect(balance.get_by_text("4 messages came in")).to_be_visible()
    with turnledger.open(site.ledger) as ledger:
        whole_turn(ledger.agent("support").conversation("slack:C042/1712.33"), "And order 8?")
    expect(balance.get_by_text("5 messages came in")).to_be_visible()
    expect(turns).to_contain_text("6")


def test_an_imbalance_is_an_alarm(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        agent.conversation("slack:C1").inbound("hello?", actor="slack:U7")
    page = browse(site, "/balance")
    expect(page.get_by_role("heading", name="Balanced")).to_be_visible()
    later = {"fates": {"unaccounted": 1}, "balanced": False, "unaccounted": []}

    def older(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | later)

    page.route(re.compile("/api/agents/[^/]+/balance"), older)
    page.reload()
    alarm = page.get_by_role("alert").filter(has_text="Not balanced")
    expect(alarm).to_contain_text("1 message older than 15 min without a fate")


def test_who_owes_a_reply(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        agent.conversation("slack:owing").inbound("hello?", actor="slack:U7").shed("queue_full")
        agent.conversation("slack:passed over").inbound("hello?", actor="slack:U7").shed("queue_full")
        whole_turn(agent.conversation("slack:passed over"))
        whole_turn(agent.conversation("slack:answered"))
    page = browse(site)
    expect(page.get_by_text("slack:answered")).to_be_visible()
    page.get_by_label("Status").select_option("owes a reply")
    expect(page.get_by_text("slack:answered")).to_have_count(0)
    expect(page.get_by_text("slack:owing")).to_be_visible()
    row = page.get_by_role("link").filter(has_text="slack:passed over")
    expect(row.get_by_text("owes a reply")).to_have_count(2)
    expect(row.get_by_text("answered")).to_have_count(0)
    assert "status=owes" in page.url


def test_a_hit_leads_to_its_conversation(site: House, browse: Browse) -> None:
    told = _tell(site)
    page = browse(site, "/search?q=arrives+tomorrow")
    page.get_by_role("heading", name="slack:C042/1712.33 with support").get_by_role("link").click()
    expect(page).to_have_url(re.compile(re.escape(told.timeline)))


def test_a_message_that_another_names_is_a_link(site: House, browse: Browse) -> None:
    """A place in the conversation's journal is looked up once; then the event stands in the address."""
    told = _tell(site)
    page = browse(site, f"{told.timeline}?seq=1")
    expect(page).to_have_url(re.compile(r"at=[0-9a-f-]{36}"))
    shed = page.get_by_role("listitem").filter(has_text="trigger shed")
    chosen = page.get_by_role("listitem").filter(has_text="are you there?")
    number = chosen.get_by_title("Link to this event", exact=True).inner_text()
    shed.get_by_role("link", name=f"message {number}", exact=True).click()
    expect(chosen.locator("[class*=selected]")).to_be_visible()


def test_the_outline_of_a_turn(site: House, browse: Browse) -> None:
    told = _tell(site)
    page = browse(site, told.inspector("whole"))
    outline = page.get_by_role("navigation", name="Outline of the turn")
    step = outline.get_by_role("button", name=re.compile("lookup_order"))
    step.click()
    expect(step).to_have_attribute("aria-current", "step")
    expect(card(page, 5)).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    expect(card(page, 6)).to_have_attribute("aria-current", "true")
    expect(step).not_to_have_attribute("aria-current", "step")


def test_settings_say_what_there_is_and_make_more(site: House, browse: Browse) -> None:
    page = browse(site, "/settings")
    expect(page.get_by_text("No program has a token yet")).to_be_visible()
    made = page.locator("section").filter(has_text="New token")
    made.get_by_label("Name").fill("recorder")
    made.get_by_role("button", name="Make token").click()
    expect(page.get_by_text("it is shown this once and not kept")).to_be_visible()
    expect(page.get_by_role("cell", name="recorder")).to_be_visible()


def test_everything_is_verified_and_what_is_unsound_leads_to_its_turn(site: House, browse: Browse) -> None:
    told = _tell(site)
    page = browse(site, "/integrity")
    page.get_by_role("button", name="Verify everything").click()
    expect(page.get_by_text(re.compile(r"^Finished: (\d+) of \1 journals"))).to_be_visible()
    unsound = {"agentId": str(told.agent), "kind": "turn", "target": str(told.turns["whole"])}
    rest = {"verdict": "broken", "brokenAtSeq": 2, "reason": "hash", "explanation": "x", "warnings": []}
    bodies = {"checked": 1, "pruned": 0, "notChecked": 0}
    finding = unsound | rest | {"events": 3, "bodies": bodies, "notCovered": [], "head": None}

    def altered(route: Route) -> None:
        answer = route.fetch().json()
        answer["verification"] |= {"verdict": "broken", "unsound": [finding], "unsoundCount": 1}
        route.fulfill(json=answer)

    page.route(re.compile("/api/integrity$"), altered)
    page.reload()
    page.get_by_role("link", name=re.compile("^turn ")).click()
    expect(card(page, 2)).to_have_attribute("aria-current", "true")
    assert {f"turnId={told.turns['whole']}", f"agentId={told.agent}", "seq=2"} == set(
        page.url.split("?")[1].split("&")
    )
