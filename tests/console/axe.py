"""Accessibility of what a window shows, by axe-core's rules for WCAG 2.2 AA."""

from __future__ import annotations

from importlib import resources

from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """async (tags) => {
  const found = await axe.run({ runOnly: tags, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`));
}"""


def violations(page: Page) -> list[str]:
    """Each broken rule with the element that breaks it."""
    # Evaluated by the driver, so that the page's content policy stays as it is.
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    found: list[str] = page.evaluate(_RUN, TAGS)
    return found
