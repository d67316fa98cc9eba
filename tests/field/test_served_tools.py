"""What /mcp/<toolkit> serves is what every known client takes, and calls mean what they meant before."""

import json

import jsonschema
import pytest
from django.test import Client

from catalog.organise.metadata import Organisation, organise
from catalog.tools.publishing import publish
from playground.runs.models import Run
from tests.factories import make_token, make_tool, make_user, properties
from tests.field import field_input
from tests.playground.mcp.agent import LegacyAgent, ModernAgent
from toolspec.imports import import_document
from toolspec.schema.dialects import DEFAULT_DIALECT, list_subschemas

pytestmark = pytest.mark.django_db

TEXT = {"type": "string"}
LONG = "a" * 70
NAME = r"[a-zA-Z0-9_-]{1,64}"
KEY = r"[a-zA-Z0-9_.-]{1,64}"
BARRED = {"oneOf", "anyOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref"}


@pytest.fixture
def agent():
    """A client of 2026-07-28 at the mocks of the toolkit "odd"."""
    return ModernAgent(Client(), make_token(user=make_user("grace")), "/mcp/odd?mock=1")


@pytest.fixture
def older():
    """A client of 2025-11-25 there."""
    client = LegacyAgent(Client(), make_token(user=make_user("hedy")))
    client.initialize()
    return client.at("/mcp/odd?mock=1")


def add(tool_id="find", **definition):
    return organise(
        make_tool(tool_id, **definition),
        Organisation(toolkit="odd"),
        by=make_user(f"owner of {tool_id}"),
    )


def served(agent):
    """The tools of the list, of which none breaks a rule of a client."""
    tools = agent.result("tools/list")["tools"]
    for tool in tools:
        assert_matches(NAME, [tool["name"]])
        for schema in (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert_matches(KEY, keys_in(schema))
        assert tool["inputSchema"]["type"] == "object"
        assert not BARRED & tool["inputSchema"].keys()
    assert len({tool["name"] for tool in tools}) == len(tools)
    return tools


def assert_matches(pattern, names):
    jsonschema.validate(sorted(names), {"items": {"pattern": f"^{pattern}$"}})


def keys_in(schema):
    """The names of properties at every depth of a schema."""
    keys, waiting = set(), [schema]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, dict):
            continue
        keys |= current.get("properties", {}).keys() | current.get("dependentSchemas", {}).keys()
        keys |= current.get("dependentRequired", {}).keys() | set(current.get("required", []))
        for names in current.get("dependentRequired", {}).values():
            keys |= set(names)
        waiting += [inner for _, inner in list_subschemas(current, DEFAULT_DIALECT)]
    return keys


def sent(result):
    """The parameters of the run that a call made."""
    return json.loads(Run.objects.get(pk=result["_meta"]["toolshelf/run"]["id"]).parameters_json)


def text_of(result):
    return "\n".join(block["text"] for block in result["content"])


def renamed(tool, name):
    """The alias of a property, as the list declares it."""
    return next(
        alias for alias, original in tool["_meta"]["toolshelf/aliases"].items() if original == name
    )


def test_the_query_parameters_of_an_openapi_document_get_aliases(agent):
    document = field_input("toolkit-endpoint-property-keys")["document"]
    tool = publish(import_document(document).specs[0].spec, by=None).tool
    organise(tool, Organisation(toolkit="odd"), by=make_user())
    (listed,) = served(agent)
    aliases = {name: renamed(listed, name) for name in ("filter[name]", "StartTime<", "$top")}

    result = agent.call(
        "list_calls",
        {aliases["filter[name]"]: "ann", aliases["StartTime<"]: "2024", aliases["$top"]: 5},
    )

    assert listed["inputSchema"]["properties"].keys() == set(aliases.values())
    assert sent(result) == {"filter[name]": "ann", "StartTime<": "2024", "$top": 5}


