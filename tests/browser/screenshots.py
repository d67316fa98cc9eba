"""Write screenshots of every page and state at four widths in both themes.

    make screenshots [ONLY=upload]                             into var/screenshots/<state>-<width>-<theme>.png
    .venv/bin/python -m tests.browser.screenshots --documents  the pictures of the README and of the help

The site has its own data directory, the samples, and what `tests.browser.sample_state` adds.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from playground.builtin.shipped import SPECS
from tests.browser.animated_webp import animate
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
    "connect": ("/connect/", 600),
}
FOLDER = ROOT / "var" / "screenshots"
TOUR = {theme: ROOT / "docs" / f"tour-{theme}.webp" for theme in THEMES}
TOUR_SIZE: ViewportSize = {"width": 1200, "height": 800}
TOUR_SCALE = 1.25
THERMOMETER = "drifting_thermometer"
CAPTION = """text => {
    let caption = document.getElementById("caption");
    if (!caption) {
        caption = document.createElement("div");
        caption.id = "caption";
        Object.assign(caption.style, {
            position: "fixed", insetInline: "0", bottom: "0", zIndex: "99", padding: "12px",
            background: "var(--text)", color: "var(--surface)", font: "500 18px var(--font)", textAlign: "center",
        });
        document.body.append(caption);
    }
    caption.textContent = text;
}"""


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
                show_help(visitors, ROOT / "static" / "img" / "help")
                for theme in THEMES:
                    show_tour(visitors, theme, TOUR[theme])
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
    page.evaluate("document.activeElement?.blur()")
    file.write_bytes(capture_webp(page))


def capture_webp(page: Page, scale: float = 1) -> bytes:
    """Playwright writes PNG and JPEG only. A WebP has a third of the bytes of a PNG here."""
    top = page.evaluate("window.scrollY")
    clip = {"x": 0, "y": top, **(page.viewport_size or {}), "scale": scale}
    session = page.context.new_cdp_session(page)
    settings = {"format": "webp", "quality": QUALITY, "clip": clip}
    shot = session.send("Page.captureScreenshot", settings)
    session.detach()
    return base64.b64decode(shot["data"])


class Recording:
    """The frames of an animated picture of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[tuple[bytes, int]] = []

    def show(self, caption: str, duration_ms: int) -> None:
        """Add the page as it is now, above a caption."""
        self.page.evaluate(CAPTION, caption)
        self.frames.append((capture_webp(self.page, TOUR_SCALE), duration_ms))


def show_tour(visitors: Visitors, theme: str, file: Path) -> None:
    """The picture of the README: a response that violates its spec, a breaking change with its proof, and the fix."""
    context = visitors.browser.new_context(
        base_url=f"http://localhost:{visitors.site.port}",
        viewport=TOUR_SIZE,
        storage_state=visitors.page_of("owner").context.storage_state(),
    )
    page = context.new_page()
    set_theme(page, theme)
    recording = Recording(page)
    visitors.site.manage("load_specs", str(SPECS / f"{THERMOMETER}.json"))  # after the other theme
    run_thermometer(recording, "Run a tool", hours=73)
    recording.show("Its response breaks its spec: each violation at its line", 3_000)

    publish_looser_thermometer(visitors.site)
    page.goto(f"/tools/{THERMOMETER}/changes/1..2/")
    page.locator("summary", has_text="Proof").first.click()
    recording.show("Loosen the spec? A proof shows what that breaks", 3_500)

    run_thermometer(recording, "Calibrate the tool instead", hours=1)
    recording.show("Fixed: the response matches its return type", 2_500)
    context.close()
    file.write_bytes(animate(recording.frames))


def run_thermometer(recording: Recording, caption: str, *, hours: int) -> None:
    """Fill in the form and run the tool, until its response is shown."""
    page = recording.page
    page.goto(f"/tools/{THERMOMETER}/try/")
    page.wait_for_load_state("networkidle")
    recording.show(caption, 600)
    field = page.get_by_label("hours_since_calibration").first
    field.fill(str(hours))
    page.wait_for_timeout(300)  # the request preview follows
    recording.show(caption, 700)
    button = page.get_by_role("button", name="Run", exact=True).first
    button.hover()
    recording.show(caption, 400)
    button.click()
    verdict = page.locator("#run .verdict").first
    expect(verdict).to_contain_text(re.compile("match", re.IGNORECASE))  # not "Running"
    page.wait_for_load_state("networkidle")


def publish_looser_thermometer(site: Site) -> None:
    """Publish a second revision, with which a property of the response may be missing."""
    text = (SPECS / f"{THERMOMETER}.json").read_text()
    optional = json.loads(text)["definition"]["returnType"]["required"][-1]
    file = site.data_dir / "looser.json"
    file.write_text(text.replace(f', "{optional}"]', "]"))
    site.manage("load_specs", str(file))


if __name__ == "__main__":
    main()
