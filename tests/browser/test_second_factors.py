"""Second factors and passkeys in a real browser; the passkeys are those of Chromium's virtual authenticator."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect

from tests import site_accounts
from tests.browser.conftest import Complaints
from tests.browser.pages import set_theme
from tests.browser.test_accessibility import violations
from tests.site import Site

PASSWORD = "correct horse battery"
# Of a whole page: a form without scripts answers a wrong code with this status.
REFUSED = (
    "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
)


@pytest.fixture
def person(site: Site, request: pytest.FixtureRequest) -> str:
    """Someone with a password, for this test alone."""
    return site_accounts.person(site, f"person{abs(hash(request.node.name)) % 10**9}", PASSWORD)


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


def browser_at(
    browser: Browser, site: Site, complaints: Complaints, **options: object
) -> BrowserContext:
    """A browser that uses the site as "localhost", since passkeys do not work on addresses."""
    context = browser.new_context(base_url=f"http://localhost:{site.port}", **options)
    context.on("page", complaints.listen)
    return context


@pytest.fixture(params=["with JavaScript", "without JavaScript"])
def context(
    request: pytest.FixtureRequest, browser: Browser, site: Site, complaints: Complaints
) -> Iterator[BrowserContext]:
    context = browser_at(
        browser, site, complaints, java_script_enabled=request.param == "with JavaScript"
    )
    yield context
    context.close()
    assert complaints == []


@pytest.fixture
def scripted(browser: Browser, site: Site, complaints: Complaints) -> Iterator[BrowserContext]:
    context = browser_at(browser, site, complaints)
    yield context
    context.close()
    assert complaints == []


def sign_in(page: Page, name: str) -> None:
    page.goto("/sign-in/?next=/runs/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def sign_out(page: Page) -> None:
    page.locator(".person summary").first.click()
    page.locator("[data-sign-out-form] button").first.click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


def code(secret: str, periods: int) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + periods))


def turn_on_app(page: Page) -> tuple[str, list[str]]:
    """The secret of a new authenticator app, and the recovery codes."""
    page.goto("/account/security/")
    page.get_by_role("link", name="Turn on").click()
    confirm(page)
    secret = page.locator(".qr-key").inner_text()
    page.get_by_label("Authenticator code").fill(code(secret, -1))
    page.get_by_role("button", name="Turn on").click()
    codes = page.locator("#recovery-codes").inner_text().split()
    page.get_by_role("link", name="I have stored them").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign-in and security")
    return secret, codes


def test_an_authenticator_app_from_the_picture_to_the_next_sign_in(
    context: BrowserContext, site: Site, person: str, complaints: Complaints
):
    page = context.new_page()
    sign_in(page, person)
    expect(page).to_have_url(f"http://localhost:{site.port}/runs/")
    secret, codes = turn_on_app(page)
    sign_out(page)

    sign_in(page, person)
    page.get_by_label("Code").fill("not it")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("main")).to_contain_text("The code is wrong.")
    complaints.remove(REFUSED)
    page.get_by_label("Code").fill(code(secret, 0))
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"http://localhost:{site.port}/runs/")
    sign_out(page)

    sign_in(page, person)
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"http://localhost:{site.port}/runs/")
    page.goto("/account/security/")
    expect(page.get_by_role("main")).to_contain_text("9 codes left")


@pytest.fixture
def authenticator(scripted: BrowserContext) -> Iterator[tuple[Page, CDPSession]]:
    """A page whose browser has an authenticator that asks nobody."""
    page = scripted.new_page()
    session = scripted.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield page, session
    session.detach()


def add_passkey(page: Page, *, alone: bool) -> None:
    page.goto("/account/security/passkeys/add/")
    if page.url.rpartition("/account/")[2].startswith("security/confirm"):
        confirm(page)
    page.get_by_label("Name").fill("My laptop")
    if alone:
        page.get_by_label("Sign in with it instead of a password").check()
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="I have stored them").click()
    expect(page.get_by_role("main")).to_contain_text("My laptop")


def test_a_passkey_is_the_second_step(
    authenticator: tuple[Page, CDPSession], site: Site, person: str
):
    page, _ = authenticator
    sign_in(page, person)
    add_passkey(page, alone=False)
    sign_out(page)

    sign_in(page, person)
    page.get_by_role("button", name="Use a passkey").click()

    expect(page).to_have_url(f"http://localhost:{site.port}/runs/")


@pytest.mark.deep
def test_a_passkey_alone_signs_in_and_confirms_until_it_is_removed(
    authenticator: tuple[Page, CDPSession], site: Site, person: str
):
    page, _ = authenticator
    sign_in(page, person)
    add_passkey(page, alone=True)
    sign_out(page)

    page.goto("/sign-in/?next=/runs/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"http://localhost:{site.port}/runs/")

    page.goto("/account/security/")
    page.get_by_role("link", name="Remove My laptop").click()
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("main")).to_contain_text("Passkey removed.")
    sign_out(page)
    page.goto("/sign-in/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("main")).to_contain_text("This passkey was not accepted.")


@pytest.mark.deep
def test_a_passkey_that_is_not_used_is_explained(
    authenticator: tuple[Page, CDPSession], site: Site, person: str
):
    page, session = authenticator
    sign_in(page, person)
    add_passkey(page, alone=False)
    sign_out(page)
    session.send("WebAuthn.disable")
    page.add_init_script(
        "navigator.credentials.get = () => Promise.reject(new DOMException('cancelled', 'NotAllowedError'))"
    )
    sign_in(page, person)

    page.get_by_role("button", name="Use a passkey").click()

    expect(page.get_by_role("alert")).to_have_text(
        "The passkey was not used: it was cancelled, or took too long. Try again."
    )


@pytest.mark.deep
def test_no_page_about_signing_in_has_a_barrier(
    authenticator: tuple[Page, CDPSession],
    site: Site,
    person: str,
    complaints: Complaints,
):
    page, _ = authenticator
    found = {}

    def look(name: str) -> None:
        for theme in ("light", "dark"):
            set_theme(page, theme)
            found[f"{name}, {theme}"] = violations(page)

    sign_in(page, person)
    page.goto("/account/security/app/")
    look("confirm")
    confirm(page)
    look("turn on")
    page.get_by_label("Authenticator code").fill("wrong")
    page.get_by_role("button", name="Turn on").click()
    look("turn on, wrong code")
    complaints.remove(REFUSED)
    turn_on_from(page)
    look("recovery codes")
    for path in ("", "passkeys/add/", "app/remove/", "recovery-codes/", "recovery-codes/new/"):
        page.goto(f"/account/security/{path}")
        look(path)
    add_second_passkey(page)
    look("with a passkey")
    page.get_by_role("link", name="Rename My laptop").click()
    look("rename")
    page.goto("/account/security/")
    page.get_by_role("link", name="Remove My laptop").click()
    look("remove")
    sign_out(page)
    sign_in(page, person)
    look("second step")

    assert {name: violations for name, violations in found.items() if violations} == {}


def turn_on_from(page: Page) -> None:
    page.get_by_label("Authenticator code").fill(code(page.locator(".qr-key").inner_text(), 0))
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")


def add_second_passkey(page: Page) -> None:
    page.goto("/account/security/passkeys/add/")
    page.get_by_label("Name").fill("My laptop")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("main")).to_contain_text("My laptop")
