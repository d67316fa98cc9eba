"""Measure the speed of the main pages for a visitor with a slow connection and a slow processor.

    .venv/bin/python -m bench.page_speed [--visits 5] [--page tool]
        [--cpu 4] [--latency-ms 150] [--kbit-s 1638]

Chromium visits each page with an empty cache, and again with what that visit left in it. Printed
are medians of the bytes transferred (with headers), of Largest Contentful Paint, and of the page's
slowest reaction to the interactions of a visit (Event Timing reports none under 16 ms), and the
greatest sum of layout shifts, after scrolling to the end. The connection and the processor are
those of Lighthouse's phone, by default: 150 ms, 1.6 Mbit/s, and a fourth of this processor's speed.
Goals: 0.8 s, no shift, 100 ms, and 60 KB for the median page.

The site has the samples and what `tests.browser.sample_state` adds; the visitor is signed in.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, CDPSession, Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.pages import PAGES, Visitors
from tests.browser.sample_state import BROKEN_FACTORY
from tests.browser.web_vitals import layout_shifts, scroll_through, settle
from tests.site import Site

Interact = Callable[[Page], object]


def type_in(selector: str, text: str) -> Interact:
    return lambda page: page.locator(selector).first.press_sequentially(text)


def click(selector: str) -> Interact:
    return lambda page: page.locator(f"{selector} >> visible=true").first.click()


def type_in_palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("conv")


PALETTE = ("palette", type_in_palette)
FOLD = ("fold", click("main details:not([open]) > summary"))
TAB = ".tabs-list [role=tab][aria-selected=false]"

# The name of the page's state in `tests.browser.pages`, and what a visitor does there.
MAIN: dict[str, list[tuple[str, Interact]]] = {
    "home": [PALETTE],
    "tools": [("typing", type_in("#q", "weather")), FOLD],
    "tool": [("tab", click(f"main {TAB}")), PALETTE],
    "tool-union": [FOLD],
    "try": [("typing", type_in("#trial :is(input[type=text], textarea)", "12"))],
    "try-union": [("item", click("#trial button[name=op]"))],
    "try-conforms": [("view", click(f"#run {TAB}"))],
    "runs": [("select", click("main tbody .select-run"))],
    "try-violates": [("view", click(f"main {TAB}"))],
    "upload": [("typing", type_in("json-editor .cm-content", '{"definition": {'))],
    "lint": [PALETTE],
    "factories": [PALETTE],
    "api": [PALETTE],
    "help-page": [PALETTE],
    "account": [PALETTE],
}


@dataclass
class Visit:
    """One visit.

    Attributes:
        size: bytes transferred, with headers.
        paint: ms until the largest paint.
        shift: the sum of layout shifts.
        source: the element that shifted most.
        slowest: the ms of the slowest reaction to each interaction.
    """

    size: int
    paint: float
    shift: float
    source: str
    slowest: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Throttle:
    cpu: float
    latency_ms: float
    kbit_s: float

    def apply(self, session: CDPSession) -> None:
        session.send("Emulation.setCPUThrottlingRate", {"rate": self.cpu})
        speed = self.kbit_s * 1000 / 8
        conditions = {
            "latency": self.latency_ms,
            "downloadThroughput": speed,
            "uploadThroughput": speed,
        }
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {"offline": False, **conditions})


def visit(
    context: BrowserContext,
    url: str,
    interactions: list[tuple[str, Interact]],
    throttle: Throttle,
) -> Visit:
    page = context.new_page()
    session = context.new_cdp_session(page)
    throttle.apply(session)
    sizes: list[int] = []
    session.on(
        "Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"]))
    )
    page.goto(url)
    settle(page)
    size, paint = sum(sizes), page.evaluate("vitals.paint")
    scroll_through(page)
    figures = Visit(size, paint, *layout_shifts(page))
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    for name, interact in interactions:
        page.evaluate("vitals.interactions.length = 0")
        interact(page)
        settle(page)
        figures.slowest[name] = page.evaluate("Math.max(0, ...vitals.interactions)")
    page.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument(
        "--page", action="append", default=[], choices=MAIN, help="measure these pages only"
    )
    parser.add_argument("--cpu", type=float, default=4)
    parser.add_argument("--latency-ms", type=float, default=150)
    parser.add_argument("--kbit-s", type=float, default=1638)
    options = parser.parse_args()
    throttle = Throttle(options.cpu, options.latency_ms, options.kbit_s)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Site(Path(folder), prepared=False, TOOL_FACTORIES=BROKEN_FACTORY)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            visitors = Visitors(browser, site)
            cookies = visitors.page_of("owner").context.storage_state()
            print(
                "| page | KB, first | KB, again | LCP, first, s | LCP, again, s | CLS | slowest "
                "reaction, ms |"
            )
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for state in PAGES:
                if state.name not in (options.page or MAIN):
                    continue
                first: list[Visit] = []
                again: list[Visit] = []
                for _ in range(options.visits):
                    context = visitors.new_context(cookies)
                    for visits in (first, again):
                        url = state.address.format_map(visitors.values)
                        visits.append(visit(context, url, MAIN[state.name], throttle))
                    context.close()
                print(write_row(state.name, first, again), flush=True)
        finally:
            browser.close()
            site.stop()


def write_row(name: str, first: list[Visit], again: list[Visit]) -> str:
    visits = first + again
    worst = max(visits, key=lambda each: each.shift)
    reactions = []
    for key in first[0].slowest:
        slowest_ms = statistics.median(each.slowest[key] for each in visits)
        reactions.append(f"{key} {slowest_ms:.0f}" if slowest_ms else f"{key} < 16")
    cells = [
        name,
        f"{get_median(first, 'size'):.0f}",
        f"{get_median(again, 'size'):.0f}",
        f"{get_median(first, 'paint'):.2f}",
        f"{get_median(again, 'paint'):.2f}",
        f"{worst.shift:.4f} {worst.source}",
        ", ".join(reactions),
    ]
    return f"| {' | '.join(cells)} |"


def get_median(visits: list[Visit], attribute: str) -> float:
    """The median of an attribute, in KB or seconds."""
    return statistics.median(getattr(each, attribute) for each in visits) / 1000


if __name__ == "__main__":
    main()
