"""What became of something is said where it is shown: a message at its sender, a question at its turn."""

from __future__ import annotations

import re

from playwright.sync_api import expect

import turnledger
from tests.console.every_state import odd_bodies
from tests.console.kit import Browse, House
from tests.console.story import KEY, Told


def test_outcomes_are_where_they_are_looked_for(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        agent = ledger.agent("support")
        talk = agent.conversation(KEY)
        message = talk.inbound("Refund order 7.", actor="slack:U7")
        message.verdict("engage")
        with talk.turn(trigger=message) as turn, turn.tool_call("refund", supplied='{"order": 7}') as step:
            turn.approval(step, question="May it be refunded?")
        told = Told(agent.id, talk.id, odd_bodies(agent.conversation("mail:odd")))
    page = browse(site, told.timeline)
    main = page.get_by_role("main")
    expect(main.get_by_text(re.compile(r"waits since \S+ \S+ UTC.*whoever runs the agent"))).to_be_visible()
    expect(main.get_by_text(f'agent.resume("{turn.id}")')).to_be_visible()
    expect(main.get_by_text("tokens not recorded · cost not recorded")).to_be_visible()
    page.goto(f"/actors?agent={agent.id}")
    page.get_by_role("link", name="slack:U7").click()
    row = page.get_by_role("row").filter(has_text="Refund order 7.")
    expect(row.get_by_text("waiting", exact=True)).to_be_visible()
    page.goto(told.inspector("lossy"))
    head = page.locator("article[aria-label$=MODEL_RESULT] header")
    expect(head.get_by_text("aborted", exact=True)).to_have_count(1)
