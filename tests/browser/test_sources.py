"""Sources in a browser: add one, watch its sync, approve a change; also by keyboard and without JavaScript."""

from __future__ import annotations

import json

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
        signed_in.goto("/sources/")
        signed_in.get_by_label("Name", exact=True).fill("weather")
        signed_in.get_by_label("OpenAPI document", exact=True).check()
        signed_in.get_by_label("Address").fill(f"{server.url}/openapi.json")
        signed_in.get_by_role("button", name="Add the source").click()
        expect(signed_in.locator("#syncs")).to_contain_text("1 new")  # by polling, without a reload

        served[0] = document(BREAKING)
        signed_in.get_by_role("button", name="Sync now").press("Enter")
        signed_in.locator("#held").get_by_role("link", name="weather.forecast").click()

    expect(signed_in.locator("h1")).to_have_text("Change of weather.forecast")
    signed_in.get_by_role("button", name="Approve").press("Enter")
    expect(signed_in.get_by_text("Revision 2 of weather.forecast is published.")).to_be_visible()


def test_a_document_is_offered_for_an_openapi_source_only(signed_in: Page):
    signed_in.goto("/sources/")
    document = signed_in.locator("#document")
    signed_in.get_by_label("MCP server").check()
    expect(document).to_be_hidden()

    signed_in.get_by_label("OpenAPI document", exact=True).check()

    expect(document).to_be_visible()


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
    page.goto("/sources/")
    page.get_by_label("Name", exact=True).fill("things")
    page.get_by_label("OpenAPI document", exact=True).check()
    page.get_by_label("Or upload an OpenAPI document").set_input_files(
        {
            "name": "things.json",
            "mimeType": "application/json",
            "buffer": json.dumps(json.loads(document(FORECAST))).encode(),
        }
    )
    page.get_by_label("Publish without approval").select_option("review")
    page.get_by_role("button", name="Add the source").click()
    expect(
        page.locator("#held").get_by_role("link", name="things.forecast")
    ).to_be_visible()  # by reloading
    widths = []
    for path in ("/sources/", "/sources/things/"):
        page.goto(path)
        box = page.locator("main").bounding_box()
        widths.append(box["x"] + box["width"])
    context.close()

    assert max(widths) <= 360
