"""Pages with nothing to show teach what would change that; those that failed say why, and recover."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Locator, Page, Route, expect

from tests.cli.kit import run
from tests.console.kit import Browse, House, Watch, house
from tests.console.story import Told

Answer = Callable[[Route], None]
PROBLEM = {
    "type": "about:blank",
    "title": "Something broke",
    "status": 500,
    "detail": "The database is locked.",
    "nextStep": "Wait for the backup to end.",
}
DATA = re.compile(r"/api/(?!session|stream)")
"""All that pages ask for, but who is logged in and what happens live."""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server of a ledger in which there is nothing."""
    with house(str(tmp_path_factory.mktemp("empty") / "agent.ledger")) as served:
        yield served


# --- nothing yet -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "heading", "words"),
    [
        ("/", "Nothing is recorded here yet", ["turnledger.open()", "TURNLEDGER_URL", "turnledger demo"]),
        ("/agents", "No agent has recorded anything yet", ["turnledger demo"]),
        ("/actors", "No agent has recorded anything yet", ["with its first event"]),
        ("/balance", "No agent has recorded anything yet", ["with its first event"]),
        ("/memory", "No agent has recorded anything yet", ["with its first event"]),
        ("/search", "Search what was recorded", ["every body that was kept"]),
        ("/agents/turns", "No turn is chosen", ["nothing of it is sent anywhere"]),
        ("/integrity", "This ledger", ["no signed checkpoints"]),
    ],
)
def test_an_empty_ledger_teaches(
    empty: House, browse: Browse, path: str, heading: str, words: list[str]
) -> None:
    page = browse(empty, path)
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    for word in words:
        expect(page.get_by_role("main")).to_contain_text(word)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_agent_that_only_a_token_was_made_for_is_not_shown_yet(tmp_path: Path, browse: Browse) -> None:
    with house(str(tmp_path / "agent.ledger")) as served:
        run("token", "create", "--scope", "capture", "--agent", "suport", "--ledger", served.ledger)
        page = browse(served, "/agents")
        expect(page.get_by_role("heading", name="No agent has recorded anything yet")).to_be_visible()
        expect(page.get_by_label("Agent", exact=True).get_by_role("option")).to_have_count(0)


def test_an_empty_ledger_is_searched_and_verified_without_a_fault(empty: House, browse: Browse) -> None:
    page = browse(empty, "/search?q=anything")
    expect(page.get_by_role("main")).to_contain_text("0 bodies found. All that is kept was searched but")
    page.get_by_role("button", name="Search requests to models too").click()
    expect(page.get_by_role("main")).to_contain_text("0 bodies found. All that is kept was searched.")
    expect(page.get_by_role("checkbox", name="requests to models")).to_be_checked()
    page.goto("/integrity")
    expect(page.get_by_role("main")).to_contain_text("It was not verified since this server started")
    page.get_by_role("button", name="Verify everything").click()
    expect(page.get_by_role("main")).to_contain_text(re.compile("Done: |Finished: "))
    expect(page.get_by_role("button", name="Verify everything again")).to_be_enabled()


