"""Imports: documents of other formats become specs, and losses are reported."""

import json

import pytest

from tests.corpora import DATA, expected, lines
from tests.factories import GET_WEATHER, make_spec, properties
from toolspec.exports import export
from toolspec.imports import MAX_DOCUMENT_BYTES, NotKnown, detect, import_document, prefix_for
from toolspec.imports.results import MAX_TOOLS
from toolspec.spec import read_spec
from toolspec.text.reader import loads

MCP_LISTS = sorted((DATA / "mcp_lists").glob("*.json"))
DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def read(path):
    return loads(path.read_bytes(), max_bytes=MAX_DOCUMENT_BYTES)


def rows_of(name):
    return [loads(line) for line in lines(name)]


def only(imported):
    [spec] = imported.specs
    return spec


def definition_of(spec):
    return spec.document["definition"]


def openai(parameters=None, **members):
    function = {"name": "f", "description": "Does something.", **members}
    return {
        "type": "function",
        "function": function if parameters is None else function | {"parameters": parameters},
    }


# -- detecting formats ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "format_key"),
    [
        ({"tools": [{"name": "a", "inputSchema": {}}]}, "mcp"),
        (
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "inputSchema": {}}]}},
            "mcp",
        ),
        ([{"name": "a", "inputSchema": {}}], "mcp"),
        ({"name": "a", "inputSchema": {}}, "mcp"),
        (openai(), "openai"),
        ({"type": "function", "name": "a"}, "openai"),
        ({"functions": [{"name": "a", "parameters": {}}]}, "openai"),
        ({"id": "x", "tool": openai()}, "openai"),
        ({"tools": [{"name": "a", "input_schema": {}}]}, "anthropic"),
        ({"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT"}}]}, "gemini"),
        (
            {
                "tools": [
                    {"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT"}}]}
                ]
            },
            "gemini",
        ),
        ({"functionDeclarations": [{"name": "a", "description": "Takes nothing."}]}, "gemini"),
        ([{"name": "no tool"}, {"name": "a", "inputSchema": {}}], "mcp"),
        ({"title": "a", "type": "object", "properties": {}}, "langchain"),
        ({"openapi": "3.0.3", "paths": {}}, "openapi-3"),
        ({"openapi": "3.2.0", "info": {}}, "openapi-3"),
        ({"swagger": "2.0", "paths": {}}, "swagger-2"),
        ({"swagger": "1.2"}, None),
        ({"definition": {"name": "a", "description": ""}}, None),
        ({"definition": {"name": "a"}, "tools": [{"name": "a", "inputSchema": {}}]}, None),
        ({}, None),
        ([], None),
        ({"tools": []}, None),
        ("text", None),
        (None, None),
        ([[[[[[[[{"name": "a", "inputSchema": {}}]]]]]]]], None),
    ],
)
def test_the_format_of_a_document_is_detected(document, format_key):
    assert detect(document) == format_key


def test_a_document_of_an_unknown_format_is_not_imported():
    with pytest.raises(NotKnown):
        import_document({"definition": {}})


# -- MCP --------------------------------------------------------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("path", MCP_LISTS, ids=lambda path: path.stem)
def test_every_tool_of_real_mcp_servers_is_imported(path):
    document = read(path)

    imported = import_document(document, prefix=prefix_for(document, path.name))

    assert len(imported.specs) == len(document["tools"])
    for tool, spec in zip(document["tools"], imported.specs, strict=True):
        if "arguments" in tool:  # one server lists a prompt among its tools
            assert spec.problems[0].rule == "import.not-a-tool"
            continue
        assert spec.problems == ()
        assert read_spec(spec.text).tool_id == f"{path.stem}.{tool['name']}"
        assert definition_of(spec).get("parameters") == tool.get("inputSchema")
        assert definition_of(spec).get("returnType") == tool.get("outputSchema")


@pytest.mark.corpora
def test_imported_mcp_tools_equal_the_known_specs():
    known = {row["definition"]["id"]: row["definition"] for row in rows_of("specs_mcp")}
    path = DATA / "mcp_lists" / "github-mcp-server.json"

    imported = import_document(read(path), prefix="github-mcp-server")

    both = [spec for spec in imported.specs if spec.tool_id in known]
    assert len(both) == expected(selection=23, full=114)
    assert [definition_of(spec) for spec in both] == [known[spec.tool_id] for spec in both]


def test_other_fields_of_an_mcp_tool_are_stored():
    tool = {
        "name": "a",
        "description": "",
        "inputSchema": properties(),
        "annotations": {"readOnlyHint": True},
    }

    spec = only(import_document({"tools": [tool]}))

    assert spec.document["x-mcp"] == {"annotations": {"readOnlyHint": True}}
    assert [(loss.pointer, loss.what) for loss in spec.losses] == [("/tools/0/annotations", "kept")]


