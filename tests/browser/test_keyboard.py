"""Pages by keyboard alone: what Tab reaches can be seen, and the focus is never lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

MOST_STOPS = 200
TRY = "/tools/github-mcp-server.issue_write/try/"

# The element with the focus, unless the page shows it: "" if it does, None at the end of the page. The page may scroll
# to the element in the next frame.
HIDDEN = """async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = document.elementFromPoint(Math.max(left, 0) + Math.min(width / 2, 12), top + Math.min(height / 2, 12));
  const isSeen = at && (element.contains(at) || at.contains(element) || at.closest("label")?.contains(element));
  return isSeen ? "" : element.outerHTML.slice(0, 200);
}"""


@pytest.mark.parametrize("width", [1280, pytest.param(360, marks=pytest.mark.deep)])
@pytest.mark.parametrize("address", ["/", TRY, "/tools/convert_units/try/?example=1"])
def test_what_tab_reaches_is_not_covered(signed_in: Page, address: str, width: int):
    page = signed_in
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")

    hidden = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        found = page.evaluate(HIDDEN)
        if found is None:
            break
        hidden.append(found)

    assert 10 < len(hidden) < MOST_STOPS  # it came to the end of the page
    assert [element for element in hidden if element] == []


def test_a_menu_closes_when_tab_leaves_it(signed_in: Page):
    signed_in.goto("/tools/convert_units/")
    menu = signed_in.locator(".tool-head .menu")
    menu.locator("summary").focus()

    signed_in.keyboard.press("Enter")
    for item in menu.locator(".menu-item").all():
        signed_in.keyboard.press("Tab")
        expect(item).to_be_focused()
    signed_in.keyboard.press("Tab")

    expect(signed_in.locator("#tab-docs")).to_be_focused()
    expect(menu.locator(".menu-list")).to_be_hidden()


def test_on_a_narrow_page_the_focus_goes_to_the_result_of_a_run(signed_in: Page):
    signed_in.set_viewport_size({"width": 800, "height": 800})
    signed_in.goto("/tools/convert_units/try/?example=1")
    signed_in.locator("[data-run-button]").focus()

    signed_in.keyboard.press("Enter")

    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")
    expect(signed_in.get_by_role("button", name="Result", exact=True)).to_be_focused()
