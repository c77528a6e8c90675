"""Recorded text that attacks whoever looks at it: shown as text, inert, and its neighbours beside it.

K01, K02.  A window fails its test on any breach of the content policy, any error in its console and any
request to another origin; here it also fails on a dialog, and on any element that the text would have become.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

import turnledger
from tests.console.hostile import CONNECTOR, DIGITS, HIDDEN, MARKUP, NAME, SHOWN, Hostile, attack
from tests.console.kit import WAIT_MS, Browse, House, house

WHOLE = {"width": 1280, "height": 6000}
BECOME = (
    "main script, main style, main link, main img, foreignObject,"
    " iframe, object, embed, [onload], [onerror], [srcdoc]"
)
"""What hostile text would turn into if it were read as markup."""
CLICK = "async (all) => { for (const one of all) { one.click(); await new Promise(requestAnimationFrame); } }"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Hostile]]:
    """A served ledger full of hostile text."""
    url = str(tmp_path_factory.mktemp("hostile") / "agent.ledger")
    story = attack(url)
    with house(url) as served:
        yield served, story


@pytest.fixture
def site(attacked: tuple[House, Hostile]) -> House:
    """Its server."""
    return attacked[0]


@pytest.fixture
def told(attacked: tuple[House, Hostile]) -> Hostile:
    """What was recorded."""
    return attacked[1]


@pytest.fixture
def page(site: House, browse: Browse) -> Iterator[Page]:
    """A window in which no dialog may open."""
    window = browse(site, viewport=WHOLE, permissions=["clipboard-read", "clipboard-write"])
    expect(window.get_by_role("heading", name="Conversations", level=1)).to_be_visible()
    opened: list[str] = []

    def note(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    window.on("dialog", note)
    yield window
    assert opened == []


def became_nothing(page: Page) -> None:
    """No element and no address came of the text, and the page is still styled as it was."""
    expect(page.locator(BECOME)).to_have_count(0)
    assert page.evaluate("[...document.links].filter((link) => link.origin !== location.origin).length") == 0
    assert page.evaluate("getComputedStyle(document.querySelector('main')).display") != "none"


def is_inert(page: Page, *, hidden: bool = True) -> None:
    """The attack stands on the page as text, whole, and nothing came of it."""
    main = page.get_by_role("main")
    expect(main.get_by_text(MARKUP).filter(visible=True).first).to_be_visible()
    if hidden:
        for code in SHOWN:
            expect(main).to_contain_text(code)
    text = main.inner_text()
    assert not {sign for sign in HIDDEN if not sign.isprintable()} & set(text)
    became_nothing(page)


def test_the_list_of_conversations(page: Page, told: Hostile) -> None:
    is_inert(page)
    expect(page.get_by_role("link").filter(has_text=CONNECTOR)).to_have_count(1)
    expect(page.get_by_role("link").filter(has_text="all is well")).to_contain_text("It arrives tomorrow.")
    page.get_by_label("Agent").select_option(value=str(told.agent))
    expect(page.get_by_role("link").filter(has_text="all is well")).to_have_count(0)
    is_inert(page)


def test_a_timeline_with_everything_opened(page: Page, told: Hostile) -> None:
    page.goto(told.timeline)
    is_inert(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>alert(1)</script>")
    assert "<script>alert(1)</script>" in page.title()
    page.get_by_role("button", name=re.compile(r"^Open event \d+$")).evaluate_all(CLICK)
    expect(page.get_by_role("region", name=re.compile("TOOL_RESULT"))).to_contain_text("<img src=x")
    expect(page.get_by_role("region", name=re.compile("MODEL_CALL"))).to_contain_text("<img src=x")
    is_inert(page)


def test_the_inspector_with_everything_opened(page: Page, told: Hostile) -> None:
    page.goto(told.inspector("named"))
    expect(page.get_by_role("article").last).to_be_visible()
    expect(page.get_by_role("region", name="Verification")).to_contain_text("every hash recomputed")
    for kind in ("GUARD", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL", "TOOL_RESULT", "MEMORY_WRITE", "COMMIT"):
        card = page.get_by_role("article", name=re.compile(f", {kind}$"))
        card.get_by_role("button", expanded=False).evaluate_all(CLICK)
        expect(card.get_by_role("group").first).to_contain_text("<img src=x")
        expect(page.get_by_role("status").filter(has_text="Loading")).to_have_count(0)
        is_inert(page)
        card.get_by_role("button", expanded=True).evaluate_all(CLICK)


def test_the_inspector_in_its_other_views(page: Page, told: Hostile) -> None:
    page.goto(told.inspector("named") + "&view=waterfall")
    expect(page.get_by_role("list", name="Steps of the turn in time")).to_contain_text("<script>alert(1)")
    page.get_by_role("tab", name="Prompt").click()
    expect(page.get_by_role("group", name="the prompt snapshot")).to_contain_text("<script>alert(1)")
    page.get_by_role("tab", name="Raw").click()
    expect(page.get_by_role("group", name="the journal as JSON")).to_contain_text("<script>alert(1)")
    became_nothing(page)
    page.goto(told.inspector("failed"))
    expect(page.get_by_role("region", name="The turn", exact=True)).to_contain_text(MARKUP)
    is_inert(page)


def test_the_pages_about_an_agent(page: Page, told: Hostile) -> None:
    for address in (
        f"/agents?agent={told.agent}",
        f"/actors?agent={told.agent}",
        f"/memory?agent={told.agent}",
    ):
        page.goto(address)
        is_inert(page)
    page.get_by_role("link").filter(has_text=MARKUP).first.click()
    expect(page.get_by_role("group", name="the content of this revision")).to_contain_text("<img src=x")
    is_inert(page)
    page.goto(f"/actors?agent={told.agent}")
    page.get_by_role("link").filter(has_text=MARKUP).first.click()
    expect(page.get_by_role("table", name="Messages of one actor")).to_be_visible()
    is_inert(page)
    page.goto(f"/balance?agent={told.agent}")
    expect(page.get_by_role("heading", name="Balanced")).to_be_visible()
    became_nothing(page)


def test_what_a_search_finds(page: Page) -> None:
    page.goto("/search?q=prefetch")
    expect(page.get_by_role("status").filter(has_text="found")).to_be_visible()
    expect(page.get_by_role("main").locator("mark").first).to_have_text("prefetch")
    expect(page.get_by_role("main")).to_contain_text("<link rel=")
    became_nothing(page)
    page.goto(f"/search?q={quote(MARKUP[:180])}")
    expect(page.get_by_role("searchbox")).to_have_value(re.compile("^</script><script>"))
    became_nothing(page)


def test_the_palette_and_the_toasts(page: Page, told: Hostile) -> None:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="A page, an id, a command").fill(MARKUP)
    expect(page.get_by_role("listbox", name="Commands")).to_contain_text("<script>alert(1)</script>")
    became_nothing(page)
    page.keyboard.press("Escape")
    page.goto(told.inspector("bodies"))
    body = opened(page, "document")
    body.get_by_role("button", name="Copy the observation").click()
    expect(page.get_by_role("status").filter(has_text="Copied the observation")).to_be_visible()
    became_nothing(page)


def test_a_name_that_comes_while_one_looks(page: Page, site: House) -> None:
    expect(page.get_by_role("link").filter(has_text="all is well")).to_be_visible()
    with turnledger.open(site.ledger) as ledger:
        ledger.agent(NAME).conversation(f"live {MARKUP}").inbound(NAME, actor=NAME)
    show = page.get_by_role("button", name=re.compile("^1 new"))
    show.or_(page.get_by_text(f"live {MARKUP}")).first.wait_for()
    if show.is_visible():
        show.click()
    expect(page.get_by_text(f"live {MARKUP}")).to_be_visible()
    is_inert(page)


def test_names_in_forms(page: Page) -> None:
    for address in ("/settings", "/integrity"):
        page.goto(address)
        choices = page.get_by_label("Agent").first.get_by_role("option")
        expect(choices.filter(has_text="<script>alert(1)</script>")).to_have_count(1)
        became_nothing(page)
    page.goto(f"/agents/turns?agentId={quote(MARKUP)}&turnId=1")
    expect(page.get_by_role("heading", name="These are not two ids")).to_be_visible()
    expect(page.get_by_label("Agent id")).to_have_value(MARKUP)


# --- bodies that are hard to show ------------------------------------------------------------------


def opened(page: Page, tool: str) -> Locator:
    """The card of a tool's result, its observation opened."""
    cards = page.get_by_role("article", name=re.compile("TOOL_RESULT$"))
    card = cards.filter(has=page.get_by_text(tool, exact=True))
    card.get_by_role("button", name=re.compile("^observation")).click()
    return card


