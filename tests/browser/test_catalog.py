"""The list of tools by keyboard."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.pages import Visitors
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


@pytest.mark.parametrize("width", [360, 768])
def test_the_button_of_the_filters_is_beside_the_number_of_tools(signed_in: Page, width: int):
    signed_in.set_viewport_size({"width": width, "height": 800})
    signed_in.goto("/tools/")
    button, number = (
        signed_in.locator(".facets-fold > summary"),
        signed_in.locator(".results-title"),
    )

    above, beside = button.bounding_box(), number.bounding_box()
    button.click()
    below = number.bounding_box()

    assert above is not None
    assert beside is not None
    assert below is not None
    assert above["y"] < beside["y"] + beside["height"] / 2 < above["y"] + above["height"]
    assert above["x"] >= beside["x"]
    assert below["y"] > above["y"] + above["height"]


def test_escape_leaves_the_field_and_keeps_its_words(signed_in: Page):
    signed_in.goto("/tools/?q=convert")
    field = signed_in.locator("#q")
    field.focus()

    signed_in.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    expect(field).to_have_value("convert")
    signed_in.keyboard.press("j")
    expect(signed_in.locator(".result-name a").first).to_be_focused()


def test_filters_are_suggested_while_typing_and_chosen_by_keyboard(signed_in: Page):
    signed_in.goto("/tools/")
    field = signed_in.locator("#q")
    options = signed_in.locator("#suggestions").get_by_role("option")
    field.press_sequentially("convert sco")

    expect(options).to_have_text(["score: with this lint score"])
    expect(field).to_have_attribute("aria-expanded", "true")
    signed_in.keyboard.press("ArrowDown")
    expect(field).to_have_attribute(
        "aria-activedescendant", options.first.get_attribute("id") or ""
    )
    signed_in.keyboard.press("Enter")
    expect(field).to_have_value("convert score:")

    expect(options.first).to_have_text("score:>=90 90 and above")
    options.first.click()
    expect(field).to_have_value("convert score:>=90 ")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")
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


def test_a_facet_and_an_order_are_links_and_the_order_stays_while_words_are_typed(signed_in: Page):
    signed_in.goto("/tools/?q=convert")
    signed_in.get_by_role("link", name="Runs here").click()
    expect(signed_in.locator("#q")).to_have_value("convert is:runnable ")

    signed_in.locator(".results-sort > summary").click()
    signed_in.get_by_role("link", name="Name", exact=True).click()
    signed_in.wait_for_url("**sort=name")
    signed_in.locator("#q").fill("text")

    signed_in.wait_for_url("**q=text*")
    assert "sort=name" in signed_in.url
    expect(signed_in.locator(".results-sort > summary")).to_contain_text("Name")


def test_a_starred_tool_is_found_by_its_star(signed_in: Page):
    signed_in.goto("/tools/convert_units/")
    star = signed_in.get_by_role("button", name="Star convert_units", exact=True)

    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    signed_in.goto("/tools/?q=is:starred")
    expect(signed_in.locator(".result-name")).to_have_text(["convert_units"])

    signed_in.goto("/tools/convert_units/")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("path", ["/tools/convert_units/settings/", "/organise/?q=convert"])
def test_a_field_for_a_tool_offers_those_that_match(signed_in: Page, path: str):
    signed_in.goto(path)

    signed_in.locator("#superseded_by").press_sequentially("time zone")

    expect(signed_in.locator("#successors option[value=convert_time_zone]")).to_have_count(1)


def test_a_suggested_tag_is_added_by_its_button_and_removed_again(visitors: Visitors):
    page = visitors.page_of("owner")
    page.goto("/tools/convert_units/settings/")
    field = page.locator("#tags")
    button = page.get_by_role("group", name="Suggested tags").get_by_role("button", name="finance")
    field.fill("length, ")

    button.click()
    expect(field).to_have_value("length, finance")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.press("Enter")
    expect(field).to_have_value("length")
    field.fill("Finance")
    expect(button).to_have_attribute("aria-pressed", "true")


def test_a_suggested_tag_replaces_the_tag_that_is_half_typed(visitors: Visitors):
    page = visitors.page_of("owner")
    page.goto("/tools/convert_units/settings/")
    field = page.locator("#tags")
    suggestions = page.locator(".tag-suggestions button:visible")
    field.fill("")
    count = suggestions.count()

    field.fill("length, fi")
    expect(suggestions).to_have_text(["finance"])
    suggestions.click()

    expect(field).to_have_value("length, finance")
    expect(suggestions).to_have_count(count)
    field.fill("length, xyz")
    expect(suggestions).to_have_count(count)
    page.locator(".tag-suggestions [value=finance]").click()
    expect(field).to_have_value("length, xyz, finance")


def test_the_name_of_a_toolkit_is_asked_for_only_if_it_is_custom(signed_in: Page):
    signed_in.goto("/tools/convert_units/settings/")
    name = signed_in.get_by_label("Toolkit name")

    expect(signed_in.get_by_label("From the id: none")).to_be_checked()
    expect(name).to_be_hidden()
    signed_in.get_by_label("Custom").check()

    expect(name).to_be_visible()


def test_the_link_to_sign_in_is_one_line(browser: Browser, site: Site):
    page = browser.new_page(base_url=site.url, viewport={"width": 1280, "height": 800})
    page.goto("/lint/")

    lines = page.locator("a[data-sign-in]").first.evaluate(
        "link => { const range = document.createRange(); range.selectNodeContents(link.lastChild);"
        " return range.getClientRects().length; }"
    )

    assert lines == 1
    page.close()


@pytest.mark.parametrize("path", ["/", "/tools/convert_units/"], ids=["home", "palette"])
def test_every_search_field_suggests_filters_and_leads_to_the_catalog(signed_in: Page, path: str):
    signed_in.goto(path)
    signed_in.keyboard.press("/")
    signed_in.keyboard.type("is:dep")

    signed_in.get_by_role("option", name="is:deprecated").click()
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/?q=is%3Adeprecated*")
    expect(signed_in.locator("#q")).to_have_value(re.compile("is:deprecated"))


def test_empty_fields_stay_out_of_the_address(signed_in: Page):
    signed_in.goto("/tools/")

    signed_in.locator("#q").fill("convert")

    expect(signed_in).to_have_url(re.compile(r"/tools/\?q=convert$"))


def test_a_long_description_is_folded_again_below_its_text(signed_in: Page):
    signed_in.goto("/tools/workspace-mcp.batch_update_doc/")

    signed_in.get_by_text("Read more").click()

    less, text = (
        signed_in.get_by_text("Show less"),
        signed_in.locator(".tool-purpose-fold > .prose"),
    )
    expect(signed_in.get_by_text("Read more")).to_be_hidden()
    assert less.bounding_box()["y"] > text.bounding_box()["y"]
    less.click()
    expect(less).to_be_hidden()
