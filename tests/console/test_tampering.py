"""What was altered is red at its card, whoever altered it; where the verdicts differ, neither is believed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

import turnledger
from tests.conformance.test_tampering import DIGEST, edit
from tests.console.kit import Browse, House
from tests.console.look import TALL, card, verdict
from tests.console.story import KEY, Told, whole_turn

PLACE = 5  # the tool call of a whole turn

IN_THE_CHAIN = {
    "tokens": "tokens || ' x=1'",
    "created_ms": "created_ms + 1",
    "type": "'PROGRESS'",
    "payload_hash": DIGEST,
    "hash": DIGEST,
}
"""Columns of an event that both the browser and the server find altered, and what they become."""
BESIDE_IT = {
    "detail": "UPDATE events SET detail = (SELECT x.detail FROM events AS x WHERE x.type = 'OPENED')",
    "body": "UPDATE bodies SET size = size + 1",
}
"""What only the server can compare with the chain."""


def tell(site: House, *names: str) -> Told:
    """A whole turn for each name."""
    with turnledger.open(site.ledger) as ledger:
        teller = ledger.agent("support")
        talk = teller.conversation(KEY)
        return Told(teller.id, talk.id, {name: whole_turn(talk) for name in names})


def event(turn: int) -> str:
    journal = f"SELECT j.jid FROM journals AS j WHERE j.kind = 'turn' AND j.ordinal = {turn}"
    return f"jid = ({journal}) AND seq = {PLACE}"


def expect_red(page: Page, place: int, about: str) -> None:
    """The chain breaks at one card; what stands before it is not marked, what stands behind is not proven."""
    here = page.locator("[data-fault=here]")
    expect(here, about).to_have_count(1)
    expect(here, about).to_have_attribute("data-seq", str(place))
    expect(here.get_by_text("the chain breaks here"), about).to_be_visible()
    expect(card(page, place - 1), about).not_to_have_attribute("data-fault", re.compile("."))
    expect(card(page, place + 1).get_by_text("not proven"), about).to_be_visible()


def alarm(page: Page) -> str:
    """The words that the panel raises an alarm with."""
    return page.get_by_role("region", name="Verification").get_by_role("alert").inner_text()


def test_an_edited_event_is_red_for_browser_and_server(site: House, browse: Browse) -> None:
    story = tell(site, *IN_THE_CHAIN, "untouched")
    page = browse(site, story.inspector("tokens"), **TALL)
    expect(verdict(page, "The server")).to_have_text(re.compile("^intact"))
    edit(
        site.ledger,
        *(
            f"UPDATE events SET {column} = {value} WHERE {event(turn)}"
            for turn, (column, value) in enumerate(IN_THE_CHAIN.items())
        ),
    )
    for column in IN_THE_CHAIN:
        page.goto(story.inspector(column))
        expect_red(page, PLACE, column)
        altered = page.get_by_role("navigation", name="Outline of the turn").get_by_text("altered")
        expect(altered, column).to_have_count(1)
        assert "This journal was altered" in alarm(page), column
        for whose in ("This browser", "The server"):
            expect(verdict(page, whose), column).to_contain_text(f"Event {PLACE} was altered")
    page.goto(story.inspector("untouched"))
    expect(verdict(page, "This browser")).to_have_text(re.compile("^intact"))
    expect(page.locator("[data-fault]")).to_have_count(0)


def test_what_only_the_server_can_compare_is_red_too(site: House, browse: Browse) -> None:
    story = tell(site, *BESIDE_IT)
    page = browse(site, story.inspector("detail"), **TALL)
    expect(verdict(page, "The server")).to_have_text(re.compile("^intact"))
    edit(site.ledger, *(f"{change} WHERE {event(turn)}" for turn, change in enumerate(BESIDE_IT.values())))
    for change in BESIDE_IT:
        page.goto(story.inspector(change))
        expect_red(page, PLACE, change)
        assert "This journal was altered" in alarm(page), change
        expect(verdict(page, "The server"), change).to_have_text(re.compile("^broken"))


@pytest.mark.parametrize(
    ("written", "read", "place"),
    [
        pytest.param("tool=lookup_order", "tool=lookup_ordex", PLACE, id="one byte on its way"),
        pytest.param(
            '"chainIntact":true,"brokenAtSeq":-1,"verification":"ok"',
            '"chainIntact":false,"brokenAtSeq":2,"verification":"hash"',
            2,
            id="the server's verdict",
        ),
    ],
)
def test_where_the_verdicts_differ_nothing_is_trusted(
    site: House, browse: Browse, written: str, read: str, place: int
) -> None:
    def on_its_way(route: Route) -> None:
        answer = route.fetch()
        said = answer.text()
        assert written in said
        route.fulfill(response=answer, body=said.replace(written, read, 1))

    story = tell(site, "whole")
    page = browse(site, "/settings", **TALL)
    page.route("**/journal", on_its_way)
    page.goto(story.inspector("whole"))
    expect_red(page, place, "")
    assert "Verdicts disagree: treat this journal as untrusted" in alarm(page)
    page.unroute("**/journal")
    page.reload()
    expect(verdict(page, "This browser")).to_have_text(re.compile("^intact"))
    expect(page.locator("[data-fault]")).to_have_count(0)
