"""The upload page checks what is typed or dropped, and publishes it with one button."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import violations
from tests.factories import spec_text


def type_into_editor(page: Page, text: str) -> None:
    page.locator("json-editor .cm-content").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_a_typed_spec_is_checked_and_published_with_one_button(signed_in: Page):
    signed_in.goto("/add/")

    type_into_editor(signed_in, spec_text("typed-and-checked"))
    signed_in.get_by_role("button", name="Publish 1 spec").click()

    expect(signed_in.get_by_role("heading", name="1 new")).to_be_visible()
    expect(signed_in).to_have_url(re.compile("/uploads/[0-9a-f]+/$"))
    expect(signed_in.get_by_role("link", name="Try")).to_be_visible()


NOTE_PAUSES = """
const setTimer = window.setTimeout;
window.pauses = [];
window.setTimeout = (action, pause, ...values) => {
  if (action.name === "check") window.pauses.push(pause);
  return setTimer(action, pause, ...values);
};
"""


def test_pasted_text_is_checked_at_once_and_typed_text_after_a_pause(signed_in: Page):
    signed_in.add_init_script(NOTE_PAUSES)
    signed_in.goto("/add/")

    type_into_editor(signed_in, spec_text("pasted"))
    expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_visible()
    pasted = signed_in.evaluate("pauses.splice(0)")
    signed_in.keyboard.type(" ")
    signed_in.wait_for_function("pauses.length > 0")

    assert pasted == [0]
    assert signed_in.evaluate("pauses") == [300]


def test_a_problem_leads_to_its_line_and_disappears_when_it_is_fixed(signed_in: Page):
    signed_in.goto("/add/")

    type_into_editor(signed_in, '{\n  "definition": {\n    "name": 5\n  }\n}')
    signed_in.get_by_role("link", name="Line 3, column 13").click()
    signed_in.keyboard.press("Delete")
    signed_in.keyboard.insert_text('"fixed", "description": "Does something."')

    expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_visible()
    expect(signed_in.locator(".entry-rejected")).to_have_count(0)


def test_a_mistake_is_fixed_with_one_press(signed_in: Page):
    signed_in.goto("/add/")
    type_into_editor(signed_in, spec_text("quick", returnType={"type": "sting"}))
    expect(signed_in.locator("json-editor .cm-lint-marker-error")).to_be_visible()
    expect(signed_in.locator("json-editor .cm-lintRange-error")).to_have_text('"sting"')

    signed_in.get_by_role("button", name="Change to “string”").click()

    expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_visible()
    expect(signed_in.locator("json-editor .cm-lint-marker-error")).to_have_count(0)
    assert '"type": "string"' in signed_in.locator("#text").input_value()


def test_a_warning_is_marked_in_the_editor_as_a_warning(signed_in: Page):
    signed_in.goto("/add/")

    type_into_editor(signed_in, spec_text("odd", paramters={"type": "object"}))

    expect(signed_in.locator("json-editor .cm-lint-marker-warning")).to_be_visible()
    expect(signed_in.locator("json-editor .cm-lint-marker-error")).to_have_count(0)


def test_a_dropped_file_is_checked_and_its_text_can_be_edited(signed_in: Page, specs: Path):
    file = specs / "broken.json"
    file.write_text('{"definition": {"id": "from-file"}}')
    signed_in.goto("/add/")

    signed_in.set_input_files("input[type=file]", file)
    signed_in.get_by_role("button", name="Edit it here").click()
    expect(signed_in.locator("#text")).to_have_value(file.read_text())
    type_into_editor(signed_in, spec_text("from-file"))

    expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_visible()


def test_on_a_phone_the_page_leads_to_what_a_chosen_file_will_do(signed_in: Page, specs: Path):
    (specs / "new.json").write_text(spec_text("chosen-on-a-phone"))
    signed_in.set_viewport_size({"width": 360, "height": 780})
    signed_in.goto("/add/")

    signed_in.set_input_files("input[type=file]", specs / "new.json")

    expect(signed_in.get_by_role("heading", name="What will happen")).to_be_in_viewport()
    expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_in_viewport()


def test_tools_of_an_imported_list_can_be_left_out(signed_in: Page):
    tools = [
        {"name": name, "inputSchema": {"type": "object"}, "description": "x"}
        for name in ("pick-me", "not-me")
    ]
    signed_in.goto("/add/")

    type_into_editor(signed_in, json.dumps({"tools": tools}))
    expect(signed_in.get_by_role("button", name="Publish 2 specs")).to_be_visible()
    signed_in.get_by_role("button", name="Select none").click()
    expect(signed_in.get_by_text("Select the tools to publish.")).to_be_visible()
    signed_in.get_by_role("button", name="Select all").click()
    expect(signed_in.get_by_role("button", name="Publish 2 specs")).to_be_visible()
    signed_in.get_by_role("checkbox", name="Select not-me").uncheck()
    signed_in.get_by_role("button", name="Publish 1 spec").click()

    expect(signed_in.get_by_role("heading", name="1 new")).to_be_visible()
    expect(signed_in.locator(".entry-name")).to_have_text(["pick-me"])


def list_of(*names: str) -> str:
    return json.dumps(
        {
            "tools": [
                {"name": name, "inputSchema": {"type": "object"}, "description": "x"}
                for name in names
            ]
        }
    )


def test_the_id_of_an_imported_tool_is_checked_as_it_is_typed(signed_in: Page):
    signed_in.goto("/add/")
    type_into_editor(signed_in, list_of("type-id", "other-id"))
    field = signed_in.get_by_label("Id of type-id")
    expect(field).to_have_value("type-id")

    field.click()
    signed_in.keyboard.press("Home")
    signed_in.keyboard.type("my.")
    field.press("End")
    field.press("Shift+Home")
    field.press("Delete")
    signed_in.keyboard.type("other-id")
    expect(signed_in.locator(".entry-rejected .problem-message")).to_contain_text(
        "Another tool of this document"
    )
    expect(field).to_be_focused()
    signed_in.keyboard.press("Home")
    signed_in.keyboard.type("my ")

    expect(signed_in.locator(".entry-rejected")).to_have_count(0)
    expect(field).to_have_value("my other-id")
    expect(field).to_be_focused()
    assert field.evaluate("field => field.selectionStart") == 3
    signed_in.keyboard.press("Enter")  # checks, and does not publish
    expect(signed_in.locator(".preview[aria-busy]")).to_have_count(0)
    expect(signed_in).to_have_url(re.compile("/add/$"))
    signed_in.get_by_role("button", name="Publish 2 specs").click()
    expect(signed_in.get_by_role("heading", name="2 new")).to_be_visible()
    expect(signed_in.locator(".entry-id").first).to_have_text("my other-id")


@pytest.mark.parametrize("width", [1280, 360])
def test_a_row_stays_where_it_is_on_the_screen_while_its_id_is_typed(signed_in: Page, width):
    signed_in.set_viewport_size({"width": width, "height": 900})
    names = [f"stay-{width}-{number}" for number in range(30)]
    signed_in.goto("/add/")
    type_into_editor(signed_in, list_of(*names))
    field = signed_in.get_by_label(f"Id of {names[20]}", exact=True)
    field.click()
    field.press("End")
    before = field.bounding_box()

    signed_in.keyboard.type("\u202e")
    expect(signed_in.locator(".entry-rejected")).to_have_count(1)

    expect(field).to_be_focused()
    # The list may be drawn once more, so a field that was found can be gone: ask for the focused one.
    signed_in.wait_for_function(
        "top => Math.abs(document.activeElement.getBoundingClientRect().top - top) <= 2",
        arg=before["y"],
    )


def test_the_options_of_imported_tools_open_beside_them_and_can_be_closed(signed_in: Page):
    signed_in.goto("/add/")
    expect(signed_in.get_by_label("Id prefix")).not_to_be_visible()

    type_into_editor(signed_in, list_of("with-options"))
    expect(signed_in.get_by_label("Id prefix")).to_be_in_viewport()
    signed_in.get_by_label("Id prefix").fill("kit")
    expect(signed_in.get_by_label("Id of with-options")).to_have_value("kit.with-options")
    signed_in.get_by_text("Options for imported tools").click()
    signed_in.get_by_label("Id of with-options").fill("own")
    expect(signed_in.locator(".preview[aria-busy]")).to_have_count(0)

    expect(signed_in.get_by_label("Id prefix")).not_to_be_visible()


def test_ids_are_changed_without_scripts(browser, site, session, specs: Path):
    (specs / "plain.json").write_text(list_of("first", "second"))
    context = browser.new_context(
        base_url=site.url, java_script_enabled=False, storage_state=session
    )
    page = context.new_page()
    page.goto("/add/")

    page.set_input_files("input[type=file]", specs / "plain.json")
    page.get_by_role("button", name="Check first").click()
    page.get_by_label("Id of first").fill("plain.second")
    page.get_by_role("button", name="Check again").click()
    expect(page.locator(".entry-rejected .problem-message")).to_contain_text(
        "Another tool of this document"
    )
    page.get_by_label("Id of first").fill("without.scripts")
    page.get_by_role("button", name="Check again").click()
    page.get_by_role("button", name="Publish 2 specs").click()

    expect(page.get_by_role("heading", name="2 new")).to_be_visible()
    expect(page.locator(".entry-id").first).to_have_text("without.scripts")
    context.close()


@pytest.mark.parametrize("width", [1280, 1000])
def test_a_preview_shows_the_position_of_a_problem_in_a_long_line(signed_in: Page, width):
    signed_in.set_viewport_size({"width": width, "height": 900})
    signed_in.goto("/add/")

    type_into_editor(
        signed_in,
        f'{{"definition": {{"name": "a", "description": "{"word " * 30}", "parameters": 7}}}}',
    )
    expect(signed_in.locator(".excerpt-at")).to_have_text("7")

    excerpt = signed_in.locator(".excerpt")
    assert excerpt.evaluate("excerpt => excerpt.scrollWidth <= excerpt.clientWidth")
    mark, caret = (
        signed_in.locator(".excerpt-at").bounding_box(),
        signed_in.locator(".caret").bounding_box(),
    )
    if width == 1280:
        assert mark["x"] + mark["width"] == pytest.approx(caret["x"] + caret["width"], abs=1)
    else:
        assert caret is None  # too narrow for a caret: the character itself is marked


def test_the_outcome_bar_stays_visible_above_a_long_list(signed_in: Page):
    signed_in.goto("/add/")

    type_into_editor(signed_in, f"[{','.join(spec_text(f'bar-{number}') for number in range(40))}]")
    expect(signed_in.get_by_role("button", name="Publish 40 specs")).to_be_visible()

    box = signed_in.locator(".preview .outcome-bar").bounding_box()
    assert box
    assert box["height"] == 10


def test_a_long_list_of_tools_scrolls_in_its_panel_and_does_not_lengthen_the_page(signed_in: Page):
    tools = [
        {"name": f"many-{number}", "inputSchema": {"type": "object"}, "description": "x"}
        for number in range(40)
    ]
    signed_in.goto("/add/")

    type_into_editor(signed_in, json.dumps({"tools": tools}))
    expect(signed_in.get_by_role("button", name="Publish 40 specs")).to_be_visible()

    footer = signed_in.locator("#footer")
    below = footer.evaluate(
        "footer => document.documentElement.scrollHeight - scrollY - footer.getBoundingClientRect().bottom"
    )
    assert below == pytest.approx(0, abs=1)


def test_tools_of_another_origin_are_replaced_with_one_press(signed_in: Page):
    names = [f"elsewhere-{number}" for number in range(4)]
    tools = [
        {"name": name, "inputSchema": {"type": "object"}, "description": "x"} for name in names
    ]
    signed_in.goto("/add/")
    type_into_editor(signed_in, f"[{','.join(map(spec_text, names))}]")
    signed_in.get_by_role("button", name="Publish 4 specs").click()
    signed_in.goto("/add/")
    type_into_editor(signed_in, json.dumps({"tools": tools}))
    expect(signed_in.locator(".preview .entry")).to_have_count(1)

    signed_in.get_by_role("link", name="Set an id prefix").click()
    expect(signed_in.get_by_label("Id prefix")).to_be_focused()
    signed_in.get_by_role("link", name="Replace the existing tools").click()

    expect(signed_in.get_by_label("Replace the document of its source")).to_be_checked()
    expect(signed_in.get_by_role("button", name="Publish 4 specs")).to_be_visible()


def test_without_scripts_the_file_button_is_below_its_icon_and_texts(browser, site, session):
    context = browser.new_context(
        base_url=site.url, java_script_enabled=False, storage_state=session
    )
    page = context.new_page()
    page.goto("/add/")

    title, hint, button, icon = (
        page.locator(f".dropzone > {part}").bounding_box()
        for part in (".dropzone-title", ".dropzone-hint", "input", ".icon")
    )

    context.close()
    assert icon["x"] + icon["width"] < title["x"]
    assert title["x"] == hint["x"] == button["x"]
    assert title["y"] < hint["y"] < button["y"]
    assert title["y"] <= icon["y"] + icon["height"] / 2 <= hint["y"] + hint["height"]


def test_the_page_with_a_preview_is_accessible(signed_in: Page):
    for theme in ("light", "dark"):
        signed_in.emulate_media(color_scheme=theme)
        signed_in.goto("/add/")
        type_into_editor(signed_in, f'[{spec_text("accessible")}, {{"definition": 1}}]')
        expect(signed_in.get_by_role("button", name="Publish 1 spec")).to_be_visible()

        assert violations(signed_in) == []

    type_into_editor(signed_in, list_of("accessible-id", "wrong-id"))
    signed_in.get_by_label("Id of wrong-id").fill("accessible-id")
    expect(signed_in.locator(".entry-rejected")).to_have_count(1)
    assert violations(signed_in) == []
