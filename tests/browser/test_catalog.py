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
        signed_in.locator(".results-summary"),
    )

    above, beside = button.bounding_box(), number.bounding_box()
    button.click()
    below = number.bounding_box()

    assert above is not None
    assert beside is not None
    assert below is not None
    assert above["y"] < beside["y"] + beside["height"] / 2 < above["y"] + above["height"]
    assert above["x"] + above["width"] <= beside["x"]
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
    field.press_sequentially("convert run")

    expect(options).to_have_text(["runnable: that can be run, or not"])
    expect(field).to_have_attribute("aria-expanded", "true")
    signed_in.keyboard.press("ArrowDown")
    expect(field).to_have_attribute(
        "aria-activedescendant", options.first.get_attribute("id") or ""
    )
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
    expect(signed_in.locator("#q")).to_have_value("score:>=90 ")  # the next word can be typed


def test_the_preview_follows_the_keys_on_a_wide_screen_and_is_remembered(signed_in: Page):
    signed_in.set_viewport_size({"width": 1440, "height": 900})
    signed_in.goto("/tools/?q=convert")
    names = signed_in.locator(".result-name a")
    title = signed_in.locator(".tool-preview-name")
    rows_before = signed_in.locator(".results").bounding_box()
    expect(title).to_have_text(names.nth(0).inner_text())
    rows = signed_in.locator(".results").bounding_box()
    assert rows == rows_before  # the preview has its room from the first paint on
    signed_in.locator("#q").focus()
    signed_in.keyboard.press("ArrowDown")
    signed_in.keyboard.press("j")
    expect(title).to_have_text(names.nth(1).inner_text())
    assert signed_in.locator(".results").bounding_box() == rows  # nothing moves while it is read

    signed_in.locator("#q").fill("issue")
    expect(title).to_contain_text("issue")
    signed_in.get_by_role("button", name="Preview").click()
    signed_in.reload()
    expect(signed_in.get_by_role("button", name="Preview")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(signed_in.locator("#tool-preview")).to_be_hidden()
    signed_in.get_by_role("button", name="Preview").click()
    signed_in.reload()
    expect(title).to_contain_text("issue")
    signed_in.set_viewport_size({"width": 1280, "height": 900})
    expect(signed_in.locator("#tool-preview")).to_be_hidden()
    expect(signed_in.get_by_role("button", name="Preview")).to_be_hidden()


@pytest.mark.parametrize(("width", "fetched"), [(1280, 0), (1440, 1)])
def test_a_preview_is_fetched_once_and_only_for_a_wide_window(signed_in: Page, width, fetched):
    signed_in.set_viewport_size({"width": width, "height": 900})
    requests = []
    signed_in.on(
        "request",
        lambda request: requests.append(request.url) if "/preview/" in request.url else None,
    )

    signed_in.goto("/tools/?q=convert")
    signed_in.wait_for_load_state("networkidle")
    signed_in.set_viewport_size({"width": width, "height": 800})
    signed_in.wait_for_load_state("networkidle")

    assert len(requests) == fetched


def test_the_shown_order_follows_the_words(signed_in: Page):
    signed_in.goto("/tools/")
    order = signed_in.get_by_label("Sort")
    chosen = order.locator("option:checked")
    expect(chosen).to_have_text("Runnable first")

    signed_in.locator("#q").fill("convert")
    expect(chosen).to_have_text("Relevance")
    order.select_option("Runnable first")
    signed_in.wait_for_url("**sort=runnable")
    order.select_option("Relevance")
    signed_in.locator("#q").fill("")
    expect(chosen).to_have_text("Runnable first")


def test_one_order_is_offered_once_when_the_words_are_gone(signed_in: Page):
    signed_in.goto("/tools/?q=convert&sort=runnable")
    options = signed_in.get_by_label("Sort").locator(
        "option:not([hidden])", has_text="Runnable first"
    )
    expect(options).to_have_count(1)

    signed_in.locator("#q").fill("")

    expect(options).to_have_count(1)
    expect(signed_in.get_by_label("Sort")).to_have_value("")
    signed_in.goto("/tools/?sort=runnable")
    expect(options).to_have_count(1)
    expect(signed_in.get_by_label("Sort")).to_have_value("")


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
    page.goto("/toolkits/")

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
    expect(signed_in.locator(".active-filter").first).to_contain_text("is:deprecated")


def test_toolkits_are_found_while_typing_and_stay_in_the_address(signed_in: Page):
    signed_in.goto("/toolkits/?order=name")

    signed_in.get_by_role("searchbox", name="Find a toolkit by its name").fill("space")

    expect(signed_in.locator(".toolkit-card")).to_have_count(1)
    expect(signed_in).to_have_url(re.compile(r"/toolkits/\?order=name&q=space$"))
    expect(signed_in.get_by_role("link", name="Largest first")).to_have_attribute(
        "href", "?q=space"
    )


def test_a_toolkit_is_searched_from_its_page(signed_in: Page):
    signed_in.goto("/toolkits/workspacemcp/")

    signed_in.get_by_role("searchbox", name="Search this toolkit").fill("doc")
    signed_in.keyboard.press("Enter")

    expect(signed_in).to_have_url(re.compile(r"/tools/\?toolkit=workspace-mcp&q=doc$"))


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


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("words", ["issue", "text"])
def test_a_marked_word_that_is_cut_off_leaves_no_colour_behind(
    signed_in: Page, words: str, width: int
):
    signed_in.set_viewport_size({"width": width, "height": 2_000})
    signed_in.goto(f"/tools/?q={words}")
    expect(signed_in.locator(".results mark").first).to_be_visible()

    lines, coloured = signed_in.evaluate(
        """() => {
          const cut = [...document.querySelectorAll(".result-text, .result-id, .result-why code")].filter((line) =>
            line.scrollWidth > line.clientWidth && line.querySelector("mark"));
          const ends = cut.map((line) => {
            const { right, top, height } = line.getBoundingClientRect();
            const marks = document.elementsFromPoint(right - 2, top + height / 2).filter((one) => one.matches("mark"));
            return marks.filter((mark) => mark.getBoundingClientRect().right > right).length;
          });
          return [cut.length, ends.reduce((sum, count) => sum + count, 0)];
        }"""
    )

    assert lines > 0
    assert coloured == 0
