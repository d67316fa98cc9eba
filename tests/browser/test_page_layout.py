"""Where the parts of a page stand at the widths of phones, tablets and desktops."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.pages import PAGES, Visitors

STATES = {state.name: state for state in PAGES}


def show(visitors: Visitors, name: str, width: int) -> Page:
    page = visitors.open(STATES[name])
    page.set_viewport_size({"width": width, "height": 900})
    return page


def top(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["y"]


def left(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["x"]


def are_on_one_line(one: Locator, other: Locator) -> bool:
    return abs(top(one) - top(other)) < 12


@pytest.mark.parametrize("name", ["error-403", "error-404"])
def test_on_a_phone_the_title_of_an_error_precedes_its_explanation(visitors: Visitors, name: str):
    page = show(visitors, name, 360)

    assert top(page.get_by_role("heading", level=1)) < top(page.locator(".page-lead"))


@pytest.mark.parametrize("name", ["runs", "audit", "webhook", "sources"])
def test_on_a_tablet_a_table_fits_into_its_box(visitors: Visitors, name: str):
    page = show(visitors, name, 768)

    assert (
        page.locator(".table-wrap").first.evaluate("(box) => box.scrollWidth - box.clientWidth")
        == 0
    )


@pytest.mark.parametrize("name", ["runs", "runs-of-a-tool", "audit", "changes"])
def test_on_a_phone_a_row_begins_with_its_name_and_its_time(visitors: Visitors, name: str):
    page = show(visitors, name, 360)

    row = page.locator(".stacked-rows tbody tr").first
    assert are_on_one_line(row.locator(".cell-name"), row.locator(".cell-when"))
    assert all(
        top(cell) >= top(row.locator(".cell-name")) - 8
        for cell in row.locator("td").all()
        if cell.is_visible()
    )


def test_on_a_phone_the_line_of_a_spec_is_beside_its_name(visitors: Visitors):
    page = show(visitors, "upload-report", 360)

    entry = page.locator(".entry-created").first
    name, line, link = (
        entry.locator(part) for part in (".entry-name", ".entry-source", "a:has-text('Try')")
    )
    assert are_on_one_line(name, line)
    assert not are_on_one_line(name, link)


def test_the_tabs_of_an_account_stay_where_they_are(visitors: Visitors):
    names = ("account", "tokens", "sessions", "security")

    places = {top(show(visitors, name, 1280).locator(".tabs-links")) for name in names}

    assert len(places) == 1


def test_the_tools_that_break_a_rule_stand_beside_its_explanation(visitors: Visitors):
    page = show(visitors, "lint-rule", 1280)

    assert are_on_one_line(page.locator("#tools"), page.locator("#why"))
    assert left(page.locator("#tools")) > left(page.locator("#why"))
