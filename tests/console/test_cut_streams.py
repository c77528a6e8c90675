"""A streamed reply whose process was killed: the console shows what had arrived of it, and says cut."""

from __future__ import annotations

from playwright.sync_api import expect

import turnledger
from tests.adapters.stub import chat_events
from tests.conformance.handwriting import tamper
from tests.console.kit import Browse, House
from tests.console.look import card
from tests.patience import eventually
from turnledger.store.arrivals import arrived_replies

SEEN = chat_events("Your order ", "left on Monday").pieces[:2]


def test_what_had_arrived_is_shown_as_cut(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger, turnledger.read(site.ledger) as reading:
        turn = ledger.agent("support").conversation("dm").turn()
        turn.__enter__()
        call = turn.model_call(role="primary", model="gpt-5", request={"stream": True}, provider="openai")
        call.__enter__()
        for piece in SEEN:
            call.chunk(piece)
        eventually(lambda: arrived_replies(reading.reader, turn.id) == {call.seq: b"".join(SEEN)})
        (row,) = reading.turns()
        page = browse(site, f"/agents/{row.agent}/conversations/{row.conversation}")
        ledger._core.heartbeat.stop()  # as if it were killed
        tamper(site.ledger, "UPDATE journals SET until_ms = 1 WHERE until_ms IS NOT NULL")
        turnledger.open(site.ledger).close()
    timeline = page.get_by_role("list", name="Timeline")
    expect(timeline.get_by_text("Your order left on Monday")).to_be_visible()
    expect(timeline.get_by_text("cut", exact=True)).to_be_visible()
    page.goto(f"/agents/turns?agentId={row.agent}&turnId={row.id}")
    result = card(page, call.seq + 1)
    expect(result.get_by_text("Your order left on Monday")).to_be_visible()
    expect(result.get_by_text("cut", exact=True).first).to_be_visible()
