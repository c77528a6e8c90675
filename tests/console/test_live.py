"""Pages move by themselves while agents record elsewhere: every event once, in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

import turnledger
from tests.console.kit import Browse, House
from tests.console.look import (
    TALL,
    badge,
    card,
    disorder,
    ended,
    expect_same_after_reload,
    verdict,
    watch_order,
)
from tests.console.story import KEY, Told, every_step, tell_one, whole_turn

ROOT = Path(__file__).parents[2]


class Agent:
    """Another process that records into the same ledger."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def takes_a_turn(self, question: str) -> None:
        """Return when the turn is on record."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{question}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "recorded\n"


@contextmanager
def agent(ledger: str) -> Iterator[Agent]:
    command = [sys.executable, "-m", "tests.console.record_program", ledger]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Agent(process)


def test_a_conversation_moves_while_another_process_records(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        page = browse(site, tell_one(ledger).timeline, **TALL)
    expect(badge(page, "live")).to_be_visible()
    watch_order(page)
    with agent(site.ledger) as other:
        for number in (1, 2):
            other.takes_a_turn(f"question {number}")
        expect(page.get_by_text("question 2")).to_be_visible()
        expect(ended(page, 2)).to_be_visible()
        other.takes_a_turn("question 3")
        expect(ended(page, 3)).to_be_visible()
        expect(page.get_by_text("4 turns")).to_be_visible()
    assert disorder(page) == []
    expect_same_after_reload(page, 3)


def test_a_page_that_shows_the_past_stays_where_it_is(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        page = browse(site, tell_one(ledger).timeline)
    expect(badge(page, "live")).to_be_visible()
    page.get_by_role("group", name="Timeline, scrollable").press("Home")
    first = page.get_by_text("conversation opened")
    expect(first).to_be_in_viewport()
    with turnledger.open(site.ledger) as ledger:
        whole_turn(ledger.agent("support").conversation(KEY), "Anything else?")
    page.get_by_role("button", name="Pause").click()
    expect(first).to_be_in_viewport()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Newest").click()
    expect(ended(page, 1)).to_be_in_viewport()


def test_the_list_of_conversations_moves(site: House, browse: Browse) -> None:
    page = browse(site)
    expect(page.get_by_text("Nothing is recorded here yet")).to_be_visible()
    with turnledger.open(site.ledger) as ledger:
        talk = ledger.agent("support").conversation("dm:one")
        whole_turn(talk)
        row = page.locator(f"[data-conversation='{talk.id}']")
        turns = row.locator("[data-column=turns]")
        expect(turns).to_have_text("1")
        whole_turn(talk)
        expect(turns).to_have_text("2")
        newer = ledger.agent("support").conversation("dm:two")
        newer.inbound("hello?", actor="slack:U7")
        button = page.get_by_role("button", name="1 new")
        expect(button).to_be_visible()
        assert page.locator("[data-conversation]").count() == 1, "rows do not move by themselves"
        button.click()
    listed = page.locator("[data-conversation]")
    expect(listed).to_have_count(2)
    assert listed.first.get_attribute("data-conversation") == str(newer.id)


def test_a_turn_is_watched_while_it_runs(site: House, browse: Browse) -> None:
    with turnledger.open(site.ledger) as ledger:
        teller = ledger.agent("support")
        talk = teller.conversation(KEY)
        with talk.turn(trigger=talk.inbound("Where is order 7?", actor="slack:U7")) as turn:
            story = Told(teller.id, talk.id, {"open": turn.id})
            page = browse(site, story.inspector("open"), **TALL)
            expect(card(page, 0)).to_be_visible()
            every_step(turn)
            expect(card(page, 12)).to_be_visible()
            expect(verdict(page, "This browser")).to_contain_text("13 events")
            turn.commit("It arrives tomorrow.")
        expect(card(page, 13)).to_contain_text("COMMIT")
        expect(verdict(page, "This browser")).to_contain_text("14 events: every hash recomputed")
        expect(verdict(page, "The server")).to_contain_text("intact")
        expect(page.get_by_text("completed").first).to_be_visible()
