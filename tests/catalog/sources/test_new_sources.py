"""The page Add makes sources of URLs, servers of a client's configuration, commands and curl."""

from __future__ import annotations

import json
from traceback import walk_tb
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.views.debug import get_exception_reporter_filter
from selectolax.lexbor import LexborHTMLParser

from catalog.proposals.models import Proposal
from catalog.sources import discovery, reading, schedule
from catalog.sources.models import Source
from catalog.sources.sync import AlreadySyncing, sync
from catalog.tools.models import Revision, Tool
from catalog.tools.publishing import publish
from config.error_pages import AlwaysHiding
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import open_configuration
from tests.catalog.sources.conftest import ThreadAtOnce
from tests.catalog.sources.documents import ALERTS, FORECAST, document, store_source
from tests.factories import make_spec, make_tool, make_user
from tests.http_server import local_server, respond
from tests.mcp_server import answering_server
from tests.work import at_most
from toolspec.imports import import_document

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_data_dir", "synced_at_once", "_read_in_this_process"),
]

SERVERS = {
    "mcpServers": {
        "Weather": {
            "url": "https://tools.example/mcp",
            "headers": {"Authorization": "Bearer mrk-1"},
        },
        "files": {"command": "npx", "args": ["-y", "server-files", "/my files"]},
    }
}
CURL = """curl -X POST 'https://api.example.com/v1/items?page=2' \\
  -H 'Authorization: Bearer mrk-secret' -H 'X-Trace: 7' --json '{"name": "Tea", "tags": ["hot"]}'"""


@pytest.fixture
def staff(ada, browser, settings):
    """A browser in which an administrator is signed in, on a site that reaches this machine."""
    settings.LOOPBACK_ONLY = True
    ada.is_staff = True
    ada.save()
    return browser


def with_key(text):
    """The document of an API that needs a key."""
    scheme = {"type": "apiKey", "in": "header", "name": "X-Api-Key"}
    components = {"securitySchemes": {"apiKey": scheme}}
    return json.dumps({**json.loads(text), "components": components, "security": [{"apiKey": []}]})


@pytest.fixture
def api():
    """A server with an OpenAPI document that needs a key."""
    described = json.loads(document(FORECAST, ALERTS))
    described["servers"] = [{"url": "https://api.example.com/v1"}]
    described["info"]["title"] = "Weather service"
    text = with_key(json.dumps(described))

    def answer(handler):
        respond(handler, text.encode(), headers={"Content-Type": "text/plain"})

    with local_server(answer) as server:
        yield f"{server.url}/openapi.json"


def page(response):
    return LexborHTMLParser(response.content.decode())


def words(response, selector):
    return " ".join(page(response).css_first(selector).text().split())


def line(browser, text):
    """What the page recognizes while somebody types."""
    return words(browser.post("/add/preview/", {"text": text}), ".connection-line")


def errors(response):
    return words(response, ".error-summary-list")


def ids_of(response):
    """The ids of the tools in the preview, which can be edited."""
    return [field.attributes["value"] for field in page(response).css("[name=new_id]")]


def keys_of(browser, text):
    """The keys of the sources that the page shows for a text."""
    shown = page(browser.post("/add/preview/", {"text": text}))
    return [field.attributes["value"] for field in shown.css("[name=new_key]")]


def test_what_is_entered_is_recognized_before_anything_is_read_or_stored(staff):
    url = "https://api.example.com/openapi.json"

    assert line(staff, url) == f"URL of an OpenAPI document or an MCP server: {url}"
    assert line(staff, json.dumps(SERVERS)) == "mcpServers block: 2 servers"
    assert line(staff, CURL) == (
        "curl: POST https://api.example.com/v1/items · its secrets become the configuration: token"
    )
    assert line(staff, "npx -y server-files") == "Command of an MCP server"
    assert not Source.objects.exists()


def test_a_url_in_the_address_of_the_page_fills_the_field_and_is_not_read(staff, api):
    response = staff.get("/add/", {"url": api})

    assert page(response).css_first("#text").text() == api
    assert page(response).css_first(".entries") is None
    assert not Source.objects.exists()


def test_a_url_becomes_a_source_that_runs_with_one_press(staff, api):
    response = staff.post("/add/", {"text": api})

    assert response["Location"] == "/sources/weather-service/"
    source = Source.objects.get()
    assert (source.kind, source.address, source.every_minutes) == ("openapi", api, 1440)
    assert words(staff.get(response["Location"]), ".source-result") == (
        "2 tools, 2 run. Try alerts"
    )


