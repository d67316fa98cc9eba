"""The page of an export: its differences lead to their lines, and copying gives the document alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.site import Site

EXPORT = "/tools/convert_units/formats/openai-strict/"
SIZES = [{"width": 1280, "height": 900}, {"width": 360, "height": 780}]


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_a_difference_leads_to_its_line(signed_in: Page, size):
    signed_in.set_viewport_size(size)
    signed_in.goto(EXPORT)

    signed_in.locator(".losses a").nth(3).click()

    line = signed_in.locator(".json-line:target")
    expect(line).to_contain_text('"to_unit"')
    expect(line).to_be_in_viewport()
    head, box = signed_in.locator(".tool-head").bounding_box(), line.bounding_box()
    assert head is not None
    assert box is not None
    assert head["y"] + head["height"] <= box["y"]


def test_the_marks_stay_in_view_when_the_document_is_scrolled(signed_in: Page):
    signed_in.set_viewport_size(SIZES[1])
    signed_in.goto(EXPORT)
    document = signed_in.locator("#use-openai-strict-code")
    number, note = (
        document.locator(".has-note > .line-number").first,
        document.locator(".json-note").first,
    )
    note.scroll_into_view_if_needed()
    before = [number.bounding_box(), note.bounding_box()]

    scrolled = document.evaluate("(block) => { block.scrollLeft = 200; return block.scrollLeft }")

    assert scrolled > 0
    assert [number.bounding_box(), note.bounding_box()] == before


def test_the_formats_are_folded_where_they_have_no_room_beside_the_document(signed_in: Page):
    signed_in.set_viewport_size(SIZES[1])
    signed_in.goto(EXPORT)
    others = signed_in.get_by_role("navigation", name="Formats").get_by_role("link")
    expect(signed_in.get_by_role("heading", name="works with 8 changes")).to_be_in_viewport()
    expect(others.first).to_be_hidden()

    signed_in.get_by_text("All formats and code").click()

    expect(others.first).to_be_visible()
    signed_in.set_viewport_size(SIZES[0])
    signed_in.reload()
    expect(others.first).to_be_visible()


def test_copying_an_export_gives_the_document_alone(signed_in: Page, site: Site):
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(EXPORT)

    signed_in.locator(".exports-main .copy").click()

    expect(signed_in.locator(".exports-main .copy")).to_contain_text("Copied")
    copied = signed_in.evaluate("async () => JSON.parse(await navigator.clipboard.readText())")
    answer = signed_in.request.get(f"{site.url}/api/v1/tools/convert_units/export/openai-strict")
    assert copied == answer.json()["document"]
