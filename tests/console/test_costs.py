"""What calls cost, in the places where operators look: exact, and never 0 where it is not known."""

from __future__ import annotations

import re

from playwright.sync_api import expect

import turnledger
from tests.console.kit import Browse, House
from turnledger.clock import SYSTEM
from turnledger.engine.pricing import Pricer, Which
from turnledger.pricing.book import PriceBook
from turnledger.pricing.table import read_table

PRICES = PriceBook(read_table(b'[[price]]\nmodel = "gpt-x"\ninput = 3.00\noutput = 15\n', "prices"))
TINY = "0.000057 USD"


def _record(url: str) -> tuple[str, str]:
    """A turn with one call whose usage is on record and one without; its agent and its own id."""
    with turnledger.open(url) as ledger:
        agent = ledger.agent("support")
        with agent.conversation("web:1", connector="web").turn() as turn:
            for usage in ({"prompt_tokens": 19, "completion_tokens": 0}, None):
                with turn.model_call(model="gpt-x", request={}) as call:
                    call.result("{}", usage=usage)
            turn.commit("done")
        return str(agent.id), str(turn.id)


def test_t07_a_tiny_amount_is_shown_to_its_last_digit(site: House, browse: Browse) -> None:
    agent, turn = _record(site.ledger)
    page = browse(site, f"/agents/turns?agentId={agent}&turnId={turn}")
    cost = page.locator("section[aria-label='The turn'] dt:text-is('cost') + dd")
    hint = "the server has no list prices: install turnledger[prices] beside it and start it anew"
    expect(cost).to_have_text(f"Not recorded {hint}")
    page.goto(f"/agents?agent={agent}")
    expect(page.locator("dt:text-is('Cost') + dd")).to_contain_text(hint)
    page.goto(f"/agents/turns?agentId={agent}&turnId={turn}")
    store = site.server.service.store
    Pricer(store, PRICES, SYSTEM).price([row.id for row in store.reader.agents()], Which.NEW)
    page.reload()
    expect(cost).to_have_text(f"{TINY} 1 call unpriced: no-usage")
    results = page.get_by_role("article", name=re.compile(r", MODEL_RESULT$"))
    expect(results.nth(0)).to_contain_text(f"Cost: {TINY}, priced as gpt-x by table ")
    expect(results.nth(1)).to_contain_text("Cost: unpriced: no-usage")
    page.goto(f"/agents?agent={agent}")
    expect(page.locator("dt:text-is('Cost') + dd")).to_contain_text(TINY)
    expect(page.locator("dt:text-is('Cost') + dd")).not_to_contain_text("install")
    expect(page.get_by_role("heading", name="Cost in USD")).to_be_visible()
    expect(
        page.get_by_role("table", name="Conversations by tokens").get_by_role("cell", name=TINY)
    ).to_be_visible()
    page.goto("/")
    expect(page.locator("[data-conversation]")).to_contain_text(f"{TINY} +?")
