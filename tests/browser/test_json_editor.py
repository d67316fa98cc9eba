"""The JSON editor: comfort over a textarea, which stays what is sent."""

import json

from playwright.sync_api import Browser, Page, expect

from tests.site import Site

SPEC = {"definition": {"name": "typed_by_hand", "description": "Typed into the editor."}}


def editor(page: Page):
    return page.locator("json-editor").first.locator(".cm-content")


def test_typed_text_is_sent(signed_in: Page):
    signed_in.goto("/upload/")

    editor(signed_in).click()
    signed_in.keyboard.insert_text(json.dumps(SPEC))
    signed_in.get_by_role("button", name="Publish").click()

    expect(signed_in.get_by_role("main")).to_contain_text("typed_by_hand")


def test_typing_over_a_selection_breaks_no_policy(signed_in: Page):
    signed_in.goto("/upload/")

    editor(signed_in).click()
    signed_in.keyboard.insert_text('{"a": [1, 2, 3]}')
    signed_in.keyboard.press("Control+a")
    signed_in.keyboard.type('["b')

    expect(signed_in.locator("#text")).to_have_value('["b"]')


def test_tab_leaves_the_editor(signed_in: Page):
    signed_in.goto("/upload/")

    editor(signed_in).click()
    signed_in.keyboard.press("Tab")

    assert signed_in.evaluate("document.activeElement.tagName") != "JSON-EDITOR"


def test_a_label_leads_into_the_editor(signed_in: Page):
    signed_in.goto("/upload/")
    expect(editor(signed_in)).to_be_visible()

    signed_in.locator("label[for=text]").click()

    assert signed_in.evaluate("document.activeElement.tagName") == "JSON-EDITOR"


def test_the_editor_is_called_and_described_as_its_field(signed_in: Page):
    signed_in.goto("/upload/")

    expect(editor(signed_in)).to_have_attribute("aria-label", "Or paste")
    expect(editor(signed_in)).to_have_attribute("aria-description", signed_in.locator("#text-hint").inner_text())


def test_without_javascript_it_is_a_textarea(browser: Browser, site: Site, session):
    context = browser.new_context(java_script_enabled=False, storage_state=session)
    page = context.new_page()

    page.goto(site.url + "/upload/")

    expect(page.locator("#text")).to_be_visible()
    context.close()


def test_members_and_values_are_completed_from_the_schema(signed_in: Page):
    signed_in.goto("/tools/encode_text/try/")
    signed_in.get_by_role("button", name="JSON").first.click()
    text = signed_in.locator("json-editor textarea").first
    editor(signed_in).click()
    signed_in.keyboard.press("Control+a")
    signed_in.keyboard.press("Delete")

    def accept():
        signed_in.wait_for_timeout(200)  # the editor ignores Enter just after the list has opened
        signed_in.keyboard.press("Enter")

    signed_in.keyboard.type('{"te')
    options = signed_in.locator("json-editor [role=listbox] [role=option]")
    expect(options.first).to_contain_text('"text"string, required')
    accept()
    signed_in.keyboard.type('"a", "steps": [{"sch')
    expect(options.first).to_contain_text('"scheme"')
    accept()
    signed_in.keyboard.type('"base6')
    expect(options.first).to_contain_text('"base64"')
    accept()

    expect(text).to_have_value('{"text": "a", "steps": [{"scheme": "base64"}]}')
    signed_in.keyboard.press("Tab")
    assert signed_in.evaluate("document.activeElement.tagName") != "JSON-EDITOR"