def test_a_check_shows_what_a_url_contains_and_stores_nothing(staff, api):
    response = staff.post("/add/", {"text": api, "dry_run": "on"})

    assert words(response, ".connection-line") == (
        "OpenAPI 3 · 2 operations · api.example.com · needs an API key"
    )
    assert ids_of(response) == ["weather-service.forecast", "weather-service.alerts"]
    assert words(response, ".entry-description") == "Do it"
    assert page(response).css_first("[name='member.baseUrl']").attributes["value"] == (
        "https://api.example.com/v1"
    )
    assert words(response, "#preview .button-primary") == "Add 2 tools"
    assert not Source.objects.exists()


def test_the_key_entered_with_a_url_is_the_configuration_of_the_person_who_adds_it(staff, ada, api):
    sent = {"text": api, "new_key": keys_of(staff, api), "prefix": "weather", "every_minutes": ""}

    staff.post("/add/", {**sent, "member.apiKey": "mrk-key", "member.baseUrl": ""})

    saved = SavedConfiguration.objects.get(tool__tool_id="weather.forecast")
    assert (saved.owner, saved.name, saved.visibility) == (ada, "weather", "private")
    assert open_configuration(saved, ada).value == {"apiKey": "mrk-key"}
    assert Source.objects.get().every_minutes is None
    shown = staff.get("/tools/weather.forecast/try/")
    assert 'value="weather" selected' in " ".join(shown.content.decode().split())
    assert "mrk-key" not in shown.content.decode()


def test_a_key_typed_for_a_document_stays_when_the_prefix_changes(staff):
    text = with_key(document(FORECAST))
    shown = page(staff.post("/add/preview/", {"text": text}))
    keys = [field.attributes["value"] for field in shown.css("[name=new_key]")]
    typed = {"new_key": keys, "member.apiKey": "mrk-key"}

    staff.post("/add/", {"text": text, "prefix": "mine", **typed})

    assert SavedConfiguration.objects.get().tool.tool_id == "mine.forecast"


@pytest.mark.parametrize(
    "broken",
    [
        "catalog.uploads.new_sources.SourceForm",
        "catalog.uploads.documents.add_source",
        "catalog.uploads.documents.carry_out_in_background",
        "catalog.sources.schedule.threading.Thread",
    ],
)
def test_the_report_of_an_error_while_a_source_is_added_hides_its_secrets(
    staff, api, monkeypatch, broken
):
    typed = {"new_key": keys_of(staff, api), "member.apiKey": "mrk-1", "header_value": "mrk-2"}
    monkeypatch.setattr(broken, lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError) as raised:
        staff.post("/add/", {"text": api, **typed})

    frames = [frame for frame, _ in walk_tb(raised.tb)]
    ours = [frame for frame in frames if frame.f_globals["__name__"].startswith("catalog.")]
    shown = [AlwaysHiding().get_traceback_frame_variables(None, frame) for frame in ours]
    assert "mrk-" not in str(shown)


def test_what_was_filled_in_for_another_text_is_ignored(staff, api):
    other = keys_of(staff, "https://other.example/")
    earlier = {"new_key": other, "every_minutes": ""}

    staff.post("/add/", {"text": api, **earlier, "member.apiKey": "mrk-key"})

    assert Source.objects.get().name == "weather-service"
    assert not SavedConfiguration.objects.exists()


def test_a_url_of_an_mcp_server_is_recognized_as_one(staff):
    tools = [{"name": "echo", "inputSchema": {"type": "object"}}]
    with answering_server(lambda _: {"tools": tools}) as server:
        checked = staff.post("/add/", {"text": server.url, "dry_run": "on"})
        staff.post("/add/", {"text": server.url})

    assert "MCP server" in words(checked, ".connection-line")
    assert "1 tool" in words(checked, ".connection-line")
    assert Source.objects.get().kind == "mcp-http"
    assert Tool.objects.get().name == "echo"


def test_a_url_that_cannot_be_read_is_not_stored_and_shown_with_the_reasons(staff):
    def refuse(handler):
        respond(handler, b"", status=401)

    with local_server(refuse) as server:
        response = staff.post("/add/", {"text": f"{server.url}/openapi.json"})

    assert response.status_code == 422
    assert "The server refused the request with status 401." in errors(response)
    assert page(response).css_first("#text").text().endswith("/openapi.json")
    assert not Source.objects.exists()


@pytest.mark.parametrize("url", ["https://a.example/", "https://a.example/mcp"])
def test_both_readings_of_a_url_take_the_time_of_one_together(staff, monkeypatch, url):
    clock = SimpleNamespace(now_s=0.0)
    timeouts = []

    def wait_until_the_end(_, timeout_s):
        timeouts.append(timeout_s)
        clock.now_s += timeout_s
        return {"error": "No answer."}

    monkeypatch.setattr(discovery, "time", SimpleNamespace(monotonic=lambda: clock.now_s))
    monkeypatch.setattr(reading, "_run", wait_until_the_end)

    response = staff.post("/add/", {"text": url})

    assert response.status_code == 422
    assert errors(response).count("No answer.") == 2
    assert timeouts == [reading.TIMEOUT_S / 2] * 2


