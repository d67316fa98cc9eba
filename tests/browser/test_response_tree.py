"""A response as a tree: search, paths, opening and closing, the next problem, and what the browser remembers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import violations

TRY = '/tools/drifting_thermometer/try/?parameters={"hours_since_calibration":73}'


@pytest.fixture
def response(signed_in: Page) -> Page:
    """The page of a run that violates its return type."""
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(TRY)
    signed_in.locator("[data-run-button]").click()
    signed_in.locator("#run .run-facts a[href^='/runs/']").click()
    expect(signed_in.locator("#response-json")).to_be_visible()
    return signed_in


def pasted(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def height(page: Page) -> float:
    box = page.locator("#response .json").bounding_box()
    assert box is not None
    return box["height"]


def test_a_search_opens_what_holds_its_hits_and_steps_through_them(response: Page):
    before = height(response)
    response.get_by_role("button", name="Collapse all").click()

    response.get_by_label("Search the response").fill("READINGS")

    count = response.locator("[data-find-count]")
    expect(count).to_have_text("1 of 1")
    expect(response.locator(".is-current-line")).to_contain_text('"readings"')
    response.get_by_role("button", name="Expand all").click()
    response.get_by_label("Search the response").fill("lukewarm")
    expect(count).to_contain_text("1 of ")
    assert response.evaluate("CSS.highlights.get('response-hit').size") >= 1
    response.keyboard.press("Shift+Enter")
    response.get_by_label("Search the response").fill("not in it")
    expect(count).to_have_text("No hits")
    assert height(response) == before


def test_the_path_and_the_value_of_a_line_are_copied_by_keyboard(response: Page):
    before = height(response)
    response.locator("#response-json").focus()
    response.keyboard.press("Home")
    response.keyboard.press("ArrowDown")
    name = response.locator("[data-path-shown]").inner_text()
    response.keyboard.press("p")
    expect(response.locator("[data-copy-path]")).to_contain_text("Copied")

    assert pasted(response) == name
    assert name.startswith("/")
    response.keyboard.press("Home")
    response.keyboard.press("v")
    expect(response.locator("[data-copy-value]")).to_contain_text("Copied")
    assert '"lukewarm"' in pasted(response)
    assert response.evaluate("async () => typeof JSON.parse(await navigator.clipboard.readText())") == "object"
    assert height(response) == before


def test_each_line_has_the_path_by_which_the_response_is_read(response: Page):
    """Each path is read in the response itself: the value there is the one that is copied."""
    texts = response.evaluate("""() => {
      const block = document.querySelector("#response .json");
      return [...block.querySelectorAll(".json-line")].map((line) => {
        line.click();
        return [block.querySelector("[data-path]").value, block.querySelector("[data-value]").value];
      });
    }""")
    whole = response.evaluate("JSON.parse(document.getElementById('raw-text').textContent)")

    for pointer, text in texts:
        value = whole
        for token in pointer.split("/")[1:]:
            value = value[int(token)] if isinstance(value, list) else value[token]
        assert response.evaluate("(text) => JSON.parse(text)", text) == value
    assert len({pointer for pointer, _ in texts}) > 3


def test_the_next_problem_is_shown_in_a_closed_part(response: Page):
    response.get_by_role("button", name="Collapse all").click()

    response.get_by_role("button", name="Next problem").click()

    expect(response.locator(".is-current-problem")).to_be_visible()


def test_the_view_of_a_result_is_remembered(response: Page):
    response.get_by_role("tab", name="Logs").click()

    response.goto(TRY)
    response.locator("[data-run-button]").click()

    expect(response.get_by_role("tab", name="Logs")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_tree_with_hits_and_a_selected_line_is_no_barrier(response: Page, theme: str, width: int):
    response.emulate_media(color_scheme=theme)
    response.set_viewport_size({"width": width, "height": 800})
    response.get_by_label("Search the response").fill("e")

    assert violations(response) == []
    assert response.evaluate("document.documentElement.scrollWidth <= innerWidth")
