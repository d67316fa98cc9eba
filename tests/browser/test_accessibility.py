"""axe-core finds nothing on any page and state, in both themes, and the console stays empty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import resolve
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Complaints
from tests.browser.pages import NOT_SHOWN, PAGES, PageState, Visitors, set_theme
from tests.browser.sample_state import BROKEN_FACTORY
from tests.rights.test_matrix import NOBODY, OWN
from tests.rights.test_matrix import PAGES as RULES
from tests.site import Site

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
FIND = """async (rules) => (await axe.run(rules ? {runOnly: rules} : {})).violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(", ")}`)"""


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds, with all of its rules or only these."""
    page.evaluate(AXE)
    found: list[str] = page.evaluate(FIND, list(rules) or None)
    return found


@pytest.fixture(scope="module")
def visitors(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitors]:
    site = Site(tmp_path_factory.mktemp("pages"), TOOL_FACTORIES=BROKEN_FACTORY)
    visitors = Visitors(browser, site)
    yield visitors
    visitors.close()
    site.stop()


@pytest.mark.parametrize(
    "state", [pytest.param(state, id=state.name, marks=[] if state.is_quick else pytest.mark.deep) for state in PAGES]
)
def test_a_page_has_no_barrier(visitors: Visitors, state: PageState):
    page = visitors.open(state)

    found = {"wide": violations(page)}
    for theme in ("dark", "light"):  # only colours differ
        set_theme(page, theme)
        found[theme] = violations(page, "color-contrast")
    page.set_viewport_size({"width": 360, "height": 900})
    found["narrow"] = violations(page)
    is_too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.set_viewport_size({"width": 1280, "height": 900})

    assert {where: problems for where, problems in found.items() if problems} == {}
    assert not is_too_wide
    assert unexpected(visitors.complaints, state) == []


def unexpected(complaints: Complaints, state: PageState) -> list[str]:
    """What the console said; that the server refused a request, as this state wants it, is no fault."""
    said, complaints[:] = list(complaints), []
    refused = [state.status] if state.status >= 400 else [422, 429] if state.act else []
    return [text for text in said if not any(f"status of {status}" in text for status in refused)]


def test_every_page_is_in_the_list():
    paths = [re.sub(r"\{\w+\}", "1", state.address).partition("?")[0] for state in PAGES if state.status == 200]
    shown = {resolve(path).view_name for path in paths if path.startswith("/")}
    answer_get = {f"{space}:{name}" if space else name for space, name in OWN if RULES[name][0] != NOBODY}

    assert answer_get - shown == NOT_SHOWN.keys()