def test_a_header_is_sent_to_read_a_url_and_stored(staff):
    def answer(handler):
        is_allowed = handler.headers["X-Key"] == "mrk-read"
        respond(handler, document(FORECAST).encode(), status=200 if is_allowed else 401)

    with local_server(answer) as server:
        url = f"{server.url}/openapi.json"
        fields = {"new_key": keys_of(staff, url), "every_minutes": "60"}
        credentials = {"header_name": "X-Key", "header_value": "mrk-read"}
        staff.post("/add/", {"text": url, **fields, **credentials})

    source = Source.objects.get()
    assert (source.headers, source.every_minutes) == ({"X-Key": "mrk-read"}, 60)


def test_a_source_gets_a_free_name_unless_the_name_is_typed(staff, api):
    store_source("weather-service", "mcp-http", "https://tools.example/mcp")

    refused = staff.post("/add/", {"text": api, "prefix": "weather-service"})
    named = staff.post("/add/", {"text": api})

    assert refused.status_code == 422
    assert "use another prefix (`prefix`), such as weather-service-2" in errors(refused).lower()
    assert named["Location"] == "/sources/weather-service-2/"
    assert stored_ids() == ["weather-service-2.alerts", "weather-service-2.forecast"]


def test_a_document_at_a_url_without_a_title_has_the_name_of_its_host(staff):
    untitled = {**json.loads(document(FORECAST)), "info": {"version": "1"}}

    def answer(handler):
        respond(handler, json.dumps(untitled).encode())

    with local_server(answer) as server:
        staff.post("/add/", {"text": f"{server.url}/openapi.json"})

    assert stored_ids() == ["server.forecast"]  # the host is an IP address


def test_the_name_of_a_source_of_curl_is_free(staff):
    staff.post("/add/", {"text": CURL})

    again = staff.post("/add/", {"text": CURL})

    assert again["Location"] == "/sources/example-2/"


def test_curl_becomes_a_source_of_one_operation_and_its_secret_the_configuration(staff, ada):
    staff.post("/add/", {"text": CURL})

    source, tool = Source.objects.get(), Tool.objects.get()
    assert (source.name, source.kind, source.address) == ("example", "openapi", "")
    assert "mrk-secret" not in source.document
    assert tool.tool_id == "example.post_v1_items"
    properties = tool.current.spec.parameters["properties"]
    assert properties["page"]["type"] == "integer"
    saved = SavedConfiguration.objects.get()
    assert open_configuration(saved, ada).value == {"token": "mrk-secret"}


def test_no_value_of_a_curl_command_is_stored_in_the_document_or_the_tool(staff):
    body = '{"client_secret": "mrk-1", "nested": [{"password": "mrk-2"}], "pin": 1234567}'
    command = f"curl 'https://api.example.com/a?sig=mrk-3' -H 'X-Auth: mrk-4' --json '{body}'"

    staff.post("/add/", {"text": command})

    spec = Tool.objects.get().current.source
    for text in (Source.objects.get().document, spec):
        assert "mrk-" not in text
        assert "1234567" not in text
    properties = Tool.objects.get().current.spec.parameters["properties"]
    assert {"sig", "X-Auth"} <= set(properties)
    assert set(properties["body"]["properties"]) == {"client_secret", "nested", "pin"}


def test_a_part_of_a_curl_url_that_looks_like_a_secret_gets_a_warning(staff):
    secret = "T0aB1cD2eF3gH4iJ5kL6"

    shown = staff.post("/add/preview/", {"text": f"curl https://a.example/hooks/{secret}/send"})
    harmless = staff.post(
        "/add/preview/", {"text": "curl https://a.example/v1/long-word-of-letters"}
    )

    assert f"These parts of it look like secrets: {secret}" in words(shown, ".preview-warned")
    assert page(harmless).css_first(".preview-warned") is None


def test_a_field_that_a_curl_command_sends_twice_is_a_list(staff):
    staff.post("/add/", {"text": "curl -d tag=1 -d tag=2 'https://api.example.com/a?id=x&id=y'"})

    properties = Tool.objects.get().current.spec.parameters["properties"]
    repeated = properties["body"]["properties"]["tag"]
    assert (repeated["type"], repeated["items"]["type"]) == ("array", "integer")
    assert (properties["id"]["type"], properties["id"]["items"]["type"]) == ("array", "string")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (
            "curl -X 'FOO BAR' https://api.example.com",
            "An API tool cannot send the method FOO BAR.",
        ),
        ("curl -F file=@secret https://api.example.com", "The option -F of curl is not supported."),
        ("curl -d @secret https://api.example.com", "reads its data from a file"),
        ("curl 'https://api.example.com", "quotation mark"),
        ("curl -H 'A: b'", "has no URL"),
        ("curl file:///etc/passwd", "has no URL that starts with http"),
        ("curl https://a.example https://b.example", "several URLs"),
    ],
)
def test_a_curl_command_that_cannot_be_a_tool_is_refused_with_the_reason(staff, command, problem):
    response = staff.post("/add/", {"text": command})

    assert response.status_code == 422
    assert problem in errors(response)
    assert not Source.objects.exists()


