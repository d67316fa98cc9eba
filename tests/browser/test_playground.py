"""Trying tools as a person does: a run that takes its time, one that violates, a configuration that is saved."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

CONVERT = "/tools/convert_units/try/?example=1"


def run_button(page: Page):
    return page.locator("[data-run-button]")


def test_a_long_run_shows_how_far_it_is_and_is_cancelled(signed_in: Page):
    signed_in.goto('/tools/count_slowly/try/?parameters={"steps":50,"seconds":50}')

    run_button(signed_in).click()

    result = signed_in.locator("#run")
    expect(result.get_by_role("progressbar")).to_have_attribute(
        "value", re.compile("^[2-9]"), timeout=20_000
    )
    expect(result.locator(".log")).to_contain_text("step 2 of 50")
    expect(run_button(signed_in)).to_be_hidden()
    signed_in.get_by_role("button", name="Cancel").click()
    expect(result.locator(".verdict")).to_contain_text("Cancelled")
    expect(result.get_by_role("progressbar")).to_have_count(0)


def test_a_reload_loses_neither_the_parameters_nor_the_result(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")
    run_button(signed_in).click()
    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")

    signed_in.reload()

    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")
    expect(signed_in.get_by_label("from_unit").first).to_have_value("km")


def test_a_link_to_the_rule_opens_the_schema_at_its_line(signed_in: Page):
    signed_in.goto('/tools/drifting_thermometer/try/?parameters={"hours_since_calibration":73}')
    run_button(signed_in).click()
    note = signed_in.locator("#response .json-note").filter(has_text="must be a number")

    note.get_by_role("link", name="See the rule").click()

    expect(signed_in.locator("#response")).to_be_hidden()
    line = signed_in.locator("#return-type .json-line:target")
    expect(line).to_be_visible()
    expect(line).to_contain_text("type")


def test_a_configuration_is_saved_and_used_again_without_typing_the_secret(signed_in: Page):
    signed_in.goto('/tools/sign_text/try/?parameters={"text":"hello"}')
    signed_in.locator("#configuration-fold > summary").click()
    signed_in.get_by_label("key").first.fill("hunter22-hunter22")
    signed_in.get_by_text("Save this configuration").click()
    signed_in.get_by_label("Name", exact=True).fill("work")
    signed_in.get_by_role("button", name="Save", exact=True).click()
    expect(signed_in.get_by_label("Saved", exact=True)).to_have_value("work")
    run_button(signed_in).click()
    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")
    first = signed_in.locator("#response").inner_text().split()

    signed_in.locator("#run .link-to-run a").click()
    expect(signed_in.get_by_label("Saved", exact=True)).to_have_value("work")
    run_button(signed_in).click()

    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")
    assert signed_in.locator("#response").inner_text().split() == first
    assert "hunter22" not in signed_in.content()


def test_ctrl_enter_runs(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")

    signed_in.get_by_label("from_unit").first.press("Control+Enter")

    expect(signed_in.locator("#run .verdict")).to_contain_text("Matches")


def test_the_request_preview_is_visible_and_follows_the_typed_text(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")
    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "km"')

    signed_in.get_by_label("from_unit").first.fill("mile")
    signed_in.get_by_label("from_unit").first.press("Tab")

    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "mile"')
    expect(signed_in.get_by_label("from_unit").first).to_have_value("mile")


def test_the_request_preview_stays_folded_and_is_current_when_it_is_unfolded(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")
    signed_in.get_by_text("Request preview").click()
    signed_in.get_by_label("from_unit").first.fill("mile")

    signed_in.get_by_role("button", name="Show type selectors").click()

    expect(signed_in.get_by_role("button", name="Hide type selectors")).to_be_visible()
    expect(signed_in.locator("#preview")).to_be_hidden()
    signed_in.locator('[id="parameters:/.from_unit"]').fill("foot")
    signed_in.get_by_text("Request preview").click()
    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "foot"')


def test_the_examples_of_a_tool_are_checked(signed_in: Page):
    signed_in.goto("/tools/convert_units/tests/")

    signed_in.get_by_role("button", name="Run all examples").click()

    expect(signed_in.locator(".verdict")).to_contain_text("examples pass", timeout=30_000)


def test_only_two_runs_of_one_tool_can_be_compared(signed_in: Page):
    for address in (CONVERT, CONVERT, "/tools/encode_text/try/?example=1"):
        signed_in.goto(address)
        run_button(signed_in).click()
        expect(signed_in.locator("#run .run-facts")).to_be_visible()
    signed_in.goto("/runs/")
    compare, hint = (
        signed_in.locator("[data-compare-runs]"),
        signed_in.locator("[data-compare-hint]"),
    )
    boxes = signed_in.locator(".select-run")  # the newest first
    expect(compare).to_be_disabled()
    expect(compare).to_be_hidden()

    boxes.nth(0).click()
    boxes.nth(1).click()

    expect(compare).to_be_disabled()
    expect(compare).to_be_in_viewport()
    expect(hint).to_have_text("These are runs of different tools. Select two runs of one tool.")
    boxes.nth(0).click()
    boxes.nth(2).click()
    expect(hint).to_have_text("Two runs selected.")
    compare.click()
    signed_in.wait_for_url("**/runs/*..*/")


def test_the_kind_of_a_text_keeps_clear_of_the_edge(signed_in: Page):
    signed_in.goto("/tools/compare_texts/try/?example=1")
    run_button(signed_in).click()
    signed_in.get_by_role("tab", name="Text").click()
    kind = signed_in.locator("#run .code-bar > span", has_text="Diff")

    bar, label = kind.locator("..").bounding_box(), kind.bounding_box()

    assert bar["x"] + bar["width"] - label["x"] - label["width"] >= 12


def test_the_filters_of_runs_are_folded_on_a_phone(signed_in: Page):
    signed_in.set_viewport_size({"width": 360, "height": 780})
    signed_in.goto("/runs/")
    expect(signed_in.get_by_label("Outcome")).to_be_hidden()

    signed_in.locator(".facets-fold > summary").click()
    signed_in.get_by_label("Outcome").select_option("raised")

    expect(signed_in).to_have_url(re.compile("outcome=raised"))
    signed_in.reload()
    expect(signed_in.get_by_label("Outcome")).to_be_visible()
    signed_in.set_viewport_size({"width": 1280, "height": 780})
    signed_in.goto("/runs/")
    expect(signed_in.get_by_label("Outcome")).to_be_visible()


def test_filters_are_removed_by_a_link_that_appears_with_them(signed_in: Page):
    signed_in.goto("/runs/?since=2026-01-20")
    link = signed_in.locator(".clear-filters")
    expect(link).to_be_hidden()

    signed_in.locator("#verdict").select_option("violates")

    expect(signed_in).to_have_url(re.compile("verdict=violates"))
    expect(link).to_be_visible()
    link.click()
    expect(signed_in).to_have_url(re.compile("/runs/$"))
    signed_in.goto("/runs/?person=ada")
    expect(link).to_be_visible()


def test_days_replace_the_selected_hour_for_good(signed_in: Page):
    signed_in.goto("/runs/?hour=2026-11-23T04&period=24h")

    signed_in.locator("#since").fill("2026-11-01")
    signed_in.wait_for_url("**since=2026-11-01*")
    expect(signed_in.locator("#overview-title a")).to_have_text(re.compile("^From 1 Nov"))
    signed_in.locator("#since").fill("")

    signed_in.wait_for_url(lambda url: "since=2026" not in url)
    expect(signed_in.locator("#overview-title a")).to_have_count(0)
    assert "hour" not in signed_in.url
    assert "period=24h" in signed_in.url


def test_conforming_runs_have_one_colour_in_charts_and_in_the_history(signed_in: Page):
    signed_in.goto(CONVERT)
    run_button(signed_in).click()
    expect(signed_in.locator("#history .bar-good").first).to_be_visible()
    paint = "mark => [getComputedStyle(mark).fill, getComputedStyle(mark).stroke]"
    in_history = signed_in.locator("#history .bar-good").first.evaluate(paint)

    signed_in.goto("/runs/?tool=convert_units")

    assert signed_in.locator(".run-bars rect.chart-good").last.evaluate(paint) == in_history