def test_bodies_of_every_size_and_depth_are_shown_and_the_page_goes_on(page: Page, told: Hostile) -> None:
    """R01: none of them blocks the page, and each one leaves its neighbours alone."""
    page.goto(told.inspector("bodies"))
    expect(opened(page, "long_line")).to_contain_text("10 MB of text")
    expect(opened(page, "deep")).to_contain_text("40 kB of")
    digits = opened(page, "digits")
    expect(digits).to_contain_text(DIGITS)
    expect(digits).to_contain_text('"well"')
    expect(opened(page, "surrogates")).to_contain_text(r"\ud800 and \udfff")
    expect(opened(page, "half")).to_contain_text("half ")
    expect(opened(page, "picture")).to_contain_text("<svg xmlns=")
    expect(opened(page, "document")).to_contain_text("<!doctype html>")
    slow = page.evaluate(
        "async () => { const t = performance.now(); await new Promise(requestAnimationFrame);"
        " return performance.now() - t; }"
    )
    assert slow < WAIT_MS
    became_nothing(page)
    expect(page.get_by_role("article", name=re.compile("COMMIT$"))).to_contain_text("done")


def test_a_body_that_is_downloaded_is_never_a_page_of_this_origin(page: Page, told: Hostile) -> None:
    page.goto(told.inspector("bodies"))
    for tool in ("document", "picture"):
        card = opened(page, tool)
        address = card.get_by_role("link", name="Download").get_attribute("href")
        assert address is not None
        answer = page.request.get(address)
        assert answer.headers["content-type"] in {"text/plain; charset=utf-8", "application/octet-stream"}
        assert answer.headers["x-content-type-options"] == "nosniff"
        with page.expect_download() as loading:
            card.get_by_role("link", name="Download").click()
        assert loading.value.suggested_filename.startswith(f"turn-{str(told.turns['bodies'])[:18]}-event-")