def test_a_tool_without_description_has_an_empty_one():
    spec = only(import_document({"name": "a", "inputSchema": properties()}))

    assert definition_of(spec)["description"] == ""
    assert [(loss.pointer, loss.what) for loss in spec.losses] == [("/description", "rewritten")]


def test_a_schema_that_means_something_else_in_2020_12_is_rewritten():
    schema = {
        "$schema": DRAFT_07,
        **properties(pair={"type": "array", "items": [{"type": "string"}]}),
    }

    spec = only(import_document({"name": "a", "description": "", "inputSchema": schema}))

    assert spec.problems == ()
    assert definition_of(spec)["parameters"] == properties(
        pair={"type": "array", "prefixItems": [{"type": "string"}]}
    )


# -- OpenAI, and the type names of programming languages --------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["bfcl", "taubench"])
def test_openai_functions_become_the_known_specs(name):
    known = {row["definition"]["id"]: row["definition"] for row in rows_of(f"specs_{name}")}

    for row in rows_of(f"{name}_raw_openai"):
        spec = only(import_document(row))

        assert spec.problems == ()
        assert definition_of(spec) == known[row["id"]]


def test_every_renamed_type_is_reported():
    schema = {
        "type": "dict",
        "properties": {"a": {"type": "float"}, "b": {"type": "any"}, "c": {"type": "str"}},
    }

    spec = only(import_document(openai(schema)))

    assert definition_of(spec)["parameters"] == properties(
        a={"type": "number"}, b={}, c={"type": "string"}
    )
    assert {loss.pointer.removeprefix("/function/parameters") for loss in spec.losses} == {
        "/type",
        "/properties/a/type",
        "/properties/b/type",
        "/properties/c/type",
    }


@pytest.mark.parametrize(
    ("schema", "repaired"),
    [
        (
            {"type": "tuple", "items": [{"type": "int"}]},
            {"type": "array", "prefixItems": [{"type": "integer"}]},
        ),
        ({"type": ["str", "None"]}, {"type": ["string", "null"]}),
        ({"type": ["int", "float"]}, {"type": ["integer", "number"]}),
        ({"type": ["list", "tuple"]}, {"type": "array"}),
        ({"type": "HashMap"}, {"type": "object"}),
        ({"type": "String"}, {"type": "string"}),
        (
            {"type": "string", "default": {"type": "dict"}},
            {"type": "string", "default": {"type": "dict"}},
        ),
    ],
)
def test_types_of_programming_languages_become_types_of_json_schema(schema, repaired):
    assert definition_of(only(import_document(openai(properties(a=schema)))))[
        "parameters"
    ] == properties(a=repaired)


def test_required_in_a_member_becomes_required_of_the_object():
    schema = properties(
        a={"type": "string", "required": True}, b={"type": "string", "optional": True}
    )

    spec = only(import_document(openai(schema)))

    assert definition_of(spec)["parameters"] == {
        **properties(a={"type": "string"}, b={"type": "string"}),
        "required": ["a"],
    }


def test_invalid_keywords_are_removed_and_reported():
    schema = properties(a={"type": "string", "pattern": "(?P<x>", "minLength": "3"})

    spec = only(import_document(openai(schema)))

    assert spec.problems == ()
    assert definition_of(spec)["parameters"] == properties(a={"type": "string"})
    assert {loss.what for loss in spec.losses} == {"dropped"}


def test_a_schema_that_cannot_be_repaired_has_problems():
    spec = only(import_document(openai(properties(a={"$ref": "https://example.com/schema.json"}))))

    assert [problem.rule for problem in spec.problems] == ["gate.ref-remote"]


def test_ids_of_one_document_are_unique():
    imported = import_document([openai(), openai(), openai(name="f_2")], prefix="p")

    assert [spec.tool_id for spec in imported.specs] == ["p.f", "p.f_2", "p.f_2_2"]


def test_ids_that_are_too_long_are_cut():
    spec = only(import_document(openai(name="f" * 190), prefix="a-long-prefix"))

    assert spec.problems == ()
    assert len(spec.tool_id) <= 200


def test_the_number_of_tools_of_one_document_is_limited():
    imported = import_document([openai(name=f"f{number}") for number in range(MAX_TOOLS + 1)])

    assert len(imported.specs) == MAX_TOOLS
    assert imported.notes == (f"Only the first {MAX_TOOLS:,} tools of the document were imported.",)


def test_a_gemini_function_may_omit_its_parameters():
    imported = import_document(
        {"functionDeclarations": [{"name": "now", "description": "The time."}]}
    )

    assert definition_of(only(imported)) == {"name": "now", "description": "The time."}