def test_the_servers_of_a_configuration_become_sources(staff, settings):
    settings.SOURCE_COMMANDS = True

    response = staff.post("/add/", {"text": json.dumps(SERVERS)}, follow=True)

    assert "2 sources added. Their tools are being read." in words(response, "main")
    stored = {source.name: source for source in Source.objects.all()}
    assert stored["weather"].headers == {"Authorization": "Bearer mrk-1"}
    assert stored["weather"].every_minutes == 1440
    assert (stored["files"].kind, stored["files"].address) == (
        "mcp-stdio",
        "npx -y server-files '/my files'",
    )


def test_a_check_of_several_servers_lists_them_and_reads_nothing(staff):
    response = staff.post("/add/", {"text": json.dumps(SERVERS), "dry_run": "on"})

    assert response.status_code == 200
    assert len(page(response).css("[name=new_source]")) == 2
    assert not Source.objects.exists()


@pytest.mark.parametrize("address", ["/add/", "/add/preview/"])
def test_the_report_of_an_error_contains_nothing_that_was_entered(staff, address):
    sent = {"text": "mrk-1", "header_value": "mrk-2", "member.apiKey": "mrk-3"}

    request = staff.post(address, sent).wsgi_request

    reported = get_exception_reporter_filter(request).get_post_parameters(request)
    assert "header_value" in reported
    assert "mrk-" not in str(reported)


def test_a_file_with_servers_is_recognized_as_pasted_text_is(staff, settings):
    settings.SOURCE_COMMANDS = True
    file = SimpleUploadedFile("mcp.json", json.dumps(SERVERS).encode())

    staff.post("/add/", {"files": file})

    assert set(Source.objects.values_list("name", flat=True)) == {"weather", "files"}


def test_only_the_chosen_servers_are_added_under_their_names(staff):
    keys = keys_of(staff, json.dumps(SERVERS))
    names = ["mine", "files"]

    staff.post(
        "/add/",
        {"text": json.dumps(SERVERS), "new_key": keys, "new_name": names, "new_source": keys[:1]},
    )

    assert Source.objects.get().name == "mine"


def test_two_servers_with_the_same_address_are_added_and_a_deselected_one_is_not(staff, settings):
    settings.SOURCE_COMMANDS = True
    command = {"command": "missing-command", "args": ["first\nsecond"]}
    text = json.dumps({"mcpServers": {"a": command, "b": command, "c": command}})
    keys = keys_of(staff, text)

    fields = {"new_key": keys, "new_name": ["a", "b", "c"], "new_source": keys[1:]}
    staff.post("/add/", {"text": text, **fields})

    assert set(Source.objects.values_list("name", flat=True)) == {"b", "c"}


def test_servers_that_are_added_together_are_read_one_after_the_other(staff, monkeypatch):
    started = []

    class Thread(ThreadAtOnce):
        def start(self):
            started.append(self)
            super().start()

    monkeypatch.setattr(schedule, "threading", SimpleNamespace(Thread=Thread))
    servers = {name: {"url": f"http://127.0.0.1:9/{name}"} for name in "abc"}

    staff.post("/add/", {"text": json.dumps({"mcpServers": servers})})

    assert len(started) == 1
    assert [source.last_sync.state for source in Source.objects.all()] == ["failed"] * 3


def test_a_server_that_the_schedule_reads_meanwhile_is_left_to_it(staff, monkeypatch):
    def begin_first(source, *, by=None):
        if source.name == "a":
            raise AlreadySyncing
        return sync(source, by=by)

    monkeypatch.setattr(schedule, "sync", begin_first)
    servers = {name: {"url": f"http://127.0.0.1:9/{name}"} for name in "ab"}

    response = staff.post("/add/", {"text": json.dumps({"mcpServers": servers})})

    assert response["Location"] == "/sources/"
    assert Source.objects.get(name="b").last_sync.state == "failed"


def test_a_command_is_shown_whole_and_not_started_unless_the_site_allows_it(staff):
    command = "npx -y server-files /srv/files --verbose"

    shown = staff.post("/add/preview/", {"text": command})
    response = staff.post("/add/", {"text": command})

    assert words(shown, "#preview pre") == command
    assert page(shown).css_first("#preview .button-primary") is None
    assert "TOOLSHELF_SOURCE_COMMANDS=1" in words(shown, "#preview")
    assert response.status_code == 422
    assert "This site starts no commands from its pages." in errors(response)
    assert not Source.objects.exists()


