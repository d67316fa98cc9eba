"""Reading real servers, in the process that reads sources: what arrives, and how hostile servers are refused."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from mcp.server.mcpserver import MCPServer

from catalog.sources import reading
from catalog.sources.models import Source
from catalog.sources.reading import read_source
from catalog.sources.sync import sync
from catalog.tools.models import Tool
from tests.catalog.sources.documents import FORECAST, document, store_source
from tests.http_server import local_server, respond
from tests.mcp_server import answering_server, sdk_server
from tests.site import ROOT
from toolshelf_core.errors import OutgoingError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _loopback(settings):
    settings.LOOPBACK_ONLY = True


def mcp_source(address, **settings):
    return store_source("demo", "mcp-http", address, **settings)


def failure(source):
    """Why the source cannot be read."""
    with pytest.raises(OutgoingError) as failed:
        read_source(source)
    return str(failed.value)


def tool(name="echo", **members):
    return {"name": name, "description": "Echo", "inputSchema": {"type": "object"}, **members}


def test_the_tools_of_an_mcp_server_become_specs_and_follow_its_changes():
    app = MCPServer("Demo server", version="1.2")

    @app.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    with sdk_server(app) as address:
        source = mcp_source(address)
        first = sync(source)

        assert first.error == ""
        assert (first.created, first.listed) == (1, 1)
        spec = Tool.objects.get(tool_id="demo.add").current.spec
        assert (spec.name, spec.description) == ("add", "Add two numbers.")
        assert set(spec.parameters["properties"]) == {"a", "b"}
        assert spec.return_type["properties"]["result"]["type"] == "integer"
        assert Source.objects.get().title == "Demo server 1.2"

        app.remove_tool("add")
        app.add_tool(lambda a: a, name="add", description="Now it takes one number.")
        second = sync(source)

    assert (second.held, second.changes[0]["verdict"]) == (1, "breaking")


@pytest.mark.usefixtures("_read_in_this_process")
def test_all_pages_of_a_list_are_read():
    def answer(params):
        page = int(params.get("cursor", 0))
        more = {"nextCursor": str(page + 1)} if page < 2 else {}
        return {"tools": [tool(f"echo{page}", title=f"Page {page}")], **more}

    with answering_server(answer) as server:
        found = read_source(mcp_source(server.url))

    assert [one.name for one in found.tools] == ["echo0", "echo1", "echo2"]
    assert json.loads(found.tools[1].text)["title"] == "Page 1"


@pytest.mark.usefixtures("_read_in_this_process")
def test_credentials_are_sent_with_every_request():
    with answering_server(lambda _: {"tools": [tool()]}) as server:
        read_source(mcp_source(server.url, headers={"Authorization": "Bearer mrk-abc"}))

    assert {headers.get("authorization") for *_, headers in server.requests} == {"Bearer mrk-abc"}


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.parametrize("value", ["Bearer mrk-abcdef ", "Bearer mrk-abcdef"])
@pytest.mark.parametrize("kind", ["mcp-http", "openapi"])
def test_an_error_does_not_contain_the_credentials(kind, value):
    def answer(handler):
        respond(
            handler, b"", status=302, headers={"Location": "ftp://mrk-abcdef.example/mrk-abcdef"}
        )

    with local_server(answer) as server:
        source = Source(name="demo", kind=kind, address=server.url)
        source.set_headers({"Authorization": value})
        source.save()
        record = sync(source)

    assert "[secret]" in record.error
    assert "mrk-abcdef" not in record.error


@pytest.mark.usefixtures("_read_in_this_process")
def test_what_a_source_lists_wrongly_is_reported_without_its_credentials():
    with answering_server(lambda _: {"tools": [tool("mrk-abcdef"), tool("mrk-abcdef")]}) as server:
        record = sync(mcp_source(server.url, headers={"Authorization": "Bearer mrk-abcdef"}))

    assert (record.error, record.created) == ("", 1)


@pytest.mark.usefixtures("_read_in_this_process")
def test_what_is_wrong_with_a_tool_is_reported_without_the_credentials():
    listed = {"tools": [tool("mrk-abcdef"), tool("mrk-abcdef", description="Other")]}
    with answering_server(lambda _: listed) as server:
        record = sync(mcp_source(server.url, headers={"Authorization": "Bearer mrk-abcdef"}))

    [change] = record.changes
    assert (change["tool_id"], change["outcome"]) == ("demo.[secret]", "refused")


def test_an_openapi_document_is_read_from_its_address():
    def answer(handler):
        respond(handler, document(FORECAST).encode(), headers={"Content-Type": "application/json"})

    with local_server(answer) as server:
        record = sync(store_source("weather", "openapi", f"{server.url}/openapi.json"))

    assert (record.error, record.created) == ("", 1)


def test_a_command_is_started_and_its_tools_are_read(tmp_path):
    program = tmp_path / "server.py"
    program.write_text(
        "import os\n"
        "from mcp.server.mcpserver import MCPServer\n"
        "app = MCPServer('Local')\n"
        "app.add_tool(lambda: 1, name=os.environ['TOOL_NAME'], description='One')\n"
        "app.run()\n"
    )
    command = f"{sys.executable} {program}"
    source = store_source("local", "mcp-stdio", command, headers={"TOOL_NAME": "one"})

    assert [one.name for one in read_source(source).tools] == ["one"]


def test_a_command_that_does_not_exist_is_a_sentence():
    source = store_source("local", "mcp-stdio", "no-such-command")

    assert failure(source) == "The command 'no-such-command' was not found."


def test_credentials_under_a_lost_key_are_a_sentence(settings):
    source = mcp_source("https://tools.example/mcp", headers={"Authorization": "Bearer abc"})
    settings.CONFIGURATION_KEYS = ["another"]

    assert "can no longer be decrypted" in failure(source)


def test_a_server_on_this_machine_is_refused_if_others_can_reach_the_site(settings):
    settings.LOOPBACK_ONLY = False
    source = Source.objects.create(name="demo", kind="mcp-http", address="http://localhost:9/mcp")

    assert "loopback address, which connections may not reach" in failure(source)


def test_the_web_processes_do_not_import_the_clients():
    program = (
        "import sys, django; django.setup(); import config.urls, catalog.sources.schedule; "
        "print(sorted({'mcp', 'httpx2', 'anyio'} & set(sys.modules)))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}

    printed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert printed.stdout.strip() == "[]"


@pytest.mark.deep
@pytest.mark.usefixtures("_read_in_this_process")
class TestHostileServers:
    """Each is ended within its limits, with a message that names the reason."""

    def test_an_endless_list(self):
        def answer(params):
            return {
                "tools": [tool(f"echo{params.get('cursor', 0)}")],
                "nextCursor": str(time.monotonic_ns()),
            }

        with answering_server(answer) as server:
            message = failure(mcp_source(server.url))

        assert (
            message
            == "The server's list of tools does not end: its pages lead back to earlier ones."
        )

    def test_a_page_that_leads_to_itself(self):
        with answering_server(lambda _: {"tools": [], "nextCursor": "again"}) as server:
            message = failure(mcp_source(server.url))

        assert (
            message
            == "The server's list of tools does not end: its pages lead back to earlier ones."
        )

    def test_too_many_tools(self):
        tools = [
            {"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(10_001)
        ]
        with answering_server(lambda _: {"tools": tools}) as server:
            message = failure(mcp_source(server.url))

        assert message == "The server lists more than the 10,000 tools that are allowed."

    def test_a_redirect_to_another_server_is_not_followed(self):
        with local_server(lambda handler: respond(handler, b"secret")) as inner:

            def redirect(handler):
                respond(handler, status=307, headers={"Location": f"{inner.url}/latest/meta-data"})

            with local_server(redirect) as server:
                message = failure(mcp_source(server.url, headers={"Authorization": "Bearer abc"}))

        assert "redirect" in message.lower()
        assert inner.requests == []

    def test_a_document_that_redirects_to_a_private_address(self):
        def redirect(handler):
            respond(
                handler, status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"}
            )

        with local_server(redirect) as server:
            message = failure(store_source("weather", "openapi", server.url))

        assert message.startswith(
            "169.254.169.254 is a link-local address, which connections may not reach."
        )

    def test_a_schema_that_is_too_complex_is_refused_for_its_tool_alone(self):
        schema = {"type": "object", "if": {"$ref": "#"}, "then": True}
        with answering_server(
            lambda _: {"tools": [tool("bomb", inputSchema=schema), tool("echo")]}
        ) as server:
            record = sync(mcp_source(server.url))

        assert Tool.objects.filter(tool_id="demo.echo").exists()
        assert record.error == ""
        assert record.listed == 2

    def test_a_name_that_occurs_twice(self):
        with answering_server(lambda _: {"tools": [tool(), tool()]}) as server:
            record = sync(mcp_source(server.url))

        assert (record.error, record.created, record.refused) == ("", 1, 0)

    @pytest.mark.parametrize(
        ("result", "where"),
        [
            ({"tools": "none"}, "tools"),
            ({"tools": [tool()], "nextCursor": 7}, "nextCursor"),
            ({}, "tools"),
        ],
    )
    def test_wrong_types(self, result, where):
        with answering_server(lambda _: result) as server:
            message = failure(mcp_source(server.url))

        assert message.startswith(
            f"The server's response does not follow the protocol at {where}: "
        )

    def test_bad_tools_are_reported_and_the_others_are_imported(self):
        nameless = [1, [], tool(1), tool(""), {"inputSchema": {}}]
        named = [{"name": "bare"}, tool("text", inputSchema="any"), tool("list", inputSchema=[])]
        with answering_server(lambda _: {"tools": [*nameless, *named, tool()]}) as server:
            record = sync(mcp_source(server.url))

        assert (record.error, record.created, record.refused) == ("", 1, 4)
        reported = {
            change["tool_id"]: change for change in record.changes if change["outcome"] == "refused"
        }
        assert set(reported) == {"demo.", "demo.bare", "demo.text", "demo.list"}
        assert reported["demo."]["message"] == "Tools without a name cannot be imported (5)."

    def test_a_source_with_nothing_but_a_bad_tool_is_read(self):
        with answering_server(lambda _: {"tools": [{"name": "bad"}]}) as server:
            record = sync(mcp_source(server.url))

        assert (record.error, record.listed, record.refused) == ("", 1, 1)

    @pytest.mark.parametrize("body", [b"not JSON", b"[]", b"", b"\xff\xfe"])
    def test_an_answer_that_is_no_message(self, body):
        with answering_server(lambda _: body) as server:
            assert failure(mcp_source(server.url))

    @pytest.mark.parametrize(
        ("status", "message"),
        [
            (
                401,
                "The server refused the request with status 401. Check the credentials of the source.",
            ),
            (500, "The server responded with status 500."),
            (404, "The server responded with status 404."),
        ],
    )
    def test_a_status_that_is_an_error(self, status, message):
        with local_server(lambda handler: respond(handler, b"no", status=status)) as server:
            assert failure(mcp_source(server.url)) == message
            assert failure(store_source("weather", "openapi", server.url)) == message

    def test_a_list_that_differs_each_time_is_recorded_each_time(self):
        def answer(_):
            return {"tools": [tool(f"echo{time.monotonic_ns()}")]}

        with answering_server(answer) as server:
            source = mcp_source(server.url)
            first, second = sync(source), sync(source)

        assert (first.created, second.created, second.gone) == (1, 1, 1)

    def test_a_port_where_nobody_listens(self):
        with local_server(lambda _: None) as server:
            address = server.url

        assert failure(mcp_source(address)).startswith("The connection to the server failed: ")


@pytest.mark.deep
class TestHostileServersInTheProcess:
    """Its limits on time and memory hold as well."""

    def test_an_answer_of_100_mb(self):
        with answering_server(lambda _: b" " * 100_000_000) as server:
            message = failure(mcp_source(server.url))

        assert message == "It sent more than the 10 MB that are allowed."

    def test_a_document_of_100_mb(self):
        with local_server(lambda handler: respond(handler, b" " * 100_000_000)) as server:
            message = failure(store_source("weather", "openapi", server.url))

        assert message == "It sent more than the 32 MiB that are allowed."

    def test_a_slow_answer(self, monkeypatch):
        monkeypatch.setattr(reading, "SECONDS", 4)
        finished = threading.Event()

        def answer(_):
            finished.wait(30)
            return {"tools": []}

        with answering_server(answer) as server:
            message = failure(mcp_source(server.url))
            finished.set()

        assert message == "It took longer than the 4 seconds that are allowed."

    def test_an_answer_that_is_nested_too_deeply(self):
        bomb = (
            '{"tools":[{"name":"bomb","inputSchema":'
            + '{"properties":' * 50_000
            + "{}"
            + "}" * 50_000
            + "}]}"
        )
        text = '{"jsonrpc": "2.0", "id": 2, "result": ' + bomb + "}"
        with answering_server(lambda _: text.encode()) as server:
            message = failure(mcp_source(server.url))

        assert "recursion" in message.lower() or "nested" in message
