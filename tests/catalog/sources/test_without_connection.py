"""Sources that are documents without a connection: their tools do not run until an administrator connects them."""

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from catalog.proposals.actions import approve
from catalog.proposals.models import Proposal
from catalog.sources.models import Source, SourceTool
from catalog.sources.sync import sync
from catalog.tools.models import Tool
from playground.factories.connections import connected_ids, factory_of
from tests.catalog.sources.documents import (
    FORECAST,
    add_document,
    change_settings,
    document,
    operation,
    store_source,
)
from tests.conftest import Program
from tests.factories import make_token, make_user
from tests.mcp_server import answering_server
from toolspec.errors import DocumentError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_read_in_this_process")]


@pytest.fixture
def staff(client, db):
    client.force_login(make_user("grace", is_staff=True))
    return client


def described(*operations, server="https://api.example.com"):
    api = json.loads(document(*operations))
    return json.dumps({**api, "servers": [{"url": server}]})


def tool_list(*names):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return json.dumps({"tools": tools})


def add_unconnected(text, *, name="weather", **settings):
    source = store_source(name, "document", document=text, **settings)
    assert sync(source).error == ""
    source.refresh_from_db()
    return source


def words(response, selector):
    found = LexborHTMLParser(response.content).css_first(selector)
    return " ".join(found.text().split())


@pytest.mark.parametrize("text", [described(FORECAST), tool_list("forecast")])
def test_its_tools_are_listed_and_do_not_run(text):
    add_unconnected(text)

    tool = Tool.objects.get(tool_id="weather.forecast")
    assert tool.source_tool.source.kind == "document"
    assert factory_of(tool) is None
    assert connected_ids() == frozenset()
    assert not Tool.objects.runnable().exists()


def test_its_page_says_that_its_tools_are_mocks(browser, staff):
    add_unconnected(described(FORECAST))

    to_others = browser.get("/sources/weather/")
    to_administrators = staff.get("/sources/weather/")

    assert words(to_others, ".source-result") == (
        "Mock only. An administrator can connect its server."
    )
    assert words(to_administrators, ".source-result") == "Mock only. Connect its server."
    assert "The document names https://api.example.com: calls go there." in words(
        to_administrators, "#kind-hint"
    )
    assert "https://api.example.com" not in to_others.content.decode()


def test_the_page_of_its_tool_leads_to_where_it_is_connected(staff):
    add_unconnected(tool_list("forecast"))

    response = staff.get("/tools/weather.forecast/try/")

    found = LexborHTMLParser(response.content).css_first("#why-not-live a")
    assert found.attributes["href"] == "/sources/weather/#settings"


def test_an_administrator_connects_it_on_its_page(staff):
    add_unconnected(described(FORECAST))

    staff.post("/sources/weather/settings/", {"kind": "openapi", "policy": "compatible"})

    tool = Tool.objects.get(tool_id="weather.forecast")
    assert factory_of(tool).state == "ok"
    assert connected_ids() == {"weather.forecast"}
    assert Source.objects.get().document == described(FORECAST)
    assert "Mock only" not in staff.get("/sources/weather/").content.decode()


def test_others_do_not_connect_it(browser):
    add_unconnected(described(FORECAST))

    response = browser.post("/sources/weather/settings/", {"kind": "openapi"})

    assert response.status_code == 403
    assert Source.objects.get().kind == "document"


def test_a_list_of_tools_is_connected_with_a_server_and_not_with_an_api():
    source = add_unconnected(tool_list("forecast"))

    with pytest.raises(DocumentError) as refused:
        change_settings(source, kind="openapi")
    with pytest.raises(DocumentError):
        change_settings(Source.objects.get(), kind="mcp-http")
    change_settings(Source.objects.get(), kind="mcp-http", address="http://127.0.0.1:9/mcp")

    assert str(refused.value) == (
        "The document describes no API. Enter the URL of an MCP server with its tools."
    )
    connected = Source.objects.get()
    assert (connected.kind, connected.document) == ("mcp-http", "")
    assert connected_ids() == {"weather.forecast"}


@pytest.mark.parametrize("text", ["{", "a: ["])
def test_a_document_that_cannot_be_read_is_not_connected(text):
    source = store_source("weather", "document", document=text)

    with pytest.raises(DocumentError):
        change_settings(source, kind="openapi")


def test_a_document_is_connected_with_another_one_that_describes_an_api():
    source = add_unconnected(tool_list("forecast"))

    change_settings(source, kind="openapi", document=described(FORECAST))

    assert Source.objects.get().document == described(FORECAST)


def test_a_stored_list_of_tools_is_connected_with_the_url_of_an_api():
    source = add_unconnected(tool_list("forecast"))

    change_settings(source, kind="openapi", address="http://127.0.0.1:9/openapi.json")

    connected = Source.objects.get()
    assert (connected.kind, connected.document) == ("openapi", "")


@pytest.mark.parametrize("kind", ["document", "openapi"])
def test_an_approved_change_takes_its_tool_from_a_source_that_does_not_run_it(kind):
    first = store_source("weather", kind, document=described(FORECAST))
    sync(first)
    text = described(operation("forecast", summary="Another service"))
    second = store_source("other", "document", document=text)
    Source.objects.filter(pk=second.pk).update(prefix="weather")
    sync(second)
    change = Proposal.objects.get()

    approve(change, by=make_user("root", is_superuser=True))

    tool = Tool.objects.get(tool_id="weather.forecast")
    assert tool.source_tool.source == (first if first.is_connected else second)
    assert tool.current.number == 2


