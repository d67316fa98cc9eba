"""The pages of sources."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from selectolax.lexbor import LexborHTMLParser

from catalog.proposals.models import Proposal
from catalog.sources.models import Source, SourceSync
from catalog.sources.sync import begin, carry_out, sync
from catalog.tools.models import Tool
from tests.catalog.sources.documents import (
    ALERTS,
    BREAKING,
    FORECAST,
    add_document,
    document,
    replace_document,
    store_source,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("synced_at_once")]


@pytest.fixture
def staff(ada, browser):
    """A browser in which a member of staff is signed in."""
    ada.is_staff = True
    ada.save()
    return browser


def page(response):
    return LexborHTMLParser(response.content.decode())


def text(response, selector="main"):
    return " ".join(page(response).css_first(selector).text().split())


def held():
    source = add_document(document(FORECAST))
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    return Proposal.objects.get()


def test_the_list_shows_the_state_of_each_source(browser):
    held()
    failed = add_document("not: openapi", name="broken")
    sync(failed)

    rows = [" ".join(row.text().split()) for row in page(browser.get("/sources/")).css("tbody tr")]

    assert rows[0].startswith("broken OpenAPI document 0 0 failed")
    assert rows[1].startswith("weather OpenAPI document 1 1 succeeded")


def test_a_source_shows_why_its_last_sync_failed(browser):
    sync(add_document("not: openapi"))

    response = browser.get("/sources/weather/")

    assert "The last sync failed; nothing was changed" in text(response, "[role=alert]")
    assert "This is not an OpenAPI document" in text(response, "[role=alert]")


def test_a_running_sync_is_polled_and_reloaded_without_scripts(browser):
    begin(add_document(document(FORECAST)))

    whole = browser.get("/sources/weather/")
    part = browser.get("/sources/weather/", headers={"HX-Request": "true"})

    assert (
        page(whole).css_first("noscript meta[http-equiv=refresh]")
        or b'http-equiv="refresh"' in whole.content
    )
    assert page(part).css_first("[hx-get='/sources/weather/']")
    assert b"<html" not in part.content


def test_the_tools_of_the_first_sync_appear_when_it_ends_with_links_to_try_them(browser):
    source = add_document(document(FORECAST, ALERTS))
    running = begin(source)
    opened = browser.get("/sources/weather/")
    assert "Listed 0" in text(opened, "#tools")

    carry_out(running)
    part = browser.get("/sources/weather/", headers={"HX-Request": "true"})

    assert page(opened).css_first("#state #tools")  # the part replaces what is in #state
    assert "Listed 2" in text(part, "#tools")
    assert [link.attributes["href"] for link in page(part).css("#tools li a")] == [
        "/tools/weather.alerts/",
        "/tools/weather.alerts/try/",
        "/tools/weather.forecast/",
        "/tools/weather.forecast/try/",
    ]
    assert page(part).css_first("[hx-get]") is None


def test_a_source_names_how_many_of_its_tools_run_and_one_to_try(browser):
    create = {**ALERTS, "operationId": "alert_everybody"}
    posting = json.loads(document(FORECAST))
    posting["paths"]["/alert"] = {"post": create}
    sync(add_document(json.dumps(posting)))

    result = page(browser.get("/sources/weather/")).css_first(".source-result")

    assert " ".join(result.text().split()) == "2 tools, 2 run. Try forecast"
    assert result.css_first("a").attributes["href"] == "/tools/weather.forecast/try/"


def test_polling_keeps_to_the_tools_that_the_page_shows(browser):
    begin(add_document(document(FORECAST)))

    opened = browser.get("/sources/weather/?gone=1")

    assert page(opened).css_first("[hx-get='/sources/weather/?gone=1']")


def test_vanished_tools_are_listed_apart_and_marked_on_their_page(browser):
    source = add_document(document(FORECAST, ALERTS))
    sync(source)
    sync(replace_document(source, document(FORECAST)))

    assert "weather.alerts" not in text(browser.get("/sources/weather/"), "#tools")
    assert "weather.alerts not listed since" in text(
        browser.get("/sources/weather/?gone=1"), "#tools"
    )
    assert "Its source no longer lists this tool" in text(browser.get("/tools/weather.alerts/"))
    assert "Its source" not in text(browser.get("/tools/weather.forecast/"))


def test_the_tool_page_names_the_source(browser, client):
    sync(add_document(document(FORECAST)))

    signed_in, anonymous = (
        browser.get("/tools/weather.forecast/"),
        client.get("/tools/weather.forecast/"),
    )

    assert page(signed_in).css_first(".tool-metadata a[href='/sources/weather/']")
    assert "Source weather" in text(anonymous, ".tool-metadata")
    assert not page(anonymous).css_first(".tool-metadata a[href='/sources/weather/']")


def test_a_held_change_shows_its_difference_and_a_proof(browser):
    change = held()

    response = browser.get(f"/review/{change.pk}/")

    assert "breaking" in text(response, ".page-heading")
    assert "The change is breaking." in text(response, ".page-lead")
    assert page(response).css_first("#meaning .change details")
    assert page(response).css_first("#text .diff-view")
    assert "Only the tool's owner, its maintainers and administrators" in text(response)
    assert not page(response).css_first("button[value=approve]")
    assert "Its source has changed this tool" in text(browser.get("/tools/weather.forecast/"))


def test_a_held_change_is_approved(staff, ada):
    change = held()
    url = f"/review/{change.pk}/"
    seen = page(staff.get(url)).css_first("input[name=seen]").attributes["value"]

    response = staff.post(url, {"decision": "approve", "seen": seen}, follow=True)

    assert "Revision 2 of weather.forecast is published." in text(response)
    assert Tool.objects.get().current.created_by == ada
    decided = staff.get(url)
    assert "Approved ada decided" in text(decided)
    assert not page(decided).css_first("button[value=approve]")


def test_a_held_change_is_rejected(staff):
    change = held()

    response = staff.post(f"/review/{change.pk}/", {"decision": "reject"}, follow=True)

    assert "Change to weather.forecast rejected." in text(response)
    assert "Nothing to review" in text(response)
    decisions = text(staff.get("/sources/weather/"), "#decisions")
    assert "weather.forecast: rejected by ada" in decisions
    assert Tool.objects.get().current.number == 1


def test_a_new_tool_that_is_held_shows_its_text(staff):
    sync(add_document(document(FORECAST), policy="review"))
    change = Proposal.objects.get()

    response = staff.get(f"/review/{change.pk}/")

    assert "New tool weather.forecast" in text(response, "h1")
    assert page(response).css_first("#text .diff-view")


def test_a_change_is_not_approved_on_top_of_another_revision(staff):
    change = held()

    response = staff.post(
        f"/review/{change.pk}/", {"decision": "approve", "seen": "7"}, follow=True
    )

    assert "a newer revision than the one you saw" in text(response)
    assert Proposal.objects.get().is_held


def test_users_who_may_not_decide_are_refused(browser):
    change = held()

    response = browser.post(f"/review/{change.pk}/", {"decision": "approve", "seen": "1"})

    assert response.status_code == 403
    assert Proposal.objects.get().is_held


def test_settings_are_changed_and_credentials_stay(staff):
    headers = {"Authorization": "Bearer mrk-abc"}
    store_source("demo", "mcp-http", "https://tools.example/mcp", headers=headers)
    fields = {"address": "https://tools.example/mcp", "policy": "review", "every_minutes": "1440"}

    staff.post(
        "/sources/demo/settings/", {**fields, "header_name": "Authorization", "header_value": ""}
    )

    source = Source.objects.get()
    assert (source.policy, source.every_minutes, source.headers) == ("review", 1440, headers)
    staff.post("/sources/demo/settings/", {**fields, "remove_credentials": "1"})
    assert Source.objects.get().headers == {}


def test_an_uploaded_document_stays_unless_it_is_replaced(staff):
    add_document(document(FORECAST))

    staff.post("/sources/weather/settings/", {"policy": "review", "every_minutes": ""})
    assert Source.objects.get().document == document(FORECAST)

    file = SimpleUploadedFile("weather.json", document(ALERTS).encode())
    staff.post(
        "/sources/weather/settings/", {"policy": "review", "every_minutes": "", "document": file}
    )
    assert Source.objects.get().document == document(ALERTS)


def test_an_uploaded_document_is_replaced_by_an_address(staff):
    add_document(document(FORECAST))
    fields = {"address": "https://api.example/openapi.json", "policy": "review"}

    staff.post("/sources/weather/settings/", {**fields, "every_minutes": ""})

    source = Source.objects.get()
    assert (source.address, source.document) == ("https://api.example/openapi.json", "")


def test_the_page_offers_the_stored_schedule_also_if_it_is_an_unusual_one(staff):
    store_source("usual", "mcp-http", "https://tools.example/mcp", every_minutes=60)
    store_source("unusual", "mcp-http", "https://tools.example/mcp", every_minutes=45)
    chosen = "#every_minutes option[selected]"

    assert text(staff.get("/sources/usual/"), chosen) == "Every hour"
    assert text(staff.get("/sources/unusual/"), chosen) == "Every 45 minutes"


def test_a_refused_header_is_shown_again_without_its_value(staff):
    store_source("demo", "mcp-http", "https://tools.example/mcp", headers={"X-Key": "mrk-abc"})
    fields = {"address": "https://tools.example/mcp", "policy": "review", "every_minutes": ""}

    refused = staff.post(
        "/sources/demo/settings/", {**fields, "header_name": "Host", "header_value": "mrk-def"}
    )

    assert "'Host' cannot be the name of a header" in text(refused, "#headers-error")
    assert page(refused).css_first("#header_name").attributes["value"] == "Host"
    assert "mrk-" not in refused.content.decode()
    assert (
        page(staff.get("/sources/demo/")).css_first("#header_name").attributes["value"] == "X-Key"
    )


def test_refused_settings_are_shown_with_their_errors(staff):
    add_document(document(FORECAST))

    response = staff.post("/sources/weather/settings/", {"policy": "all", "every_minutes": "x"})

    assert response.status_code == 422
    assert "Enter a number of minutes" in text(response, ".error-summary")


def test_a_source_is_synced_and_removed(staff):
    add_document(document(FORECAST))

    staff.post("/sources/weather/sync/")
    assert SourceSync.objects.get().by.username == "ada"
    response = staff.post("/sources/weather/remove/", follow=True)

    assert "weather removed. Its tools stay in the catalog." in text(response)
    assert Tool.objects.filter(tool_id="weather.forecast").exists()


def test_a_source_is_not_removed_while_it_is_synced(staff):
    begin(add_document(document(FORECAST)))

    response = staff.post("/sources/weather/remove/", follow=True)

    assert "Remove it when the sync has ended." in text(response)


@pytest.mark.parametrize(
    "path",
    [
        "/sources/weather/settings/",
        "/sources/weather/sync/",
        "/sources/weather/remove/",
    ],
)
def test_only_staff_manage_sources(browser, path):
    add_document(document(FORECAST))

    response = browser.post(path, {"name": "other", "kind": "openapi", "policy": "review"})

    assert response.status_code == 403
    assert "Only administrators can do this." in response.content.decode()
    assert Source.objects.get().policy == "compatible"
    shown = browser.get("/sources/weather/")
    assert not page(shown).css_first("#settings")


@pytest.mark.parametrize("path", ["/sources/", "/sources/weather/", "/review/1/"])
def test_sources_are_shown_to_signed_in_users(client, path):
    assert client.get(path)["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("path", ["/sources/none/", "/review/1/"])
def test_an_unknown_source_is_not_found(browser, path):
    assert browser.get(path).status_code == 404


def test_text_of_a_source_is_escaped(staff):
    bad = {**FORECAST, "operationId": "<script>alert(1)</script>", "summary": "<b>x</b>"}
    sync(add_document(document(bad), policy="review"))

    for path in ("/sources/weather/", Proposal.objects.get().get_absolute_url()):
        assert b"<script>alert" not in staff.get(path).content


def test_the_form_explains_which_servers_can_be_reached(staff, settings):
    add_document(document(FORECAST))
    settings.LOOPBACK_ONLY = True
    assert "Servers on this machine can be reached too" in text(
        staff.get("/sources/weather/"), "#address-hint"
    )

    settings.LOOPBACK_ONLY = False
    assert "Only public addresses" in text(staff.get("/sources/weather/"), "#address-hint")


def test_the_environment_of_a_command_is_not_changed_on_its_page(staff):
    store_source("local", "mcp-stdio", "npx server")

    shown = staff.get("/sources/local/")
    fields = {
        "policy": "review",
        "every_minutes": "",
        "header_name": "BASH_ENV",
        "header_value": "/tmp/evil",
    }
    refused = staff.post("/sources/local/settings/", fields)

    assert page(shown).css_first("input[name=header_value]") is None
    assert "can be set only on the server's command line" in text(refused, "#headers-error")
    assert Source.objects.get().headers == {}


def test_the_page_shows_the_query_of_an_address_to_staff_only(ada, browser):
    url = "https://tools.example/mcp"
    store_source("remote", "mcp-http", f"{url}?apiKey=mrk-abc")

    seen = browser.get("/sources/remote/").content.decode()
    assert url in seen
    assert "mrk-abc" not in seen

    ada.is_staff = True
    ada.save()
    assert f"{url}?apiKey=mrk-abc" in browser.get("/sources/remote/").content.decode()
