"""T8 of the forms: real pairs in a real browser, with scripts and without, under the policy that the site serves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.test_accessibility import violations
from tests.playground.form.pairs import REAL, Pair, pairs_of, read, same
from tests.site import Site
from toolspec.errors import DocumentError
from toolspec.spec import read_spec
from toolspec.text import reader

COUNT = 48


def spec_of(number: int, pair: Pair) -> str:
    """A spec whose parameters have the pair's schema."""
    definition = {
        "id": f"pair-{number}",
        "name": str(pair),
        "description": "A pair.",
        "parameters": pair.schema,
    }
    return reader.dumps({"definition": definition})


def usable() -> Iterator[tuple[str, Pair]]:
    """The pairs that a spec may hold, and that an address may hold; with their spec."""
    for name in REAL:
        for number, pair in enumerate(pairs_of(name)):
            try:
                text = spec_of(len(name) * 100_000 + number, pair)
                read_spec(text)
                reader.loads(reader.dumps(pair.value))
            except (DocumentError, ValueError):
                continue
            yield text, pair


@pytest.fixture(scope="module")
def pairs(site: Site, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Pair]]:
    """The addresses of pages that are filled in with a value, and the pairs; their specs are loaded."""
    found = list(usable())
    chosen = found[:: max(len(found) // COUNT, 1)]
    assert len(chosen) >= COUNT
    path = Path(tmp_path_factory.mktemp("pairs")) / "pairs.ndjson"
    path.write_text("\n".join(text for text, _ in chosen), encoding="utf-8")
    site.manage("load_specs", str(path))
    addresses = []
    for text, pair in chosen:
        tool_id = json.loads(text)["definition"]["id"]
        addresses.append(
            (f"/tools/{tool_id}/try/?parameters={quote(reader.dumps(pair.value))}", pair)
        )
    return addresses


def comes_back(page: Page, address: str, pair: Pair) -> bool:
    """Whether the value is still what would be sent, after the form was sent once."""
    page.goto(address, wait_until="domcontentloaded")
    page.press(
        '[name="op"][value="parameters:all:"]', "Enter"
    )  # the keyboard does not wait for things to stand still
    page.wait_for_selector(
        '[name="op"][value="parameters:fewer:"]'
    )  # looks at each frame, not ever more rarely
    return same(read(page.text_content("#preview") or ""), pair.value)


@pytest.fixture
def unscripted(browser: Browser, site: Site, session: StorageState) -> Iterator[Page]:
    """A page of a person who has signed in, in a browser without JavaScript."""
    context = browser.new_context(
        base_url=site.url, storage_state=session, java_script_enabled=False
    )
    yield context.new_page()
    context.close()


@pytest.mark.deep
@pytest.mark.corpora
def test_values_come_back_from_the_browser_unchanged(
    signed_in: Page, pairs: list[tuple[str, Pair]]
):
    assert [str(pair) for address, pair in pairs if not comes_back(signed_in, address, pair)] == []


@pytest.mark.deep
@pytest.mark.corpora
def test_values_come_back_without_scripts(unscripted: Page, pairs: list[tuple[str, Pair]]):
    """Of every third pair: the tests of `schema_form` send the same form without scripts for all of them."""
    assert [
        str(pair) for address, pair in pairs[::3] if not comes_back(unscripted, address, pair)
    ] == []


@pytest.mark.deep
@pytest.mark.corpora
def test_forms_have_no_barrier(signed_in: Page, pairs: list[tuple[str, Pair]]):
    found = {}
    for address, pair in pairs[::6]:
        signed_in.goto(address)
        found[str(pair)] = violations(signed_in)

    assert [(name, barriers) for name, barriers in found.items() if barriers] == []


EVERYTHING = {
    "definition": {
        "id": "every-control",
        "name": "Every control",
        "description": "One of each.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "title": "City"},
                "size": {"type": "integer", "minimum": 1},
                "fresh": {"type": "boolean"},
                "unit": {"enum": ["C", "F"]},
                "note": {"type": ["string", "null"]},
                "day": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "days": {"type": "array", "uniqueItems": True, "items": {"enum": ["mon", "tue"]}},
                "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                "shape": {
                    "oneOf": [
                        {
                            "title": "Circle",
                            "type": "object",
                            "properties": {"radius": {"type": "number"}},
                        },
                        {
                            "title": "Square",
                            "type": "object",
                            "properties": {"side": {"type": "number"}},
                        },
                    ]
                },
                "logo": {"type": "string", "contentEncoding": "base64"},
                "key": {"type": "string", "writeOnly": True},
            },
            "required": ["city", "shape"],
            "if": {"properties": {"unit": {"const": "F"}}, "required": ["unit"]},
            "then": {"properties": {"why": {"type": "string"}}, "required": ["why"]},
        },
    }
}