@pytest.mark.parametrize(
    "document",
    [
        [openai(), None, 7, "x", [], {"name": 3}],
        {"tools": [{"name": "a", "inputSchema": 7}]},
        {"tools": [{"name": "a", "inputSchema": None, "description": 5}]},
        {"tools": [{"name": "", "inputSchema": {}}]},
        {"tools": [{"name": "a\u0007", "inputSchema": {"type": {}}}]},
        openai(True),
        openai({"type": [["string"]], "properties": [], "required": {"a": 1}}),
        openai({"$schema": 5}),
        openai({"$schema": "https://example.com/mine"}),
        openai({"$ref": "#/properties"}),
        openai({"properties": {"a": None, "b": []}}),
        {
            "functionDeclarations": [
                {"name": "a", "parameters": {"type": "OBJECT", "nullable": 3, "items": []}}
            ]
        },
        {"title": "a", "properties": {}, "examples": [1]},
    ],
)
def test_malformed_tools_are_reported_and_raise_no_error(document):
    for spec in import_document(document).specs:
        if not spec.problems:
            read_spec(spec.text)


# -- round trips ------------------------------------------------------------------------------------------------------

SPEC = make_spec(
    "shop.order",
    name="order",
    description="Orders something.",
    parameters={
        **properties(item={"type": "string"}, count={"type": "integer", "minimum": 1}),
        "required": ["item"],
    },
    returnType=properties(id={"type": "string"}),
    examples=[
        {"description": "One tea", "parameters": {"item": "tea"}, "returnValue": {"id": "1"}}
    ],
    configuration=properties(key={"type": "string", "writeOnly": True}),
)


@pytest.mark.parametrize(
    ("key", "preserved"),
    [
        ("mcp", {"name", "description", "parameters", "returnType"}),
        ("openai", {"name", "description", "parameters"}),
        ("anthropic", {"name", "description", "parameters"}),
        ("gemini", {"name", "description", "returnType"}),
        ("langchain", {"name", "description", "parameters"}),
        ("openapi", {"id", "name", "description", "parameters", "returnType", "examples"}),
    ],
)
def test_the_members_that_an_export_preserves_are_imported_again(key, preserved):
    imported = only(import_document(export(SPEC, key).document))

    definition = SPEC.document["definition"]
    assert imported.problems == ()
    assert {member: definition_of(imported)[member] for member in preserved} == {
        member: definition[member] for member in preserved
    }


def test_other_fields_of_an_mcp_tool_are_exported_again():
    tool = {
        "name": "order",
        "description": "Orders something.",
        "inputSchema": properties(item={"type": "string"}),
        "title": "Order",
        "annotations": {"destructiveHint": True},
        "_meta": {"version": 2},
    }

    exported = export(only(import_document({"tools": [tool]})).spec, "mcp")

    assert exported.document == tool
    assert exported.changes == ()


def test_fields_of_an_mcp_tool_are_reported_as_dropped_by_other_formats():
    tool = {
        "name": "order",
        "description": "Orders.",
        "inputSchema": properties(),
        "annotations": {"readOnlyHint": True},
    }

    exported = export(only(import_document({"tools": [tool]})).spec, "openai")

    assert [(loss.what, loss.pointer) for loss in exported.changes] == [("dropped", "/x-mcp")]
    assert exported.verdict == "as it is"


def test_unknown_fields_in_x_mcp_are_not_exported():
    spec = make_spec("order", parameters=properties())
    text = json.dumps(
        {**json.loads(spec.source), "x-mcp": {"title": 7, "annotations": [], "server": "a"}}
    )

    exported = export(read_spec(text), "mcp")

    assert exported.document.keys() == {"name", "description", "inputSchema"}
    assert [loss.pointer for loss in exported.changes] == [
        "/x-mcp/title",
        "/x-mcp/annotations",
        "/x-mcp/server",
    ]


def test_an_openapi_export_is_imported_as_the_same_spec():
    for spec in (SPEC, read_spec(GET_WEATHER.read_bytes())):
        assert only(import_document(export(spec, "openapi").document)).document == spec.document


def test_exported_gemini_parameters_are_imported_as_json_schema():
    parameters = properties(
        a={"type": ["string", "null"], "maxLength": 3},
        b={"type": "array", "items": {"type": "string"}},
    )

    imported = only(
        import_document(export(make_spec("f", parameters=parameters), "gemini").document)
    )

    assert definition_of(imported)["parameters"] == parameters | {"propertyOrdering": ["a", "b"]}


def test_an_import_is_the_same_every_time():
    document = read(MCP_LISTS[0])

    assert import_document(document) == import_document(json.loads(json.dumps(document)))