def test_parts_of_a_page_say_that_there_is_nothing_of_them(
    served: House, story: Told, browse: Browse
) -> None:
    page = browse(served, f"/balance?agent={story.agent}&day=2020-02-29")
    expect(page.get_by_role("heading", name="Balanced")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("No trigger was dropped or folded into another one.")
    expect(page.get_by_role("main")).to_contain_text("No delivery failed.")


# --- it could not be had ---------------------------------------------------------------------------

PAGES = {
    "/": "slack:C042/1712.33",
    "{timeline}": "lookup_order",
    "{inspector}": "every hash recomputed",
    "/agents?agent={agent}": "Turns by status",
    "/actors?agent={agent}": "slack:U7",
    "/balance?agent={agent}": "Balanced",
    "/memory?agent={agent}": "prefers",
    "/search?q=order": "found.",
    "/integrity": "no signed checkpoints",
    "/settings": "Bodies are kept for good.",
}


def fails(route: Route) -> None:
    """The server's own error."""
    route.fulfill(status=500, json=PROBLEM, content_type="application/problem+json")


def breaks_off(route: Route) -> None:
    """The network gave up."""
    route.abort("timedout")


def is_a_proxys(route: Route) -> None:
    """A page of something in between."""
    route.fulfill(status=502, body="<html><script>alert(1)</script>Bad Gateway", content_type="text/html")


def is_garbled(route: Route) -> None:
    """An answer that ends in the middle."""
    route.fulfill(status=200, body='{"items": [', content_type="application/json")


def inspector(served: House, browse: Browse) -> Page:
    """A page that asked for all that it needs, to go to others from."""
    page = browse(served, "/agents/turns")
    expect(page.get_by_role("heading", name="No turn is chosen")).to_be_visible()
    return page


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fails, "The database is locked. Wait for the backup to end."),
        (is_garbled, "in another form than the server's"),
    ],
)
def test_a_page_that_failed_says_why_and_a_retry_shows_it(
    served: House, story: Told, browse: Browse, watch: Watch, path: str, answer: Answer, said: str
) -> None:
    watch.allow("status of 500")
    page = inspector(served, browse)
    page.route(DATA, answer)
    page.goto(path.format(timeline=story.timeline, inspector=story.inspector("whole"), agent=story.agent))
    alert = page.get_by_role("alert").first
    for sentence in re.split(r"(?<=\.) ", said):
        expect(alert).to_contain_text(sentence)
    page.unroute(DATA)
    retry = page.get_by_role("button", name="Try again")
    while retry.count():
        with suppress(Error):  # another part of the page was answered, and took it away
            retry.first.click(timeout=1000)
    expect(page.get_by_role("main")).to_contain_text(PAGES[path])
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("answer", [breaks_off, is_a_proxys])
def test_what_passes_is_asked_for_again_before_it_is_a_failure(
    served: House, browse: Browse, watch: Watch, answer: Answer
) -> None:
    watch.allow("status of 502", "ERR_TIMED_OUT")
    page = inspector(served, browse)
    asked: list[str] = []

    def once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
        else:
            answer(route)

    page.route("**/api/conversations?*", once)
    page.get_by_role("link", name="Conversations").click()
    expect(page.get_by_role("list", name="Conversations").get_by_role("link")).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(asked) == 2


