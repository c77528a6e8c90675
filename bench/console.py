"""The console in an installed Chromium: a long turn verified, a long conversation scrolled, a large body.

Baselines are taken in the same browser: native JSON and one native SHA-256 of the same bytes, and a page
without anything but rows of text.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.console_ledger import LARGE_BODY, LONG_TURN, Places, fill
from bench.harness import Row, Table, folder, p50
from bench.served import serving
from tests.chromium import find_chromium, obstacle
from turnledger.engine.access import Access
from turnledger.engine.location import connect
from turnledger.model.access import Grant, Scope

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

PROBE = Path(__file__).with_name("console_probe.js")
VERDICT = '[aria-label="Verification"] dl'
ROWS = '[role="listitem"]'
LINE = '[data-index="20"]'
WAIT_MS = 90_000
STEPS, STEP_PX, STEP_MS = 150, 400, 16
FRAME_MS = 17.2
"""A sixtieth of a second, and what its clock is off by."""
TITLE = "Console"

# What no page can do without: take the answer's JSON apart, and hash as many bytes.  Native, in one go.
BARE_VERDICT = """async (path) => {
  const bytes = await (await fetch(path)).arrayBuffer();
  const start = performance.now();
  JSON.parse(new TextDecoder().decode(bytes));
  await crypto.subtle.digest("SHA-256", bytes);
  return performance.now() - start;
}"""
FETCH = """async (path) => {
  const start = performance.now();
  await (await fetch(path)).arrayBuffer();
  return performance.now() - start;
}"""
BARE_BODY = """async (path) => {
  const text = await (await fetch(path)).text();
  const start = performance.now();
  JSON.parse(text);
  return performance.now() - start;
}"""
BARE_PAGE = """<!doctype html><title>rows</title><style>div{height:46px}</style><main></main><script>
const rows = (list) => document.querySelector("main").append(...list.map((entry) => {
  const row = document.createElement("div");
  row.textContent = `${entry.createdAt} ${entry.type} ${entry.summary}`;
  return row;
}));
fetch(new URLSearchParams(location.search).get("of")).then((answer) => answer.json()).then(({ entries }) => {
  rows(entries);
  requestAnimationFrame(() => (window.opened = performance.now()));
  window.more = (count) => { for (let n = 0; n < count; n += entries.length) rows(entries); };
});
</script>"""


def run() -> Table:
    """All of it on one SQLite ledger; nothing but a line that says why, where there is no browser."""
    why_not = obstacle()
    if why_not is not None:
        return Table(TITLE, f"Not measured: {why_not}.", [])
    with folder() as place:
        ledger = place / "console.ledger"
        places = fill(ledger)
        code = _login_code(ledger)
        with serving(ledger) as (served, _), _browser() as context:
            context.request.post(
                f"{served.url}/api/session",
                data=json.dumps({"code": code}),
                headers={"Content-Type": "application/json"},
            )
            rows = [
                *_verdict(context, served.url, places),
                *_conversation(context, served.url, places),
                *_body(context, served.url, places),
            ]
            version = "" if context.browser is None else f" {context.browser.version}"
    note = f"Headless Chromium{version}, 1280 by 800; server and browser on one machine."
    return Table(TITLE, note, rows)


def _login_code(ledger: Path) -> str:
    with closing(connect(str(ledger)).open()) as store:
        access = Access(store)
        operator = access.add_operator("bench", Grant(frozenset(Scope) - {Scope.CAPTURE}))
        return access.login_code(operator.id)[0]


@contextmanager
def _browser() -> Generator[BrowserContext]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  a developer's checkout has it, a user not

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(path=PROBE)
        yield context
        browser.close()


@contextmanager
def _page(context: BrowserContext, url: str) -> Generator[Page]:
    page = context.new_page()
    page.goto(url)
    yield page
    page.close()


def _number(page: Page, expression: str) -> float:
    return float(page.evaluate(expression))


def _seen(page: Page, selector: str) -> float:
    """When it was shown, in milliseconds since the page was asked for."""
    page.wait_for_function("(selector) => probe.seen[selector] !== undefined", arg=selector)
    return float(page.evaluate("(selector) => probe.seen[selector]", selector))


def _verdict(context: BrowserContext, url: str, places: Places) -> list[Row]:
    turn = f"/api/agents/{places.agent}/turns/{places.long_turn}/journal"
    with _page(context, f"{url}/agents/turns?agentId={places.agent}&turnId={places.long_turn}") as page:
        whole = _seen(page, VERDICT)
        asked, told = _number(page, "probe.asked.verify"), _number(page, "probe.told.verify")
        longest = _number(page, f"probe.longest({asked})")
        bare = float(page.evaluate(BARE_VERDICT, turn))
        answer = float(page.evaluate(FETCH, turn))
    events = f"{LONG_TURN:,} events"
    return [
        Row(f"{events}: bytes at hand to verdict on the page", (whole - asked) / 1000, "s", 2,
            floor=bare / 1000, floor_is="native JSON and one native SHA-256 of the same bytes"),
        Row(f"{events}: of that in the worker", (told - asked) / 1000, "s", floor=bare / 1000,
            floor_is="the same"),
        Row(f"{events}: page asked for to verdict", whole / 1000, "s", floor=answer / 1000,
            floor_is="the server's answer, fetched alone"),
        Row(f"{events}: longest task of the page from then on", longest, "ms"),
    ]  # fmt: skip


def _conversation(context: BrowserContext, url: str, places: Places) -> list[Row]:
    path = f"/agents/{places.agent}/conversations/{places.conversation}"
    with _page(context, url + path) as page:
        opened = _seen(page, ROWS)
        page.wait_for_load_state("networkidle")
        frames = _frames(page)
        shown = page.locator(ROWS).count()
    bare_opened, bare_frames = _bare_rows(context, url, f"/api{path}/timeline?anchor=end&limit=200")
    worst, bare_worst = _p95(frames), _p95(bare_frames)
    return [
        Row("conversation of 50,000 events: page asked for to rows", opened / 1000, "s", 1,
            floor=bare_opened / 1000, floor_is="a bare page of the same answer's rows as text"),
        Row("frame while it scrolls, p50", p50(frames), "ms", FRAME_MS, floor=p50(bare_frames),
            floor_is="a bare page with 50,000 rows"),
        Row("frame while it scrolls, p95", worst, "ms", FRAME_MS, floor=bare_worst, floor_is="the same"),
        Row("rows in the page", shown, ""),
    ]  # fmt: skip


def _bare_rows(context: BrowserContext, url: str, timeline: str) -> tuple[float, list[float]]:
    """The same answer as rows of text and nothing else: when they are there, and its frames with 50,000."""
    context.route(
        "**/bare-rows**", lambda route: route.fulfill(body=BARE_PAGE, content_type="text/html; charset=utf-8")
    )
    with _page(context, f"{url}/bare-rows?of={timeline.replace('&', '%26')}") as page:
        page.wait_for_function("() => window.opened !== undefined")
        opened = _number(page, "window.opened")
        page.evaluate("window.more(50_000)")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        return opened, _frames(page)


def _frames(page: Page) -> list[float]:
    """Milliseconds of each frame while the wheel turns upwards."""
    page.mouse.move(640, 500)
    page.evaluate("probe.frames()")
    for _ in range(STEPS):
        page.mouse.wheel(0, -STEP_PX)
        page.wait_for_timeout(STEP_MS)
    found: list[float] = page.evaluate("probe.stop()")
    return found


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _body(context: BrowserContext, url: str, places: Places) -> list[Row]:
    turn = f"agentId={places.agent}&turnId={places.large_turn}"
    with _page(context, f"{url}/agents/turns?{turn}&seq={places.large_seq}&open=true") as page:
        shown = _seen(page, LINE)
        asked = _number(page, "probe.asked.bodies")
        scroller = page.get_by_role("group", name="the observation of event")
        scroller.hover()
        page.mouse.wheel(0, 200_000)
        page.wait_for_timeout(1000)
        longest = _number(page, f"probe.longest({asked})")
        entries = f"/api/agents/{places.agent}/turns/{places.large_turn}/entries"
        events = page.evaluate("async (path) => (await (await fetch(path)).json()).entries", entries)
        body = f"/api/agents/{places.agent}/events/{events[places.large_seq]['eventId']}/body/payload"
        fetched = float(page.evaluate(FETCH, body))
        parsed = float(page.evaluate(BARE_BODY, body))
    size = f"body of {LARGE_BODY // 1_000_000} MB"
    return [
        Row(f"{size}: asked for to first lines", (shown - asked) / 1000, "s",
            floor=(fetched + parsed) / 1000, floor_is="fetched, and native JSON"),
        Row(f"{size}: longest task of the page, scrolled to its middle", longest, "ms", 100),
        Row("the same body through JSON.parse in the page: one task of", parsed, "ms"),
    ]  # fmt: skip
