"""The turn inspector in each of its states, and all that it shows of a turn."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.every_state import every_state
from tests.console.guests import Guest
from tests.console.kit import Browse, House, Watch, house
from tests.console.story import Told
from turnledger.ids import new_id
from turnledger.model.access import Scope

TALL = {"width": 1280, "height": 4000}
"""High enough for all cards of a turn to stand in the page at once."""
NOWHERE = UUID(int=7)
NOT_FOUND = "status of 404"
FORBIDDEN = "status of 403"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Told]]:
    """Turns in every state, and a server that does not end those whose writer is gone."""
    url = str(tmp_path_factory.mktemp("states") / "agent.ledger")
    with pytest.MonkeyPatch.context() as patch, every_state(url) as told:
        patch.setattr("turnledger.server.sweeping.EVERY_S", 3600.0)
        with house(url) as served:
            yield served, told


@pytest.fixture
def site(recorded: tuple[House, Told]) -> House:
    """The server of ``recorded``."""
    return recorded[0]


@pytest.fixture
def told(recorded: tuple[House, Told]) -> Told:
    """What was recorded."""
    return recorded[1]


@pytest.fixture
def page(site: House, browse: Browse) -> Page:
    """A high window with nothing in it yet but the inspector."""
    return browse(site, "/agents/turns", viewport=TALL, permissions=["clipboard-read", "clipboard-write"])


def card(page: Page, kind: str, number: int = 0) -> Locator:
    """The card of the turn's ``number``-th event of a kind."""
    return page.get_by_role("article", name=re.compile(rf"^Event \d+, {kind}$")).nth(number)


def verification(page: Page) -> Locator:
    """The panel with both verdicts."""
    return page.get_by_role("region", name="Verification")


def totals(page: Page) -> Locator:
    """The turn's head."""
    return page.get_by_role("region", name="The turn", exact=True)


def figure(page: Page, word: str) -> Locator:
    """The value under one of the words in the turn's head."""
    return totals(page).locator("dt", has_text=re.compile(f"^{word}$")).locator("xpath=following-sibling::dd")


# --- which turn ------------------------------------------------------------------------------------


def test_idle_it_asks_for_two_ids(page: Page) -> None:
    expect(page.get_by_role("heading", name="Turn inspector", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="No turn is chosen")).to_be_visible()
    for name in ("Agent id", "Turn id"):
        expect(page.get_by_label(name)).to_have_value("")
        expect(page.get_by_label(name)).to_have_attribute("aria-invalid", "false")


def test_ids_that_are_typed_in_open_the_turn_and_stand_in_the_address(page: Page, told: Told) -> None:
    page.get_by_label("Agent id").fill(f"  {str(told.agent).upper()} ")
    page.get_by_label("Turn id").fill(str(told.turns["whole"]))
    page.get_by_role("button", name="Inspect").click()
    expect(card(page, "COMMIT")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape(told.inspector("whole"))))


@pytest.mark.parametrize("typed", ["7", "not an id", "0198c0de-0000-7000-8000-00000000000g", "<b>x</b>"])
def test_ids_that_are_none_are_refused_beside_their_fields(page: Page, told: Told, typed: str) -> None:
    page.get_by_label("Agent id").fill(str(told.agent))
    page.get_by_label("Turn id").fill(typed)
    page.get_by_label("Turn id").press("Enter")
    expect(page.get_by_role("heading", name="These are not two ids")).to_be_visible()
    expect(page.get_by_label("Agent id")).to_have_attribute("aria-invalid", "false")
    expect(page.get_by_label("Turn id")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Turn id")).to_have_accessible_description(
        "A UUID in small letters, 36 characters."
    )


def test_a_turn_alone_finds_its_agent(site: House, told: Told, browse: Browse, watch: Watch) -> None:
    watch.allow(NOT_FOUND)  # agents that do not have it were asked too
    page = browse(site, f"/agents/turns?turnId={told.turns['bare']}")
    expect(page).to_have_url(re.compile(re.escape(told.inspector("bare"))))
    expect(card(page, "COMMIT")).to_be_visible()