# -- type names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("array of int", {"type": "array", "items": {"type": "integer"}}),
        ("list of strings", {"type": "array", "items": {"type": "string"}}),
        ("List[str]", {"type": "array", "items": {"type": "string"}}),
        ("list<int>", {"type": "array", "items": {"type": "integer"}}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        (
            "Dict[str, List[float]]",
            {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "number"}},
            },
        ),
        ("dict[str, any]", {"type": "object", "additionalProperties": {}}),
        ("Optional[int]", {"type": ["integer", "null"]}),
        (
            "typing.Optional[List[str]]",
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        ),
        ("string?", {"type": ["string", "null"]}),
        ("string | null", {"type": ["string", "null"]}),
        ("Union[str, int]", {"type": ["string", "integer"]}),
        ("Union[str, Any]", {}),
        (
            "Tuple[float, float]",
            {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
        ),
        ("Tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        ("Literal['a', \"b\"]", {"enum": ["a", "b"]}),
        ("Float", {"type": "number"}),
        ("STRING", {"type": "string"}),
    ],
)
def test_a_type_of_a_programming_language_becomes_a_schema(name, schema):
    spec = only(import_document(openai(properties(a={"type": name, "description": "A."}))))

    assert definition_of(spec)["parameters"]["properties"]["a"] == {**schema, "description": "A."}
    assert [loss.pointer for loss in spec.losses] == ["/function/parameters/properties/a/type"]


@pytest.mark.parametrize(
    "name",
    ["strng", "List[", "List[what]", "Dict[str]", "Optional[]", "[" * 190, "a" * 300, "Literal[a]"],
)
def test_an_unknown_type_is_removed_and_reported_with_its_pointer(name):
    spec = only(import_document(openai(properties(a={"type": name}))))

    assert definition_of(spec)["parameters"]["properties"]["a"] == {}
    assert [(loss.what, loss.pointer) for loss in spec.losses] == [
        ("dropped", "/function/parameters/properties/a/type")
    ]


def test_keywords_beside_a_type_name_take_precedence():
    spec = only(
        import_document(openai(properties(a={"type": "List[str]", "items": {"type": "integer"}})))
    )

    assert definition_of(spec)["parameters"]["properties"]["a"] == {
        "type": "array",
        "items": {"type": "integer"},
    }


def test_a_type_name_instead_of_a_schema_becomes_a_schema():
    spec = only(import_document(openai(properties(a={"type": "array", "items": "string"}))))

    assert definition_of(spec)["parameters"]["properties"]["a"] == {
        "type": "array",
        "items": {"type": "string"},
    }


@pytest.mark.parametrize(
    "tool", [{"type": "custom", "name": "sql"}, {"type": "web_search_preview", "name": "search"}]
)
def test_a_tool_of_a_type_without_parameters_is_refused(tool):
    _, spec = import_document([openai(), tool]).specs

    assert [problem.rule for problem in spec.problems] == ["import.not-a-tool"]


def test_an_incomplete_list_has_a_note():
    document = {
        "result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": "2"}
    }

    assert [note for note in import_document(document).notes if "nextCursor" in note]


def test_a_removed_keyword_is_reported_with_its_pointer_in_the_document():
    tool = {
        "name": "a",
        "description": "",
        "inputSchema": properties(b={"type": "integer", "minimum": "3"}),
    }

    spec = only(import_document({"tools": [tool]}))

    assert [loss.pointer for loss in spec.losses] == ["/tools/0/inputSchema/properties/b/minimum"]


@pytest.mark.parametrize(
    ("schema", "repaired"),
    [
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}),
        ({"maximum": 9, "exclusiveMaximum": True}, {"exclusiveMaximum": 9}),
        ({"minimum": 0, "exclusiveMinimum": False}, {"minimum": 0}),
        ({"exclusiveMinimum": True}, {}),
    ],
)
def test_flags_of_draft_4_become_bounds(schema, repaired):
    tool = {
        "name": "f",
        "description": "d",
        "inputSchema": properties(a={"type": "number", **schema}),
    }

    spec = only(import_document({"tools": [tool]}))

    assert definition_of(spec)["parameters"] == properties(a={"type": "number", **repaired})
    assert [loss.what for loss in spec.losses] == ["rewritten"]


@pytest.mark.parametrize("name", [" f", "f\u200b", "\ufefff "])
def test_outer_and_invisible_spaces_are_removed_from_ids(name):
    spec = only(
        import_document(
            {"tools": [{"name": name, "description": "d", "inputSchema": {"type": "object"}}]}
        )
    )

    assert spec.spec.tool_id == "f"
    assert spec.spec.name == name
    assert [loss.reason for loss in spec.losses] == [
        "Leading, trailing and invisible spaces were removed from the id."
    ]
