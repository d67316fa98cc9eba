"""The documentation of the API sends requests: with the session or a token, and writes them as curl commands."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.test_accessibility import violations
from tests.site import Site
from tests.site_accounts import token

RUN = "playground_api_create_run"
ARCHIVE = "catalog_api_tools_archive_tool"


def opened(page: Page, operation: str) -> Locator:
    """The form of an operation, whose fold the link opens; the form itself is opened by keyboard."""
    page.goto(f"/api/v1/docs#{operation}")
    fold = page.locator(f".operation-fold:has(#{operation})")
    expect(fold).to_have_attribute("open", "")
    fold.locator(".api-try > summary").press("Enter")
    form = fold.locator(".api-try form")
    expect(form).to_be_visible()
    return form


def test_a_tool_is_run_with_the_session_and_the_curl_command_follows(signed_in: Page):
    form = opened(signed_in, RUN)

    form.get_by_label("slug").fill("convert_units")
    form.get_by_label("body").fill(
        '{"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}, "wait_s": 30}'
    )
    form.get_by_role("button", name="Send").press("Enter")

    expect(form.locator(".api-try-status")).to_contain_text("201 Created")
    expect(form.locator("output")).to_contain_text('"verdict": "conforms"')
    expect(form.locator("output")).to_contain_text("location: ")
    expect(signed_in.locator(f"#curl-{RUN}")).to_contain_text("/api/v1/tools/convert_units/runs ")
    assert violations(signed_in) == []


def test_the_document_is_loaded_once_and_only_for_a_form(signed_in: Page):
    asked: list[str] = []
    signed_in.on(
        "request",
        lambda request: asked.append(request.url) if "openapi.json" in request.url else None,
    )
    signed_in.goto("/api/v1/docs")
    before = list(asked)

    opened(signed_in, RUN)

    assert (before, len(asked)) == ([], 1)


def test_a_fold_that_opens_before_the_script_is_loaded_has_its_form(signed_in: Page):
    held: list[Route] = []
    signed_in.route("**/api_try*.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks the function
    signed_in.goto(f"/api/v1/docs#{RUN}", wait_until="commit")
    fold = signed_in.locator(f".operation-fold:has(#{RUN})")
    expect(fold).to_have_attribute("open", "")

    held[0].continue_()

    expect(fold.locator(".api-try > summary")).to_be_visible()


@pytest.mark.parametrize("answer", ["dismiss", "accept"])
def test_a_change_is_sent_after_a_question(signed_in: Page, site: Site, answer: str):
    sent: list[str] = []
    signed_in.on(
        "request", lambda request: sent.append(request.url) if request.method != "GET" else None
    )
    signed_in.on("dialog", lambda dialog: getattr(dialog, answer)())
    form = opened(signed_in, ARCHIVE)
    form.get_by_label("slug").fill("encode_text")

    form.get_by_role("button", name="Send").click()

    if answer == "accept":
        expect(form.locator(".api-try-status")).to_contain_text("204 No Content")
    assert len(sent) == (answer == "accept")


def test_a_visitor_reads_and_sends_a_token_to_run(browser: Browser, site: Site):
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    form = opened(page, RUN)
    form.get_by_label("slug").fill("convert_units")
    form.get_by_label("body").fill('{"parameters": {}, "mode": "mock", "wait_s": 30}')
    form.get_by_role("button", name="Send").click()
    expect(form.locator(".api-try-status")).to_contain_text("401")

    form.get_by_label("token").fill(token(site, "tester", "run"))
    form.get_by_role("button", name="Send").click()

    expect(form.locator(".api-try-status")).to_contain_text("201")
    expect(page.locator(f"#curl-{RUN}")).to_contain_text("Bearer $TOOLSHELF_TOKEN")
    context.close()
