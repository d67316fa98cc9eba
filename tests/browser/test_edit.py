"""Editing a spec: what the draft means follows the text, and the browser stores the draft."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.site import Site

ADDRESS = "/tools/convert_units/edit/"


@pytest.fixture
def edit(signed_in: Page):
    signed_in.goto(ADDRESS)
    expect(signed_in.locator("json-editor .cm-content")).to_be_visible()
    return signed_in


def change(page: Page, old: str, new: str) -> None:
    page.locator("json-editor").evaluate(
        "(editor, [old, now]) => editor.write(editor.textarea.value.replace(old, now))", [old, new]
    )


def test_impact_follows_the_text_and_leads_to_its_line(edit: Page):
    change(edit, '"maximum": 15', '"maximum": 9')

    expect(edit.locator("#draft-impact")).to_contain_text("1 breaking change")
    edit.locator("#draft-impact").get_by_role("link", name="line 33").click()
    expect(edit.locator("json-editor .cm-activeLine")).to_contain_text('"maximum": 9')


def test_a_problem_leaves_the_rest_of_the_page_until_it_is_fixed(edit: Page):
    change(edit, '"definition"', "'definition'")

    expect(edit.locator("#draft-problems")).to_contain_text("1 problem in the spec")
    expect(edit.locator("#draft-impact")).to_be_visible()
    edit.get_by_role("button", name="Use double quotes").click()
    expect(edit.locator("#draft-problems .problem")).to_have_count(0)


def test_a_draft_is_stored_until_it_is_discarded(edit: Page):
    change(edit, '"maximum": 15', '"maximum": 9')
    expect(edit.locator("#draft-stored")).to_contain_text("Draft stored just now")

    edit.goto(ADDRESS)

    expect(edit.locator("#draft-impact")).to_contain_text("1 breaking change")
    edit.get_by_role("link", name="Discard").click()
    expect(edit.locator("#draft-impact")).to_contain_text("Nothing has changed yet")


def stored_drafts(page: Page) -> int:
    return page.evaluate(
        "() => Object.keys(localStorage).filter((name) => name.startsWith('toolshelf.draft.')).length"
    )


def test_a_published_draft_is_no_longer_stored(edit: Page):
    change(edit, '"maximum": 15', '"maximum": 9')
    expect(edit.locator("#draft-impact")).to_contain_text("1 breaking change")
    # Other tests need the tool as it is.
    edit.route(f"**{ADDRESS}", lambda route: route.fulfill(body="Published"))

    edit.locator("button[name=use][value=publish]").click()

    expect(edit.locator("body")).to_have_text("Published")
    edit.goto("/tools/")
    assert stored_drafts(edit) == 0


def test_signing_out_removes_the_stored_drafts(edit: Page):
    change(edit, '"maximum": 15', '"maximum": 9')
    expect(edit.locator("#draft-stored")).to_contain_text("Draft stored just now")
    # The session of the other tests goes on.
    edit.route("**/sign-out/", lambda route: route.fulfill(body="Signed out"))

    edit.locator("[data-sign-out-form]").first.evaluate("(form) => form.requestSubmit()")

    expect(edit.locator("body")).to_have_text("Signed out")
    edit.goto("/tools/")
    assert stored_drafts(edit) == 0


def test_a_limit_is_shown_beside_the_spec(browser: Browser, site: Site, session: StorageState):
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto(ADDRESS)
    expect(page.locator("json-editor .cm-content")).to_be_visible()
    message = "You have checked specs too often"
    page.route(f"**{ADDRESS}", lambda route: route.fulfill(status=429, body=f"<p>{message}</p>"))

    change(page, '"maximum": 15', '"maximum": 9')

    expect(page.locator("#draft-problems")).to_contain_text(message)
    expect(page.locator("#draft-impact")).to_be_visible()
    context.close()


def test_a_button_of_the_form_changes_only_the_form(edit: Page):
    edit.get_by_role("tab", name="Form").click()

    edit.get_by_role("button", name="Show type selectors").click()

    expect(edit.get_by_role("button", name="Hide type selectors")).to_be_visible()
    assert edit.url.split("#")[0].endswith(ADDRESS)


def test_keys_open_and_close_the_page(signed_in: Page):
    signed_in.goto("/tools/convert_units/")

    signed_in.keyboard.press("e")
    signed_in.wait_for_url(f"**{ADDRESS}")
    signed_in.keyboard.press("Escape")

    signed_in.wait_for_url("**/tools/convert_units/")


def test_on_a_phone_the_spec_is_the_first_tab(signed_in: Page):
    signed_in.set_viewport_size({"width": 360, "height": 780})

    signed_in.goto(ADDRESS)

    expect(signed_in.get_by_role("tab", name="Spec")).to_have_attribute("aria-selected", "true")
    signed_in.get_by_role("tab", name="Docs").click()
    expect(signed_in.locator("json-editor")).to_be_hidden()
    expect(signed_in.locator("#draft-docs")).to_be_visible()
