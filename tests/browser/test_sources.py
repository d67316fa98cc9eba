"""Sources in a browser: add one, watch its sync, approve a change; also by keyboard and without JavaScript."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.catalog.sources.documents import BREAKING, FORECAST, document
from tests.http_server import local_server, respond
from tests.site import Site

pytestmark = pytest.mark.deep


def test_a_source_is_added_synced_and_a_change_is_approved(signed_in: Page):
    served = [document(FORECAST)]

    def answer(handler):
        respond(handler, served[0].encode(), headers={"Content-Type": "application/json"})

    with local_server(answer) as server:
        signed_in.goto("/add/")
        signed_in.locator("json-editor .cm-content").click()
        signed_in.keyboard.insert_text(f"{server.url}/openapi.json")
        signed_in.get_by_role("button", name="Check first").click()
        expect(signed_in.locator(".connection-line")).to_contain_text("OpenAPI 3 · 1 operation")
        signed_in.get_by_label("Id prefix").fill("weather")
        signed_in.get_by_label("Id of Forecast").fill("weather.soon")
        signed_in.get_by_role("button", name="Check again").click()
        expect(signed_in.get_by_label("Id prefix")).to_have_value("weather")
        expect(signed_in.locator("[name=new_id]")).to_have_value("weather.soon")
        signed_in.get_by_role("button", name="Add 1 tool").click()
        expect(signed_in.get_by_role("link", name="Try forecast")).to_be_visible()

        served[0] = document(BREAKING)
        signed_in.get_by_role("button", name="Sync now").press("Enter")
        signed_in.locator("#held").get_by_role("link", name="weather.soon").click()

    expect(signed_in.locator("h1")).to_have_text("Change of weather.soon")
    signed_in.get_by_role("button", name="Approve").press("Enter")
    expect(signed_in.get_by_text("Revision 2 of weather.soon is published.")).to_be_visible()


def test_what_a_check_of_a_url_shows_stays_while_its_fields_are_filled_in(signed_in: Page):
    def answer(handler):
        respond(handler, document(FORECAST).encode())

    with local_server(answer) as server:
        signed_in.goto(f"/add/?url={server.url}/things.json")
        signed_in.get_by_role("button", name="Check first").click()
        expect(signed_in.locator(".entry")).to_be_visible()

        signed_in.get_by_label("Read again").select_option("60")
        signed_in.locator("[name=new_id]").fill("things.soon")
        signed_in.get_by_label("Id prefix").fill("invoices")
        signed_in.wait_for_timeout(600)  # longer than the pause before a preview

    expect(signed_in.locator(".entry")).to_be_visible()
    expect(signed_in.locator("[name=new_id]")).to_have_value("things.soon")
    expect(signed_in.get_by_label("Read again")).to_have_value("60")


def test_enter_in_the_id_of_a_tool_of_a_url_checks_it_again(signed_in: Page):
    def answer(handler):
        respond(handler, document(FORECAST).encode())

    with local_server(answer) as server:
        signed_in.goto(f"/add/?url={server.url}/others.json")
        signed_in.get_by_role("button", name="Check first").click()
        signed_in.locator("[name=new_id]").fill("others.soon")
        with signed_in.expect_navigation():
            signed_in.locator("[name=new_id]").press("Enter")

    expect(signed_in.locator("[name=new_id]")).to_have_value("others.soon")
    expect(signed_in.get_by_role("button", name="Check again")).to_be_visible()


def test_the_ids_of_a_curl_command_are_checked_while_they_are_typed(signed_in: Page):
    command = "curl -H 'X-Api-Key: mrk-1' https://api.example.com/v1/invoices"
    signed_in.goto(f"/add/?url={quote(command)}")
    expect(signed_in.get_by_role("button", name="Add 1 tool")).to_be_visible()

    signed_in.locator("[name^='member.']").last.fill("mrk-2")
    signed_in.locator("[name=new_id]").fill("one\u202etwo")

    expect(signed_in.locator(".entry-rejected")).to_be_visible()
    expect(signed_in.locator("[name^='member.']").last).to_have_value("mrk-2")


def test_pages_of_sources_fit_a_phone_and_work_without_scripts(
    browser: Browser, site: Site, session: StorageState
):
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": 360, "height": 700},
        storage_state=session,
        java_script_enabled=False,
    )
    page = context.new_page()
    widths = []

    def answer(handler):
        respond(handler, document(FORECAST).encode())

    with local_server(answer) as server:
        page.goto(f"/add/?url={server.url}/things.json")
        page.get_by_role("button", name="Check first").click()
        expect(page.get_by_text("1 operation")).to_be_visible()
        box = page.locator("main").bounding_box()
        widths.append(box["x"] + box["width"])
        page.get_by_role("button", name="Add 1 tool").click()
        expect(page.get_by_role("link", name="Try forecast")).to_be_visible()
    for path in ("/sources/", "/sources/things/"):
        page.goto(path)
        box = page.locator("main").bounding_box()
        widths.append(box["x"] + box["width"])
    context.close()

    assert max(widths) <= 360
