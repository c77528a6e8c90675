"""Everything by keyboard alone: letters, the way of the Tab key, dialogs that give the focus back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.kit import Browse, House
from tests.console.look import badge
from tests.console.story import Told

FOCUSED = """() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const { width, height, top, bottom, left, right } = at.getBoundingClientRect();
  const isIn = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  return {
    name: `${at.tagName} ${at.getAttribute("aria-label") ?? at.textContent ?? ""}`.slice(0, 80),
    isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1,
    isShown: isIn && width > 0 && height > 0,
    isInDialog: at.closest("dialog") !== null,
  };
}"""
"""What has the focus, and whether one can see that it has."""
STOPS = """() => [...document.querySelectorAll(
    "a[href], button:not([disabled]), input:not([disabled]), select, summary, [tabindex='0']")]
  .filter((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true })).length"""
"""How many places the Tab key has to lead to."""


@pytest.fixture
def page(served: House, browse: Browse) -> Page:
    """A window at the list of conversations, its rows there."""
    window = browse(served, permissions=["clipboard-read", "clipboard-write"])
    expect(window.get_by_role("list", name="Conversations").get_by_role("link")).to_have_count(1)
    return window


def chosen(page: Page) -> Locator:
    """The card that is selected in the inspector."""
    return page.locator("article[aria-current=true]")


def inspect(page: Page, path: str) -> None:
    """Open the inspector and wait for its cards."""
    page.goto(path)
    expect(page.get_by_role("article").first).to_be_visible()
    expect(page.get_by_role("region", name="The turn", exact=True)).to_be_visible()


def test_a_conversation_is_chosen_and_opened_by_letters(page: Page, story: Told) -> None:
    page.keyboard.press("j")
    row = page.get_by_role("list", name="Conversations").get_by_role("link")
    expect(row).to_be_focused()
    expect(page).to_have_url(re.compile(f"sel={story.conversation}"))
    page.keyboard.press("k")
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Timeline")).to_be_visible()


def test_n_leads_to_a_conversation_with_a_problem(page: Page, story: Told) -> None:
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile(f"sel={story.conversation}"))


def test_the_timeline_is_walked_by_event_by_turn_and_by_problem(page: Page, story: Told) -> None:
    page.goto(story.timeline)
    expect(page.get_by_role("list", name="Timeline")).to_contain_text("lookup_order")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("at="))
    first = page.url
    page.keyboard.press("j")
    expect(page).not_to_have_url(first)
    page.keyboard.press("k")
    expect(page).to_have_url(first)
    page.keyboard.press("e")
    expect(page.get_by_role("button", name=re.compile("^Close event"))).to_have_count(1)
    page.keyboard.press("e")
    expect(page.get_by_role("button", name=re.compile("^Close event"))).to_have_count(0)
    seen = {page.url}
    for key in ("J", "J", "K", "n", "n", "N"):
        before = page.url
        page.keyboard.press(key)
        expect(page).not_to_have_url(before)
        seen.add(page.url)
    assert len(seen) >= 4
    page.keyboard.press("c")
    expect(page.get_by_role("status").filter(has_text="Copied the link to this event")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").split("at=")[1] in page.url
    page.keyboard.press("y")
    expect(page.get_by_role("status").filter(has_text="Copied the hash of this event")).to_be_visible()
    assert re.fullmatch("[0-9a-f]{64}", page.evaluate("navigator.clipboard.readText()"))


def test_space_stops_the_timeline_and_f_follows_it_again(page: Page, story: Told) -> None:
    page.goto(story.timeline)
    expect(page.get_by_role("list", name="Timeline")).to_contain_text("lookup_order")
    page.keyboard.press(" ")
    expect(page.get_by_role("status").filter(has_text="paused")).to_be_visible()
    page.keyboard.press("f")
    expect(page.get_by_role("status").filter(has_text="paused")).to_have_count(0)


def test_the_inspector_is_walked_by_event_by_problem_and_by_turn(page: Page, story: Told) -> None:
    inspect(page, story.inspector("whole"))
    for key, label in (
        ("j", "Event 0, INTAKE"),
        ("j", "Event 1, GUARD"),
        ("k", "Event 0, INTAKE"),
        ("n", "Event 4, MODEL_RESULT"),
    ):
        page.keyboard.press(key)
        expect(chosen(page)).to_have_attribute("aria-label", label)
    page.keyboard.press("n")
    expect(page.get_by_role("status").filter(has_text="No further problem in this turn.")).to_be_visible()
    page.keyboard.press("e")
    expect(chosen(page).get_by_role("group", name="the response of event 4")).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_role("status").filter(has_text="Copied the hash of event 4.")).to_be_visible()
    page.keyboard.press("K")
    expect(page.get_by_role("status").filter(has_text="This is the first turn")).to_be_visible()
    page.keyboard.press("J")
    expect(page).to_have_url(re.compile(f"turnId={story.turns['refused']}"))
    expect(page.get_by_role("region", name="The turn", exact=True)).to_contain_text("refused")
    page.keyboard.press("K")
    expect(page).to_have_url(re.compile(f"turnId={story.turns['whole']}"))


def test_slash_leads_to_the_field_and_letters_are_text_there(page: Page) -> None:
    page.keyboard.press("/")
    field = page.get_by_label("Text")
    expect(field).to_be_focused()
    page.keyboard.type("jjn?/")
    expect(field).to_have_value("jjn?/")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    page.goto("/integrity")
    expect(page.get_by_role("heading", name="This ledger")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("heading", name="Search", level=1)).to_be_visible()


def test_g_and_a_letter_lead_to_a_page(page: Page) -> None:
    for letter, name in (("a", "Agents"), ("i", "Integrity"), ("s", "Search"), ("c", "Conversations")):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def walk(page: Page, key: str, steps: int) -> list[dict[str, object]]:
    """What gets the focus on the way; where the page's end is passed it is nothing."""
    seen: list[dict[str, object]] = []
    for _ in range(steps):
        page.keyboard.press(key)
        at = page.evaluate(FOCUSED)
        if at is not None:
            seen.append(at)
    return seen


