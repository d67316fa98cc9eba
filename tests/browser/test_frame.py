"""The frame of every page: its keys, its theme, its palette, its menu; and that it holds without JavaScript."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.site import Site


def test_a_slash_opens_the_palette(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("/")
    expect(signed_in.locator("#palette-query")).to_be_focused()
    signed_in.keyboard.type("weather")
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/?q=weather")
    expect(signed_in.locator(".result-name").first).to_be_visible()


def test_a_slash_goes_to_the_page_s_own_search_field(signed_in: Page):
    signed_in.goto("/tools/")

    signed_in.keyboard.press("/")

    expect(signed_in.locator("#q")).to_be_focused()
    expect(signed_in.locator("#palette")).to_be_hidden()
    signed_in.keyboard.press("Control+k")
    expect(signed_in.locator("#palette-query")).to_be_focused()


def test_the_keys_of_a_shortcut_stand_in_one_line(signed_in: Page):
    signed_in.set_viewport_size({"width": 360, "height": 800})
    signed_in.goto("/factories/")

    signed_in.keyboard.press("?")
    lines = signed_in.locator(".keys dt").evaluate_all(
        "all => all.map((row) => [...row.children].map((key) => key.getBoundingClientRect().top))"
    )

    assert len(lines) == 11
    assert [len(set(tops)) for tops in lines] == [1] * 11


@pytest.mark.deep
def test_a_slash_in_a_field_is_a_slash(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("/")
    signed_in.keyboard.type("a/b?")

    expect(signed_in.locator("#palette-query")).to_have_value("a/b?")
    expect(signed_in.locator("#keys")).to_be_hidden()


def test_the_palette_goes_to_a_tool(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.type("time zone")
    expect(selected(signed_in)).to_contain_text("Search the catalog for “time zone”")
    signed_in.get_by_role("option", name="convert_time_zone").click()

    signed_in.wait_for_url("**/tools/convert_time_zone/")


def test_the_palette_selects_the_tool_whose_complete_id_is_typed(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.insert_text("convert_units")
    expect(selected(signed_in)).to_contain_text("convert_units")
    expect(selected(signed_in)).not_to_contain_text("Search")
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/convert_units/")


def test_the_selection_stays_when_the_tools_arrive(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")

    with signed_in.expect_response("**/palette/?*"):
        signed_in.keyboard.type("add")
        signed_in.keyboard.press("ArrowUp")

    expect(signed_in.locator("#palette .palette-title", has_text="Tools").last).to_be_visible()
    expect(selected(signed_in)).to_have_text("Search the catalog for “add”")


def test_a_selected_tool_stays_selected_when_the_tools_arrive_again(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.insert_text("convert")
    expect(signed_in.get_by_role("option", name="convert_time_zone")).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    signed_in.route("**/palette/?*", hold)
    with signed_in.expect_request("**/palette/?*"):
        signed_in.keyboard.type("_")
    for _ in range(signed_in.locator("#palette [role=option]:visible").count()):
        if "convert_time_zone" not in selected(signed_in).inner_text():
            signed_in.keyboard.press("ArrowDown")

    answer = held[0].fetch().json()
    answer["tools"].insert(0, {"id": "new", "name": "new", "text": "", "href": "/tools/new/"})
    held[0].fulfill(json=answer)

    expect(signed_in.locator("#palette [data-href='/tools/new/']")).to_be_visible()
    expect(selected(signed_in)).to_contain_text("convert_time_zone")


def test_a_filter_is_completed_in_the_palette(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("/")
    signed_in.keyboard.type("convert is:dep")
    expect(signed_in.get_by_role("option", name="is:deprecated")).to_be_visible()

    signed_in.keyboard.press("ArrowDown")
    signed_in.keyboard.press("Enter")
    expect(signed_in.locator("#palette-query")).to_have_value("convert is:deprecated ")
    expect(selected(signed_in)).to_contain_text("Search the catalog for “convert is:deprecated”")
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/?q=convert+is%3Adeprecated*")
    expect(signed_in.locator("#q")).to_have_value(re.compile("is:deprecated"))


@pytest.mark.deep
def test_the_palette_goes_to_a_page_by_a_few_letters(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.type("upl")
    signed_in.locator("#palette [role=option]:visible", has_text="Add tools").click()

    signed_in.wait_for_url("**/add/")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("runs", "Runs"),
        ("add", "Add tools"),
        ("lint", "Lint rules"),
        ("theme", "Change the theme"),
    ],
)
def test_the_palette_selects_the_page_or_command_whose_name_is_typed(
    signed_in: Page, typed: str, name: str
):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")

    with signed_in.expect_response("**/palette/?*"):
        signed_in.keyboard.type(typed)

    expect(selected(signed_in)).to_have_text(name)


@pytest.mark.parametrize("typed", ["sign", "out"])
def test_the_palette_never_preselects_the_command_that_signs_out(signed_in: Page, typed: str):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")

    with signed_in.expect_response("**/palette/?*"):
        signed_in.keyboard.type(typed)

    expect(signed_in.get_by_role("option", name="Sign out")).to_be_visible()
    expect(selected(signed_in)).to_have_text(f"Search the catalog for “{typed}”")


def test_the_palette_offers_the_tools_that_were_read_last(signed_in: Page):
    signed_in.goto("/tools/convert_units/")
    signed_in.goto("/factories/")

    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/convert_units/")


def test_the_palette_offers_the_pages_of_the_open_tool(signed_in: Page):
    signed_in.goto("/tools/convert_units/")
    signed_in.keyboard.press("Control+k")
    expect(signed_in.locator("#palette .palette-title", has_text="convert_units")).to_be_visible()

    signed_in.keyboard.type("formats")
    expect(selected(signed_in)).to_have_text("Formats")
    signed_in.keyboard.press("Enter")

    signed_in.wait_for_url("**/tools/convert_units/formats/**")


def test_a_page_of_the_site_comes_before_one_of_the_open_tool(signed_in: Page):
    signed_in.goto("/tools/convert_units/")
    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.type("runs")

    expect(selected(signed_in)).to_have_attribute("data-href", "/runs/")


def test_the_palette_closes_and_gives_the_focus_back(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.locator(".bar-nav a", has_text="Runs").focus()

    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.press("Escape")

    expect(signed_in.locator("#palette")).to_be_hidden()
    expect(signed_in.locator(".bar-nav a", has_text="Runs")).to_be_focused()

    signed_in.keyboard.press("Control+k")
    signed_in.mouse.click(5, 5)

    expect(signed_in.locator("#palette")).to_be_hidden()
    expect(signed_in.locator(".bar-nav a", has_text="Runs")).to_be_focused()


def test_the_palette_takes_no_part_in_what_has_the_focus_when_a_page_opens(signed_in: Page):
    signed_in.goto("/account/tokens/")
    signed_in.get_by_label("Name").fill("palette")
    signed_in.get_by_role("button", name="Create").click()
    expect(signed_in.get_by_role("alert")).to_be_focused()

    signed_in.keyboard.press("Control+k")

    expect(signed_in.locator("#palette-query")).to_be_focused()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_bar_opens_the_palette_and_gets_the_focus_back(signed_in: Page, width: int):
    signed_in.set_viewport_size({"width": width, "height": 800})
    signed_in.goto("/tools/convert_units/")
    button = signed_in.get_by_role("button", name="Search or go to…")

    button.click()
    expect(
        signed_in.get_by_role("combobox", name="Search, or go to a tool or a page")
    ).to_be_focused()
    signed_in.locator("#palette").get_by_role("button", name="Close").click()

    expect(signed_in.locator("#palette")).to_be_hidden()
    expect(button).to_be_focused()


def test_without_javascript_the_palette_is_a_search_form(browser: Browser, site: Site):
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/factories/")

    page.get_by_role("button", name="Search or go to…").click()
    expect(page.get_by_role("textbox", name="Search, or go to a tool or a page")).to_be_focused()
    expect(page.get_by_role("listbox", include_hidden=True)).to_be_hidden()
    expect(page.locator("#palette")).not_to_have_attribute(
        "aria-modal", "true"
    )  # the page behind can be reached
    expect(page.locator("#palette").get_by_role("search")).to_be_visible()
    page.keyboard.type("weather")
    page.keyboard.press("Enter")

    page.wait_for_url("**/tools/?q=weather")
    context.close()


def test_behind_the_palette_nothing_is_reached_by_key_or_click(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")

    field, close = (
        signed_in.locator("#palette-query"),
        signed_in.locator("#palette").get_by_role("button", name="Close"),
    )
    expect(signed_in.locator("#palette")).to_have_attribute("aria-modal", "true")
    for key in ("Tab", "Shift+Tab"):
        signed_in.keyboard.press(key)
        expect(close).to_be_focused()
        signed_in.keyboard.press(key)
        expect(field).to_be_focused()
    signed_in.locator(".palette-title", has_text="Pages and commands").click()
    expect(field).to_be_focused()

    logo = signed_in.locator(".brand").bounding_box()
    assert logo is not None
    signed_in.mouse.click(logo["x"] + 5, logo["y"] + 5)
    expect(signed_in.locator("#palette")).to_be_hidden()
    assert signed_in.url.endswith("/factories/")


def test_close_is_pressed_by_keyboard(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("Control+k")

    signed_in.keyboard.press("Tab")
    signed_in.keyboard.press("Enter")

    expect(signed_in.locator("#palette")).to_be_hidden()
    assert signed_in.url.endswith("/factories/")


@pytest.mark.deep
def test_the_palette_stays_closed_over_a_dialog(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.keyboard.press("?")

    signed_in.keyboard.press("Control+k")

    expect(signed_in.locator("#palette")).to_be_hidden()
    expect(signed_in.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_the_keys_work_while_a_checkbox_has_the_focus(signed_in: Page):
    signed_in.goto("/organise/?q=convert")
    signed_in.locator("[name=archive]").focus()

    signed_in.keyboard.press("?")

    expect(signed_in.locator("#keys")).to_be_visible()


def test_a_question_mark_lists_the_keys(signed_in: Page):
    signed_in.goto("/factories/")

    signed_in.keyboard.press("?")

    expect(signed_in.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_the_theme_is_the_system_s_until_one_is_chosen(signed_in: Page):
    signed_in.emulate_media(color_scheme="dark")
    signed_in.goto("/factories/")

    assert background(signed_in) == "rgb(15, 20, 22)"

    signed_in.locator("[data-theme-switch]:visible").click()

    assert background(signed_in) == "rgb(255, 255, 255)"


def test_a_chosen_theme_is_remembered(signed_in: Page):
    signed_in.goto("/factories/")
    signed_in.locator("[data-theme-switch]:visible").click()
    signed_in.locator("[data-theme-switch]:visible").click()

    signed_in.goto("/runs/")

    assert signed_in.locator("html").get_attribute("data-theme") == "dark"
    expect(signed_in.locator("[data-theme-switch]:visible")).to_have_accessible_name("Theme: dark")


def test_without_javascript_the_menu_of_a_narrow_page_opens(browser: Browser, site: Site):
    context = browser.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page = context.new_page()
    page.goto(site.url + "/factories/")

    page.get_by_label("Menu", exact=True).first.click()
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Catalog").click()

    assert page.url == site.url + "/tools/"
    context.close()


@pytest.mark.parametrize("address", ["/", "/tools/"])
def test_without_javascript_nothing_is_offered_that_needs_it(
    browser: Browser, site: Site, address: str
):
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, java_script_enabled=False
    )
    page = context.new_page()

    page.goto(site.url + address)

    assert page.locator(".needs-js:visible").count() == 0
    context.close()


def test_the_bar_is_the_same_on_every_page(signed_in: Page):
    """The field of the catalog is wider: it is the page's own. It ends where the others do."""
    places = []
    for address in ("/", "/tools/", "/add/", "/runs/", "/help/", "/account/tokens/"):
        signed_in.goto(address)
        search = signed_in.locator(".bar-search, .bar-query").first.bounding_box()
        assert search is not None
        end = round(search["x"] + search["width"])
        places.append((end, signed_in.locator(".bar-nav a").first.bounding_box()))

    assert places == [places[0]] * len(places)


