"""Trying tools as a person does: a run that takes its time, one that violates, a configuration that is kept."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

expect.set_options(timeout=15_000)


def run_button(page: Page):
    return page.locator("[data-run-button]")


def test_a_long_run_shows_how_far_it_is_and_is_cancelled(signed_in: Page):
    signed_in.goto('/tools/count_slowly/try/?parameters={"steps":50,"seconds":50}')

    run_button(signed_in).click()

    result = signed_in.locator("#run")
    expect(result.get_by_role("progressbar")).to_have_attribute("value", re.compile("^[2-9]"), timeout=20_000)
    expect(result.locator(".log")).to_contain_text("step 2 of 50")
    result.get_by_role("button", name="Cancel").click()
    expect(result.locator(".verdict")).to_contain_text("Cancelled")
    expect(result.get_by_role("progressbar")).to_have_count(0)


def test_a_reload_loses_neither_the_parameters_nor_the_result(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")
    run_button(signed_in).click()
    expect(signed_in.locator("#run .verdict")).to_contain_text("conforms")

    signed_in.reload()

    expect(signed_in.locator("#run .verdict")).to_contain_text("conforms")
    expect(signed_in.get_by_label("from_unit").first).to_have_value("km")


def test_a_link_to_the_rule_opens_the_schema_at_its_line(signed_in: Page):
    signed_in.goto('/tools/drifting_thermometer/try/?parameters={"hours_since_calibration":73}')
    run_button(signed_in).click()
    note = signed_in.locator("#response .json-note").filter(has_text="lukewarm")

    note.get_by_role("link", name="See the rule").click()

    expect(signed_in.locator("#response")).to_be_hidden()
    line = signed_in.locator("#return-type .json-line:target")
    expect(line).to_be_visible()
    expect(line).to_contain_text("type")


def test_a_configuration_is_saved_and_used_again_without_typing_the_secret(signed_in: Page):
    signed_in.goto('/tools/sign_text/try/?parameters={"text":"hello"}')
    signed_in.get_by_label("key").first.fill("hunter22-hunter22")
    signed_in.get_by_text("Save this configuration").click()
    signed_in.get_by_label("Name", exact=True).fill("work")
    signed_in.get_by_role("button", name="Save", exact=True).click()
    expect(signed_in.get_by_label("Saved", exact=True)).to_have_value("work")
    run_button(signed_in).click()
    expect(signed_in.locator("#run .verdict")).to_contain_text("conforms")
    first = signed_in.locator("#response").inner_text()

    signed_in.locator("#run .run-facts a").click()
    signed_in.get_by_role("button", name="Run again").click()

    expect(signed_in.locator("#run .verdict")).to_contain_text("conforms")
    expect(signed_in.get_by_role("main")).to_contain_text("work")
    assert signed_in.locator("#response").inner_text() == first
    assert "hunter22" not in signed_in.content()
    signed_in.get_by_role("link", name="Change and run").click()
    expect(signed_in.get_by_label("Saved", exact=True)).to_have_value("work")
    assert "hunter22" not in signed_in.content()


def test_ctrl_enter_runs(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")

    signed_in.get_by_label("from_unit").first.press("Control+Enter")

    expect(signed_in.locator("#run .verdict")).to_contain_text("conforms")


def test_what_will_be_sent_follows_what_is_typed_and_stays_unfolded(signed_in: Page):
    signed_in.goto("/tools/convert_units/try/?example=1")
    signed_in.get_by_text("What will be sent").click()
    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "km"')

    signed_in.get_by_label("from_unit").first.fill("mile")
    signed_in.get_by_label("from_unit").first.press("Tab")

    expect(signed_in.locator("#preview")).to_contain_text('"from_unit": "mile"')
    expect(signed_in.get_by_label("from_unit").first).to_have_value("mile")


def test_the_examples_of_a_tool_are_checked(signed_in: Page):
    signed_in.goto("/tools/convert_units/examples/")

    signed_in.get_by_role("button", name="Run all examples").click()

    expect(signed_in.locator(".verdict")).to_contain_text("examples hold", timeout=30_000)
