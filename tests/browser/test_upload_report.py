"""The report of a large upload, narrow and wide, light and dark: all of it fits and can be read by everybody."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import violations
from tests.factories import spec_text

NAME = "a long name " * 12


def files_of_all_outcomes(specs: Path) -> list[Path]:
    """Specs of all outcomes, with long names, and more than a page of them."""
    longest = {"name": "unbroken_" * 20, "description": "Does something."}
    lines = [json.dumps(json.loads(spec_text(f"report-{number}"))) for number in range(120)]
    lines[1] = json.dumps({"definition": {"id": "another.long.id-" * 12, **longest}})
    lines[2] = json.dumps(
        {"definition": {"id": "x", "parameters": {"properties": {"p" * 180: {"type": "strng"}}}}}
    )
    lines[3] = '{"definition": {"name": "broken", "description": "x", }}'
    earlier = {"toolshelf": "catalog", "version": 2}
    texts = {
        f"{NAME}.ndjson": "\n".join(lines),
        "catalog.ndjson": json.dumps(earlier, separators=(",", ":")),
    }
    files = [specs / name for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text)
    return files


@pytest.mark.deep
@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_a_report_with_problems_and_long_names_fits_and_is_accessible(
    signed_in: Page, specs: Path, width, theme
):
    signed_in.set_viewport_size({"width": width, "height": 900})
    signed_in.emulate_media(color_scheme=theme)
    signed_in.goto("/add/")
    signed_in.set_input_files("input[type=file]", files_of_all_outcomes(specs))
    signed_in.get_by_role("button", name="Publish").click()
    expect(signed_in.locator(".notice-title")).to_contain_text("rejected", timeout=30_000)

    for outcome in ("", "?outcome=rejected"):
        signed_in.goto(re.sub(r"\?.*", "", signed_in.url) + outcome)
        expect(signed_in.locator(".outcomes [aria-current]")).to_be_in_viewport()
        assert signed_in.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(signed_in) == []


def test_a_narrow_page_shows_the_position_of_a_problem(signed_in: Page, specs: Path):
    signed_in.set_viewport_size({"width": 360, "height": 900})
    signed_in.goto("/add/")
    signed_in.set_input_files("input[type=file]", files_of_all_outcomes(specs))
    signed_in.get_by_role("button", name="Publish").click()
    expect(signed_in.locator(".notice-title")).to_contain_text("rejected", timeout=30_000)

    place = signed_in.locator(".excerpt-at").last
    place.scroll_into_view_if_needed()

    box = place.bounding_box()
    assert box
    assert 0 <= box["x"] <= 360
    expect(signed_in.locator(".caret").last).to_be_hidden()
