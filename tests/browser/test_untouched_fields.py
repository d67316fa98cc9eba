"""Required fields that nobody fills in: asked for at the field, and not sent, with scripts and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.site import Site

ADDRESS = "/tools/github-mcp-server.issue_write/try/"


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def person(
    browser: Browser, site: Site, session: StorageState, request: pytest.FixtureRequest
) -> Iterator[Page]:
    context = browser.new_context(
        base_url=site.url, storage_state=session, java_script_enabled=request.param
    )
    yield context.new_page()
    context.close()


def field(page: Page, name: str):
    return page.locator(f'[id="parameters:/.{name}"]')


def run(page: Page) -> None:
    page.locator("[data-run-button]").click()


def test_untouched_required_fields_are_asked_for_and_nothing_runs(person: Page):
    person.goto(ADDRESS)
    field(person, "method").select_option(label="create")

    run(person)

    expect(person.get_by_role("alert").get_by_role("link")).to_have_text(
        ["Enter owner", "Enter repo"]
    )
    expect(person.locator("main .field-error")).to_have_text(
        ["Error: Enter owner", "Error: Enter repo"]
    )
    expect(field(person, "owner")).to_have_attribute("aria-invalid", "true")
    expect(person.locator("#preview")).to_have_text('{\n  "method": "create"\n}')
    expect(person.locator("#run .verdict")).to_have_count(0)


def test_an_empty_text_is_sent_by_its_box_alone(person: Page):
    person.goto(ADDRESS)
    field(person, "method").select_option(label="create")
    field(person, "owner").fill("ada")
    field(person, "repo").focus()
    person.locator('input[name="parameters:x:/.repo"]').check()

    run(person)

    expect(person.get_by_role("alert")).to_have_count(0)
    expect(person.locator(".verdict").first).to_be_visible()
    assert person.get_by_role("main").inner_text().count('"repo": ""') >= 1


@pytest.mark.parametrize("person", [True], indirect=True, ids=["with scripts"])
def test_the_summary_has_the_focus_and_leads_into_the_first_empty_field(person: Page):
    person.goto(ADDRESS)
    field(person, "method").select_option(label="create")

    run(person)

    expect(person.get_by_role("alert")).to_be_focused()
    person.get_by_role("alert").get_by_role("link").first.click()
    expect(field(person, "owner")).to_be_focused()
