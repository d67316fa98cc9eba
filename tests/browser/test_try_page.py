"""The Try page: borders, one run at a time, the live preview, the title, the history, narrow windows, and Share."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.test_accessibility import violations
from tests.browser.test_playground import run_button
from tests.site import Site
from tests.site_accounts import id_of, person, sign_in_link, sql

SLOW = '/tools/count_slowly/try/?parameters={"steps":50,"seconds":50}'
BRIEF = '/tools/count_slowly/try/?parameters={"steps":3,"seconds":3}'
CONVERT = "/tools/convert_units/try/?example=1"


@pytest.fixture
def without_scripts(browser: Browser, site: Site, session: StorageState) -> Iterator[Page]:
    """A page of a person who has signed in, in a browser that runs no scripts."""
    context = browser.new_context(
        base_url=site.url, java_script_enabled=False, storage_state=session
    )
    yield context.new_page()
    context.close()


def finished_run(page: Page, address: str) -> str:
    """The id of a run that was started on the page at `address`; it is shown there, and in the history."""
    page.goto(address)
    run_button(page).click()
    expect(page.locator("#run .run-facts")).to_be_visible()
    run = str(page.locator("#run .result-of-run").get_attribute("id")).removeprefix("result-")
    expect(page.locator(f'#history [data-run="{run}"][data-ended]')).to_be_visible()
    return run


@pytest.mark.deep
@pytest.mark.parametrize(("key", "size"), [("ArrowRight", "36"), ("End", "75")])
def test_the_border_is_moved_by_keyboard_and_remembered(signed_in: Page, key: str, size: str):
    signed_in.goto(CONVERT)
    zone, border = signed_in.locator("#try-input"), signed_in.locator("[data-border]")
    before = zone.bounding_box()

    border.press(key)

    expect(border).to_have_attribute("aria-valuenow", size)
    moved = zone.bounding_box()
    assert moved != before
    signed_in.reload()
    expect(border).to_have_attribute("aria-valuenow", size)
    assert zone.bounding_box() == moved


def test_escape_cancels_a_run(signed_in: Page):
    signed_in.goto(SLOW)
    run_button(signed_in).click()
    expect(signed_in.locator("#run .run-progress")).to_be_visible()

    signed_in.keyboard.press("Escape")

    expect(signed_in.locator("#run .verdict")).to_contain_text("Cancelled")
    expect(signed_in.locator("#run")).to_contain_text("The run was cancelled")
    expect(signed_in.locator("#run .run-error")).to_have_count(0)


def test_keys_in_the_palette_neither_cancel_nor_start_a_run(signed_in: Page):
    started: list[str] = []
    signed_in.on(
        "request",
        lambda request: started.append(request.url) if b'name="run"' in sent(request) else None,
    )
    signed_in.goto(SLOW)
    run_button(signed_in).click()
    expect(signed_in.locator("#run .run-progress")).to_be_visible()

    signed_in.keyboard.press("Control+k")
    expect(signed_in.locator("#palette")).to_be_visible()
    signed_in.keyboard.press("Escape")
    expect(signed_in.locator("#palette")).to_be_hidden()

    expect(signed_in.locator("#run .run-progress")).to_be_visible()
    signed_in.keyboard.press("Escape")
    expect(signed_in.locator("#run .verdict")).to_contain_text("Cancelled")
    signed_in.keyboard.press("Control+k")
    signed_in.keyboard.type("runs")
    signed_in.keyboard.press("Control+Enter")
    signed_in.wait_for_url("**/runs/**")
    assert len(started) == 1


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_enter_in_the_name_of_an_input_saves_it_and_starts_no_run(
    signed_in: Page, without_scripts: Page, has_scripts
):
    page = signed_in if has_scripts else without_scripts
    name = "by Enter" if has_scripts else "by Enter without scripts"
    page.goto(CONVERT)
    page.locator("#inputs > summary").click()

    page.get_by_label("Save this input as").fill(name)
    page.get_by_label("Save this input as").press("Enter")

    expect(page.get_by_text(f"Saved “{name}”.")).to_be_visible()
    expect(page.locator(".result-of-run")).to_have_count(0)


def test_enter_in_the_name_of_a_configuration_saves_it_and_starts_no_run(signed_in: Page):
    signed_in.goto('/tools/sign_text/try/?parameters={"text": "a"}')
    signed_in.locator("#configuration-fold > summary").click()
    signed_in.get_by_label("key").first.fill("hunter22-hunter22")
    signed_in.get_by_text("Save this configuration").click()

    signed_in.get_by_label("Name", exact=True).fill("by Enter")
    signed_in.get_by_label("Name", exact=True).press("Enter")

    expect(signed_in.locator("#saved")).to_have_value("by Enter")
    expect(signed_in.locator(".result-of-run")).to_have_count(0)


def test_ctrl_enter_during_a_run_starts_no_second_one(signed_in: Page):
    started: list[str] = []
    signed_in.on(
        "request",
        lambda request: started.append(request.url) if b'name="run"' in sent(request) else None,
    )
    signed_in.goto(SLOW)
    field = signed_in.get_by_label("steps").first
    field.press("Control+Enter")
    expect(signed_in.locator("#run .run-progress")).to_be_visible()

    field.press("Control+Enter")
    field.press("Escape")

    expect(signed_in.locator("#run .verdict")).to_contain_text("Cancelled")
    assert len(started) == 1
    field.press("Control+Enter")
    expect(signed_in.locator("#run .run-progress")).to_be_visible()
    assert len(started) == 2
    field.press("Escape")
    expect(signed_in.locator("#run .verdict")).to_contain_text("Cancelled")


def sent(request) -> bytes:
    return request.post_data_buffer or b""


def test_the_preview_follows_what_is_typed(signed_in: Page):
    signed_in.goto(CONVERT)
    field = signed_in.get_by_label("from_unit").first
    field.clear()

    field.press_sequentially("mile")

    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "mile"')
    expect(field).to_be_focused()
    expect(field).to_have_value("mile")


def test_a_number_that_cannot_be_read_is_marked_when_it_is_left(signed_in: Page):
    signed_in.goto(CONVERT)
    field = signed_in.get_by_label("value").first
    field.fill("abc")
    expect(signed_in.locator("#left-out")).to_contain_text("Left out: value")
    assert field.get_attribute("aria-invalid") is None

    field.press("Tab")

    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("“abc” is not a number"))
    field.fill("7")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(signed_in.locator(".field-error")).to_have_count(0)


def test_the_number_of_runs_in_the_header_grows_with_the_history(signed_in: Page):
    finished_run(signed_in, CONVERT)
    signed_in.reload()
    number = int(signed_in.locator("#tab-runs .count").inner_text())

    signed_in.get_by_label("value").first.fill("9")
    run_button(signed_in).click()

    expect(signed_in.locator("#tab-runs .count")).to_have_text(str(number + 1))


def test_a_result_says_that_the_input_has_changed_and_offers_its_own(signed_in: Page):
    page = signed_in
    run = finished_run(page, CONVERT)
    notice = page.get_by_text("The input has changed since this run")
    field = page.get_by_label("value").first
    expect(notice).to_be_hidden()

    field.fill("7")
    expect(notice).to_be_visible()
    field.fill("42.195")
    expect(notice).to_be_hidden()
    field.fill("8")
    run_button(page).click()
    page.wait_for_url(lambda url: "?run=" in url and run not in url)
    expect(notice).to_be_hidden()
    page.locator(f'[data-run="{run}"]').click()
    expect(notice).to_be_visible()
    assert page.url.endswith(f"/try/?run={run}")
    page.reload()
    expect(field).to_have_value("8")

    page.get_by_role("button", name="Use this input").click()

    expect(field).to_have_value("42.195")
    expect(notice).to_be_hidden()


@pytest.mark.deep
def test_the_title_of_a_hidden_page_shows_the_end_of_a_run(signed_in: Page):
    signed_in.add_init_script(
        "Object.defineProperty(document, 'hidden', { get: () => window.isAway ?? false })"
    )
    signed_in.goto(BRIEF)
    usual = signed_in.title()
    run_button(signed_in).click()
    expect(signed_in).to_have_title(f"Running… {usual}")

    signed_in.evaluate("() => { window.isAway = true; }")

    expect(signed_in).to_have_title(re.compile(f"^● .*Matches.* · {re.escape(usual)}$"))
    signed_in.evaluate(
        "() => { window.isAway = false; document.dispatchEvent(new Event('visibilitychange')); }"
    )
    expect(signed_in).to_have_title(usual)


def test_a_click_with_shift_compares_two_runs(signed_in: Page):
    first, second = finished_run(signed_in, CONVERT), finished_run(signed_in, CONVERT)

    signed_in.locator(f'[data-run="{first}"]').click(modifiers=["Shift"])

    signed_in.wait_for_url(f"**/runs/{first}..{second}/")
    expect(signed_in.get_by_role("heading", level=2).first).to_have_text("Two runs compared")


def test_a_mock_that_is_not_saved_is_no_run_to_compare(
    browser: Browser, signed_in: Page, site: Site
):
    earlier = finished_run(signed_in, CONVERT)
    mara = person(site, "mara")
    group = "INSERT INTO accounts_user_groups (user_id, group_id) SELECT ?, id FROM auth_group WHERE name = 'reader'"
    sql(site, group, id_of(site, mara))
    sql(site, "UPDATE playground_run SET by_id = ? WHERE id = ?", id_of(site, mara), earlier)
    context = browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(sign_in_link(site, mara))
    page.get_by_role("button", name="Sign in as mara").click()
    page.goto(CONVERT)
    requests: list[str] = []
    context.on("request", lambda request: requests.append(request.url))

    page.get_by_label("Mock", exact=True).check()
    page.locator("[data-run-button]").click()
    expect(page.locator("#run .verdict")).to_be_visible()
    expect(page.locator("[data-try]")).to_have_attribute("data-shown", "result")
    page.locator(f'[data-run="{earlier}"]').click(modifiers=["Shift"])
    page.locator(f'[data-run="{earlier}"]').click()

    expect(page.locator("#run .link-to-run a")).to_have_attribute("href", f"/runs/{earlier}/")
    assert [url for url in requests if "part=history" in url or "compare=" in url] == []
    context.close()


@pytest.mark.deep
def test_two_runs_are_compared_without_scripts(signed_in: Page, without_scripts: Page):
    first, second = finished_run(signed_in, CONVERT), finished_run(signed_in, CONVERT)
    without_scripts.goto(f"/tools/convert_units/try/?run={second}")

    without_scripts.get_by_label("Compare the run shown with").select_option(first)
    without_scripts.get_by_role("button", name="Compare", exact=True).click()

    without_scripts.wait_for_url(f"**/runs/{first}..{second}/")


def test_a_narrow_window_shows_the_input_or_the_result(signed_in: Page):
    signed_in.set_viewport_size({"width": 360, "height": 780})
    signed_in.goto(CONVERT)
    tabs = signed_in.get_by_role("group", name="Show", exact=True)
    given, result = signed_in.locator("#try-input"), signed_in.locator("#try-result")
    expect(given).to_be_visible()
    expect(result).to_be_hidden()

    tabs.get_by_role("button", name="Result").click()
    expect(result).to_be_visible()
    expect(given).to_be_hidden()
    tabs.get_by_role("button", name="Input").click()
    expect(given).to_be_visible()
    run_button(signed_in).click()

    expect(signed_in.locator("#run .verdict")).to_be_visible()
    expect(tabs.get_by_role("button", name="Result")).to_have_attribute("aria-pressed", "true")
    expect(given).to_be_hidden()


def test_share_copies_an_address_that_opens_the_same_input(signed_in: Page):
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(CONVERT)
    signed_in.get_by_label("from_unit").first.fill("mile")

    signed_in.get_by_role("button", name="Share", exact=True).click()

    address = signed_in.get_by_label("URL", exact=True)
    expect(address).to_have_value(re.compile("/tools/convert_units/try/[?]revision=1&parameters="))
    signed_in.wait_for_function(
        "async () => await navigator.clipboard.readText() === document.getElementById('input-address').value"
    )
    copied = address.input_value()
    signed_in.get_by_label("from_unit").first.fill("foot")
    expect(address).to_have_count(0)
    signed_in.goto(copied)
    expect(signed_in.get_by_label("from_unit").first).to_have_value("mile")


def test_share_shows_the_address_without_scripts(without_scripts: Page):
    without_scripts.goto(CONVERT)

    without_scripts.get_by_role("button", name="Share", exact=True).click()

    copied = without_scripts.get_by_label("URL", exact=True).input_value()
    without_scripts.goto(copied)
    expect(without_scripts.get_by_label("from_unit").first).to_have_value("km")


@pytest.mark.deep
@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_a_shared_address_is_no_barrier(signed_in: Page, theme: str, width: int):
    signed_in.emulate_media(color_scheme=theme, reduced_motion="reduce")
    signed_in.set_viewport_size({"width": width, "height": 900})
    signed_in.goto(CONVERT)
    signed_in.get_by_role("button", name="Share", exact=True).click()
    expect(signed_in.get_by_label("URL", exact=True)).to_be_visible()

    assert violations(signed_in) == []
    assert signed_in.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 360])
def test_the_first_wrong_field_is_visible_below_the_summary(signed_in: Page, width: int):
    page = signed_in
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/tools/convert_units/try/")

    run_button(page).click()

    expect(page.locator(".error-summary")).to_be_focused()
    links = page.locator(".error-summary").get_by_role("link")
    expect(links).to_have_text(["Enter value", "Enter from_unit", "Enter to_unit"])
    assert len({link.bounding_box()["y"] for link in links.all()}) == 1
    for field in (page.get_by_label("value").first, page.get_by_label("from_unit").first):
        box = field.bounding_box()
        assert box["y"] + box["height"] < page.locator(".run-bar").bounding_box()["y"]


@pytest.mark.parametrize("width", [1280, 360])
def test_the_examples_are_a_menu_that_closes_when_one_is_chosen(signed_in: Page, width: int):
    page = signed_in
    page.set_viewport_size({"width": width, "height": 780})
    page.goto("/tools/convert_units/try/")
    choices, menu = page.locator("#inputs .menu-item"), page.locator("#inputs > summary")
    expect(choices.first).to_be_hidden()

    menu.click()
    for choice in choices.all():
        expect(choice).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="2. A warm day").click()

    expect(page.get_by_label("from_unit").first).to_have_value("degC")
    expect(choices.first).to_be_hidden()
    expect(menu).to_be_focused()


@pytest.mark.deep
def test_an_example_is_chosen_without_scripts(without_scripts: Page):
    page = without_scripts
    page.goto("/tools/convert_units/try/")

    page.locator("#inputs > summary").click()
    page.get_by_role("button", name="2. A warm day").click()

    expect(page.get_by_label("from_unit").first).to_have_value("degC")
    expect(page.locator("#inputs .menu-item").first).to_be_hidden()


def test_the_bar_of_a_tool_without_a_factory_is_one_line_on_a_phone(signed_in: Page):
    page = signed_in
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto("/tools/bfcl-base.calculate_carbon_footprint/try/")
    bar = page.locator(".run-bar").bounding_box()

    page.locator("#run-options > summary").click()

    assert bar["height"] < 70
    assert page.locator(".run-bar").bounding_box() == bar
    expect(page.get_by_label("Mock", exact=True)).to_be_in_viewport()


def test_the_json_editor_marks_violations_at_their_lines(signed_in: Page):
    page = signed_in
    page.goto("/tools/convert_units/try/")
    page.get_by_role("group", name="How to edit the parameters").get_by_text("JSON").click()
    editor = page.locator("#parameters-form json-editor .cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text('{\n"value": "many",\n"from_unit": "m",\n"to_unit": 5}')

    page.locator("[data-run-button]").click()

    expect(page.locator("#parameters-form .field-error")).to_have_count(2)
    expect(page.locator("#parameters-form")).to_contain_text("(line 2, column 10)")
    expect(page.locator("#parameters-form json-editor .cm-lintRange-error")).to_have_text(
        ['"many"', "5"]
    )
    expect(page.locator("#parameters-form json-editor .cm-lint-marker-error")).to_have_count(2)


def test_the_key_t_leads_to_the_first_required_field_that_is_empty(signed_in: Page):
    signed_in.goto("/tools/convert_units/")

    signed_in.keyboard.press("t")

    expect(signed_in.get_by_label("value").first).to_be_focused()
