"""The header of a tool stays in view, and never covers what a person looks at."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

TOOL = "/tools/github-mcp-server.issue_write/"
SIZES = [{"width": 1280, "height": 900}, {"width": 360, "height": 780}]


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_the_current_tab_is_in_view(signed_in: Page, size):
    signed_in.set_viewport_size(size)
    signed_in.goto(f"{TOOL}formats/")
    tab = signed_in.locator(".tool-tabs [aria-current]")

    expect(tab).to_contain_text("Formats")
    expect(tab).to_be_in_viewport(ratio=1)


def test_a_long_name_is_whole_on_a_phone(signed_in: Page):
    signed_in.set_viewport_size(SIZES[1])
    signed_in.goto("/tools/drifting_thermometer/")
    name = signed_in.locator(".tool-head-name")

    expect(name).to_have_text("drifting_thermometer")
    assert name.evaluate(
        "(name) => name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight"
    )


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_the_header_stays_in_view_above_the_target_of_a_link(signed_in: Page, size):
    signed_in.set_viewport_size(size)
    signed_in.goto(f"{TOOL}#returns")
    head, target = signed_in.locator(".tool-head"), signed_in.locator("#returns")
    expect(target).to_be_in_viewport()

    signed_in.evaluate(
        "() => document.getElementById('returns').scrollIntoView({ behavior: 'instant' })"
    )
    above, below = head.bounding_box(), target.bounding_box()

    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]


def test_the_header_covers_no_element_with_the_focus(signed_in: Page):
    signed_in.set_viewport_size({"width": 1280, "height": 600})
    signed_in.goto(f"{TOOL}settings/")
    signed_in.evaluate(
        "() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })"
    )

    covered = signed_in.evaluate(
        """() => {
          const found = [];
          document.documentElement.style.scrollBehavior = "auto";
          const controls = [...document.querySelectorAll("main input:not([type=hidden]), main textarea")];
          for (const element of controls.reverse().filter((one) => one.checkVisibility())) {
            element.focus();
            const head = document.querySelector(".tool-head").getBoundingClientRect();
            if (element.getBoundingClientRect().top < head.bottom) found.push(element.outerHTML);
          }
          return found;
        }"""
    )

    assert covered == []


def test_a_link_to_a_property_opens_it(signed_in: Page):
    signed_in.goto(f"{TOOL}#parameters.issue_fields.items.field_name")

    expect(
        signed_in.locator("[id='parameters.issue_fields.items.field_name'] > details")
    ).to_have_attribute("open", "")
    expect(signed_in.locator("[id='parameters.issue_fields.items.field_name']")).to_be_in_viewport()


def test_the_outline_shows_only_properties_that_match_its_filter(signed_in: Page):
    signed_in.goto(TOOL)

    signed_in.get_by_label("Filter properties").fill("field_")

    names = signed_in.locator("[data-outline] [data-filter]:visible")
    expect(names).to_have_text(["field_name* required", "field_option_name"])


def test_the_filter_of_the_outline_finds_properties_of_variants(signed_in: Page):
    signed_in.goto("/tools/workspace-mcp.batch_update_doc/")

    signed_in.get_by_label("Filter properties").fill("border_width")

    rows = signed_in.locator("[data-found] a")
    expect(rows).to_have_text(
        ["update_paragraph_style.border_width", "update_table_cell_style.border_width"]
    )
    anchor = rows.last.get_attribute("href")
    rows.last.click()
    expect(signed_in.locator(f"[id='{anchor.removeprefix('#')}']")).to_be_in_viewport()

    signed_in.get_by_label("Filter properties").fill("no such property")

    expect(signed_in.get_by_text("No property matches.")).to_be_visible()
    expect(rows).to_have_count(0)


def test_an_old_link_to_a_section_leads_to_its_page(signed_in: Page):
    signed_in.goto(f"{TOOL}#compatibility")

    signed_in.wait_for_url(f"**{TOOL}formats/#compatibility")