def test_a_placeholder_instead_of_a_secret_is_named(staff):
    servers = {"a": {"url": "https://tools.example/mcp", "headers": {"X-Key": "${input:key}"}}}

    response = staff.post("/add/", {"text": json.dumps({"servers": servers})})

    assert response.status_code == 422
    assert "contains the placeholder ${input:key}" in errors(response)


def test_people_who_are_no_administrators_learn_who_can_add_a_url(browser, api):
    shown = browser.post("/add/preview/", {"text": api})
    response = browser.post("/add/", {"text": api})

    opened = browser.get("/add/", {"url": api})

    assert "Only administrators can add URLs" in words(shown, "#preview")
    assert page(shown).css_first("#preview button") is None
    buttons = page(opened).css(".preview-actions button")  # to add something else without scripts
    assert all("no-js-only" in button.attributes["class"] for button in buttons)
    assert response.status_code == 403
    assert "Only administrators can add URLs" in words(response, "#preview")
    assert page(response).css_first("#text").text() == api
    assert not Source.objects.exists()


def test_nothing_is_requested_before_the_fields_are_valid(staff, monkeypatch, api):
    filled_in = {"new_key": keys_of(staff, api), "header_value": "b", "header_name": "Host"}
    requested = []
    monkeypatch.setattr(reading, "_run", lambda *job: requested.append(job))

    response = staff.post("/add/", {"text": api, "dry_run": "on", **filled_in})

    assert "cannot be the name of a header" in errors(response)
    assert not requested


def test_a_wrong_name_of_a_server_is_named_and_nothing_is_stored(staff):
    text = json.dumps({"mcpServers": {name: {"url": f"https://{name}.example/"} for name in "ab"}})
    keys = keys_of(staff, text)
    fields = {"new_key": keys, "new_source": keys, "new_name": ["a", "Not a name"]}

    response = staff.post("/add/", {"text": text, **fields})

    assert "Enter a name of 1 to 40 characters" in errors(response)
    assert page(response).css("[name=new_name]")[1].attributes["value"] == "Not a name"
    assert not Source.objects.exists()


def test_a_tool_that_does_not_get_the_entered_key_is_named_and_the_others_get_it(staff, ada, api):
    tool = make_tool("weather.forecast")
    Tool.objects.filter(pk=tool.pk).update(owner=make_user("grace"))
    filled_in = {"new_key": keys_of(staff, api), "prefix": "weather", "member.apiKey": "mrk-1"}

    added = staff.post("/add/", {"text": api, **filled_in})

    shown = words(staff.get(added["Location"]), ".source-changes")
    assert "Your configuration was not saved for it." in shown
    assert SavedConfiguration.objects.get().tool.tool_id == "weather.alerts"


def test_python_with_a_module_is_a_command(staff):
    assert line(staff, "python3 -m mcp_server_time --utc") == "Command of an MCP server"


def test_text_of_an_entered_source_is_escaped(staff):
    bad = {"mcpServers": {"<b>x</b>": {"command": "<script>alert(1)</script>"}}}

    response = staff.post("/add/preview/", {"text": json.dumps(bad)})

    assert b"<script>alert" not in response.content
    assert b"<b>x" not in response.content


def described(*operations):
    """An OpenAPI document of the API "Things", whose address is known."""
    api = json.loads(document(*operations))
    return json.dumps({**api, "servers": [{"url": "https://api.example.com"}]})


def test_an_openapi_document_becomes_a_source_that_runs(staff):
    response = staff.post("/add/", {"text": described(FORECAST, ALERTS)})

    assert response["Location"] == "/sources/things/"
    source = Source.objects.get()
    assert (source.kind, source.address, source.every_minutes) == ("openapi", "", None)
    assert source.document == described(FORECAST, ALERTS)
    assert words(staff.get("/sources/things/"), ".source-result") == "2 tools, 2 run. Try alerts"


def test_a_dropped_openapi_document_in_yaml_becomes_a_source(staff):
    text = (
        "openapi: 3.1.0\ninfo: {title: Things, version: '1'}\npaths: {/a: {get: {operationId: a}}}"
    )

    staff.post("/add/", {"files": SimpleUploadedFile("things.yaml", text.encode())})

    assert Tool.objects.get().tool_id == "things.a"
    assert Source.objects.get().document == text


def test_the_tools_of_a_document_are_shown_while_it_is_pasted(staff):
    shown = staff.post("/add/preview/", {"text": described(FORECAST)})

    assert words(shown, ".connection-line") == "OpenAPI 3 · 1 operation · api.example.com"
    assert ids_of(shown) == ["things.forecast"]
    assert not Source.objects.exists()