def test_a_turn_that_no_agent_has_is_said_to_be_none(site: House, browse: Browse, watch: Watch) -> None:
    watch.allow(NOT_FOUND)
    page = browse(site, f"/agents/turns?turnId={new_id()}")
    expect(page.get_by_role("heading", name="No agent that you may see has this turn")).to_be_visible()


# --- what may go wrong -----------------------------------------------------------------------------


def test_it_shows_what_it_has_while_the_journal_is_on_its_way(page: Page, told: Told) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/journal", hold)
    page.goto(told.inspector("whole"))
    expect(card(page, "COMMIT")).to_be_visible()
    expect(page.get_by_role("region", name="The turn")).to_contain_text("completed")
    expect(verification(page)).to_contain_text("not checked yet")
    expect(verification(page)).not_to_contain_text("intact")
    held.pop().continue_()
    expect(verification(page)).to_contain_text("every hash recomputed")
    expect(verification(page)).not_to_contain_text("not checked yet")


def test_while_nothing_has_come_it_says_that_it_loads(page: Page, told: Told) -> None:
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        held.append(route) if is_held else route.continue_()

    page.route(re.compile(rf"/turns/{told.turns['whole']}"), hold)
    page.goto(told.inspector("whole"))
    expect(page.get_by_role("status").filter(has_text="Loading the turn")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(0)
    is_held = False
    for route in held:
        route.continue_()
    expect(verification(page)).to_contain_text("every hash recomputed")


def test_the_journal_is_shown_where_what_the_turn_took_cannot_be_told(
    page: Page, told: Told, watch: Watch
) -> None:
    watch.allow("status of 500")
    problem = {"type": "about:blank", "title": "Failed", "status": 500, "detail": "No.", "nextStep": "Wait."}
    page.route(
        re.compile(rf"/turns/{told.turns['whole']}\?"), lambda route: route.fulfill(status=500, json=problem)
    )
    page.goto(told.inspector("whole"))
    expect(page.get_by_role("alert")).to_contain_text("No.")
    expect(verification(page)).to_contain_text("every hash recomputed")
    expect(card(page, "COMMIT")).to_be_visible()


def test_404_explains_how_recording_is_switched_on(page: Page, told: Told, watch: Watch) -> None:
    watch.allow(NOT_FOUND)
    for agent, turn in ((told.agent, NOWHERE), (NOWHERE, told.turns["whole"])):
        page.goto(f"/agents/turns?agentId={agent}&turnId={turn}")
        expect(page.get_by_role("heading", name="Nothing is recorded under these ids")).to_be_visible()
        for word in ("turnledger.open()", "TURNLEDGER_URL", "convo.turn(…)"):
            expect(page.get_by_role("main")).to_contain_text(word)
        expect(page.get_by_role("article")).to_have_count(0)


def test_403_names_the_scopes_and_offers_no_retry(
    site: House, told: Told, browse: Browse, watch: Watch
) -> None:
    watch.allow(FORBIDDEN)
    page = browse(Guest(site, Scope.MANAGE), told.inspector("whole"))
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(re.compile(r"Not allowed\s*\(403\)"))
    expect(alert).to_contain_text("view_audit_log")
    expect(alert.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("article")).to_have_count(0)


def test_an_agent_that_one_may_not_see_looks_like_none(
    site: House, told: Told, browse: Browse, watch: Watch
) -> None:
    """K05."""
    watch.allow(NOT_FOUND)
    guest = Guest(site, Scope.VIEW_BODIES, agents=frozenset({NOWHERE}))
    page = browse(guest, told.inspector("whole"))
    expect(page.get_by_role("heading", name="Nothing is recorded under these ids")).to_be_visible()


def test_without_the_scope_for_bodies_there_are_skeletons(site: House, told: Told, browse: Browse) -> None:
    page = browse(Guest(site, Scope.VIEW_AUDIT_LOG), told.inspector("whole"), viewport=TALL)
    expect(verification(page)).to_contain_text("every hash recomputed")
    call = card(page, "MODEL_CALL")
    expect(call).to_contain_text("bodies withheld")
    expect(call.get_by_role("button", name="request")).to_have_count(0)
    expect(page.get_by_role("main")).not_to_contain_text("It arrives tomorrow.")
    expect(page.get_by_role("button", name="Fixture with bodies")).to_have_count(0)
    expect(page.get_by_role("button", name="Fixture", exact=True)).to_be_visible()


def test_an_error_of_the_server_is_shown_and_a_retry_goes_on(page: Page, told: Told, watch: Watch) -> None:
    watch.allow("status of 500")
    problem = {
        "type": "about:blank",
        "title": "Failed",
        "status": 500,
        "detail": "The disk is full.",
        "nextStep": "Make room.",
    }
    page.route("**/journal", lambda route: route.fulfill(status=500, json=problem))
    page.goto(told.inspector("whole"))
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The disk is full.")
    expect(alert).to_contain_text("Make room.")
    page.unroute("**/journal")
    alert.get_by_role("button", name="Try again").click()
    expect(card(page, "COMMIT")).to_be_visible()
    expect(alert).to_have_count(0)


def test_a_check_that_could_not_be_made_is_no_verdict_and_can_be_made_again(page: Page, told: Told) -> None:
    page.route("**/journal", lambda route: route.fulfill(json={"events": 7}))
    page.goto(told.inspector("whole"))
    expect(verification(page)).to_contain_text("not checked in this browser")
    expect(verification(page)).to_contain_text("This does not mean that it was altered")
    expect(verification(page)).not_to_contain_text("intact")
    expect(card(page, "COMMIT")).to_be_visible()
    page.unroute("**/journal")
    verification(page).get_by_role("button", name="Check again").click()
    expect(verification(page)).to_contain_text("every hash recomputed")


def test_e08_it_verifies_on_plain_http_too(
    site: House, told: Told, chromium: Browser, browse: Browse
) -> None:
    """E08: no ``crypto.subtle`` there; the page brings its own SHA-256, and says which."""
    browse(site)
    context = chromium.new_context(storage_state=site.cookies)

    def relay(route: Route) -> None:
        path = route.request.url.removeprefix("http://ledger.example")
        if path.startswith("/api/stream"):
            route.abort()
        else:
            route.fulfill(response=context.request.get(site.address + path))

    context.route("http://ledger.example/**", relay)
    page = context.new_page()
    page.goto(f"http://ledger.example{told.inspector('whole')}")
    expect(verification(page)).to_contain_text("every hash recomputed")
    expect(verification(page)).to_contain_text("with the SHA-256 that comes with this page")
    assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    context.unroute_all(behavior="wait")  # what is still being fetched has to come to its end first
    context.close()


# --- how a turn stands, or ended -------------------------------------------------------------------

ENDS = {
    "whole": ("completed", "COMMIT"),
    "refused": ("refused", "ABORT"),
    "exhausted": ("exhausted", "ABORT"),
    "superseded": ("superseded", "SUPERSEDED"),
    "failed": ("failed", "ERROR"),
    "cancelled": ("cancelled", "ABORT"),
    "interrupted": ("interrupted", "ABORT"),
    "waiting": ("waiting", "APPROVAL"),
    "running": ("running", "TOOL_CALL"),
}


def test_each_end_has_its_word_and_its_event(page: Page, told: Told) -> None:
    for turn, (word, last) in ENDS.items():
        page.goto(told.inspector(turn))
        expect(totals(page).get_by_text(word, exact=True)).to_be_visible()
        expect(card(page, last).first).to_be_visible()
        expect(verification(page)).to_contain_text("every hash recomputed")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_turn_that_has_not_ended_says_that_events_may_follow(page: Page, told: Told) -> None:
    page.goto(told.inspector("running"))
    expect(verification(page)).to_contain_text("It has no COMMIT and no ABORT yet")
    expect(page.get_by_role("list", name="To look at")).to_have_count(0)
    page.goto(told.inspector("whole"))
    expect(verification(page)).to_contain_text("every hash recomputed")
    expect(verification(page)).not_to_contain_text("It has no COMMIT")


def test_steps_of_an_interrupted_turn_are_in_doubt_or_not_started(page: Page, told: Told) -> None:
    page.goto(told.inspector("interrupted"))
    noted = page.get_by_role("list", name="To look at").get_by_role("listitem")
    expect(noted).to_have_count(4)
    expect(noted.first).to_contain_text("why it was interrupted: its process gave no sign of life")
    for place, (doubt, name) in enumerate(
        [
            ("in doubt: may have happened", "gpt-5"),
            ("in doubt: may have happened", "deploy"),
            ("not started", "wire_money"),
        ],
        start=1,
    ):
        expect(noted.nth(place)).to_contain_text(f"{doubt}:")
        expect(noted.nth(place)).to_contain_text(name)
    expect(card(page, "MODEL_CALL")).to_contain_text("in doubt: may have happened")
    expect(card(page, "TOOL_CALL")).to_contain_text("in doubt: may have happened")
    expect(card(page, "TOOL_CALL", 1)).to_contain_text("not started")
    noted.last.get_by_role("button").click()
    expect(card(page, "TOOL_CALL", 1)).to_have_attribute("aria-current", "true")


def test_a_writer_without_a_sign_of_life_is_told_from_one_that_works(page: Page, told: Told) -> None:
    page.goto(told.inspector("silent"))
    noted = page.get_by_role("list", name="To look at")
    expect(noted).to_contain_text("No sign of life: this turn has not ended")
    expect(card(page, "TOOL_CALL")).to_contain_text("no sign of life")
    expect(card(page, "TOOL_CALL")).not_to_contain_text("may have happened")


def test_a_tool_that_waits_for_its_approval_is_not_started(page: Page, told: Told) -> None:
    page.goto(told.inspector("waiting"))
    expect(card(page, "TOOL_CALL")).to_contain_text("not started")
    page.goto(told.inspector("denied"))
    expect(card(page, "APPROVAL", 1)).to_contain_text("denied")
    expect(card(page, "TOOL_RESULT")).to_contain_text("denied")


def test_a_tool_that_the_model_asked_for_and_nobody_ran(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    noted = page.get_by_role("list", name="To look at").get_by_role("listitem")
    expect(noted).to_have_count(1)
    expect(noted).to_contain_text("asked, not run: the model asked for never_run, and nobody ran it.")
    expect(card(page, "MODEL_RESULT")).to_contain_text("Asked for and not run: never_run")


def test_agents_of_a_turn_lead_to_each_other(page: Page, told: Told, watch: Watch) -> None:
    watch.allow(NOT_FOUND)  # whose the parent is, each agent is asked
    page.goto(told.inspector("parent"))
    totals(page).get_by_role("link", name="turn of researcher").click()
    expect(totals(page)).to_contain_text("of researcher")
    expect(page).to_have_url(re.compile(f"turnId={told.turns['child']}"))
    totals(page).get_by_role("link", name=re.compile("started by turn")).click()
    expect(totals(page)).to_contain_text("of support")
    expect(page).to_have_url(re.compile(f"turnId={told.turns['parent']}"))


# --- what an event shows ---------------------------------------------------------------------------


def test_the_head_adds_up_the_turn_and_says_what_nobody_recorded(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    expect(figure(page, "model calls")).to_contain_text("1 call")
    expect(figure(page, "tool calls")).to_contain_text("1 call")
    expect(figure(page, "tokens in")).to_have_text("30")
    expect(figure(page, "tokens out")).to_have_text("12")
    expect(figure(page, "cost")).to_contain_text("Not recorded")
    page.goto(told.inspector("bare"))
    expect(figure(page, "model calls")).to_have_text("0")
    expect(figure(page, "tokens in")).to_have_text("Not recorded")


def test_every_kind_of_event_has_its_card(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    for kind, words in {
        "INTAKE": "tools 2",
        "GUARD": "personal-data",
        "PROMPT": "primary",
        "MODEL_CALL": "primary gpt-5",
        "MODEL_RESULT": "gpt-5-0807",
        "TOOL_CALL": "lookup_order",
        "PROGRESS": "One moment.",
        "APPROVAL": "May it be looked up?",
        "TOOL_RESULT": "found",
        "MEMORY_WRITE": "pickup",
        "BUDGET": "limit 8",
        "VERIFY": "answer-names-the-order",
        "COMMIT": "It arrives tomorrow.",
    }.items():
        one = card(page, kind)
        expect(one).to_contain_text(re.compile(words.replace(" ", r"\s*")))
        expect(one).to_contain_text("write-ahead")
        expect(one.get_by_text(re.compile(r"^\d\d:\d\d:\d\d\.\d{3} UTC$"))).to_be_visible()
        for label in ("payload", "prev", "hash"):
            expect(one.get_by_role("button", name=re.compile(f"^Copy {label} "))).to_be_visible()


def test_all_bodies_of_an_event_open_in_its_card(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    call = card(page, "TOOL_CALL")
    call.get_by_role("button", name="supplied / validated").click()
    expect(call.get_by_text("2 differences")).to_be_visible()
    expect(call.get_by_role("row", name=re.compile("big"))).to_contain_text("123456789012345678901234567890")
    expect(call.get_by_text("912345678901234567").first).to_be_visible()
    result = card(page, "TOOL_RESULT")
    result.get_by_role("button", name=re.compile("^observation")).click()
    expect(result.get_by_role("group", name="the observation of event")).to_contain_text('"found"')
    result.get_by_role("button", name="whole record").click()
    expect(result.get_by_role("group", name="the record of event")).to_contain_text("eventId")


def test_a_request_is_shown_as_what_is_new_since_the_call_before(page: Page, told: Told) -> None:
    page.goto(told.inspector("calls"))
    first, second, third, other = (card(page, "MODEL_CALL", number) for number in range(4))
    for one in (first, second, third, other):
        one.get_by_role("button", name=re.compile("^request")).click()
    expect(first).to_contain_text("The first call: all of it is new.")
    expect(second).to_contain_text("Since the call of event 1: 2 new messages, 1 as before")
    expect(second).to_contain_text("The second one.")
    expect(second.get_by_role("row", name="temperature")).to_contain_text("0")
    expect(second).not_to_contain_text("Refund order 7.")
    expect(third).to_contain_text("history changed")
    expect(third).to_contain_text("Not there any more: temperature")
    expect(other).to_contain_text("The first call: all of it is new.")
    second.get_by_role("button", name="The whole request").click()
    expect(second.get_by_role("group", name="the request of event 3")).to_contain_text("Refund order 7.")


def test_a_model_call_that_failed_is_a_problem(page: Page, told: Told) -> None:
    page.goto(told.inspector("calls"))
    expect(card(page, "MODEL_RESULT", 3)).to_contain_text("error")
    expect(card(page, "MODEL_CALL", 3)).to_contain_text("title gpt-5-nano")


def test_pruned_bodies_are_said_to_be_pruned_and_the_chain_still_holds(page: Page, told: Told) -> None:
    page.goto(told.inspector("pruned"))
    expect(verification(page)).to_contain_text("every hash recomputed")
    for kind in ("PROMPT", "MODEL_CALL", "MODEL_RESULT"):
        expect(card(page, kind)).to_contain_text("body pruned")
    expect(card(page, "MODEL_CALL").get_by_role("button", name=re.compile("^request"))).to_have_count(0)
    expect(card(page, "COMMIT")).not_to_contain_text("body pruned")
    page.get_by_role("tab", name="Prompt").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("It was pruned with the last request that used it.")


def test_an_event_without_a_body_has_none_to_open(page: Page, told: Told) -> None:
    page.goto(told.inspector("wordless"))
    expect(card(page, "COMMIT").get_by_role("button", name="whole record")).to_be_visible()
    expect(card(page, "COMMIT").get_by_role("button", name=re.compile("^answer"))).to_have_count(0)


def test_what_is_not_as_it_was_is_flagged(page: Page, told: Told) -> None:
    page.goto(told.inspector("lossy"))
    expect(card(page, "TOOL_RESULT").get_by_text("lossy", exact=True)).to_be_visible()
    expect(card(page, "GUARD").get_by_text("detail cut: guard", exact=True)).to_be_visible()
    expect(card(page, "MODEL_RESULT").get_by_text("cut", exact=True)).to_be_visible()
    expect(card(page, "COMMIT").get_by_text("lossy", exact=True)).to_have_count(0)


# --- views -----------------------------------------------------------------------------------------


def test_the_waterfall_draws_each_step_and_leads_to_its_event(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    page.get_by_role("tab", name="Waterfall").click()
    expect(page).to_have_url(re.compile("view=waterfall"))
    bars = page.get_by_role("list", name="Steps of the turn in time").get_by_role("button")
    expect(bars).to_have_count(2)
    expect(bars.nth(0)).to_contain_text("gpt-5")
    bars.nth(1).click()
    expect(card(page, "TOOL_CALL")).to_have_attribute("aria-current", "true")
    page.goto(told.inspector("interrupted") + "&view=waterfall")
    expect(bars.nth(1)).to_contain_text("in doubt: may have happened")
    page.goto(told.inspector("bare") + "&view=waterfall")
    expect(page.get_by_role("heading", name="No step to draw")).to_be_visible()


def test_the_prompt_is_shown_as_it_was_sent(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole") + "&view=prompt")
    expect(page.get_by_role("group", name="the prompt snapshot of event 2")).to_contain_text("Be kind.")
    expect(page.get_by_role("group", name="the prompt snapshot of event 2")).to_contain_text("lookup_order")
    page.goto(told.inspector("bare") + "&view=prompt")
    expect(page.get_by_role("heading", name="No prompt snapshot in this turn")).to_be_visible()


def test_raw_is_what_the_api_answers(page: Page, told: Told) -> None:
    page.goto(told.inspector("bare") + "&view=raw")
    expect(page.get_by_role("group", name="the journal as JSON")).to_contain_text("chainIntact")
    page.get_by_role("button", name="the turn and its first 500 events").click()
    expect(page.get_by_role("group", name="the turn as JSON")).to_contain_text("agentName")


def test_copies_are_whole(page: Page, told: Told) -> None:
    page.goto(told.inspector("bare"))
    journal = page.request.get(f"/api/agents/{told.agent}/turns/{told.turns['bare']}/journal").json()
    card(page, "COMMIT").get_by_role("button", name=re.compile("^Copy hash ")).click()
    expect(page.get_by_role("status").filter(has_text="Copied hash")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == journal["events"][-1]["hash"]
    page.get_by_role("button", name="Copy the request").click()
    expect(page.get_by_role("status").filter(has_text="Copied the request")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"/turns/{told.turns['bare']}/journal")


def test_a_turn_that_went_wrong_says_why_at_the_top(page: Page, told: Told) -> None:
    page.goto(told.inspector("failed"))
    notes = page.get_by_role("list", name="To look at")
    expect(notes).to_contain_text("why it failed: error: ConnectionError")
    notes.get_by_role("button", name=re.compile("^event ")).first.click()
    expect(page).to_have_url(re.compile("seq="))
    page.goto(told.inspector("exhausted"))
    expect(notes).to_contain_text("why it was exhausted: budget")


def test_what_is_not_proven_is_said(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    page.get_by_text("What this does not detect").click()
    expect(verification(page)).to_contain_text(
        "rewrite all of it, with every hash from the first to the last"
    )
    expect(verification(page)).to_contain_text("not sealed")


def test_a_fixture_is_downloaded_with_the_verdict_of_this_browser(page: Page, told: Told) -> None:
    page.goto(told.inspector("whole"))
    for button, has_bodies, ending in (
        ("Fixture", False, ""),
        ("Fixture with bodies", True, ".with-bodies"),
    ):
        with page.expect_download() as loading:
            page.get_by_role("button", name=button, exact=True).click()
        name = f"turn-{told.turns['whole']}{ending}.fixture.json"
        assert loading.value.suggested_filename == name
        expect(page.get_by_role("status").filter(has_text=f"Saved as {name}")).to_be_visible()
        fixture = json.loads(loading.value.path().read_text())
        assert fixture["schema"] == "vegaduta.turn-fixture/1"
        assert fixture["chain"]["clientVerified"] is True
        assert ("bodies" in fixture) is has_bodies
