"""What a list tells at a glance: who waits for a person, how many tokens, and what it cannot show."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

import turnledger
from tests.cli.kit import run
from tests.conformance.test_tampering import edit
from tests.console.kit import Browse, House

USAGE = {
    "prompt_tokens": 1210,
    "completion_tokens": 100,
    "total_tokens": 1310,
    "prompt_tokens_details": {"cached_tokens": 1024},
    "completion_tokens_details": {"reasoning_tokens": 12},
}


def row(page: Page, key: str) -> Locator:
    """A conversation's row."""
    return page.locator("[data-conversation]").filter(has_text=key)


def test_a_conversation_that_waits_for_a_person_is_told_from_one_that_runs(
    site: House, browse: Browse
) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        with (
            agent.conversation("chat:waits").turn() as waits,
            agent.conversation("chat:runs").turn(),
            waits.tool_call("refund", supplied="{}") as step,
        ):
            approval = waits.approval(step, question="Refund 7?")
            page = browse(site)
            expect(page.locator("[data-conversation]")).to_have_count(2)
            expect(row(page, "chat:waits")).to_contain_text("waits for approval")
            expect(row(page, "chat:runs")).to_contain_text("running")
            page.keyboard.press("n")
            expect(page.locator("[data-conversation]:focus")).to_contain_text("chat:waits")
            page.goto("/?status=waiting")
            expect(page.locator("[data-conversation]")).to_have_count(1)
            expect(row(page, "chat:waits")).to_contain_text("chat:waits")
            page.goto("/")
            approval.decide("denied")
            expect(row(page, "chat:waits")).to_contain_text("running")


def test_tokens_mean_the_same_everywhere(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        talk = agent.conversation("chat:tokens")
        with talk.turn() as turn:
            with turn.model_call(model="gpt-x", request={}) as call:
                call.result("{}", usage=USAGE)
            turn.commit("done")
        ids = f"agentId={agent.id}&turnId={turn.id}"
        timeline = f"/agents/{agent.id}/conversations/{talk.id}"
    assert "1,210→100" in run("list", "--turns", "--ledger", site.ledger, env={"COLUMNS": "200"}).out
    page = browse(site)
    cell = page.locator("[data-conversation] [data-unit=tokens]")
    expect(cell).to_have_attribute("title", "1,210 in, cached ones too; 100 out, reasoning too")
    page.goto(timeline)
    expect(page.get_by_text("1,210 → 100 tokens (in: 1,024 of it from cache)").first).to_be_visible()
    page.goto(f"/agents/turns?{ids}")
    figures = page.locator("section[aria-label='The turn']")
    expect(figures.locator("dt:text-is('tokens in') + dd")).to_have_text("1,210 1,024 of it from cache")
    expect(figures.locator("dt:text-is('tokens out') + dd")).to_have_text("100 12 of it reasoning")
    page.goto(f"/agents?agent={agent.id}")
    expect(page.locator("dt:text-is('Tokens in → out') + dd")).to_contain_text("1,210 → 100")
    top = page.get_by_role("table", name="Conversations by tokens")
    expect(top.get_by_role("cell", name="1,210 → 100")).to_be_visible()


def test_what_is_left_out_as_damaged_is_said_where_it_is_missing(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        talks = [agent.conversation(f"chat:{number}") for number in range(2)]
        for talk in talks:
            with talk.turn(trigger=talk.inbound("hello", actor="U1")) as turn:
                turn.memory_write("prefers", "pickup")
                turn.commit("done")
    page = browse(site)
    expect(page.locator("[data-conversation]")).to_have_count(2)
    note = page.get_by_role("status").filter(has_text="left out")
    expect(note).to_have_count(0)
    first = f"SELECT cid FROM conversations WHERE id = {_blob(site, talks[0].id.hex)}"
    edit(
        site.ledger,
        f"UPDATE conversations SET shape = 'nonsense' WHERE cid = ({first})",
        "UPDATE memory SET op = 'nonsense' WHERE revision = 1",
    )
    page.reload()
    expect(page.locator("[data-conversation]")).to_have_count(1)
    expect(note).to_contain_text("1 row left out")
    expect(note).to_contain_text(f"column shape of table conversations, for {str(talks[0].id)[:18]}")
    page.goto(f"/memory?agent={agent.id}")
    expect(note).to_contain_text("column op of table memory")
    note.get_by_role("link", name="Verify the ledger").click()
    expect(page).to_have_url(re.compile("/integrity"))
    expect(note).to_have_count(0)


def _blob(site: House, digits: str) -> str:
    return rf"'\x{digits}'" if site.ledger.startswith("postgresql://") else f"x'{digits}'"