SCHEMAS = {
    "nested": (
        properties(filter=properties(**{"name[]": TEXT}), list={"type": "array", "items": properties(**{"@id": TEXT})}),
        {"filter": {"name[]": "a"}, "list": [{"@id": "b"}]},
    ),
    "long": (properties(**{LONG: TEXT, LONG + "b": TEXT}), {LONG: "a", LONG + "b": "b"}),
    "not ASCII": (properties(ключ=TEXT, 名前=TEXT, naïve=TEXT), {"ключ": "a", "名前": "b", "naïve": "c"}),
    "spelt alike": (properties(**{"a b": TEXT, "a[b": TEXT, "a_b": TEXT}), {"a b": "1", "a[b": "2", "a_b": "3"}),
    "definitions": (
        {
            **properties(
                a={"$ref": "#/$defs/a~1b"},
                b={"$ref": "#/properties/c%20d/properties/e%20f"},
                **{"c d": properties(**{"e f": TEXT})},
            ),
            "$defs": {"a/b": {**properties(**{"x y": TEXT}), "required": ["x y"]}},
        },
        {"a": {"x y": "1"}, "b": "2", "c d": {"e f": "3"}},
    ),
    "combinators": (
        properties(
            a={"anyOf": [properties(**{"b c": TEXT}), {"type": "null"}]},
            d={"allOf": [properties(**{"e f": TEXT}), {"not": {"required": ["g h"]}}]},
            i={"if": properties(**{"j k": {"const": "1"}}), "then": {"required": ["l m"]}, "else": {}},
        ),
        {"a": {"b c": "1"}, "d": {"e f": "2"}, "i": {"j k": "1", "l m": 3}},
    ),
    "dependencies": (
        {
            **properties(**{"a b": TEXT, "c d": TEXT, "e": TEXT}),
            "dependentRequired": {"a b": ["c d", "e"]},
            "dependentSchemas": {"c d": {"required": ["a b"]}},
        },
        {"a b": "1", "c d": "2", "e": "3"},
    ),
    "required alone": ({"type": "object", "required": ["a b"]}, {"a b": "1"}),
    "values": (
        properties(a={**properties(**{"b c": TEXT}), "enum": [{"b c": "1"}], "default": {"b c": "1"}}),
        {"a": {"b c": "1"}},
    ),
    "patterns": (
        {
            **properties(**{"$top": TEXT}), "patternProperties": {"^[a-z]": {"type": "integer"}, "^\\$": TEXT},
            "additionalProperties": False,
        },
        {"$top": "1", "other": 2},
    ),
    "oneOf": (
        {"oneOf": [{**properties(**{"a b": TEXT}), "required": ["a b"]}, {**properties(c=TEXT), "required": ["c"]}]},
        {"a b": "1"},
    ),
    "anyOf": ({"type": "object", "anyOf": [properties(a=TEXT), properties(b=TEXT)]}, {"a": "1"}),
    "allOf": ({"allOf": [properties(a=TEXT), {**properties(b=TEXT), "required": ["b"]}]}, {"a": "1", "b": "2"}),
    "reference": ({"$ref": "#/$defs/a", "$defs": {"a": properties(**{"b c": TEXT})}}, {"b c": "1"}),
    "not": ({**properties(a=TEXT, b=TEXT), "not": {"required": ["a", "b"]}}, {"a": "1"}),
    "if": ({**properties(a=TEXT), "if": {"required": ["a"]}, "then": {"maxProperties": 1}}, {"a": "1"}),
    "true": (True, {"a b": 1}),
    "a lookahead": (properties(mail={"type": "string", "pattern": "^(?!\\.)[a-z.]+$"}), {"mail": "ann"}),
    "draft-07": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **properties(**{"a b": {"$ref": "#/definitions/c"}}),
            "definitions": {"c": properties(**{"d e": TEXT})},
        },
        {"a b": {"d e": "1"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_call_with_the_served_names_runs_with_the_names_of_the_spec(agent, kind):
    schema, parameters = SCHEMAS[kind]
    add(parameters=schema)
    (tool,) = served(agent)
    aliases = {
        name: alias for alias, name in tool.get("_meta", {}).get("toolshelf/aliases", {}).items()
    }
    arguments = with_names(parameters, aliases)
    jsonschema.Draft202012Validator(tool["inputSchema"]).validate(arguments)

    result = agent.call("find", arguments)

    assert result["isError"] is False, result
    assert sent(result) == parameters


def with_names(value, names):
    if isinstance(value, list):
        return [with_names(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(name, name): with_names(member, names) for name, member in value.items()}
    return value


def test_the_names_of_the_spec_are_accepted_too(agent):
    add(parameters=properties(**{"filter[name]": TEXT}))

    assert sent(agent.call("find", {"filter[name]": "ann"})) == {"filter[name]": "ann"}


def test_an_alias_is_never_the_name_of_another_property(agent):
    add(parameters=properties(**{"filter[name]": TEXT}))
    (tool,) = served(agent)
    alias = renamed(tool, "filter[name]")
    add("both", parameters=properties(**{"filter[name]": TEXT, alias: TEXT}))

    other = next(tool for tool in served(agent) if tool["name"] == "both")
    result = agent.call("both", {renamed(other, "filter[name]"): "1", alias: "2"})

    assert sent(result) == {"filter[name]": "1", alias: "2"}


def test_an_argument_sent_under_both_names_is_not_lost_in_silence(agent):
    add(parameters={**properties(**{"a b": TEXT}), "additionalProperties": False})
    (tool,) = served(agent)

    result = agent.call("find", {"a b": "1", renamed(tool, "a b"): "2"})

    assert result["isError"] is True
    assert renamed(tool, "a b") in text_of(result)


@pytest.mark.parametrize(("value", "name"), [(1, "filter[name]"), ("a", "sort/by")])
def test_a_refusal_names_the_property_as_the_client_knows_it(agent, value, name):
    schema = properties(**{"filter[name]": TEXT, "sort/by": {"type": "integer"}})
    add(parameters={**schema, "required": ["filter[name]"]})
    (tool,) = served(agent)

    result = agent.call("find", {renamed(tool, name): value})

    assert result["isError"] is True
    assert name in text_of(result) or name.replace("/", "~1") in text_of(result)
    assert renamed(tool, name) in text_of(result)


def test_a_missing_property_is_named_by_its_alias(agent):
    add(parameters={**properties(**{"filter[name]": TEXT}), "required": ["filter[name]"]})
    (tool,) = served(agent)

    assert renamed(tool, "filter[name]") in text_of(agent.call("find", {}))


@pytest.mark.parametrize("era", ["agent", "older"])
def test_the_structured_content_has_the_names_of_the_output_schema(request, era):
    agent = request.getfixturevalue(era)
    value = {"@odata.count": 1, "items": [{"first name": "Ann"}]}
    returns = properties(
        **{
            "@odata.count": {"type": "integer"},
            "items": {"type": "array", "items": properties(**{"first name": TEXT})},
        }
    )
    add(
        returnType={**returns, "required": ["@odata.count"]},
        examples=[{"parameters": {}, "returnValue": value}],
    )
    (tool,) = served(agent)

    content = agent.call("find", {})["structuredContent"]

    jsonschema.Draft202012Validator(tool["outputSchema"]).validate(content)
    assert content == {
        renamed(tool, "@odata.count"): 1,
        "items": [{renamed(tool, "first name"): "Ann"}],
    }


@pytest.mark.parametrize(
    "returns",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": properties(b=TEXT)}},
        {"allOf": [properties(b=TEXT)]},
        {"anyOf": [properties(b=TEXT), {"type": "object", "properties": {"c": TEXT}}]},
    ],
)
def test_older_clients_get_an_object_as_the_root_of_an_output_schema(older, returns):
    add(returnType=returns, examples=[{"parameters": {}, "returnValue": {"b": "1"}}])

    (tool,) = served(older)
    content = older.call("find", {})["structuredContent"]

    assert tool["outputSchema"]["type"] == "object"
    assert not BARRED & tool["outputSchema"].keys()
    jsonschema.Draft202012Validator(tool["outputSchema"]).validate(content)


@pytest.mark.parametrize(
    "returns", [{"anyOf": [properties(b=TEXT), {"type": "null"}]}, {"type": "array"}, True]
)
def test_older_clients_get_no_output_schema_if_a_result_may_be_something_else(older, returns):
    add(returnType=returns)

    (tool,) = served(older)

    assert "outputSchema" not in tool


@pytest.mark.parametrize("name", ["weather.today", "Get weather!", "n" * 100, "погода"])
def test_a_tool_is_called_by_a_name_that_every_provider_takes(agent, name):
    add(name=name)
    (tool,) = served(agent)

    assert tool["title"] == name
    assert agent.call(tool["name"])["_meta"]["toolshelf/run"]["tool"] == "find"


def test_tools_of_one_name_stay_apart(agent):
    for tool_id in ("a.b", "a b", "a_b", "c" * 80, "c" * 81):
        add(tool_id, name="same")

    called = {agent.call(tool["name"])["_meta"]["toolshelf/run"]["tool"] for tool in served(agent)}

    assert called == {"a.b", "a b", "a_b", "c" * 80, "c" * 81}


def test_call_tool_takes_both_names(agent):
    add(parameters=properties(**{"filter[name]": TEXT}))
    (tool,) = served(agent)
    catalog = agent.at("/mcp?mock=1")

    for name in ("filter[name]", renamed(tool, "filter[name]")):
        result = catalog.call("call_tool", {"tool": "find", "arguments": {name: "ann"}})

        assert sent(result) == {"filter[name]": "ann"}


@pytest.mark.parametrize("page", ["/connect/toolkits/odd/", "/connect/tools/find/"])
def test_connect_says_what_is_changed_and_for_whom(client, page):
    add(parameters={"oneOf": [properties(**{"filter[name]": TEXT}), properties(a=TEXT)]})
    add("plain", parameters=properties(a=TEXT))

    text = client.get(page).content.decode()

    assert "Anthropic (Claude)" in text
    assert "filter[name]" in text
    assert "`oneOf`" in text or "<code>oneOf</code>" in text
    assert "<code>plain</code>" not in text


def test_the_page_of_a_tool_says_that_agents_get_it_changed(client):
    add(parameters=properties(**{"filter[name]": TEXT}))
    add("plain", parameters=properties(a=TEXT))

    assert "Agents get this tool with 1 change" in client.get("/tools/find/").content.decode()
    assert "Agents get this tool" not in client.get("/tools/plain/").content.decode()