def test_a_document_is_not_connected_with_a_command():
    source = add_unconnected(tool_list("forecast"))

    with pytest.raises(DocumentError):
        change_settings(source, kind="mcp-stdio", address="npx server")


def test_a_document_without_a_connection_has_no_address():
    with pytest.raises(DocumentError):
        store_source("weather", "document", "https://api.example.com/openapi.json")
    with pytest.raises(DocumentError):
        store_source("weather", "document")


def test_a_program_connects_it():
    program = Program(make_token(user=make_user("grace", is_staff=True)))
    add_unconnected(described(FORECAST))

    response = program.send("PATCH", "/sources/weather", json.dumps({"kind": "openapi"}))

    assert response.json()["kind"] == "openapi"


def test_a_connected_source_stays_of_its_kind():
    source = add_document(described(FORECAST))

    change_settings(source, kind="document")

    assert Source.objects.get().kind == "openapi"


@pytest.mark.parametrize(
    ("prefix", "tool_id"), [(None, "weather.forecast"), ("acme", "acme.forecast"), ("", "forecast")]
)
def test_the_ids_of_its_tools_begin_with_its_prefix(prefix, tool_id):
    source = store_source("weather", "document", document=described(FORECAST))
    source.prefix = prefix
    source.save()

    sync(source)

    assert (SourceTool.objects.get().tool_id, SourceTool.objects.get().remote_name) == (
        tool_id,
        "forecast",
    )


def test_a_tool_keeps_the_id_that_its_row_has():
    source = add_unconnected(described(FORECAST))
    Tool.objects.update(tool_id="weather.tomorrow")
    SourceTool.objects.update(tool_id="weather.tomorrow")
    SourceTool.objects.update(listed_sha256="")

    sync(source)

    assert Tool.objects.get().current.spec.tool_id == "weather.tomorrow"


def test_tools_that_are_left_out_are_not_listed():
    source = store_source("mail", "document", document=tool_list("send", "delete"))
    source.left_out = ["delete"]
    source.save()

    record = sync(source)

    assert (record.listed, Tool.objects.get().tool_id) == (1, "mail.send")


def change_id(tool_id, new_id):
    """As if the tool had got another id when its document was sent."""
    Tool.objects.filter(tool_id=tool_id).update(tool_id=new_id)
    SourceTool.objects.filter(tool_id=tool_id).update(tool_id=new_id, listed_sha256="")


def listed_by_server(source, text):
    """What a sync finds after the source was connected with a server that lists the tools in `text`."""
    with answering_server(lambda _: json.loads(text)) as server:
        change_settings(source, kind="mcp-http", address=server.url)
        source.refresh_from_db()
        return sync(source)


@pytest.fixture
def _loopback(settings):
    settings.LOOPBACK_ONLY = True


@pytest.mark.usefixtures("_loopback")
def test_tools_keep_their_changed_ids_when_their_server_is_connected():
    source = add_unconnected(tool_list("forecast", "alerts"), policy="automatic")
    change_id("weather.forecast", "weather.tomorrow")

    record = listed_by_server(source, tool_list("forecast", "alerts"))

    assert (record.error, record.listed, record.gone, record.refused) == ("", 2, 0, 0)
    assert sorted(Tool.objects.values_list("tool_id", flat=True)) == [
        "weather.alerts",
        "weather.tomorrow",
    ]
    tomorrow = Tool.objects.get(tool_id="weather.tomorrow")
    assert tomorrow.current.spec.tool_id == "weather.tomorrow"
    assert tomorrow.source_tool.remote_name == "forecast"


@pytest.mark.usefixtures("_loopback")
def test_tools_that_were_left_out_stay_out_when_their_server_is_connected():
    source = store_source("mail", "document", document=tool_list("send", "delete"))
    source.left_out = ["delete"]
    source.save()
    sync(source)

    record = listed_by_server(source, tool_list("send", "delete"))

    assert (record.error, record.listed) == ("", 1)
    assert SourceTool.objects.get().tool_id == "mail.send"


@pytest.mark.usefixtures("_loopback")
def test_a_changed_id_that_a_new_tool_of_the_server_has_is_refused():
    source = add_unconnected(tool_list("forecast"), policy="automatic")
    change_id("weather.forecast", "weather.tomorrow")

    record = listed_by_server(source, tool_list("forecast", "tomorrow"))

    [refused] = [change for change in record.changes if change["outcome"] == "refused"]
    assert refused["tool_id"] == "weather.tomorrow"
    assert "Another tool" in refused["message"]


@pytest.mark.parametrize("new_id", ["weather.a_day", "weather.tomorrow"])
def test_of_two_rows_with_one_name_the_listed_one_gives_the_id(new_id):
    source = add_unconnected(tool_list("forecast"))
    row = SourceTool.objects.get()
    SourceTool.objects.update(gone_at=source.created_at)
    SourceTool.objects.create(
        source=source, tool_id=new_id, remote_name=row.remote_name, listed_sha256=""
    )

    record = sync(source)

    assert record.returned == 0
    assert SourceTool.objects.get(gone_at=None).tool_id == new_id


def test_a_tool_that_becomes_invalid_is_reported_with_its_changed_id():
    source = add_unconnected(tool_list("forecast", "alerts"))
    change_id("weather.forecast", "weather.tomorrow")
    broken = json.loads(tool_list("forecast", "alerts"))
    broken["tools"][0]["inputSchema"] = {"properties": {"city": {"$ref": "#/nowhere"}}}

    change_settings(source, document=json.dumps(broken))
    record = sync(source)

    assert record.gone == 0
    [refused] = [change for change in record.changes if change["outcome"] == "refused"]
    assert refused["tool_id"] == "weather.tomorrow"
