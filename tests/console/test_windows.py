"""The console opens in a browser by the link that the server prints, and a window that errs is noticed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.console.kit import Browse, House, Watch, browsing
from tests.console.story import Told
from tests.patience import eventually


def test_a_login_link_opens_the_conversations(served: House, story: Told, browse: Browse) -> None:
    page = browse(served)
    expect(page.locator(f"[data-conversation='{story.conversation}']")).to_be_visible()
    assert "#" not in page.url


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("console.error('oh')", "console: oh"),
        ("setTimeout(() => { throw new Error('thrown') })", "thrown"),
        ("Promise.reject(new Error('rejected'))", "rejected"),
        ("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))", "script-src"),
        ("new Image().src = 'http://127.0.0.1:9/x.png'", "request to http://127.0.0.1:9/x.png"),
        ("fetch('/api/agents/none')", "422"),
    ],
)
def test_what_goes_wrong_in_a_window_is_noticed(
    served: House, chromium: Browser, script: str, complaint: str
) -> None:
    watch = Watch()
    browse, close = browsing(chromium, watch)
    page = browse(served)
    page.evaluate(f"() => {{ {script} }}")

    def is_noticed() -> bool:
        page.wait_for_timeout(50)
        return any(complaint in one for one in watch.complaints)

    eventually(is_noticed)
    close()
