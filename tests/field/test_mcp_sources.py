"""MCP servers that break the protocol: one bad tool, results with a mistake, errors with data."""

import json
import sys

import pytest

from catalog.sources.models import SourceTool
from catalog.sources.sync import sync
from catalog.tools.models import Tool
from tests.catalog.sources.documents import store_source
from tests.field import field_input
from tests.mcp_server import answering_server
from tests.playground.connections.test_mcp_tool import Strange, call, error_of


def call_with(result):
    with Strange(tools_call=result) as server:
        return call(server.address)


# -- lists ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("subject", "tools"),
    [
        ("source-one-tool-without-type", ["demo.bad", "demo.good"]),
        ("source-same-tool-twice", ["demo.good"]),
    ],
)
def test_a_list_with_a_bad_or_doubled_tool_is_imported(settings, subject, tools):
    settings.LOOPBACK_ONLY = True
    listed = field_input(subject)["tools/list"]
    with answering_server(lambda _: listed) as server:
        record = sync(store_source("demo", "mcp-http", server.url))

    assert (record.error, record.refused) == ("", 0)
    assert sorted(Tool.objects.values_list("tool_id", flat=True)) == tools


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
def test_two_different_tools_of_one_name_are_reported_and_a_published_one_stays_listed(settings):
    settings.LOOPBACK_ONLY = True
    one, other = (
        {"name": "same", "description": text, "inputSchema": {"type": "object"}}
        for text in ("a", "b")
    )
    good = {**one, "name": "good"}
    listed = {"tools": [one]}
    with answering_server(lambda _: listed) as server:
        source = store_source("demo", "mcp-http", server.url)
        sync(source)
        listed["tools"] = [one, good, other]

        record = sync(source)

    assert (record.error, record.created, record.refused, record.gone) == ("", 1, 1, 0)
    [message] = [change["message"] for change in record.changes if change["outcome"] == "refused"]
    assert message == "The source lists this tool 2 times, with different definitions."


def mcp_tool(name, **members):
    return {"name": name, "description": "Read", "inputSchema": {"type": "object"}, **members}


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
@pytest.mark.parametrize(
    "other",
    [
        mcp_tool("x ", description="Read it"),
        mcp_tool("\u200bx", description="Read it"),
        mcp_tool("y", type="function", function=mcp_tool("x", parameters={"type": "object"})),
        {"name": "y", "tools": [mcp_tool("x", description="Read it")]},
    ],
)
def test_a_tool_whose_id_is_that_of_another_never_replaces_it(settings, other):
    settings.LOOPBACK_ONLY = True
    approved = mcp_tool("x")
    listed = {"tools": [approved]}
    with answering_server(lambda _: listed) as server:
        source = store_source("demo", "mcp-http", server.url)
        sync(source)
        listed["tools"] = [other, approved]

        record = sync(source)

    assert (record.error, record.created, record.revised, record.gone) == ("", 0, 0, 0)
    assert record.refused >= 1
    assert Tool.objects.get().revisions.get().spec.description == "Read"


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["x ", "\u200bx"])
def test_a_change_under_a_name_that_looks_the_same_is_held(settings, name):
    settings.LOOPBACK_ONLY = True
    listed = {"tools": [mcp_tool("x")]}
    with answering_server(lambda _: listed) as server:
        source = store_source("demo", "mcp-http", server.url)
        sync(source)
        listed["tools"] = [mcp_tool(name, description="Read another file")]

        record = sync(source)
        again = sync(source)

    assert (record.error, record.held, record.revised, record.gone) == ("", 1, 0, 0)
    assert (again.error, again.unchanged, again.held) == ("", 1, 0)
    assert Tool.objects.get().revisions.get().spec.description == "Read"


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
@pytest.mark.parametrize("length", [199, 300])
def test_a_tool_with_a_long_name_has_one_row_of_the_id_in_the_catalog(settings, length):
    settings.LOOPBACK_ONLY = True
    with answering_server(lambda _: {"tools": [mcp_tool("x" * length), mcp_tool("y")]}) as server:
        source = store_source("demo", "mcp-http", server.url)

        first = sync(source)
        second = sync(source)

    assert (first.error, first.created + first.refused) == ("", 2)
    assert (second.error, second.created, second.unchanged) == ("", 0, first.created)
    ids = set(Tool.objects.values_list("tool_id", flat=True))
    assert set(SourceTool.objects.values_list("tool_id", flat=True)) == ids
    assert max(map(len, SourceTool.objects.values_list("remote_name", flat=True))) <= 255