def test_a_server_that_stays_away_is_said_to_be_away(served: House, browse: Browse, watch: Watch) -> None:
    watch.allow("ERR_TIMED_OUT")
    page = inspector(served, browse)
    page.route("**/api/**", breaks_off)
    page.get_by_role("link", name="Conversations").click()
    expect(page.get_by_role("status").filter(has_text="The server does not answer.")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/api/**")
    expect(page.get_by_role("list", name="Conversations").get_by_role("link")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="The server does not answer.")).to_have_count(0)


# --- the alarm -------------------------------------------------------------------------------------


def test_messages_that_nobody_accounts_for_are_an_alarm(served: House, story: Told, browse: Browse) -> None:
    page = inspector(served, browse)

    def unbalance(route: Route) -> None:
        balance = route.fetch().json()
        message = page.request.get(f"/api{story.timeline}/timeline?limit=50").json()["entries"][1]
        missing = {
            "eventId": message["eventId"],
            "conversationId": str(story.conversation),
            "seq": message["seq"],
            "createdAt": message["createdAt"],
            "reason": "engaged_without_turn",
        }
        balance["fates"] |= {"unaccounted": 1, "observed": balance["fates"]["observed"] - 1}
        route.fulfill(json=balance | {"balanced": False, "unaccounted": [missing]})

    page.route("**/api/**/balance?*", unbalance)
    page.goto(f"/balance?agent={story.agent}")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Not balanced")
    expect(alert).to_contain_text("1 message older than")
    lost = page.get_by_role("table", name="Unaccounted for, newest first")
    expect(lost).to_contain_text("the agent engaged, and no turn followed")
    lost.get_by_role("link").click()
    expect(page.get_by_role("list", name="Timeline")).to_be_visible()


def test_the_sum_of_fates_is_shown(served: House, story: Told, browse: Browse) -> None:
    page = browse(served, f"/balance?agent={story.agent}")
    expect(page.get_by_role("status").filter(has_text="Balanced")).to_contain_text(
        re.compile(r"\d+ messages came in = .*1 answered.* = \d+")
    )
    status = page.get_by_role("status").filter(has_text="Balanced")
    expect(status).to_contain_text("does not mean that all were answered: 1 shed.")
    table = page.get_by_role("table", name="What became of the messages")
    expect(table.get_by_role("row", name=re.compile("^shed"))).to_contain_text("a reply is owed")
    expect(page.get_by_role("table", name="Shed and collapsed triggers")).to_contain_text("queue full")
    expect(page.get_by_role("table", name="Failed deliveries").get_by_role("row")).to_have_count(2)


def test_a_narrow_window_shows_every_column_of_a_table(served: House, story: Told, browse: Browse) -> None:
    page = browse(served, f"/balance?agent={story.agent}", viewport={"width": 400, "height": 900})
    meaning = page.get_by_text("dropped without a turn: a reply is owed")
    expect(meaning).to_be_visible()
    box = meaning.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 400
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


# --- settings and integrity ------------------------------------------------------------------------


def part(page: Page, heading: str) -> Locator:
    """A part of a page by its heading."""
    return page.locator("section", has=page.get_by_role("heading", name=heading, exact=True, level=2))


def test_an_operator_is_let_in_gets_a_link_and_is_removed(
    served: House, browse: Browse, watch: Watch
) -> None:
    watch.allow("status of 401", "status of 400")
    page = browse(served, "/settings", permissions=["clipboard-read", "clipboard-write"])
    operators = part(page, "Operators")
    operators.get_by_label("Name").fill("Ada")
    operators.get_by_role("checkbox", name=re.compile("^view_bodies")).check()
    operators.get_by_role("button", name="Add operator").click()
    made = operators.get_by_role("status")
    expect(made).to_contain_text("Link of Ada: it logs in once")
    made.get_by_role("button", name="Copy the login link").click()
    expect(page.get_by_role("status").filter(has_text="Copied the login link.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    hers = page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    hers.goto(link)
    expect(hers.get_by_role("button", name=re.compile("Ada · log out"))).to_be_visible()
    row = operators.get_by_role("row", name=re.compile("^Ada"))
    row.get_by_role("button", name="New login link").click()
    expect(made.get_by_text(link)).to_have_count(0)
    row.get_by_role("button", name="Remove").click()
    row.get_by_role("button", name="Keep").click()
    row.get_by_role("button", name="Remove").click()
    row.get_by_role("button", name="Remove for good").click()
    expect(row).to_contain_text("removed")
    hers.goto(page.url)
    expect(hers.get_by_label("Login link, or its code")).to_be_visible()
    hers.context.close()
    operators.get_by_label("Name").fill("local")
    operators.get_by_role("button", name="Add operator").click()
    expect(operators.get_by_label("Name")).to_have_attribute("aria-invalid", "true")


def test_a_token_is_made_shown_once_and_revoked(served: House, browse: Browse) -> None:
    page = browse(served, "/settings")
    tokens = part(page, "Tokens")
    tokens.get_by_role("button", name="Make token").click()
    expect(tokens.get_by_text("It needs a name.")).to_be_visible()
    tokens.get_by_label("Name").fill("importer")
    tokens.get_by_role("button", name="Make token").click()
    secret = tokens.get_by_role("status").locator("code").inner_text()
    assert page.request.get("/api/agents", headers={"Authorization": f"Bearer {secret}"}).status == 403
    page.reload()
    row = tokens.get_by_role("row", name=re.compile("^importer"))
    expect(row).to_contain_text("capture")
    expect(page.get_by_role("main")).not_to_contain_text(secret)
    row.get_by_role("button", name="Revoke").click()
    row.get_by_role("button", name="Revoke for good").click()
    expect(row).to_contain_text("revoked")
    expect(row).to_contain_text("all agents")
    tokens.get_by_label("Name").fill("narrow")
    tokens.get_by_label("Agent").select_option(label="support")
    tokens.get_by_role("button", name="Make token").click()
    expect(tokens.get_by_role("row", name=re.compile("^narrow"))).to_contain_text("support")


def test_how_this_browser_shows_things_is_kept(served: House, browse: Browse) -> None:
    page = browse(served, "/settings")
    page.get_by_label("Colours", exact=True).select_option("dark")
    page.get_by_label("Times").select_option("utc")
    page.get_by_role("checkbox", name="single letters are commands").uncheck()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_label("Colours", exact=True)).to_have_value("dark")
    expect(page.get_by_label("Times")).to_have_value("utc")
    expect(page.get_by_role("checkbox", name="single letters are commands")).not_to_be_checked()


def test_everything_is_verified_and_one_turn_too(
    served: House, story: Told, browse: Browse, watch: Watch
) -> None:
    watch.allow("status of 404")
    page = browse(served, "/integrity")
    page.get_by_role("button", name=re.compile("^Verify everything")).click()
    everything = part(page, "Everything")
    expect(everything.get_by_text("intact", exact=True)).to_be_visible()
    expect(everything.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "6")
    one = part(page, "One turn or conversation")
    field = one.get_by_label("Id of a turn or conversation")
    for wanted, words in (
        (str(story.turns["whole"]), "turn "),
        (str(story.conversation).upper(), "conversation "),
    ):
        field.fill(wanted)
        one.get_by_role("button", name="Verify").click()
        expect(one.get_by_role("table", name="Findings")).to_contain_text(words)
        expect(one.get_by_role("table", name="Findings")).to_contain_text("intact")
    field.fill("7")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("0198c0de-0000-7000-8000-000000000000")
    field.press("Enter")
    expect(one.get_by_role("alert")).to_contain_text("404")
