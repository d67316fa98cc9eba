"""Signing in with a browser: by link and by password, and back to the page with what was filled in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Complaints
from tests.site import Site
from tests.site_accounts import person, sign_in_link

PASSWORD = "correct horse battery"
TRY = "/tools/sign_text/try/"
KEY = "marker-key-7741-0092"
TEXT = '[id="parameters:/.text"]'
SIGNING_KEY = '[id="configuration:/.key"]'


@pytest.fixture(scope="session")
def grace(site: Site) -> str:
    """A person with a password."""
    return person(site, "grace", PASSWORD)


@pytest.fixture(params=["with JavaScript", "without JavaScript"])
def visitor(
    request: pytest.FixtureRequest, browser: Browser, site: Site
) -> Iterator[BrowserContext]:
    """A browser in which nobody is signed in; the test fails when the console complained."""
    context = browser.new_context(
        base_url=site.url, java_script_enabled=request.param == "with JavaScript"
    )
    complaints = Complaints()
    context.on("page", complaints.listen)
    yield context
    context.close()
    assert [
        complaint for complaint in complaints if "410 (Gone)" not in complaint
    ] == []  # a used link


def by_password(page: Page, _site: Site, name: str) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


def fill_in(page: Page) -> None:
    page.goto(TRY)
    page.locator(TEXT).fill("what I typed")
    page.locator("#configuration-fold > summary").click()
    page.locator(SIGNING_KEY).fill(KEY)
    page.get_by_label("Time limit").fill("9")


@pytest.mark.parametrize(
    "way", ["Sign in to save your runs", "link in the result", "link in the header"]
)
def test_entries_are_restored_after_signing_in_with_a_password(
    visitor: BrowserContext, site: Site, grace: str, way: str
):
    page = visitor.new_page()
    fill_in(page)
    is_scripted = page.evaluate("document.documentElement.classList.contains('js')")

    if way == "Sign in to save your runs":
        page.get_by_role("link" if is_scripted else "button", name=way).click()
    elif way == "link in the result":
        page.get_by_label("Mock", exact=True).check()
        page.locator("[data-run-button]").click()
        page.locator("#run").get_by_role("link", name="Sign in", exact=True).click()
    else:
        page.get_by_role("banner").get_by_role("link", name="Sign in", exact=True).click()
    by_password(page, site, grace)

    expect(page).to_have_url(f"{site.url}{TRY}")
    if (
        is_scripted or way == "Sign in to save your runs"
    ):  # without scripts a link takes only the address along
        expect(page.locator(TEXT)).to_have_value("what I typed")
        expect(page.get_by_label("Time limit")).to_have_value("9")
        expect(page.locator("#restored")).to_be_visible()
    expect(page.locator(SIGNING_KEY)).to_have_value("")
    assert KEY not in page.content()


@pytest.mark.deep
def test_entries_are_restored_in_the_tab_of_a_sign_in_link(
    visitor: BrowserContext, site: Site, grace: str
):
    page = visitor.new_page()
    fill_in(page)
    role = (
        "link" if page.evaluate("document.documentElement.classList.contains('js')") else "button"
    )
    page.get_by_role(role, name="Sign in to save your runs").click()

    tab = visitor.new_page()
    tab.goto(sign_in_link(site, grace))
    tab.get_by_role("button", name="Sign in as grace").click()

    expect(tab).to_have_url(f"{site.url}{TRY}")
    expect(tab.locator(TEXT)).to_have_value("what I typed")
    assert KEY not in tab.content()


@pytest.mark.deep
def test_a_pasted_spec_comes_back(visitor: BrowserContext, site: Site, grace: str):
    page = visitor.new_page()
    page.goto("/add/")
    page.get_by_text("Options for imported tools").click()
    page.get_by_label("Id prefix").fill("mine")
    page.get_by_role("button", name="Publish").click()
    by_password(page, site, grace)

    expect(page).to_have_url(f"{site.url}/add/")
    expect(page.get_by_label("Id prefix")).to_have_value("mine")


@pytest.mark.deep
@pytest.mark.parametrize("visitor", ["with JavaScript"], indirect=True)
def test_a_restored_form_survives_a_reload(visitor: BrowserContext, site: Site, grace: str):
    page = visitor.new_page()
    fill_in(page)
    page.get_by_role("link", name="Sign in to save your runs").click()
    by_password(page, site, grace)
    expect(page.locator(TEXT)).to_have_value("what I typed")

    page.reload()

    expect(page.locator(TEXT)).to_have_value("what I typed")


@pytest.mark.deep
@pytest.mark.parametrize("visitor", ["with JavaScript"], indirect=True)
def test_nothing_that_was_filled_in_is_in_an_address_or_in_the_storage_of_the_browser(
    visitor: BrowserContext, site: Site
):
    page = visitor.new_page()
    addresses = []
    page.on("request", lambda request: addresses.append(request.url))
    fill_in(page)

    page.get_by_role("link", name="Sign in to save your runs").click()
    expect(page.get_by_label("Username")).to_be_visible()

    stored = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, history.state])"
    )
    everything = " ".join([*addresses, stored, str(visitor.cookies())])
    assert "what I typed" not in everything
    assert KEY not in everything


def test_a_link_signs_in_by_its_button_and_leaves_no_trace_of_its_secret(
    visitor: BrowserContext, site: Site
):
    page = visitor.new_page()
    link = sign_in_link(site, "owner")
    referrers = []
    page.on("request", lambda request: referrers.append(request.header_value("referer")))

    page.goto(link)
    page.goto(link)
    page.get_by_role("button", name="Sign in as owner").click()

    expect(page).to_have_url(f"{site.url}/")
    assert link.split("/")[-2] not in " ".join(filter(None, referrers))
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("This sign-in link no longer works")
    expect(page.get_by_role("main")).to_contain_text("You are signed in as owner")


def test_the_palette_signs_in_and_comes_back(browser: Browser, site: Site, grace: str):
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/lint/")

    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search, or go to a tool or a page").fill("sign in")
    page.get_by_role("option", name="Sign in", exact=True).click()
    by_password(page, site, grace)

    expect(page).to_have_url(f"{site.url}/lint/")
    context.close()
