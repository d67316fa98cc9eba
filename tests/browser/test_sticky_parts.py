"""Parts of a page that stay in view while it scrolls never lie over other parts of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from toolspec.spec import slug_for

WIDTHS = [1280, pytest.param(1920, marks=pytest.mark.deep)]
# Without parameters, with few, with many and examples, with a configuration, with a long schema.
TOOLS = (
    "playwright-mcp.browser_network_request",
    "convert_units",
    "github-mcp-server.issue_write",
    "Get weather",
    "kubernetes-mcp-server.vm_create",
)
PAGES = (
    "/",
    "/add/",
    "/factories/",
    "/lint/",
    "/api/v1/docs",
    "/tools/convert_units/try/?example=1",
    "/tools/github-mcp-server.issue_write/try/",
    "/tools/github-mcp-server.issue_write/lint/",
    "/tools/github-mcp-server.issue_write/changes/",
)

# Each sticky element, and what of the page lies under it at this scroll position. The bar and the header of a tool at
# the top and the bar of the button Run at the bottom are meant to lie over the page; what sticks inside a scrolled text
# has that text under it.
COVERED = """() => {
  const clipped = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflow === "visible" || around === document.documentElement) continue;
      const box = around.getBoundingClientRect();
      left = Math.max(left, box.left); right = Math.min(right, box.right);
      top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
    }
    return { left, top, right, bottom };
  };
  const names = "h1, h2, h3, p, li, dt, dd, td, pre, button, input, select, summary";
  const parts = [...document.querySelectorAll(`main :is(${names})`)]
    .filter((element) => element.checkVisibility() && !element.closest(".tool-head"))
    .map((element) => [element, clipped(element)])
    .filter(([, box]) => box.right - box.left > 2 && box.bottom - box.top > 2);
  const found = [];
  for (const sticky of document.querySelectorAll("main *")) {
    if (getComputedStyle(sticky).position !== "sticky" || !sticky.checkVisibility()) continue;
    if (sticky.matches(".tool-head, .run-bar, .line-number, .json-note")) continue;
    const over = clipped(sticky);
    for (const [element, box] of parts) {
      if (sticky.contains(element) || element.contains(sticky)) continue;
      const width = Math.min(over.right, box.right) - Math.max(over.left, box.left);
      const height = Math.min(over.bottom, box.bottom) - Math.max(over.top, box.top);
      const text = element.textContent.trim().slice(0, 40);
      if (width > 1 && height > 1) found.push(`${sticky.className} over ${element.tagName} ${text}`);
    }
  }
  return found;
}"""


def covered_anywhere(page: Page) -> list[str]:
    """The elements that are covered at any scroll position, from the top to the end, in steps of half a window."""
    found: list[str] = []
    end = page.evaluate("() => document.documentElement.scrollHeight - innerHeight")
    step = page.evaluate("() => innerHeight / 2")
    positions = [round(step * number) for number in range(int(end / step) + 1)]
    for position in [*positions, end]:
        page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", position)
        found += [f"at {position}: {line}" for line in page.evaluate(COVERED)]
    return found


@pytest.mark.deep
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("tool_id", TOOLS)
def test_the_panel_beside_a_tool_s_documentation_covers_nothing(
    signed_in: Page, tool_id: str, width: int
):
    signed_in.set_viewport_size({"width": width, "height": 900})
    signed_in.goto(f"/tools/{slug_for(tool_id)}/")

    assert covered_anywhere(signed_in) == []


@pytest.mark.deep
@pytest.mark.parametrize("address", PAGES)
def test_nothing_that_stays_in_view_covers_anything(signed_in: Page, address: str):
    signed_in.set_viewport_size({"width": 1280, "height": 900})
    signed_in.goto(address)

    assert covered_anywhere(signed_in) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_panel_stays_in_view_beside_the_documentation_and_ends_above_the_examples(
    signed_in: Page, width: int
):
    signed_in.set_viewport_size({"width": width, "height": 600})
    signed_in.goto("/tools/encode_text/")
    rail, docs = signed_in.locator(".tool-rail"), signed_in.locator(".tool-docs")
    bottom = docs.evaluate("(docs) => docs.getBoundingClientRect().bottom + scrollY")

    signed_in.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", bottom / 2 - 300)
    beside = rail.bounding_box()
    signed_in.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", bottom)
    after, ended = rail.bounding_box(), docs.bounding_box()

    assert beside is not None
    assert after is not None
    assert ended is not None
    assert 0 <= beside["y"] <= 180
    assert after["y"] + after["height"] <= ended["y"] + ended["height"] + 1
