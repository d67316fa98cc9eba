"""Messages of MCP clients that are unusual: arguments as text, and texts that an answer would repeat."""

import pytest
from django.test import Client

from catalog.organise.metadata import Organisation, organise
from tests.factories import make_token, make_tool, make_user, properties
from tests.field import field_input
from tests.playground.mcp.agent import ModernAgent

pytestmark = pytest.mark.django_db

HUGE = "x" * 100_000


@pytest.fixture
def agent():
    return ModernAgent(Client(), make_token(user=make_user("grace")), "/mcp?mock=1")


def text_of(result):
    return "\n".join(block["text"] for block in result["content"])


def parameters_of(agent, result):
    run = result["_meta"]["toolshelf/run"]["id"]
    return agent.client.get(f"/api/v1/runs/{run}", headers=agent.headers).json()["parameters"]


def test_the_text_of_an_object_is_read_as_arguments(agent):
    make_tool("convert_units", parameters=properties(value={"type": "integer"}))
    call = field_input("call-tool-arguments-as-text")

    result = agent.call(call["name"], call["arguments"])

    assert result["isError"] is False
    assert parameters_of(agent, result) == {"value": 1, "from_unit": "mile", "to_unit": "kilometer"}


@pytest.mark.parametrize("text", ["mile", "[1]", "5", "", '{"value": 1', '"{}"', "null"])
def test_a_text_that_is_no_object_is_refused_by_name(agent, text):
    make_tool("find", parameters=properties(value={"type": "integer"}))

    result = agent.call("call_tool", {"tool": "find", "arguments": text})

    assert result["isError"] is True
    assert "`arguments` must be an object, not a string" in text_of(result)


def test_the_arguments_of_a_tool_of_a_toolkit_are_read_too(agent):
    organise(make_tool("find"), Organisation(toolkit="odd"), by=make_user())
    toolkit = agent.at("/mcp/odd?mock=1")

    result = toolkit.result("tools/call", {"name": "find", "arguments": '{"a": 1}'})
    status, error = toolkit.error("tools/call", {"name": "find", "arguments": "a"})

    assert parameters_of(agent, result) == {"a": 1}
    assert status == 400
    assert "`arguments` must be an object, not a string" in error["message"]


def test_a_tool_that_takes_a_text_gets_it_as_it_is(agent):
    make_tool("echo", parameters={"type": ["object", "string"]})

    result = agent.call("call_tool", {"tool": "echo", "arguments": '{"a": 1}'})

    assert parameters_of(agent, result) == '{"a": 1}'


def test_a_refusal_of_the_arguments_as_a_whole_names_them(agent):
    make_tool("find", parameters=properties(value={"type": "integer"}))

    result = agent.call("call_tool", {"tool": "find", "arguments": [1]})

    assert "- arguments: must be an object" in text_of(result)


def message(**changes):
    return {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}, **changes}


def called(name, **arguments):
    return message(method="tools/call", params={"name": name, "arguments": arguments})


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (message(method=HUGE), {}),
        (message(method=HUGE), {"MCP-Protocol-Version": "2026-07-28"}),
        (message(params={"_meta": {"io.modelcontextprotocol/protocolVersion": HUGE}}), {}),
        (message(id=HUGE), {}),
        (message(id=HUGE, method=HUGE), {}),
        (called(HUGE), {}),
        (called("describe_tool", tool=HUGE), {}),
        (called("call_tool", tool=HUGE), {}),
        (called("search_tools", **{HUGE: 1}), {}),
        (called("call_tool", tool="a", **{HUGE: HUGE}), {}),
        (message(method="tools/list", params={"cursor": HUGE}), {}),
        (message(method="tools/call", params={HUGE: 1}), {}),
        (message(method="tools/call", params={"name": "search_tools", "arguments": HUGE}), {}),
        (
            message(
                method="tools/call",
                params={"name": "search_tools", "_meta": {"progressToken": HUGE}},
            ),
            {},
        ),
        (message(method="initialize", params={"protocolVersion": HUGE}), {}),
    ],
)
def test_no_answer_repeats_more_than_the_beginning_of_a_text(agent, body, headers):
    agent.headers |= headers

    response = agent.post(body)

    assert len(response.content) < 3_000
    assert b"x" * 300 not in response.content


def test_a_long_progress_token_is_refused(agent):
    token = "t" * 201

    status, error = agent.error(
        "tools/call", {"name": "search_tools", "_meta": {"progressToken": token}}
    )

    assert status == 400
    assert "`progressToken` may have at most 200 characters" in error["message"]


def test_a_progress_token_of_the_greatest_length_is_accepted(agent):
    assert agent.call("search_tools", {}, _meta={"progressToken": "t" * 200})["isError"] is False
