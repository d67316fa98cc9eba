"""axe-core finds nothing on any page and state, in both themes, and the console stays empty."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest
from django.urls import resolve
from playwright.sync_api import Page

from config.static_files import STYLESHEETS
from tests.browser.conftest import Complaints
from tests.browser.pages import NOT_SHOWN, PAGES, PageState, Visitors, set_theme
from tests.rights.test_matrix import NOBODY, OWN
from tests.rights.test_matrix import PAGES as RULES
from tests.site import ROOT

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
# Swagger UI is not ours: its headings, colours and nested buttons have findings.
FIND = """async (rules) => {
  const ours = { exclude: ["#swagger-ui"] };
  const found = await axe.run(ours, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
  return found.violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 5).join(", ")}`);
}"""


def violations(page: Page, *rules: str) -> list[str]:
    """The findings of axe-core, with all of its rules or only these."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(FIND, list(rules) or None)
    return found


def other_theme(page: Page) -> str:
    return (
        "light" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "dark"
    )


RULES_FOR_PAGE = """(texts) => {
  const rulesOf = (holder) => [...holder.cssRules].flatMap((rule) => rule.selectorText ? [rule] : rulesOf(rule));
  return texts.flatMap((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return rulesOf(sheet).map((rule) => rule.selectorText).filter((selector) =>
      document.querySelector(selector.replace(/::[\\w-]+(\\([^)]*\\))?/g, "")));
  });
}"""


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(state, id=state.name, marks=[] if state.is_quick else pytest.mark.deep)
        for state in PAGES
    ],
)
def test_a_page_has_no_barrier(visitors: Visitors, state: PageState):
    page = visitors.open(state)

    found = {"wide": violations(page)}
    set_theme(page, other_theme(page))
    page.set_viewport_size({"width": 360, "height": 900})
    found["narrow, in the other theme"] = violations(page)
    too_wide = [width for width in (360, 768, 1920) if scrolls_sideways(page, width)]

    assert rules_of_missing_stylesheets(page) == []
    assert {where: problems for where, problems in found.items() if problems} == {}
    assert too_wide == []
    assert unexpected(visitors.complaints, state) == []


def scrolls_sideways(page: Page, width: int) -> bool:
    page.set_viewport_size({"width": width, "height": 900})
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def rules_of_missing_stylesheets(page: Page) -> list[str]:
    """The rules for what the page shows that are in a stylesheet it does not link to."""
    linked = page.locator("link[rel=stylesheet]").evaluate_all(
        "(links) => links.map((link) => link.href)"
    )
    missing = [
        names
        for path, names in STYLESHEETS.items()
        if not any(path[:-4] + "." in each for each in linked)
    ]
    folder = ROOT / "static" / "css"
    rules: list[str] = page.evaluate(
        RULES_FOR_PAGE, [(folder / f"{name}.css").read_text() for name in chain(*missing)]
    )
    return rules


def unexpected(complaints: Complaints, state: PageState) -> list[str]:
    """The console messages, except that of the error status which this state expects."""
    logged, complaints[:] = list(complaints), []
    return [text for text in logged if f"status of {state.last_status or state.status}" not in text]


def test_every_page_is_in_the_list():
    paths = [
        re.split("[?#]", re.sub(r"\{\w+\}", "1", state.address))[0]
        for state in PAGES
        if state.status == 200
    ]
    shown = {resolve(path).view_name for path in paths if path.startswith("/")}
    answer_get = {
        f"{space}:{name}" if space else name for space, name in OWN if RULES[name][0] != NOBODY
    }

    assert answer_get - shown == NOT_SHOWN.keys()