@pytest.mark.usefixtures("_read_in_this_process")
@pytest.mark.django_db
def test_two_tools_of_one_id_are_found_in_a_list_of_thousands(settings):
    settings.LOOPBACK_ONLY = True
    listed = {
        "tools": [
            mcp_tool("x"),
            *(mcp_tool(f"tool{number}") for number in range(1_001)),
            mcp_tool("x "),
        ]
    }
    with answering_server(lambda _: listed) as server:
        record = sync(store_source("demo", "mcp-http", server.url))

    assert (record.error, record.created, record.refused) == ("", 1_001, 1)
    assert not Tool.objects.filter(tool_id="demo.x").exists()


@pytest.mark.django_db
def test_a_command_that_does_not_start_is_explained_by_its_stderr():
    program = f"{sys.executable} -c \"import sys; sys.exit('EMFILE: too many open files')\""
    source = store_source("local", "mcp-stdio", program)

    record = sync(source)

    assert record.error == "The command ended without an answer.\n\nEMFILE: too many open files"


# -- results ----------------------------------------------------------------------------------------------------------


def test_structured_content_that_is_null_counts_as_absent_before_2026_07_28():
    assert call_with(field_input("mcp-structured-null-beside-text")["result"]) == {"a": 1}


@pytest.mark.parametrize(
    ("result", "response"),
    [
        (field_input("mcp-result-bare-array")["result"], [{"id": 1}]),
        (field_input("mcp-result-without-content")["result"], {"a": 1}),
        ({"content": None, "structuredContent": 7}, 7),
        ({"content": {"type": "text", "text": "x"}}, {"type": "text", "text": "x"}),
        ({"content": [{"text": "no type"}]}, [{"text": "no type"}]),
        ({"content": ["text"]}, ["text"]),
        ({"content": [{"type": "image", "data": "????"}]}, [{"type": "image", "data": "????"}]),
        ({"content": [{"type": "hologram"}]}, [{"type": "hologram"}]),
        ({"toolResult": {"a": 1}}, {"toolResult": {"a": 1}}),
    ],
)
def test_a_result_that_breaks_the_protocol_is_shown_with_a_note(result, response, capsys):
    assert call_with(result) == response
    assert "The result does not follow the protocol: " in capsys.readouterr().out


def test_a_failure_that_breaks_the_protocol_keeps_its_text():
    with Strange(
        tools_call={"isError": True, "content": [{"text": "x"}, {"type": "text", "text": "full"}]}
    ) as server:
        assert error_of(server.address).endswith("full")


@pytest.mark.parametrize(
    "error",
    [
        field_input("mcp-error-data")["error"],
        {"code": -32000, "message": "No quota", "data": "until Monday"},
        {"code": 7, "message": "Odd", "data": {"long": "x" * 3_000}},
    ],
)
def test_an_error_shows_its_message_code_and_data(error):
    def refuse(handler, message):
        reply = {"jsonrpc": "2.0", "id": message["id"], "error": error}
        handler.reply(200, json.dumps(reply).encode())

    with Strange(tools_call=refuse) as server:
        shown = error_of(server.address)

    assert f"{error['message']} (code {error['code']})\n" in shown
    assert shown.endswith(json.dumps(error["data"])[:2_000])
