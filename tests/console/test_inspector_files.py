"""A fixture or a journal file from disk: checked in the browser, and nothing of it leaves it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.console.kit import Browse, House
from tests.console.story import Told

TALL = {"width": 1280, "height": 4000}


@pytest.fixture
def page(served: House, browse: Browse) -> Iterator[Page]:
    """The idle inspector; whatever is asked of the server from here on but the page's own files fails."""
    window = browse(served, "/agents/turns", viewport=TALL)
    expect(window.get_by_role("heading", name="No turn is chosen")).to_be_visible()
    expect(window.locator("datalist option")).to_have_count(1)
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.method != "GET" or "/assets/" not in request.url or request.post_data is not None:
            asked.append(f"{request.method} {request.url}")

    window.on("request", note)
    yield window
    assert asked == []


@pytest.fixture
def fixture(served: House, story: Told, browse: Browse) -> bytes:
    """The whole turn, with bodies and the salts that prove them."""
    answer = browse(served).request.get(
        f"/api/agents/{story.agent}/turns/{story.turns['whole']}/fixture?salts=true&bodies=true"
    )
    assert answer.ok
    return answer.body()


@pytest.fixture
def journals(served: House, story: Told, browse: Browse) -> list[bytes]:
    """The lines of the conversation's journal file, which holds its turns too."""
    answer = browse(served).request.get(
        f"/api/agents/{story.agent}/conversations/{story.conversation}/export?bodies=true"
    )
    assert answer.ok
    return answer.body().splitlines(keepends=True)


def give(page: Page, data: bytes, name: str = "turn.fixture.json") -> None:
    """Choose a file in the dialog that the button opens."""
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Open a file").click()
    choosing.value.set_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})


def verdict(page: Page) -> Locator:
    """The panel with both verdicts."""
    return page.get_by_role("region", name="Verification")


def test_a_fixture_is_checked_here_and_its_claim_is_compared(page: Page, fixture: bytes) -> None:
    give(page, fixture)
    expect(page.get_by_role("region", name="The file")).to_contain_text("turn.fixture.json")
    expect(page.get_by_role("region", name="The file")).to_contain_text("14 events")
    expect(verdict(page)).to_contain_text("14 events: every hash recomputed, order and links checked")
    expect(verdict(page)).to_contain_text("a claim of the sender: compared, never believed")
    answer = page.get_by_role("article", name="Event 13, COMMIT")
    answer.get_by_role("button", name="answer").click()
    expect(answer.get_by_role("group", name="the answer of event 13")).to_contain_text("It arrives tomorrow.")
    page.get_by_role("button", name="Close the file").click()
    expect(page.get_by_role("heading", name="No turn is chosen")).to_be_visible()


def test_an_altered_fixture_is_untrusted_at_the_event_that_was_altered(page: Page, fixture: bytes) -> None:
    altered = json.loads(fixture)
    altered["events"][5]["summary"] = altered["events"][5]["summary"].replace("lookup_order", "refund_order")
    give(page, json.dumps(altered).encode())
    expect(verdict(page).get_by_role("alert")).to_contain_text("treat this journal as untrusted")
    expect(verdict(page)).to_contain_text("Event 5 was altered: what it says does not give its hash.")
    expect(page.get_by_role("article", name="Event 5,")).to_contain_text("the chain breaks here")
    expect(page.get_by_role("article", name="Event 6,")).to_contain_text("not proven")
    expect(page.get_by_role("article", name="Event 4,")).not_to_contain_text(re.compile("breaks|not proven"))


def test_an_altered_body_is_found_by_its_salt(page: Page, fixture: bytes) -> None:
    given = json.loads(fixture)
    given["bodies"]["13/payload"] = "It arrived yesterday."
    give(page, json.dumps(given).encode())
    expect(verdict(page).get_by_role("alert")).to_be_visible()
    expect(verdict(page)).to_contain_text("A body of event 13 was altered".replace("event", "Event"))


def test_an_event_that_was_taken_out_is_missed(page: Page, fixture: bytes) -> None:
    cut = json.loads(fixture)
    del cut["events"][5]
    give(page, json.dumps(cut).encode())
    expect(verdict(page).get_by_role("alert")).to_contain_text("untrusted")
    expect(verdict(page)).to_contain_text("is not the one whose turn it is")


def test_a_journal_file_holds_a_conversation_with_its_turns(page: Page, journals: list[bytes]) -> None:
    give(page, b"".join(journals), "support.jsonl")
    expect(page.get_by_role("region", name="The file")).to_contain_text("journal file")
    expect(verdict(page)).to_contain_text("every hash recomputed")
    choice = page.get_by_role("combobox", name="6 journals in this file")
    whole = choice.get_by_role("option").filter(has_text="14 events")
    choice.select_option(label=whole.inner_text())
    expect(page.get_by_role("article", name="Event 13, COMMIT")).to_be_visible()
    expect(verdict(page)).to_contain_text("14 events: every hash recomputed")


def test_an_altered_line_of_a_journal_file_is_named(page: Page, journals: list[bytes]) -> None:
    place = next(at for at, line in enumerate(journals) if b'"VERDICT"' in line)
    seq = json.loads(journals[place])["seq"]
    journals[place] = journals[place].replace(b"verdict=observe", b"verdict=engage")
    give(page, b"".join(journals), "support.jsonl")
    expect(verdict(page).get_by_role("alert")).to_contain_text(
        f"This journal was altered. Event {seq} was altered: what it says does not give its hash."
    )
    expect(page.get_by_role("article", name=f"Event {seq}, VERDICT")).to_contain_text("breaks here")


def test_a_file_that_was_cut_is_not_taken_for_whole(page: Page, journals: list[bytes]) -> None:
    give(page, b"".join(journals[:4]), "cut.jsonl")
    expect(verdict(page).get_by_role("alert")).to_contain_text("the file was cut")
    give(page, b"".join(journals[:4])[:-40], "torn.jsonl")
    expect(verdict(page).get_by_role("alert")).to_be_visible()


FOREIGN = {
    "nothing": b"",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "a page": b"<!doctype html><script>alert(1)</script>",
    "other JSON": b'{"schema": "other/1", "events": []}',
    "a number": b"7",
    "half a fixture": b'{"schema": "vegaduta.turn-fixture/1", "events": [',
    "depth": b'{"schema":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
}


def test_what_is_no_fixture_and_no_journal_is_refused_with_a_reason(page: Page) -> None:
    for name, data in FOREIGN.items():
        give(page, data, f"{name} <img src=x onerror=alert(1)>.json")
        refusal = page.get_by_role("main").locator("section", has=page.get_by_role("heading", level=2))
        expect(refusal).to_contain_text("This file cannot be read")
        expect(refusal).to_contain_text(f"{name} <img src=x onerror=alert(1)>.json")
        expect(page.get_by_role("article")).to_have_count(0)
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_role("heading", name="No turn is chosen")).to_be_visible()
