"""Nothing on a page moves by itself: neither while it loads nor when parts of it arrive later."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.pages import PAGES, PageState, Visitors
from tests.browser.sample_state import BROKEN_FACTORY
from tests.browser.web_vitals import layout_shifts, scroll_through, settle
from tests.site import Site

MAIN = {
    *("home", "home-newcomer", "tools", "tools-search", "toolkit", "tool", "tool-union", "tool-lint", "tool-revisions"),
    *("try", "try-union", "try-conforms", "examples", "runs", "run-violates", "run-comparison", "upload"),
    *("upload-report", "sources", "lint", "lint-rule", "factories", "connect", "account", "sign-in", "api"),
    *("help", "help-page"),
}
QUICK = {"home", "tools", "tool", "try", "try-conforms", "runs", "run-violates", "upload"}
LATE = re.compile(r"/static/(?!js/theme).*\.js$")  # the theme is chosen before the first paint
NOT_SEEN = (
    0.001  # 4 px of one line, for one frame: so the JSON editor moves what follows it when it first measures itself
)


@pytest.fixture(scope="module")
def visitors(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitors]:
    site = Site(tmp_path_factory.mktemp("shifts"), TOOL_FACTORIES=BROKEN_FACTORY)
    visitors = Visitors(browser, site)
    yield visitors
    visitors.close()
    site.stop()


def open_with_late_scripts(page: Page, address: str) -> None:
    """Go to a page whose scripts arrive only after the browser has painted it, as over a slow connection."""
    late: list[Route] = []
    page.route(LATE, lambda route: late.append(route))  # noqa: PLW0108 - Playwright counts its parameters
    page.goto(address, wait_until="commit")
    page.evaluate("new Promise((done) => new PerformanceObserver(done).observe({ type: 'paint', buffered: true }))")
    for route in late:
        route.continue_()
    page.unroute(LATE)
    page.wait_for_load_state("load")


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(state, id=state.name, marks=[] if state.name in QUICK else pytest.mark.deep)
        for state in PAGES
        if state.name in MAIN
    ],
)
@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_moves_by_itself(visitors: Visitors, state: PageState, width: int):
    page = visitors.page_of(state.person)
    page.set_viewport_size({"width": width, "height": 900})

    open_with_late_scripts(page, state.address.format_map(visitors.values))
    settle(page)
    scroll_through(page)

    score, moved = layout_shifts(page)
    assert score < NOT_SEEN, moved
