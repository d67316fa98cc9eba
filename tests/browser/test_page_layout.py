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


@pytest.mark.parametrize("name", ["error-403", "error-404"])
def test_on_a_phone_the_title_of_an_error_precedes_its_explanation(visitors: Visitors, name: str):
    page = show(visitors, name, 360)

    assert top(page.get_by_role("heading", level=1)) < top(page.locator(".page-lead"))
