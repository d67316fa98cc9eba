"""The tools of a toolkit at their own address: which are listed, under which names, and how they are called."""

import json

import pytest
from django.test import Client

from catalog.organise.lifecycle import archive
from catalog.organise.metadata import Organisation, organise
from catalog.tools.models import Tool
from playground.mcp import toolkit_tools
from tests.factories import make_token, make_tool, properties
from tests.playground.mcp.agent import ModernAgent

pytestmark = pytest.mark.django_db

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def move(tool, toolkit, user):
    return organise(tool, Organisation(toolkit=toolkit), by=user)


@pytest.fixture
def measures(modern, builtin, ada):
    """A toolkit with two tools that run and one that does not."""
    for name in ("convert_units", "hash_text"):
        move(builtin(name), "Measures & more", ada)
    move(make_tool("weigh"), "Measures & more", ada)
    return modern.at("/mcp/measuresmore")


def listed(agent, **params):
    return {tool["name"]: tool for tool in agent.result("tools/list", params)["tools"]}


def test_a_toolkit_lists_its_runnable_tools(measures):
    assert measures.tool_names() == ["convert_units", "hash_text"]


def test_with_mocks_it_lists_all_of_them(measures):
    assert measures.at("/mcp/measuresmore?mock=1").tool_names() == [
        "convert_units",
        "hash_text",
        "weigh",
    ]


@pytest.mark.parametrize("spelling", ["Measures & more", "measures-more", "MEASURES_MORE"])
def test_any_spelling_of_the_toolkit_leads_to_it(measures, spelling):
    assert measures.at(f"/mcp/{spelling}").tool_names() == ["convert_units", "hash_text"]


def test_archived_tools_are_not_listed(measures):
    archive(Tool.objects.get(tool_id="hash_text"))

    assert measures.tool_names() == ["convert_units"]


def test_the_server_is_named_after_the_toolkit(measures):
    result = measures.result("server/discover")

    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"] == "Measures & more"
    assert "Measures & more" in result["instructions"]


def test_a_tool_has_both_schemas(measures, legacy):
    for agent in (measures, legacy.at("/mcp/measuresmore")):
        tool = listed(agent)["convert_units"]

        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["description"]


def test_a_call_runs_the_tool(measures, legacy, runs):
    arguments = {"value": 1, "from_unit": "km", "to_unit": "m"}

    for agent in (measures, legacy.at("/mcp/measuresmore")):
        result = agent.call("convert_units", arguments)

        assert result["structuredContent"]["value"] == 1000
        assert result["_meta"]["toolshelf/run"]["outcome"] == "returned"


def test_a_tool_that_cannot_run_is_unknown_unless_mocked(measures):
    assert measures.error("tools/call", {"name": "weigh"})[1]["code"] == -32602

    mocked = measures.at("/mcp/measuresmore?mock=1").call("weigh")

    assert mocked["_meta"]["toolshelf/run"]["mode"] == "mock"


def test_a_call_needs_the_scope_run(measures, ada):
    reader = ModernAgent(Client(), make_token("read", user=ada), path="/mcp/measuresmore")

    assert reader.tool_names() == ["convert_units", "hash_text"]
    assert (
        reader.request("tools/call", {"name": "hash_text", "arguments": {"text": "a"}}).status_code
        == 403
    )


def test_tools_of_one_name_are_listed_by_their_ids(modern, ada):
    move(make_tool("hub_search", name="search"), "git", ada)
    move(make_tool("lab_search", name="search"), "git", ada)
    move(make_tool("git.clone", name="clone"), "git", ada)
    agent = modern.at("/mcp/git?mock=1")

    assert sorted(agent.tool_names()) == ["clone", "hub_search", "lab_search"]
    assert agent.call("lab_search")["_meta"]["toolshelf/run"]["tool"] == "lab_search"


def test_the_id_of_a_tool_never_takes_the_name_of_another(modern, ada):
    move(make_tool("clone", name="search"), "git", ada)
    move(make_tool("search_2", name="search"), "git", ada)
    move(make_tool("git.clone", name="clone"), "git", ada)
    agent = modern.at("/mcp/git?mock=1")

    assert sorted(agent.tool_names()) == ["clone", "clone_2", "search_2"]
    assert agent.call("clone")["_meta"]["toolshelf/run"]["tool"] == "git.clone"
    assert agent.call("clone_2")["_meta"]["toolshelf/run"]["tool"] == "clone"


def test_annotations_are_preserved_but_nothing_that_only_the_original_server_does(modern):
    make_tool("git.push")
    tool = make_tool("git.pull", name="pull")
    document = json.loads(tool.current.source)
    document["x-mcp"] = {
        "title": "Pull",
        "annotations": {"readOnlyHint": True},
        "execution": {"taskSupport": "required"},
        "_meta": {"ui": "app"},
    }
    type(tool.current).objects.filter(pk=tool.current.pk).update(
        source=json.dumps(document), sha256="1" * 64
    )

    found = listed(modern.at("/mcp/git?mock=1"))["pull"]

    assert found["annotations"] == {"readOnlyHint": True}
    assert found["title"] == "Pull"
    assert not {"execution", "_meta"} & found.keys()


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_schemas_of_earlier_drafts_are_served_in_2020_12(request, era):
    make_tool(
        "old.sum",
        parameters={
            "$schema": DRAFT_07, "type": "object",
            "properties": {"a": {"type": "array", "items": [{"type": "integer"}]}},
        },
        returnType={"$schema": DRAFT_07, "type": "object"},
    )  # fmt: skip

    (tool,) = request.getfixturevalue(era).at("/mcp/old?mock=1").result("tools/list")["tools"]

    assert tool["inputSchema"]["properties"]["a"]["prefixItems"] == [{"type": "integer"}]
    assert DRAFT_07 not in json.dumps(tool)


