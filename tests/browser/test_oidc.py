"""Signing in with a real OpenID Connect provider, in a real browser, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.browser.test_accessibility import violations
from tests.oidc_provider import OIDCProvider
from tests.site import Site


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OIDCProvider]:
    provider = OIDCProvider(tmp_path_factory.mktemp("provider"))
    provider.add_person("developer", preferred_username="dev", groups=["developers"])
    provider.add_person("outsider", preferred_username="out", groups=["accounting"])
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, provider: OIDCProvider) -> Iterator[Site]:
    """A site whose people sign in with the provider."""
    settings = provider.settings(GROUPS='{"developers": ["publisher", "runner"]}')
    site = Site(
        tmp_path_factory.mktemp("site"),
        **{f"TOOLSHELF_OIDC_{name}": value for name, value in settings.items()},
    )
    yield site
    site.stop()


@pytest.fixture(params=["with JavaScript", "without JavaScript"])
def visitor(
    request: pytest.FixtureRequest, browser: Browser, team: Site
) -> Iterator[BrowserContext]:
    """A browser in which nobody is signed in; the test fails when the console complained about a page of the site."""
    context = browser.new_context(
        base_url=team.url, java_script_enabled=request.param == "with JavaScript"
    )
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        is_own = message.location.get("url", "").startswith(
            team.url
        )  # the provider's pages complain of their own
        is_refusal = "403 (Forbidden)" in message.text or "400 (Bad Request)" in message.text
        if is_own and message.type in {"error", "warning"} and not is_refusal:
            complaints.append(message.text)

    context.on("console", listen)
    yield context
    context.close()
    assert complaints == []


def go_to_provider(page: Page, path: str = "/add/") -> None:
    page.goto(f"/sign-in/?next={path}")
    page.get_by_role("button", name="Sign in with Example").click()
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()


def agree(page: Page, subject: str) -> None:
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def test_a_person_signs_in_comes_back_and_signs_out(visitor: BrowserContext, team: Site):
    page = visitor.new_page()
    go_to_provider(page)

    agree(page, "developer")

    expect(page).to_have_url(f"{team.url}/add/")
    page.goto("/account/sessions/")
    expect(page.get_by_role("main")).to_contain_text("this browser")
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("main")).to_contain_text("You are signed out everywhere")
    page.goto("/account/tokens/")
    expect(page).to_have_url(f"{team.url}/sign-in/?next=/account/tokens/")


@pytest.mark.deep
@pytest.mark.parametrize("visitor", ["without JavaScript"], indirect=True)
def test_their_groups_are_those_of_the_mapping(visitor: BrowserContext, team: Site):
    page = visitor.new_page()
    go_to_provider(page)
    agree(page, "developer")
    expect(page).to_have_url(f"{team.url}/add/")

    names = (
        "User.objects.get(username='dev').groups.values_list('name', flat=True).order_by('name')"
    )
    listed = team.manage(
        "shell",
        "--verbosity",
        "0",
        "-c",
        f"from accounts.models import User; print(*{names})",
    )

    assert listed.stdout.split() == ["publisher", "runner"]


@pytest.mark.deep
def test_whoever_is_in_no_group_is_refused(visitor: BrowserContext, team: Site):
    page = visitor.new_page()
    go_to_provider(page)

    agree(page, "outsider")

    expect(page.get_by_role("heading", level=1)).to_have_text("You may not sign in to this site")
    assert violations_of(page) == []
    page.goto("/account/tokens/")
    expect(page).to_have_url(f"{team.url}/sign-in/?next=/account/tokens/")


@pytest.mark.deep
def test_whoever_cancels_is_back_at_the_sign_in_page(visitor: BrowserContext, team: Site):
    page = visitor.new_page()
    go_to_provider(page)

    page.get_by_role("button", name="Deny").click()

    expect(page.get_by_role("main")).to_contain_text("You cancelled the sign-in with Example.")


@pytest.mark.deep
def test_the_answer_of_the_provider_works_once(visitor: BrowserContext, team: Site):
    page = visitor.new_page()
    answers: list[str] = []
    page.on(
        "request",
        lambda request: answers.append(request.url) if "/oidc/callback/" in request.url else None,
    )
    go_to_provider(page)
    agree(page, "developer")
    expect(page).to_have_url(f"{team.url}/add/")

    page.goto(answers[0])

    expect(page.get_by_role("heading", level=1)).to_have_text("Not signed in")
    expect(page.get_by_role("main")).to_contain_text("has been used")


@pytest.mark.deep
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sign_in_page_has_no_barrier(browser: Browser, team: Site, theme: str):
    context = browser.new_context(base_url=team.url, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()

    page.goto("/sign-in/")

    assert violations(page) == []
    context.close()


def violations_of(page: Page) -> list[str]:
    """As `violations`, which needs JavaScript."""
    is_scripted = page.evaluate("document.documentElement.classList.contains('js')")
    return violations(page) if is_scripted else []
