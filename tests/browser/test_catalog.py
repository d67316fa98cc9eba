"""The list of tools by keyboard, and the selection of several tools."""

from playwright.sync_api import Page, expect


def test_the_arrow_keys_lead_from_the_search_into_the_results_and_back(signed_in: Page):
    signed_in.goto("/tools/?q=convert")
    field = signed_in.locator("#q")
    results = signed_in.locator(".result-name a")
    field.focus()

    signed_in.keyboard.press("ArrowDown")
    expect(results.nth(0)).to_be_focused()
    signed_in.keyboard.press("ArrowDown")
    expect(results.nth(1)).to_be_focused()
    signed_in.keyboard.press("k")
    expect(results.nth(0)).to_be_focused()
    signed_in.keyboard.press("ArrowUp")
    expect(field).to_be_focused()


def test_escape_leaves_the_field_and_keeps_its_words(signed_in: Page):
    signed_in.goto("/tools/?q=convert")
    field = signed_in.locator("#q")
    field.focus()

    signed_in.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    expect(field).to_have_value("convert")
    signed_in.keyboard.press("j")
    expect(signed_in.locator(".result-name a").first).to_be_focused()


def test_selected_tools_are_counted_and_compared(signed_in: Page):
    signed_in.goto("/tools/")
    boxes = signed_in.locator(".result-pick")
    bar = signed_in.locator("#selection")
    expect(bar).to_be_hidden()

    boxes.nth(0).check()
    expect(bar).to_contain_text("1 selected")
    expect(bar.get_by_role("button", name="Compare two")).to_be_disabled()
    boxes.nth(1).check()
    bar.get_by_role("button", name="Compare two").click()

    expect(signed_in.get_by_role("heading", name="The specs")).to_be_visible()
