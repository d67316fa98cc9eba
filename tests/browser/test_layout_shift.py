"""Nothing on a page moves by itself: neither while it loads nor when parts of it arrive later."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route

from tests.browser.pages import PAGES, PageState, Visitors
from tests.browser.web_vitals import layout_shifts, scroll_through, settle

MAIN = {
    *(
        "home",
        "home-newcomer",
        "tools",
        "tools-search",
        "toolkit",
        "tool",
        "tool-union",
        "tool-lint",
        "tool-revisions",
    ),
    *(
        "try",
        "try-union",
        "try-conforms",
        "examples",
        "runs",
        "run-violates",
        "run-comparison",
        "upload",
    ),
    *(
        "upload-report",
        "sources",
        "lint",
        "lint-rule",
        "factories",
        "connect",
        "account",
        "sign-in",
        "api",
    ),
    *("help", "help-page"),
}
QUICK = {"tools", "tool", "try-conforms", "run-violates"}
LATE = re.compile(r"/static/(?!js/theme).*\.js$")  # the theme is chosen before the first paint
# 4 px of one line, for one frame: the JSON editor moves what follows it when it first measures itself
NOT_SEEN = 0.001


def open_with_late_scripts(page: Page, address: str) -> None:
    """Go to a page whose scripts arrive only after the browser has painted it, as over a slow connection."""
    late: list[Route] = []
    page.route(LATE, lambda route: late.append(route))  # noqa: PLW0108 - Playwright counts its parameters
    page.goto(address, wait_until="commit")
    page.evaluate(
        "new Promise((done) => new PerformanceObserver(done).observe({ type: 'paint', buffered: true }))"
    )
    for route in late:
        route.continue_()
    page.unroute(LATE)
    page.wait_for_load_state("load")


@pytest.mark.parametrize(
    ("state", "width"),
    [
        pytest.param(
            state,
            width,
            id=f"{width}-{state.name}",
            marks=[] if state.name in QUICK and width == 1280 else pytest.mark.deep,
        )
        for state in PAGES
        for width in ([1280, 360] if state.name in QUICK else [1280])
        if state.name in MAIN
    ],
)
def test_nothing_moves_by_itself(visitors: Visitors, state: PageState, width: int):
    # a page of this test alone: one that was just resized may change its size while the next address loads
    context = visitors.new_context(visitors.page_of(state.person).context.storage_state())
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})

    open_with_late_scripts(page, state.address.format_map(visitors.values))
    settle(page)
    scroll_through(page)

    score, moved = layout_shifts(page)
    context.close()
    assert score < NOT_SEEN, moved


SLOW = {
    "offline": False,
    "latency": 20,
    "downloadThroughput": 8_000,
    "uploadThroughput": 100_000,
}  # ms, bytes/s
NOTE_FIRST_PAINT = """
new PerformanceObserver(() => { window.wasComplete ??= document.getElementById("footer") !== null; })
  .observe({ type: "paint", buffered: true });
"""


@pytest.fixture
def own_page(visitors: Visitors) -> Iterator[Page]:
    """A page of the owner whose settings other tests do not meet."""
    context = visitors.new_context(visitors.page_of("owner").context.storage_state())
    yield context.new_page()
    context.close()


def test_a_page_that_arrives_slowly_is_painted_once_its_content_is_complete(own_page: Page):
    page = own_page
    page.goto("/tools/")  # its static files are cached now
    page.add_init_script(NOTE_FIRST_PAINT)
    connection = page.context.new_cdp_session(page)
    connection.send("Network.emulateNetworkConditions", SLOW)

    page.goto("/tools/")

    assert page.evaluate("window.wasComplete")
    assert layout_shifts(page)[0] == 0


def test_the_remembered_view_of_a_result_is_shown_from_the_first_paint_on(
    own_page: Page, visitors: Visitors
):
    page = own_page
    page.goto("/runs/{run_conforms}/".format_map(visitors.values))
    page.evaluate("localStorage.setItem('toolshelf.tab.result', 'raw')")

    open_with_late_scripts(page, page.url)
    settle(page)

    assert page.locator("#raw").is_visible()
    assert layout_shifts(page)[0] < NOT_SEEN
