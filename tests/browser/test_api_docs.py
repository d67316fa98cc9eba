"""The documentation of the API sends requests: with the session, or with a token."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.site import Site
from tests.site_accounts import token

pytestmark = pytest.mark.deep

RUN = "create_run"
STATUS = ".live-responses-table tbody .response-col_status"
CONVERT = '{"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}, "wait_s": 30}'


def open_operation(page: Page, operation: str) -> Locator:
    """The operation, ready to be filled in."""
    page.goto("/api/v1/docs")
    page.locator("#operations-tag-runs").get_by_role("button").click()
    block = page.locator(f"#operations-runs-{operation}")
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    return block


def run_tool(block: Locator) -> None:
    block.get_by_placeholder("slug").fill("convert_units")
    block.locator(".body-param textarea").fill(CONVERT)
    block.get_by_role("button", name="Execute").click()


def test_a_tool_is_run_with_the_session(signed_in: Page):
    block = open_operation(signed_in, RUN)

    run_tool(block)

    expect(block.locator(STATUS)).to_have_text("201")
    expect(block.locator(".live-responses-table")).to_contain_text('"verdict": "conforms"')


def test_a_visitor_reads_and_sends_a_token_to_run(browser: Browser, site: Site):
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    block = open_operation(page, RUN)
    run_tool(block)
    status = block.locator(STATUS)
    expect(status).to_have_text("401")

    page.get_by_role("button", name="Authorize", exact=True).click()
    dialog = page.locator(".dialog-ux")
    dialog.get_by_label("auth-bearer-value").first.fill(token(site, "tester", "run"))
    dialog.get_by_role("button", name="Apply credentials").first.click()
    dialog.get_by_role("button", name="Close").first.click()
    block.get_by_role("button", name="Execute").click()

    expect(status).to_have_text("201")
    context.close()


def test_the_page_follows_the_theme_of_the_site(signed_in: Page):
    signed_in.goto("/api/v1/docs")
    title = signed_in.locator("#swagger-ui .info .title")
    color = "element => getComputedStyle(element).color"
    light = title.evaluate(color)

    signed_in.evaluate("document.documentElement.dataset.theme = 'dark'")

    expect(signed_in.locator("html")).to_have_class("js passkeys dark-mode")
    assert title.evaluate(color) != light
