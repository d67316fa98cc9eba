"""The list of tools by keyboard, and the selection of several tools."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site import Site


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


def test_filters_are_suggested_while_typing_and_chosen_by_keyboard(signed_in: Page):
    signed_in.goto("/tools/")
    field = signed_in.locator("#q")
    options = signed_in.locator("#suggestions").get_by_role("option")
    field.press_sequentially("convert run")

    expect(options).to_have_text(["runnable: that can be run, or not"])
    expect(field).to_have_attribute("aria-expanded", "true")
    signed_in.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", options.first.get_attribute("id") or "")
    signed_in.keyboard.press("Enter")
    expect(field).to_have_value("convert runnable:")

    expect(options).to_have_text(["runnable:yes", "runnable:no"])
    options.first.click()
    expect(field).to_have_value("convert runnable:yes ")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(signed_in.locator(".active-filter")).to_contain_text(["runnable:yes", "“convert”"])
    expect(signed_in.locator(".result-name").first).to_contain_text("convert")


def test_a_filter_is_suggested_at_the_cursor_within_a_query(signed_in: Page):
    signed_in.goto("/tools/?q=is:+convert")
    field = signed_in.locator("#q")
    field.evaluate("field => { field.focus(); field.setSelectionRange(3, 3); }")

    signed_in.keyboard.type("dep")
    signed_in.get_by_role("option", name="is:deprecated").click()

    expect(field).to_have_value("is:deprecated  convert")


def test_escape_closes_the_suggestions_first_and_enter_searches_without_a_choice(signed_in: Page):
    signed_in.goto("/tools/")
    field = signed_in.locator("#q")
    suggestions = signed_in.locator("#suggestions")
    field.press_sequentially("is:")
    expect(suggestions).to_be_visible()

    signed_in.keyboard.press("Escape")
    expect(suggestions).to_be_hidden()
    expect(field).to_be_focused()
    signed_in.keyboard.type("d")
    expect(suggestions).to_be_visible()
    signed_in.keyboard.press("Enter")
    expect(suggestions).to_be_hidden()
    expect(field).to_have_value("is:d")


def test_the_examples_of_queries_are_links(signed_in: Page):
    signed_in.goto("/tools/")
    signed_in.locator("summary[aria-label='How to search']").click()

    signed_in.get_by_role("link", name="score:>=90").click()

    signed_in.wait_for_url("**/tools/?q=score%3A%3E%3D90")
    expect(signed_in.locator("#q")).to_have_value("score:>=90")


def test_the_preview_follows_the_keys_on_a_wide_screen_and_is_remembered(signed_in: Page):
    signed_in.set_viewport_size({"width": 1440, "height": 900})
    signed_in.goto("/tools/?q=convert")
    names = signed_in.locator(".result-name a")
    title = signed_in.locator(".tool-preview-name")
    rows_before = signed_in.locator(".results").bounding_box()
    expect(signed_in.locator("#tool-preview")).to_be_hidden()
    signed_in.get_by_role("button", name="Preview").click()

    expect(title).to_have_text(names.nth(0).inner_text())
    rows = signed_in.locator(".results").bounding_box()
    assert rows is not None
    assert rows_before is not None
    assert rows["width"] < rows_before["width"]
    signed_in.locator("#q").focus()
    signed_in.keyboard.press("ArrowDown")
    signed_in.keyboard.press("j")
    expect(title).to_have_text(names.nth(1).inner_text())
    assert signed_in.locator(".results").bounding_box() == rows  # nothing moves while it is read

    signed_in.reload()
    expect(title).to_have_text(names.nth(0).inner_text())
    signed_in.locator("#q").fill("issue")
    expect(title).to_contain_text("issue")
    signed_in.set_viewport_size({"width": 1280, "height": 900})
    expect(signed_in.locator("#tool-preview")).to_be_hidden()
    expect(signed_in.get_by_role("button", name="Preview")).to_be_hidden()


def test_rows_are_compact_if_chosen_and_stay_so(signed_in: Page):
    signed_in.goto("/tools/")
    button = signed_in.get_by_role("button", name="Compact rows")
    expect(signed_in.locator(".result-text").first).to_be_visible()

    button.click()

    expect(button).to_have_attribute("aria-pressed", "true")
    expect(signed_in.locator(".result-text").first).to_be_hidden()
    signed_in.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(signed_in.locator(".result-text").first).to_be_hidden()
    button.click()
    expect(signed_in.locator(".result-text").first).to_be_visible()


def test_a_tool_is_starred_in_its_row_and_found_by_its_star(signed_in: Page):
    signed_in.goto("/tools/?q=convert_units")
    star = signed_in.get_by_role("button", name="Star convert_units", exact=True)
    expect(star).to_have_attribute("aria-pressed", "false")

    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    signed_in.goto("/tools/?q=is:starred")
    expect(signed_in.locator(".result-name")).to_have_text(["convert_units"])

    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    signed_in.reload()
    expect(signed_in.locator(".result-name")).to_have_count(0)


@pytest.mark.parametrize("path", ["/tools/convert_units/organise/", "/selection/?tool=convert_units"])
def test_a_field_for_a_tool_offers_those_that_match(signed_in: Page, path: str):
    signed_in.goto(path)

    signed_in.locator("#superseded_by").press_sequentially("time zone")

    expect(signed_in.locator("#successors option[value=convert_time_zone]")).to_have_count(1)


def test_the_link_to_sign_in_is_one_line(browser: Browser, site: Site):
    page = browser.new_page(base_url=site.url, viewport={"width": 1280, "height": 800})
    page.goto("/toolkits/")

    lines = page.locator("a[data-sign-in]").first.evaluate(
        "link => { const range = document.createRange(); range.selectNodeContents(link.lastChild);"
        " return range.getClientRects().length; }"
    )

    assert lines == 1
    page.close()


@pytest.mark.parametrize("width", [360, 768, 1024, 1160])
def test_the_suggestions_below_the_bar_stay_in_the_window(signed_in: Page, width: int):
    signed_in.set_viewport_size({"width": width, "height": 700})
    signed_in.goto("/tools/convert_units/")
    signed_in.locator("#bar-q").press_sequentially("is:dep")

    expect(signed_in.locator("#suggestions")).to_be_visible()
    box = signed_in.locator("#suggestions").bounding_box()

    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert signed_in.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("path", ["/", "/tools/convert_units/"], ids=["home", "bar"])
def test_every_search_field_suggests_filters_and_leads_to_the_catalog(signed_in: Page, path: str):
    signed_in.goto(path)
    signed_in.keyboard.press("/")
    signed_in.keyboard.type("is:dep")

    signed_in.get_by_role("option", name="is:deprecated").click()
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/?q=is%3Adeprecated*")
    expect(signed_in.locator(".active-filter").first).to_contain_text("is:deprecated")
