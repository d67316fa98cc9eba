"""The JSON editor: comfort over a textarea, which stays what is sent."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site import Site

SPEC = {"definition": {"name": "typed_by_hand", "description": "Typed into the editor."}}


def editor(page: Page):
    return page.locator("json-editor").first.locator(".cm-content")


def test_typed_text_is_sent(signed_in: Page):
    signed_in.goto("/add/")

    editor(signed_in).click()
    signed_in.keyboard.insert_text(json.dumps(SPEC))
    signed_in.get_by_role("button", name="Publish").click()

    expect(signed_in.get_by_role("main")).to_contain_text("typed_by_hand")


@pytest.mark.deep
def test_typing_over_a_selection_breaks_no_policy(signed_in: Page):
    signed_in.goto("/add/")

    editor(signed_in).click()
    signed_in.keyboard.insert_text('{"a": [1, 2, 3]}')
    signed_in.keyboard.press("Control+a")
    signed_in.keyboard.type('["b')

    expect(signed_in.locator("#text")).to_have_value('["b"]')


def test_tab_leaves_the_editor(signed_in: Page):
    signed_in.goto("/add/")

    editor(signed_in).click()
    signed_in.keyboard.press("Tab")

    assert signed_in.evaluate("document.activeElement.tagName") != "JSON-EDITOR"


@pytest.mark.deep
def test_a_label_leads_into_the_editor(signed_in: Page):
    signed_in.goto("/add/")
    expect(editor(signed_in)).to_be_visible()

    signed_in.locator("label[for=text]").click()

    assert signed_in.evaluate("document.activeElement.tagName") == "JSON-EDITOR"


def test_the_editor_is_called_as_its_field(signed_in: Page):
    signed_in.goto("/add/")

    expect(editor(signed_in)).to_have_attribute(
        "aria-label", "Paste a URL, a spec, mcp.json, an OpenAPI document or curl; or drop files"
    )


@pytest.mark.deep
def test_without_javascript_it_is_a_textarea(browser: Browser, site: Site, session):
    context = browser.new_context(java_script_enabled=False, storage_state=session)
    page = context.new_page()

    page.goto(site.url + "/add/")

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


def convert_units_as_json(page: Page):
    page.goto("/tools/convert_units/try/")
    page.get_by_role("group", name="How to edit the parameters").get_by_text("JSON").click()
    page.locator("#parameters-form json-editor .cm-content").click()
    page.keyboard.press("Control+a")
    return page.locator("#parameters-form")


def test_violations_are_marked_while_one_types(signed_in: Page):
    form = convert_units_as_json(signed_in)

    signed_in.keyboard.insert_text('{\n"value": "many",\n"from_unit": "m",\n"to_unit": 5}')

    expect(form.locator(".cm-lintRange-error")).to_have_text(['"many"', "5"])
    expect(form.get_by_role("status")).to_have_text("2 problems")
    assert signed_in.evaluate("document.activeElement.tagName") == "JSON-EDITOR"
    assert signed_in.url.endswith("/try/")

    signed_in.keyboard.press("Control+a")
    signed_in.keyboard.insert_text('{"value": 1, "from_unit": "m", "to_unit": "km"}')

    expect(form.get_by_role("status")).to_have_text("No problems")
    expect(form.locator(".cm-lintRange-error")).to_have_count(0)


def test_the_problems_found_while_one_types_are_a_list_that_leads_to_their_lines(signed_in: Page):
    form = convert_units_as_json(signed_in)

    signed_in.keyboard.insert_text('{\n"fom": "km",\n"value": 1,\n"to_unit": 5}')

    problems = form.locator("[data-json-problems]").get_by_role("link")
    expect(problems).to_have_count(3)
    expect(form.locator(".cm-lintRange-error")).to_have_text(["{", '"fom"', "5"])
    expect(problems.nth(1)).to_have_text(
        'Line 2: "fom" is not allowed here (did you mean "from_unit"?)'
    )
    problems.nth(2).click()
    signed_in.keyboard.insert_text("6")
    expect(form.locator(".cm-activeLine")).to_have_text('"to_unit": 65}')


@pytest.mark.deep
def test_text_that_is_not_json_yet_is_not_sent_to_be_checked(signed_in: Page):
    asked = []
    signed_in.on(
        "request",
        lambda request: asked.append(request.post_data or "") if request.method == "POST" else None,
    )
    form = convert_units_as_json(signed_in)
    asked.clear()

    signed_in.keyboard.insert_text('{"value": ')

    expect(form.locator(".cm-lintRange-error, .cm-lintPoint-error")).to_have_count(1)
    signed_in.wait_for_timeout(600)  # longer than the pause before a check
    assert not [text for text in asked if "check" in text.partition('name="use"')[2]]


def test_errors_stay_when_json_becomes_a_form_and_back(signed_in: Page):
    page = signed_in
    form = convert_units_as_json(page)
    page.keyboard.insert_text('{"value": 1, "from_unit": "m", "to_unit": 5}')
    page.locator("[data-run-button]").click()
    expect(page.locator(".error-summary")).to_contain_text("Fix 1 problem to run")
    expect(form.locator(".cm-lintRange-error")).to_have_text(["5"])
    views = page.get_by_role("group", name="How to edit the parameters")

    views.get_by_text("Form").click()

    expect(form.locator("json-editor")).to_have_count(
        0
    )  # the errors of the JSON are gone, so these are the form's
    expect(form.locator(".field-error")).to_have_count(1)
    expect(page.locator(".error-summary")).to_contain_text("Fix 1 problem to run")

    views.get_by_text("JSON").click()

    expect(form.locator(".cm-lintRange-error")).to_have_text(["5"])


def test_the_summary_of_json_lists_the_problems_and_its_links_jump_to_their_lines(signed_in: Page):
    page = signed_in
    form = convert_units_as_json(page)
    page.keyboard.insert_text('{\n"value": "many",\n"from_unit": "m",\n"to_unit": 5}')
    top = form.locator("json-editor").bounding_box()["y"]

    page.locator("[data-run-button]").click()

    summary = page.locator(".error-summary")
    expect(summary.get_by_role("link")).to_have_text(
        ["value: must be a number, line 2", "to_unit: must be a string, line 4"]
    )
    errors = form.locator(".field-error")
    expect(errors).to_have_text(
        [
            "Error: value: must be a number (line 2, column 10)",
            "Error: to_unit: must be a string (line 4, column 12)",
        ]
    )
    for error in errors.all():
        expect(error).to_be_hidden()  # it describes the text for screen readers
    assert form.locator("json-editor").bounding_box()["y"] - top < 80
    summary.get_by_role("link", name="line 4").click()
    page.keyboard.insert_text("6")
    expect(form.locator(".cm-activeLine")).to_have_text('"to_unit": 65}')


def test_the_view_is_chosen_in_one_place(signed_in: Page):
    form = convert_units_as_json(signed_in)

    expect(form.get_by_role("combobox")).to_have_count(0)


@pytest.mark.deep
def test_the_editor_of_a_form_is_as_high_as_the_window_allows_and_can_be_resized(signed_in: Page):
    signed_in.set_viewport_size({"width": 1280, "height": 1000})
    form = convert_units_as_json(signed_in)
    host = form.locator("json-editor")
    box = host.bounding_box()
    bar = signed_in.locator(".run-bar").bounding_box()
    assert 0 < bar["y"] - box["y"] - box["height"] < 100

    corner = box["x"] + box["width"] - 4, box["y"] + box["height"] - 4
    signed_in.mouse.move(*corner)
    signed_in.mouse.down()
    signed_in.mouse.move(corner[0], corner[1] - 200, steps=4)
    signed_in.mouse.up()

    assert abs(host.bounding_box()["height"] - (box["height"] - 200)) < 12
    assert host.locator(".cm-editor").bounding_box()["height"] <= host.bounding_box()["height"]


def test_problems_found_while_one_types_are_shown_at_their_fields(signed_in: Page):
    page = signed_in
    form = convert_units_as_json(page)
    page.keyboard.insert_text('{"value": 1, "from_unit": "m", "to_unit": 5}')
    expect(form.get_by_role("status")).to_have_text("1 problem")

    page.get_by_role("group", name="How to edit the parameters").get_by_text("Form").click()

    expect(form.locator(".field-error")).to_have_text(["Error: Must be a string"])


def test_a_dragged_height_stays_when_the_form_is_drawn_again(signed_in: Page):
    page = signed_in
    page.goto("/tools/encode_text/try/")
    page.get_by_role("button", name="JSON").first.click()
    expect(editor(page)).to_be_visible()
    page.locator("json-editor").first.evaluate("editor => { editor.style.height = '333px' }")
    editor(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("{}")

    page.get_by_role("button", name="Run").first.click()

    expect(page.get_by_role("main")).to_contain_text("missing")
    assert page.locator("json-editor").first.evaluate("editor => editor.offsetHeight") == 333
