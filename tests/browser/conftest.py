"""A site of its own and Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, Playwright, StorageState, expect, sync_playwright

from tests.browser.sample_state import BROKEN_FACTORY
from tests.site import Site
from tests.site_accounts import sign_in_link

if TYPE_CHECKING:
    from tests.browser.pages import Visitors

# Debian's Chromium without its windows: the same engine for two fifths of the processor time (opening pages took 2.8 s
# instead of 6.4, same run). Most of the time of `make test` is that of the browser.
CHROMIUM = "/usr/bin/chromium-headless-shell"
expect.set_options(timeout=30_000)  # no bound on speed: a slow machine takes its time
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    loop = asyncio._get_running_loop()
    yield browser
    asyncio._set_running_loop(loop)  # tests without a browser hide it
    browser.close()


@pytest.fixture(scope="session")
def visitors(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitors]:
    """People who look at a site with all kinds of tools, runs and changes."""
    from tests.browser.pages import Visitors  # it imports this module

    # One of its runs takes longer than anybody should wait when the tests end.
    site = Site(
        tmp_path_factory.mktemp("pages"), TOOL_FACTORIES=BROKEN_FACTORY, TOOLSHELF_DRAIN_S="0"
    )
    # The browser closes their pages. It does so in Playwright's loop, which is hidden after a test of something else.
    yield Visitors(browser, site)
    site.stop()


class Complaints(list[str]):
    """Everything in the console of the browser: errors, warnings, policy violations, notes. A clean page has none."""

    def listen(self, page: Page) -> None:
        page.on("console", lambda message: self.append(message.text))
        page.on("pageerror", lambda error: self.append(str(error)))


def follow_link(page: Page, site: Site) -> None:
    """Sign in by a link."""
    page.goto(sign_in_link(site, "owner"))
    page.get_by_role("button", name="Sign in as owner").click()
    page.wait_for_url(f"{site.url}/")


@pytest.fixture(scope="session")
def session(browser: Browser, site: Site) -> StorageState:
    """The cookies of a person who followed a one-time link."""
    context = browser.new_context()
    follow_link(context.new_page(), site)
    cookies = context.storage_state()
    context.close()
    return cookies


@pytest.fixture
def signed_in(browser: Browser, site: Site, session: StorageState) -> Iterator[Page]:
    """A page of a person who has signed in; the test fails when the console complained."""
    context = browser.new_context(
        base_url=site.url, viewport={"width": 1280, "height": 900}, storage_state=session
    )
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder for spec files that a test uploads."""
    return tmp_path
