"""Write screenshots of every page and state at four widths in both themes.

    make screenshots [ONLY=upload]                             into var/screenshots/<state>-<width>-<theme>.png
    .venv/bin/python -m tests.browser.screenshots --documents  the pictures of the README and of the help

The site has its own data directory, the samples, and what `tests.browser.sample_state` adds.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.pages import PAGES, Visitors, set_theme
from tests.browser.sample_state import BROKEN_FACTORY
from tests.site import ROOT, Site

WIDTHS = (360, 768, 1280, 1920)
THEMES = ("light", "dark")
HEIGHT = 900
MAX_HEIGHT = 3_000  # of a picture; longer pages are cut
HELP_WIDTH = 1040
QUALITY = 40  # of WebP, in percent
HELP = {  # the address and the height of each picture
    "search": ("/tools/?q=create+issue+toolkit:github-mcp-server", 420),
    "try": ("/runs/{run_violates}/", 730),
    "review": ("/tools/billing.send_invoice/changes/1..2/", 720),
    "configurations": ("/tools/sign_text/try/", 760),
    "connect": ("/connect/", 760),
}
FOLDER = ROOT / "var" / "screenshots"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="states whose names contain this")
    parser.add_argument("--width", type=int, action="append", help="these widths only")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument(
        "--documents", action="store_true", help="write those of the README and the help"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Site(Path(folder), prepared=False, TOOL_FACTORIES=BROKEN_FACTORY)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            visitors = Visitors(browser, site)
            if options.documents:
                show_playground(visitors, ROOT / "docs" / "playground.png")
                show_help(visitors, ROOT / "static" / "img" / "help")
                return
            options.folder.mkdir(parents=True, exist_ok=True)
            for state in PAGES:
                if options.only in state.name:
                    take(visitors.open(state), options.folder / state.name, options.width or WIDTHS)
        finally:
            browser.close()
            site.stop()


def take(page: Page, name: Path, widths: tuple[int, ...]) -> None:
    for width in widths:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        clip = {"x": 0, "y": 0, "width": width, "height": MAX_HEIGHT}
        for theme in THEMES:
            set_theme(page, theme)
            file = f"{name}-{width}-{theme}.png"
            page.screenshot(
                path=file,
                full_page=True,
                clip=clip,
                animations="disabled",
                caret="hide",
                timeout=120_000,
            )
    page.set_viewport_size({"width": 1280, "height": HEIGHT})


def show_help(visitors: Visitors, folder: Path) -> None:
    """The pictures of the documents that the site shows as its help, in a size that stays readable there."""
    folder.mkdir(parents=True, exist_ok=True)
    page = visitors.page_of("owner")
    set_theme(page, "light")
    for name, (address, height) in HELP.items():
        page.set_viewport_size({"width": HELP_WIDTH, "height": height})
        page.goto(address.format_map(visitors.values))
        page.wait_for_load_state("networkidle")
        if name == "configurations":
            page.locator("summary", has_text="Configuration").first.click()
        write_webp(page, folder / f"{name}.webp")


def write_webp(page: Page, file: Path) -> None:
    """Playwright writes PNG and JPEG only. A WebP has a third of the bytes of a PNG here."""
    page.evaluate("document.activeElement?.blur()")
    shot = page.context.new_cdp_session(page).send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY}
    )
    file.write_bytes(base64.b64decode(shot["data"]))


def show_playground(visitors: Visitors, file: Path) -> None:
    """A run whose response violates the return type, beside its parameters."""
    page = visitors.page_of("owner")
    page.goto("/tools/drifting_thermometer/try/?run={run_violates}".format_map(visitors.values))
    expect(page.locator("#run .run-facts")).to_be_visible()
    page.screenshot(path=file, animations="disabled", caret="hide")


if __name__ == "__main__":
    main()