@pytest.mark.parametrize(("key", "title"), [("?", "Keys"), ("Control+k", "Command palette")])
def test_a_dialog_keeps_the_focus_and_gives_it_back(page: Page, key: str, title: str) -> None:
    page.keyboard.press("j")
    row = page.get_by_role("list", name="Conversations").get_by_role("link")
    expect(row).to_be_focused()
    page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name=title)
    expect(dialog).to_be_visible()
    for way in ("Tab", "Shift+Tab"):
        seen = walk(page, way, 6)
        assert seen
        assert all(at["isInDialog"] for at in seen), seen
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(row).to_be_focused()


def test_the_palette_leads_anywhere(page: Page, story: Told) -> None:
    for typed, keys, heading in (
        ("integ", ["Enter"], "Integrity"),
        ("turn insp", ["Enter"], "Turn inspector"),
        ("", ["ArrowDown", "ArrowDown", "ArrowUp", "Enter"], "Agents"),
    ):
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        for key in keys:
            page.keyboard.press(key)
        expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="A page, an id, a command")
    page.keyboard.type(str(story.turns["whole"]))
    first = page.get_by_role("listbox", name="Commands").get_by_role("option", selected=True)
    expect(first).to_contain_text("Inspect turn")
    expect(first).to_have_attribute("id", box.get_attribute("aria-activedescendant") or "none")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Event 0, INTAKE")).to_be_visible()


def test_the_palette_finds_what_is_on_record(page: Page, story: Told) -> None:
    for typed, option, place in (
        ("supp", "support agent", f"/agents?agent={story.agent}"),
        ("C042", "conversation of support", story.timeline),
        ("lookup", "tool of support", f"/agents?agent={story.agent}"),
        (str(story.conversation), "Open conversation", story.timeline),
        (str(story.agent), "Agent support", f"/agents?agent={story.agent}"),
        ("why not answered", "Conversations that owe a reply", "/?status=owes"),
    ):
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        page.get_by_role("listbox", name="Commands").get_by_role("option").filter(has_text=option).click()
        expect(page).to_have_url(re.compile(re.escape(place)))
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_letters_can_be_switched_off(page: Page) -> None:
    """WCAG 2.1.4: single letters are no commands for those who speak or shake."""
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_role("checkbox").press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("?")
    page.wait_for_timeout(200)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "sel=" not in page.url
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Command palette")).to_be_visible()


def test_the_first_stop_skips_to_the_page(page: Page) -> None:
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_tabs_are_moved_by_arrows_and_are_one_stop(page: Page, story: Told) -> None:
    inspect(page, story.inspector("whole"))
    page.get_by_role("tab", name="Events").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Waterfall")).to_be_focused()
    expect(page.get_by_role("tab", name="Waterfall")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Raw")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="the journal, as it is hashed")).to_be_focused()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/agents",
        "/actors",
        "/balance",
        "/memory",
        "/search",
        "/integrity",
        "/settings",
        "{timeline}",
        "{inspector}",
    ],
)
def test_the_tab_key_leads_everywhere_and_shows_where_it_is(page: Page, story: Told, path: str) -> None:
    page.goto(path.format(timeline=story.timeline, inspector=story.inspector("refused")))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Loading")).to_have_count(0)
    if path == "{timeline}":  # whose stream never is idle
        expect(page.get_by_role("list", name="Timeline")).to_contain_text("lookup_order")
        expect(badge(page, "live")).to_be_visible()
    else:
        page.wait_for_load_state("networkidle")
    stops = page.evaluate(STOPS)
    seen = walk(page, "Tab", min(stops, 60))
    assert len(seen) >= min(stops, 60) - 1
    assert [at["name"] for at in seen if not at["isMarked"]] == []
    assert [at["name"] for at in seen if not at["isShown"]] == []