def test_a_document_that_names_no_server_gets_a_warning(staff):
    without = staff.post("/add/preview/", {"text": document(FORECAST)})
    with_server = staff.post("/add/preview/", {"text": described(FORECAST)})

    assert "The document has no servers, so calls of its tools fail." in words(without, "#preview")
    assert "so calls of its tools fail" not in words(with_server, "#preview")


def test_a_document_is_imported_without_a_connection_if_that_is_deselected(staff):
    sent = {"text": described(FORECAST), "connect_offered": "1"}

    shown = staff.post("/add/preview/", sent)
    staff.post("/add/", sent)

    assert words(shown, "button.button-primary") == "Publish 1 spec"
    assert "checked" not in page(shown).css_first("[name=connect]").attributes
    assert Tool.objects.get().tool_id == "things.forecast"
    assert Source.objects.get().kind == "document"


def test_the_prefix_of_an_import_is_that_of_a_connected_document(staff):
    staff.post("/add/", {"text": described(FORECAST), "prefix": "mine"})

    assert Tool.objects.get().tool_id == "mine.forecast"
    assert (Source.objects.get().kind, Source.objects.get().name) == ("openapi", "mine")


def test_people_who_are_no_administrators_add_a_document_without_a_connection(browser, ada):
    browser.post("/add/", {"text": described(FORECAST)})

    assert Tool.objects.get().tool_id == "things.forecast"
    assert (Source.objects.get().kind, Source.objects.get().owner) == ("document", ada)


def test_a_source_claims_the_tools_that_its_owner_imported_from_the_document_before(staff, ada):
    before = import_document(json.loads(described(FORECAST, ALERTS)), prefix="things")
    for imported in before.specs:
        publish(imported.spec, by=ada)
    Revision.objects.update(origin_kind="openapi-3", origin_name="Things")

    staff.post("/add/", {"text": described(FORECAST, ALERTS)})

    assert words(staff.get("/sources/things/"), ".source-result") == "2 tools, 2 run. Try alerts"
    assert Tool.objects.get(tool_id="things.forecast").current.origin_kind == "source"


def test_a_source_holds_tools_that_somebody_else_or_another_document_made(staff, ada):
    publish(make_spec("things.alerts"), by=make_user("grace"))
    Revision.objects.update(origin_kind="openapi-3", origin_name="Things")
    publish(make_spec("things.forecast"), by=ada)

    staff.post("/add/", {"text": described(FORECAST, ALERTS)})

    waiting = Proposal.objects.values_list("tool_id", flat=True)
    assert sorted(waiting) == ["things.alerts", "things.forecast"]


def test_a_document_that_is_sent_again_replaces_that_of_its_source_on_a_press(staff):
    staff.post("/add/", {"text": described(FORECAST)})

    shown = staff.post("/add/preview/", {"text": described(FORECAST, ALERTS)})
    refused = staff.post("/add/", {"text": described(FORECAST, ALERTS)})
    replaced = staff.post("/add/", {"text": described(FORECAST, ALERTS), "replace": "on"})

    assert "The source 'things' exists already." in words(shown, "#preview")
    assert refused.status_code == 422
    assert replaced["Location"] == "/sources/things/"
    assert Source.objects.get().document == described(FORECAST, ALERTS)
    assert Tool.objects.count() == 2


def test_a_replaced_document_is_synced_while_the_person_waits_for_a_few_seconds(staff, monkeypatch):
    staff.post("/add/", {"text": described(FORECAST)})
    started = []

    class Thread(ThreadAtOnce):
        def start(self):
            started.append(self)

    monkeypatch.setattr(schedule, "threading", SimpleNamespace(Thread=Thread))

    replaced = staff.post("/add/", {"text": described(FORECAST, ALERTS), "replace": "on"})

    assert replaced["Location"] == "/sources/things/"
    assert stored_ids() == ["things.forecast"]
    started[0].run()
    assert stored_ids() == ["things.alerts", "things.forecast"]


def test_a_server_cannot_replace_the_document_of_an_api(staff):
    staff.post("/add/", {"text": described(FORECAST)})

    with answering_server(lambda _: {"tools": [mcp_tool("echo")]}) as server:
        sent = {"text": server.url, "prefix": "things", "replace": "on"}
        response = staff.post("/add/", sent)

    assert response.status_code == 422
    assert "'things' is an API, and an MCP server cannot replace it." in errors(response)
    source = Source.objects.get()
    assert (source.kind, source.address) == ("openapi", "")


def test_a_source_keeps_its_schedule_when_its_document_is_replaced(staff):
    staff.post("/add/", {"text": described(FORECAST)})
    Source.objects.update(every_minutes=60)

    staff.post("/add/", {"text": described(FORECAST, ALERTS), "replace": "on"})

    assert Source.objects.get().every_minutes == 60