@pytest.mark.deep
@pytest.mark.parametrize(
    "address", ["/", "/tools/", "/runs/", "/help/", "/account/tokens/", "/help/search/"]
)
def test_the_content_begins_where_the_bar_does(signed_in: Page, address: str):
    signed_in.set_viewport_size({"width": 1920, "height": 1000})
    signed_in.goto(address)

    left = [
        signed_in.locator(part).first.bounding_box()
        for part in (".brand", "main > :not(.visually-hidden)")
    ]

    assert left[0] is not None
    assert left[1] is not None
    assert left[0]["x"] == left[1]["x"]


def test_a_star_is_given_and_removed_in_place(signed_in: Page, site: Site):
    signed_in.goto("/tools/hash_text/")
    star = signed_in.get_by_role("button", name="Star hash_text").first
    expect(star).to_have_attribute("aria-pressed", "false")

    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    signed_in.reload()
    expect(star).to_have_attribute("aria-pressed", "true")

    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    signed_in.reload()
    expect(star).to_have_attribute("aria-pressed", "false")


def test_a_starred_tool_that_was_not_run_lately_is_listed_as_starred(signed_in: Page, site: Site):
    signed_in.goto("/tools/outline_markdown/")
    star = signed_in.get_by_role("button", name="Star outline_markdown").first

    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    signed_in.goto("/")
    expect(signed_in.get_by_role("heading", name="Starred")).to_be_visible()
    signed_in.get_by_role("link", name="outline_markdown", exact=True).click()

    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    signed_in.goto("/")
    expect(signed_in.get_by_role("heading", name="Starred")).to_be_hidden()


def selected(page: Page) -> Locator:
    """The selected entry of the palette."""
    return page.locator("#palette [role=option][aria-selected=true]")


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


@pytest.mark.parametrize("address", ["/factories/", "/api/v1/docs"])
def test_on_a_narrow_page_the_lead_follows_the_title(signed_in: Page, address: str):
    signed_in.set_viewport_size({"width": 360, "height": 800})
    signed_in.goto(address)

    lead, actions = (
        signed_in.locator(f".page-header > {part}").bounding_box()
        for part in (".page-lead", ".page-actions")
    )

    assert lead
    assert actions
    assert lead["y"] < actions["y"]