PLAIN = {
    "definition": {
        "id": "plain",
        "name": "Plain",
        "description": "Nothing depends on anything.",
        "parameters": {
            "type": "object",
            "properties": {"size": {"type": "integer"}, "note": {"type": "string"}},
        },
    }
}

ADDRESS = "/tools/every-control/try/"


@pytest.fixture(scope="module")
def loaded(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = Path(tmp_path_factory.mktemp("every")) / "every.ndjson"
    path.write_text("\n".join(map(json.dumps, (EVERYTHING, PLAIN))), encoding="utf-8")
    site.manage("load_specs", str(path))


@pytest.fixture
def every_control(loaded: None, signed_in: Page) -> Page:
    signed_in.goto(ADDRESS)
    return signed_in


@pytest.mark.deep
@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_a_form_with_every_control_and_its_errors_has_no_barrier(
    every_control: Page, width: int, theme: str
):
    page = every_control
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    form = page.locator("#parameters-form")
    form.get_by_role("button", name="Add item").first.click()
    expect(page.locator('[id="parameters:/.tags/@0"]')).to_be_focused()
    form.get_by_label("size").fill("many")

    page.locator("[data-run-button]").click()

    expect(page.get_by_role("alert")).to_contain_text("is not a number")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_button_leaves_the_focus_nearby_and_does_not_change_half_typed_text(every_control: Page):
    page = every_control
    page.get_by_label("City").fill("half a na")
    page.get_by_label("size").fill("1,")

    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()

    row = page.locator('[id="parameters:/.tags/@0"]')
    expect(row).to_be_focused()
    expect(page.get_by_label("City")).to_have_value("half a na")
    expect(page.get_by_label("size")).to_have_value("1,")


def test_a_choice_acts_at_once_and_the_fields_that_depend_on_it_appear(every_control: Page):
    page = every_control

    page.get_by_label("unit").select_option("F")

    expect(page.get_by_label("why")).to_be_visible()


def test_a_branch_is_switched_there_and_back_without_loss(every_control: Page):
    page = every_control
    page.get_by_label("radius").fill("2.50")

    page.get_by_label("One of").select_option("Square")
    expect(page.get_by_label("side")).to_be_visible()
    page.get_by_label("One of").select_option("Circle")

    expect(page.get_by_label("radius")).to_have_value("2.50")


@pytest.mark.deep
def test_a_date_that_is_picked_is_written_into_the_text(every_control: Page):
    page = every_control

    page.get_by_label("Pick day").fill("2024-05-31")

    expect(page.locator('[id="parameters:/.day"]')).to_have_value("2024-05-31")


def test_everything_is_reached_and_changed_by_the_keyboard_alone(every_control: Page):
    page = every_control
    page.get_by_label("City").focus()

    page.keyboard.type("Delft")
    page.keyboard.press("Tab")
    for _ in range(60):
        label = page.evaluate("document.activeElement.getAttribute('title') || ''")
        if label == "Add an item to tags":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator('[id="parameters:/.tags/@0"]')).to_be_focused()
    expect(page.get_by_label("City")).to_have_value("Delft")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_keyboard_goes_on_where_a_button_was_pressed(
    browser: Browser, site: Site, session: StorageState, loaded: None, scripts: bool
):
    context = browser.new_context(
        base_url=site.url, storage_state=session, java_script_enabled=scripts
    )
    page = context.new_page()
    page.goto(f'{ADDRESS}?parameters={{"tags":["a","b","c"]}}')

    page.locator('[value="parameters:down:/.tags/@0"]').press("Enter")
    expect(page.locator('[id="parameters:up:/.tags/@0"]')).to_be_visible()
    expect(page.locator('[id="parameters:down:/.tags/@0"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator('[id="parameters:up:/.tags/@0"]')).to_be_focused()  # it can go no further
    page.locator('[value="parameters:remove:/.tags/@1"]').press("Enter")
    expect(page.locator('[id="parameters:/.tags/@2"]')).to_be_focused()
    page.locator('[value="parameters:add:/.headers"]').press("Enter")

    expect(page.locator('[id="parameters:/.headers"]')).to_be_focused()
    context.close()


def hold_answers(page: Page) -> None:
    """Let each request wait for half a second."""
    page.evaluate("""() => {
        const send = window.fetch;
        const pause = () => new Promise((go) => setTimeout(go, 500));
        window.fetch = (...request) => pause().then(() => send(...request));
    }""")


def test_changes_during_a_request_survive_the_response(every_control: Page):
    page = every_control
    page.get_by_label("City").fill("first")
    hold_answers(page)

    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()
    page.get_by_label("City").fill("second")
    page.get_by_label("size").fill("7")
    page.get_by_label("unit").select_option("C")

    expect(page.locator('[id="parameters:/.tags/@0"]')).to_be_visible()
    expect(page.get_by_label("City")).to_have_value("second")
    expect(page.get_by_label("size")).to_have_value("7")
    expect(page.get_by_label("unit")).to_have_value('"C"')


@pytest.mark.deep
def test_two_presses_at_once_both_count(every_control: Page):
    page = every_control
    hold_answers(page)

    page.get_by_label("One of").select_option("Square")
    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()

    expect(page.locator('[id="parameters:/.tags/@0"]')).to_be_visible()
    expect(page.get_by_label("side")).to_be_visible()


def test_a_selector_shows_the_current_value_after_its_options_have_changed(every_control: Page):
    page = every_control
    kind = page.get_by_label("Type of note")

    kind.select_option("null")
    expect(page.locator('[id="parameters:/.note"]')).to_have_value("null")
    expect(kind).to_have_value("")
    kind.select_option("JSON text")
    expect(page.locator("json-editor")).to_be_visible()

    expect(kind).to_have_value("")
    kind.select_option("fields")
    expect(page.locator('[id="parameters:/.note"]')).to_have_value("null")


@pytest.mark.deep
def test_a_response_does_not_take_the_focus_from_a_user_who_is_typing(every_control: Page):
    page = every_control
    hold_answers(page)

    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()
    page.get_by_label("City").press_sequentially("Delft", delay=150)

    expect(page.locator('[id="parameters:/.tags/@0"]')).to_be_visible()
    expect(page.get_by_label("City")).to_have_value("Delft")
    expect(page.get_by_label("City")).to_be_focused()


@pytest.mark.deep
@pytest.mark.parametrize("tool", ["every-control", "plain"])
def test_errors_are_not_wiped_away_by_leaving_the_field_that_was_sent(
    browser: Browser, site: Site, session: StorageState, loaded: None, tool: str
):
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto(f"/tools/{tool}/try/")

    page.get_by_label("size").fill("many")
    page.keyboard.press("Control+Enter")  # the field is left by the focus on the summary of errors

    expect(page.get_by_role("alert")).to_be_focused()
    page.wait_for_timeout(1000)
    expect(page.get_by_role("alert")).to_contain_text("is not a number")
    expect(page).to_have_title(re.compile("^Error: "))
    context.close()


@pytest.mark.deep
def test_errors_are_gone_when_a_run_has_begun_after_all(
    browser: Browser, site: Site, session: StorageState, loaded: None
):
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto("/tools/plain/try/")
    page.get_by_label("size").fill("many")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_be_visible()

    page.get_by_label("size").fill("7")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#run .result-of-run")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).not_to_have_title(re.compile("^Error: "))
    context.close()


def test_the_request_preview_follows_each_change_and_the_run(
    browser: Browser, site: Site, session: StorageState, loaded: None
):
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto("/tools/plain/try/")
    size = page.get_by_label("size")

    size.fill("71")
    size.blur()
    expect(page.locator("#preview")).to_contain_text("71")
    size.fill("715")
    page.keyboard.press("Control+Enter")

    expect(page.locator("#run .result-of-run")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("715")
    context.close()


@pytest.mark.deep
def test_an_automatic_refresh_does_not_remove_errors(
    browser: Browser, site: Site, session: StorageState, loaded: None
):
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto(ADDRESS)
    hold_answers(page)
    page.get_by_label("size").fill("many")

    page.locator("[data-run-button]").click()

    expect(page.get_by_role("alert")).to_contain_text("is not a number")
    page.wait_for_timeout(1500)
    expect(page.get_by_role("alert")).to_contain_text("is not a number")
    context.close()


def stored_by_browser(page: Page) -> str:
    """The data of the page that the browser stores, wherever a script can put it."""
    page.wait_for_timeout(600)
    stores = "[history.state, {...localStorage}, {...sessionStorage}]"
    return str(
        page.evaluate(
            f"indexedDB.databases().then((found) => JSON.stringify([...{stores}, found.length]))"
        )
    )


def write_json(page: Page, text: str) -> None:
    page.locator("json-editor [contenteditable]").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_a_reload_loses_nothing_that_was_typed_or_added(every_control: Page):
    page = every_control
    page.get_by_label("City").fill("Delft")
    page.get_by_label("size").fill("1,")
    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()
    page.locator('[id="parameters:/.tags/@0"]').fill("old town")
    page.locator('[name="parameters:b:/.fresh"][value="false"]').check()
    page.get_by_label("One of").select_option("Square")
    page.get_by_label("side").fill("2.50")
    stored_by_browser(page)

    page.reload()

    expect(page.get_by_text("Your entries have been restored")).to_be_visible()
    expect(page.get_by_label("City")).to_have_value("Delft")
    expect(page.get_by_label("size")).to_have_value("1,")
    expect(page.locator('[id="parameters:/.tags/@0"]')).to_have_value("old town")
    expect(page.locator('[name="parameters:b:/.fresh"][value="false"]')).to_be_checked()
    expect(page.get_by_label("side")).to_have_value("2.50")
    expect(page.locator("#preview")).to_contain_text('"side": 2.50')


def test_the_way_back_loses_nothing_and_another_visit_begins_afresh(every_control: Page):
    page = every_control
    page.get_by_label("City").fill("Delft")
    stored_by_browser(page)
    page.goto("/tools/")

    page.go_back()

    expect(page.get_by_label("City")).to_have_value("Delft")
    page.get_by_role("link", name="Reset").click()
    expect(page.get_by_text("Your entries have been restored")).to_be_hidden()
    expect(page.get_by_label("City")).to_have_value("")


@pytest.mark.deep
def test_the_json_view_with_a_mistake_in_it_survives_a_reload(every_control: Page):
    page = every_control
    page.goto("/tools/plain/try/")
    page.locator('[value="parameters:view::json"]').click()
    write_json(page, '{"size": 1,, "note"')
    stored_by_browser(page)

    page.reload()

    expect(page.get_by_text("Your entries have been restored")).to_be_visible()
    expect(page.locator('[name="parameters:e:"]')).to_have_value('{"size": 1,, "note"')


def test_no_secret_stays_in_the_browser(every_control: Page):
    page = every_control
    page.locator('[id="parameters:/.key"]').fill("hunter2")
    page.get_by_label("City").fill("Delft")
    assert "Delft" in stored_by_browser(page)
    assert "hunter2" not in stored_by_browser(page)

    page.locator("#parameters-form").get_by_role("button", name="Add item").first.click()
    expect(page.locator('[name="parameters:c:/.key"]')).to_have_count(1)
    assert "hunter2" not in stored_by_browser(page)

    page.locator('[value="parameters:view::json"]').click()
    write_json(page, '{"key": "hunter3"}')
    assert "hunter3" not in stored_by_browser(page)


def test_the_members_of_a_flat_object_in_a_list_are_side_by_side(signed_in: Page):
    signed_in.set_viewport_size({"width": 1280, "height": 900})
    signed_in.goto("/tools/draw_chart/try/?example=1")

    fields = signed_in.locator(".form-row").first.locator("input.input:visible")

    label, value = (field.bounding_box() for field in fields.all()[:2])
    assert label is not None
    assert value is not None
    assert label["y"] == value["y"]
    assert label["x"] + label["width"] < value["x"]
