"""The main job as a person does it: sign in, upload, find, read, configure, run, and read the verdict."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Complaints, follow_link
from tests.corpora import GET_WEATHER
from tests.site import Site


def do_the_main_job(page: Page) -> None:
    page.goto("/add/")
    page.locator("input[type=file]").set_input_files(GET_WEATHER)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("main")).to_contain_text("Get weather")

    page.goto("/tools/")
    page.get_by_label("Search tools").fill("weather")
    page.get_by_label("Search tools").press("Enter")
    page.get_by_role("link", name="Get weather").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Get weather")
    expect(page.get_by_role("main")).to_contain_text("location")

    page.get_by_role("main").get_by_role("link", name="Try").first.click()
    page.goto(page.url.split("#")[0] + "?example=1")
    expect(page.get_by_label("location").first).to_have_value("New York")
    page.locator("#configuration-fold > summary").click()
    page.get_by_label("temperatureUnit").first.select_option(label="C")
    page.get_by_role("button", name="Run").first.click()
    expect(page.locator(".verdict")).to_contain_text("Matches")
    expect(page.get_by_role("main")).to_contain_text("Sunny")


def test_a_person_does_the_main_job(signed_in: Page):
    do_the_main_job(signed_in)


def test_a_person_does_the_main_job_without_javascript(browser: Browser, site: Site):
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    follow_link(page, site)

    do_the_main_job(page)

    context.close()
    assert complaints == []


def test_a_violating_response_is_shown_with_the_violation_at_its_line(signed_in: Page):
    signed_in.goto('/tools/drifting_thermometer/try/?parameters={"hours_since_calibration":73}')

    signed_in.get_by_role("button", name="Run").first.click()

    expect(signed_in.locator(".verdict")).to_contain_text("Does not match")
    expect(signed_in.get_by_role("main")).to_contain_text("readings")
    expect(signed_in.locator(".verdict-bad, [class*=annotation]").first).to_be_visible()