def test_only_modern_clients_see_a_return_type_that_is_no_object(modern, legacy):
    make_tool("list.numbers", returnType={"type": "array", "items": {"type": "number"}})

    (new,) = modern.at("/mcp/list?mock=1").result("tools/list")["tools"]
    (old,) = legacy.at("/mcp/list?mock=1").result("tools/list")["tools"]

    assert new["outputSchema"] == {"type": "array", "items": {"type": "number"}}
    assert "outputSchema" not in old


def test_a_tool_that_mcp_cannot_describe_is_named_with_the_reason(modern):
    make_tool("odd.text", parameters={"type": "string"})
    make_tool("odd.fine", name="fine")

    result = modern.at("/mcp/odd?mock=1").result("tools/list")

    assert [tool["name"] for tool in result["tools"]] == ["fine"]
    (left_out,) = result["_meta"]["toolshelf/not-listed"]
    assert left_out["id"] == "odd.text"
    assert "object" in left_out["reason"]


@pytest.mark.parametrize(("size", "characters"), [(2, 10**6), (100, 300)])
def test_the_list_is_paginated_by_number_and_by_length(modern, monkeypatch, size, characters):
    monkeypatch.setattr(toolkit_tools, "PAGE_SIZE", size)
    monkeypatch.setattr(toolkit_tools, "MAX_PAGE_CHARACTERS", characters)
    for number in range(5):
        make_tool(f"many.t{number}", name=f"t{number}", parameters=properties(a={"type": "string"}))
    agent = modern.at("/mcp/many?mock=1")
    names, cursors, cursor = [], 0, {}

    while True:
        result = agent.result("tools/list", cursor)
        names += [tool["name"] for tool in result["tools"]]
        cursors += 1
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}

    assert names == [f"t{number}" for number in range(5)]
    assert cursors >= 3


@pytest.mark.parametrize("cursor", ["x", "WyJmb3VuZCIsMSwxLDBd"])
def test_a_cursor_of_something_else_is_refused(measures, cursor):
    status, error = measures.error("tools/list", {"cursor": cursor})

    assert (status, error["code"]) == (400, -32602)


def test_the_list_costs_the_same_number_of_queries_for_more_tools(
    modern, django_assert_max_num_queries
):
    for number in range(20):
        make_tool(f"many.t{number}")

    with django_assert_max_num_queries(9):  # one of them for the groups of the person
        assert len(modern.at("/mcp/many?mock=1").tool_names()) == 20


# -- headers that repeat arguments --------------------------------------------------------------------------------


@pytest.fixture
def sql(modern):
    """A tool whose parameters are repeated in headers."""
    make_tool(
        "sql.run",
        name="run",
        parameters=properties(
            region={"type": "string", "x-mcp-header": "Region"},
            limit={"type": "integer", "x-mcp-header": "Limit"},
            options={
                "type": "object",
                "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}},
            },
        ),
    )
    return modern.at("/mcp/sql?mock=1")


def call(agent, arguments, **headers):
    return agent.request("tools/call", {"name": "run", "arguments": arguments}, **headers)


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({}, {}),
        ({"region": None}, {}),
        ({"region": "eu"}, {"Mcp-Param-Region": "eu"}),
        ({"region": "Österreich"}, {"Mcp-Param-Region": "=?base64?w5ZzdGVycmVpY2g=?="}),
        ({"limit": 42}, {"Mcp-Param-Limit": "42.0"}),
        ({"options": {"dry": True}}, {"Mcp-Param-Dry": "true"}),
    ],
)
def test_headers_that_match_the_arguments_are_accepted(sql, arguments, headers):
    assert call(sql, arguments, **headers).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu"}, {}),
        ({}, {"Mcp-Param-Region": "eu"}),
        ({"region": "eu"}, {"Mcp-Param-Region": "us"}),
        ({"region": "Hello"}, {"Mcp-Param-Region": "=?base64?SGVsbG8?="}),
        ({"limit": 42}, {"Mcp-Param-Limit": "43"}),
        ({"limit": 42}, {"Mcp-Param-Limit": "4e1"}),
        ({"options": {"dry": True}}, {"Mcp-Param-Dry": "True"}),
    ],
)
def test_headers_that_differ_from_the_arguments_are_refused(sql, arguments, headers):
    response = call(sql, arguments, **headers)

    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32020


def test_a_wrong_mark_is_ignored(modern):
    make_tool(
        "sql.run", name="run", parameters=properties(a={"type": "number", "x-mcp-header": "A"})
    )

    assert call(modern.at("/mcp/sql?mock=1"), {"a": 1.5}).status_code == 200