def test_a_document_without_a_connection_is_connected_when_it_is_replaced(staff):
    staff.post("/add/", {"text": described(FORECAST), "connect_offered": "1"})

    staff.post("/add/", {"text": described(FORECAST, ALERTS), "replace": "on"})

    assert Source.objects.get().kind == "openapi"
    assert words(staff.get("/sources/things/"), ".source-result") == "2 tools, 2 run. Try alerts"


def test_an_unchanged_document_without_a_connection_can_be_connected_from_its_preview(staff):
    staff.post("/add/", {"text": described(FORECAST), "connect_offered": "1"})

    shown = staff.post("/add/preview/", {"text": described(FORECAST)})
    imported = staff.post("/add/preview/", {"text": described(FORECAST), "connect_offered": "1"})
    staff.post("/add/", {"text": described(FORECAST)})

    assert words(shown, "#preview .button-primary") == "Add"
    assert "All of these tools are unchanged. Adding them connects them." in words(
        shown, "#preview"
    )
    assert page(imported).css_first("#preview .button-primary") is None
    assert Source.objects.get().kind == "openapi"


def mcp_tool(name, **members):
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def sent_again(response, **new_ids):
    """What the browser sends of the preview, once these ids are typed; the tools with the id "" are left out."""
    shown = page(response)
    rows = shown.css("[name=new_id]")
    names = [row.attributes["data-key"].rpartition("#")[2] for row in rows]
    keys = [row.attributes["data-key"] for row in rows]
    typed = {key: new_ids.get(name) for key, name in zip(keys, names, strict=True)}
    return {
        "new_key": [field.attributes["value"] for field in shown.css("[name=new_key]")],
        "offered": shown.css_first("[name=offered]").attributes["value"],
        "row": list(typed),
        "offered_id": [one.attributes["value"] for one in shown.css("[name=offered_id]")],
        "new_id": [typed[row.attributes["data-key"]] or row.attributes["value"] for row in rows],
        "take": [key for key, new_id in typed.items() if new_id != ""],
    }


def test_ids_are_changed_and_tools_left_out_when_a_url_is_added(staff, api):
    checked = staff.post("/add/", {"text": api, "dry_run": "on"})
    fields = sent_again(checked, forecast="weather.soon", alerts="")

    again = staff.post("/add/", {"text": api, "dry_run": "on", **fields})
    staff.post("/add/", {"text": api, **fields})
    source = Source.objects.get()
    synced = sync(source)

    assert words(again, "#preview .button-primary") == "Add 1 tool"
    assert ids_of(again)[0] == "weather.soon"
    assert stored_ids() == ["weather.soon"]
    assert (source.address, source.left_out) == (api, ["alerts"])
    assert (synced.error, synced.listed, synced.unchanged) == ("", 1, 1)


def test_the_hash_of_a_tool_of_a_document_is_that_of_its_spec_with_the_id_it_has_here(staff, api):
    checked = staff.post("/add/", {"text": api, "dry_run": "on"})
    staff.post("/add/", {"text": api, **sent_again(checked, forecast="weather.soon", alerts="")})

    [row] = Source.objects.get().tools.all()

    assert row.tool_id == "weather.soon"
    assert row.listed_sha256 == row.catalog_tool.current.sha256


def test_a_tool_can_take_the_id_of_one_that_is_left_out(staff, api):
    checked = staff.post("/add/", {"text": api, "dry_run": "on"})
    fields = sent_again(checked, forecast="weather-service.alerts", alerts="")

    staff.post("/add/", {"text": api, **fields})

    assert Tool.objects.get().source_tool.remote_name == "forecast"
    assert stored_ids() == ["weather-service.alerts"]


def test_ids_of_the_tools_of_an_mcp_server_are_changed_and_it_calls_them_by_name(staff):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "list")]
    with answering_server(lambda _: {"tools": tools}) as server:
        checked = staff.post("/add/", {"text": server.url, "dry_run": "on"})
        fields = sent_again(checked, echo="mine.say", list="")
        staff.post("/add/", {"text": server.url, **fields})
        synced = sync(Source.objects.get())

    assert stored_ids() == ["mine.say"]
    assert Tool.objects.get().source_tool.remote_name == "echo"
    assert (synced.error, synced.listed, synced.gone) == ("", 1, 0)


def test_choices_about_the_tools_of_a_server_do_not_depend_on_their_order(staff):
    tools = [mcp_tool("echo"), mcp_tool("list"), mcp_tool("stop")]
    with answering_server(lambda _: {"tools": tools}) as server:
        checked = staff.post("/add/", {"text": server.url, "dry_run": "on"})
        fields = sent_again(checked, echo="mine.say", list="")
        tools.reverse()
        staff.post("/add/", {"text": server.url, **fields})

    assert stored_ids() == ["mine.say", "server.stop"]


def test_a_connected_document_takes_tools_from_elsewhere_if_that_is_chosen(staff):
    before = import_document(json.loads(described(FORECAST)), prefix="things")
    publish(before.specs[0].spec, by=make_user("grace"))

    held = staff.post("/add/", {"text": described(FORECAST), "dry_run": "on"})
    staff.post("/add/", {"text": described(FORECAST), "replace": "on"})

    assert page(held).css_first(".entry-held")
    assert words(staff.get("/sources/things/"), ".source-result").startswith("1 tool, 1 run")
    assert not Proposal.objects.exists()


def test_without_a_selected_tool_no_source_is_added(staff, api):
    checked = staff.post("/add/", {"text": api, "dry_run": "on"})

    response = staff.post("/add/", {"text": api, **sent_again(checked, forecast="", alerts="")})

    assert "no tool is selected" in errors(response)
    assert not Source.objects.exists()


def test_an_mcp_server_without_tools_is_not_added(staff):
    with answering_server(lambda _: {"tools": []}) as server:
        response = staff.post("/add/", {"text": server.url})

    assert response.status_code == 422
    assert "The server lists no tools." in errors(response)
    assert not Source.objects.exists()


def test_a_server_whose_tools_are_not_those_of_the_protocol_is_refused_with_the_reason(staff):
    with answering_server(lambda _: {"tools": [{"name": "echo"}]}) as server:
        response = staff.post("/add/", {"text": server.url})

    assert response.status_code == 422
    assert "its tools have no `inputSchema`" in errors(response)
    assert not Source.objects.exists()


def test_the_preview_of_a_server_rejects_a_tool_that_a_sync_refuses(staff):
    echo, other = mcp_tool("echo"), mcp_tool("echo", description="Another")
    with answering_server(lambda _: {"tools": [echo, mcp_tool("list"), other]}) as server:
        checked = staff.post("/add/", {"text": server.url, "dry_run": "on"})
        staff.post("/add/", {"text": server.url})

    refusal = "The source lists this tool 2 times, with different definitions."
    assert refusal in words(checked, "#preview")
    assert words(checked, "#preview .button-primary") == "Add 1 tool"
    assert Source.objects.get().last_sync.refused == 1
    assert Tool.objects.get().name == "list"


def test_a_document_at_a_url_is_read_by_its_content_and_not_by_the_ending_of_the_url(staff):
    text = (
        "openapi: 3.1.0\ninfo: {title: Things, version: '1'}\npaths: {/a: {get: {operationId: a}}}"
    )
    with local_server(lambda handler: respond(handler, text.encode())) as server:
        checked = staff.post("/add/", {"text": f"{server.url}/openapi.json", "dry_run": "on"})

    assert ids_of(checked) == ["things.a"]


def test_what_was_typed_stays_on_the_page_of_a_check(staff, api):
    typed = {"member.apiKey": "mrk-1", "member.baseUrl": "https://b.example", "prefix": "mine"}
    header = {"header_name": "X-Key", "header_value": "mrk-2", "every_minutes": "60"}

    response = staff.post(
        "/add/", {"text": api, "dry_run": "on", "new_key": keys_of(staff, api), **typed, **header}
    )

    shown = page(response)
    for name, value in {**typed, "header_name": "X-Key", "header_value": "mrk-2"}.items():
        assert shown.css_first(f"[name='{name}']").attributes["value"] == value
    assert shown.css_first("#every_minutes [selected]").attributes["value"] == "60"


def stored_ids():
    return sorted(Tool.objects.values_list("tool_id", flat=True))


def test_an_openapi_document_of_another_version_is_explained(staff):
    response = staff.post("/add/", {"text": '{"openapi": "4.0.0", "paths": {}}'})

    assert response.status_code == 422
    assert "OpenAPI 4.0.0 is not supported." in response.content.decode()


@pytest.mark.parametrize(
    "text",
    [
        f"npx {'a' * 999_000}",
        f"https://example.com/{'a' * 999_000}",
        json.dumps({"mcpServers": {"a": {"command": "npx", "args": ["a" * 999_000]}}}),
    ],
)
def test_a_url_or_command_that_is_too_long_is_refused_before_it_is_split(staff, text):
    with at_most(500_000):
        shown = staff.post("/add/preview/", {"text": text})

    assert "A URL or a command can have at most 2,000 characters." in words(shown, "#preview")
    assert page(shown).css_first("#preview .button-primary") is None


def test_a_long_curl_command_is_refused_before_it_is_split(staff):
    with at_most(500_000):
        shown = staff.post("/add/preview/", {"text": f"curl https://example.com/{'a' * 20_000}"})

    assert "The command has more than 20,000 characters." in words(shown, "#preview")
