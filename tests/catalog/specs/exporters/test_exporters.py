"""Exports: the document in each format, and the report of the losses."""

import pytest

from catalog.conversion_report import Report
from catalog.json_schema.normalize import is_outdated, normalized
from catalog.json_schema.validation import CompiledSchema
from catalog.jsontext.reader import dumps
from catalog.specs.exporters import FORMATS, export, located_losses, matrix, usable_as_it_is
from catalog.specs.exporters.aliases import alias
from catalog.specs.exporters.providers import ANTHROPIC, GEMINI, MCP, OPENAI
from catalog.specs.exporters.size_limits import strict_obstacles
from catalog.specs.spec import read_spec
from tests.factories import GET_WEATHER, make_spec, properties
from tests.work import at_most

DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def spec_with(parameters, **members):
    return make_spec("tool", parameters=parameters, **members)


def parameters_in(exported):
    document = exported.document
    function = document.get("function", document)
    return function.get("parameters") or function.get("inputSchema") or function.get("input_schema") or function


def changes_of(exported):
    return {loss.pointer: loss.what for loss in exported.changes}


def strict(parameters):
    return parameters_in(export(spec_with(parameters), "openai-strict"))


def gemini(parameters):
    return parameters_in(export(spec_with(parameters), "gemini"))


# -- keywords that the draft ignores ----------------------------------------------------------------------------------

MIXED_DRAFTS = {
    "$schema": DRAFT_07,
    "type": "object",
    "properties": {
        "b": {
            "type": "array",
            "items": {"type": "string"},
            "prefixItems": [{"type": "object", "properties": {}}],
        }
    },
}


def test_a_keyword_of_a_later_draft_is_removed_with_a_loss():
    report = Report()

    root = normalized(MIXED_DRAFTS, pointer="", report=report).root

    assert root == properties(b={"type": "array", "items": {"type": "string"}})
    assert [(loss.pointer, loss.what, loss.reason) for loss in report] == [
        ("/properties/b/prefixItems", "dropped", "Draft 07 does not define `prefixItems`, so it has no effect.")
    ]


def test_a_keyword_of_a_later_draft_gives_a_schema_another_meaning():
    assert is_outdated(MIXED_DRAFTS)
    assert not is_outdated(MIXED_DRAFTS | {"properties": {"b": {"deprecated": True, "$defs": {}, "x-other": 1}}})


def test_dependencies_are_not_mixed_with_those_of_a_later_draft():
    schema = {"$schema": DRAFT_07, "dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}}

    assert normalized(schema, pointer="", report=Report()).root == {"dependentRequired": {"a": ["b"]}}


@pytest.mark.parametrize("key", FORMATS)
def test_a_schema_with_a_keyword_of_a_later_draft_can_be_exported(key):
    exported = export(spec_with(MIXED_DRAFTS), key)

    located_losses(spec_with(MIXED_DRAFTS), exported, dumps(exported.document))
    assert exported.verdict != "not usable"


def test_false_in_a_schema_that_was_merged_has_the_pointer_of_that_schema():
    spec = spec_with({"type": "object", "properties": {"a": {"type": "null", "anyOf": [False, {"minItems": 1}]}}})

    exported = export(spec, "gemini")

    pointers = [loss.pointer for loss in exported.changes]
    assert not [pointer for pointer in pointers if "allOf" in pointer]


# -- names ------------------------------------------------------------------------------------------------------------


def test_a_legal_name_is_unchanged():
    assert export(make_spec("get_weather"), "openai").document["function"]["name"] == "get_weather"


def test_an_illegal_name_gets_an_alias_that_never_changes():
    spec = read_spec(GET_WEATHER.read_bytes())

    assert export(spec, "openai").document["function"]["name"] == "Get_weather_498ebfb0"
    assert changes_of(export(spec, "openai"))["/definition/name"] == "rewritten"


def test_names_that_look_the_same_get_different_aliases():
    assert alias("a b", OPENAI.name) != alias("a_b!", OPENAI.name)


@pytest.mark.parametrize("name", ["", " ", "天気", "x" * 500, "-", "1st place!", "日本 a", "\U0001f600"])
@pytest.mark.parametrize("rules", [MCP, OPENAI, ANTHROPIC, GEMINI])
def test_every_alias_is_legal(name, rules):
    assert rules.name.allows(alias(name, rules.name))


def test_mcp_keeps_an_illegal_name_as_the_title():
    document = export(make_spec("t", name="Get weather"), "mcp").document

    assert document["title"] == "Get weather"


# -- formats that accept JSON Schema as it is -------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["mcp", "openai", "anthropic"])
def test_plain_parameters_are_unchanged(key):
    schema = properties(city={"type": "string", "minLength": 2}, days={"$ref": "#/$defs/days"})
    schema["$defs"] = {"days": {"type": "integer"}}

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


@pytest.mark.parametrize("key", FORMATS)
def test_a_tool_without_parameters_can_be_used_as_it_is(key):
    assert export(make_spec("tool"), key).verdict == "as it is"


@pytest.mark.parametrize("key", ["mcp", "openai", "anthropic", "langchain"])
def test_parameters_become_an_object(key):
    exported = export(spec_with({"properties": {"a": {"type": "string"}}}), key)

    assert parameters_in(exported)["type"] == "object"
    assert changes_of(exported)["/definition/parameters"] == "rewritten"


@pytest.mark.parametrize("key", sorted(FORMATS.keys() - {"openapi"}))
def test_parameters_that_are_not_an_object_cannot_be_used(key):
    exported = export(spec_with({"type": "array", "items": {"type": "string"}}), key)

    assert exported.verdict == "not usable"
    assert exported.obstacles == ("Models send parameters as an object, but these parameters do not allow one.",)


@pytest.mark.parametrize("key", ["openai", "anthropic"])
def test_alternatives_at_the_top_become_one_list_of_members(key):
    schema = {
        "oneOf": [
            {**properties(url={"type": "string"}, size={"type": "integer"}), "required": ["url", "size"]},
            {**properties(file={"type": "string"}, size={"type": "string"}), "required": ["file", "size"]},
        ]
    }

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {
            "url": {"type": "string"},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "file": {"type": "string"},
        },
        "required": ["size"],
    }
    assert changes_of(exported)["/definition/parameters/oneOf"] == "rewritten"


@pytest.mark.parametrize("key", ["openai", "anthropic"])
def test_which_members_belong_together_cannot_be_expressed_at_the_top(key):
    schema = {**properties(a={"type": "string"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}

    exported = export(spec_with(schema), key)

    assert "anyOf" not in parameters_in(exported)
    assert changes_of(exported) == {"/definition/parameters/anyOf": "dropped"}


def test_mcp_accepts_alternatives_at_the_top():
    schema = {**properties(a={"type": "string"}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}

    assert parameters_in(export(spec_with(schema), "mcp")) == schema


def test_a_reference_at_the_top_is_followed():
    schema = {"$ref": "#/$defs/all", "$defs": {"all": properties(next={"$ref": "#/$defs/all"})}}

    exported = export(spec_with(schema), "mcp")

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/all"}},
        "$defs": {"all": {"type": "object", "properties": {"next": {"$ref": "#/$defs/all"}}}},
    }


def test_openai_requires_items_in_every_array():
    exported = export(spec_with(properties(tags={"type": "array"}, ok={"type": "array", "items": {}})), "openai")

    assert parameters_in(exported)["properties"]["tags"] == {"type": "array", "items": {}}
    assert list(changes_of(exported)) == ["/definition/parameters/properties/tags"]


def test_members_get_names_that_are_legal_for_anthropic():
    schema = {**properties(**{"filter[id]": {"type": "string"}}), "required": ["filter[id]"]}

    exported = export(spec_with(schema), "anthropic")
    new = alias("filter[id]", ANTHROPIC.members)

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {new: {"type": "string"}},
        "required": [new],
    }
    assert exported.renamed == {"/definition/parameters/properties/filter[id]": new}


def test_the_schemas_of_members_become_objects_for_mcp():
    exported = export(spec_with(properties(any=True, none=False)), "mcp")

    assert parameters_in(exported)["properties"] == {"any": {}, "none": {"not": {}}}


def test_mcp_gets_the_return_type_if_it_is_an_object():
    as_object = export(make_spec("a", returnType=properties(a={})), "mcp")
    as_array = export(make_spec("b", returnType={"type": "array"}), "mcp")

    assert as_object.document["outputSchema"] == properties(a={})
    assert "outputSchema" not in as_array.document
    assert changes_of(as_array) == {"/definition/returnType": "dropped"}


def test_dependent_members_are_renamed_too():
    schema = properties(é={"type": "string"}, b={"type": "string"}) | {"dependentRequired": {"é": ["b"], "b": ["é"]}}

    document = export(spec_with(schema), "anthropic").document

    new = alias("é", ANTHROPIC.members)
    assert document["input_schema"]["dependentRequired"] == {new: ["b"], "b": [new]}


@pytest.mark.parametrize("keyword", ["if", "not", "dependentSchemas", "patternProperties", "propertyNames"])
def test_keywords_that_refer_to_renamed_members_are_dropped_and_reported(keyword):
    schema = properties(é={"type": "string"}) | {keyword: {}}

    exported = export(spec_with(schema), "anthropic")

    assert keyword not in exported.document["input_schema"]
    assert f"/definition/parameters/{keyword}" in {loss.pointer for loss in exported.changes}


def test_anthropic_gets_the_examples_that_match_the_schema():
    schema = {**properties(city={"type": "string"}), "required": ["city"]}
    examples = [{"parameters": {"city": "Rome"}}, {"parameters": {"city": 7}}, {"returnValue": {}}]

    exported = export(spec_with(schema, examples=examples), "anthropic")

    assert exported.document["input_examples"] == [{"city": "Rome"}]
    assert changes_of(exported) == {"/definition/examples/1": "dropped", "/definition/examples/2": "dropped"}


def test_langchain_gets_one_schema_with_the_name_as_its_title():
    exported = export(spec_with(properties(a={"type": "string"}), examples=[{"parameters": {"a": "x"}}]), "langchain")

    assert exported.document == {
        "title": "tool",
        "description": "Does something.",
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "examples": [{"a": "x"}],
    }


# -- earlier drafts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["mcp", "openai", "openai-strict", "anthropic"])
def test_a_draft_that_makes_no_difference_stays(key):
    schema = {"$schema": DRAFT_07, **properties(a={"type": "string"}), "required": ["a"], "additionalProperties": False}

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


def test_a_schema_of_draft_07_is_rewritten_where_2020_12_differs():
    schema = {
        "$schema": DRAFT_07,
        **properties(pair={"type": "array", "items": [{"type": "string"}], "additionalItems": False}),
        "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
    }

    report = Report()

    assert is_outdated(schema)
    assert normalized(schema, pointer="/here", report=report).root == {
        "type": "object",
        "properties": {"pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False}},
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"c": {"required": ["d"]}},
    }
    assert {loss.pointer for loss in report} == {"/here/dependencies", "/here/properties/pair/items"}


def test_the_boolean_exclusive_bounds_of_draft_04_become_numbers():
    schema = {
        "$schema": DRAFT_04,
        **properties(
            a={"type": "number", "minimum": 0, "exclusiveMinimum": True},
            b={"type": "number", "maximum": 5, "exclusiveMaximum": False},
        ),
    }

    assert normalized(schema, pointer="", report=Report()).root == properties(
        a={"type": "number", "exclusiveMinimum": 0}, b={"type": "number", "maximum": 5}
    )


def test_keywords_beside_a_reference_of_draft_07_are_dropped_except_annotations():
    schema = {
        "$schema": DRAFT_07,
        **properties(a={"$ref": "#/definitions/text", "maxLength": 1, "description": "A text."}),
        "definitions": {"text": {"type": "string"}},
    }

    exported = export(spec_with(schema), "anthropic")

    assert parameters_in(exported)["properties"]["a"] == {"description": "A text.", "$ref": "#/$defs/text"}
    assert changes_of(exported)["/definition/parameters/properties/a/maxLength"] == "dropped"


# -- OpenAI's strict mode ---------------------------------------------------------------------------------------------


def test_strict_closes_objects_and_requires_all_members():
    schema = {**properties(a={"type": "string"}, b={"type": "integer"}), "required": ["a"]}

    exported = export(spec_with(schema), "openai-strict")

    assert exported.document["function"]["strict"] is True
    assert parameters_in(exported) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert changes_of(exported) == {
        "/definition/parameters": "rewritten",
        "/definition/parameters/properties/b": "rewritten",
    }


def test_a_strict_schema_can_be_used_as_it_is():
    schema = {**properties(a={"type": "string"}), "required": ["a"], "additionalProperties": False}

    exported = export(spec_with(schema), "openai-strict")

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


@pytest.mark.parametrize(
    ("optional", "written"),
    [
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        ({}, {"type": ["string", "number", "boolean", "null"]}),
    ],
)
def test_an_optional_member_may_be_null_in_strict_mode(optional, written):
    assert strict(properties(a=optional))["properties"]["a"] == written


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string", "minLength": 2}, {"type": "string", "description": "At least 2 characters."}),
        (
            {"type": "string", "description": "A page", "format": "uri"},
            {"type": "string", "description": "A page. Format: URI, like https://example.org/."},
        ),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "integer", "default": 5}, {"type": "integer", "description": "Default: 5."}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "exclusiveMinimum": 0}),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "No duplicates."},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
            {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        ),
        (
            {"allOf": [{"type": "string", "pattern": "^a"}, {"maxLength": 3}]},
            {"type": "string", "pattern": "^a", "description": "At most 3 characters."},
        ),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "maxItems": 2},
        ),
        ({"type": ["string", "integer"], "minimum": 1}, {"type": ["string", "integer"], "minimum": 1}),
        ({"enum": ["a", 1]}, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}]}),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        ),
        (
            {"type": "object", "required": ["x"]},
            {
                "type": "object",
                "properties": {"x": {"type": ["string", "number", "boolean", "null"]}},
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
        ({"type": "string", "not": {"const": "x"}}, {"type": "string"}),
    ],
)
def test_a_schema_in_strict_mode(schema, written):
    parameters = {**properties(a=schema), "required": ["a"]}

    assert strict(parameters)["properties"]["a"] == written


def test_strict_keeps_references_and_recursion():
    tree = {**properties(children={"type": "array", "items": {"$ref": "#/$defs/tree"}}), "required": ["children"]}
    parameters = {**properties(root={"$ref": "#/$defs/tree"}), "required": ["root"], "$defs": {"tree": tree}}

    assert strict(parameters) == {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/tree"}},
        "required": ["root"],
        "additionalProperties": False,
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
                "required": ["children"],
                "additionalProperties": False,
            }
        },
    }


def test_keywords_beside_a_reference_are_merged_with_its_target():
    parameters = {
        **properties(a={"$ref": "#/$defs/text", "description": "Here."}),
        "required": ["a"],
        "$defs": {"text": {"type": "string", "description": "There."}},
    }

    assert strict(parameters)["properties"]["a"] == {"description": "Here.", "type": "string"}


def test_keywords_beside_alternatives_are_copied_into_each():
    schema = {
        **properties(kind={"type": "string"}),
        "required": ["kind"],
        "anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {}}],
    }

    branches = strict({**properties(x=schema), "required": ["x"]})["properties"]["x"]["anyOf"]

    assert [list(branch["properties"]) for branch in branches] == [["kind", "a"], ["kind"]]


def test_obstacles_name_the_limits_of_strict_mode():
    members = {f"member{number}": {"type": "string"} for number in range(1, 5_002)}

    assert strict_obstacles({"type": "object", "properties": members}) == [
        "There are 5,001 properties; at most 5,000 are allowed."
    ]
    assert strict_obstacles({"type": "string", "enum": [f"{number:0>80}" for number in range(300)]}) == [
        "An `enum` has more than 250 strings, and together they have more than 15,000 characters."
    ]


def test_strict_allows_ten_levels_of_objects():
    schema = properties()
    for _ in range(10):
        schema = {**properties(inner=schema), "required": ["inner"]}

    assert export(spec_with(schema), "openai-strict").obstacles == (
        "There are 11 levels of objects; at most 10 are allowed.",
    )


# -- Gemini -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        (
            {"type": ["string", "integer"]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of 1, 2."}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        (
            {"type": "string", "format": "uri"},
            {"type": "string", "description": "Format: URI, like https://example.org/."},
        ),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "description": "Greater than 0."}),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
    ],
)
def test_a_schema_for_gemini(schema, written):
    assert gemini(properties(a=schema))["properties"]["a"] == written


def test_references_are_written_out_for_gemini():
    parameters = {**properties(a={"$ref": "#/$defs/text"}), "$defs": {"text": {"type": "string"}}}

    assert gemini(parameters) == properties(a={"type": "string"})


def test_recursion_is_cut_for_gemini():
    tree = properties(children={"type": "array", "items": {"$ref": "#/$defs/tree"}})
    exported = export(spec_with({**properties(root={"$ref": "#/$defs/tree"}), "$defs": {"tree": tree}}), "gemini")

    assert parameters_in(exported)["properties"]["root"] == {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"type": "object"}}},
    }
    assert exported.verdict == "with changes"


def test_all_examples_of_an_export_are_checked_within_one_budget(monkeypatch):
    budgets, check = [], CompiledSchema.check
    monkeypatch.setattr(
        CompiledSchema,
        "check",
        lambda self, value, *, budget=None: budgets.append(budget) or check(self, value, budget=budget),
    )

    export(spec_with({"type": "object"}, examples=[{"parameters": {"n": n}} for n in range(120)]), "anthropic")

    assert len(budgets) == 120
    assert budgets[0] is not None
    assert all(budget is budgets[0] for budget in budgets)


def circle(length):
    """Definitions d0, d1, …: each has a member `next` that refers to the next one, the last to the first."""
    return {
        f"d{n}": properties(next={"$ref": f"#/$defs/d{(n + 1) % length}"}) | {"description": f"{n}"}
        for n in range(length)
    }


def test_references_are_written_out_64_schemas_deep_for_gemini():
    exported = export(spec_with({**properties(d={"$ref": "#/$defs/d0"}), "$defs": circle(700)}), "gemini")

    schema, depth = parameters_in(exported), 1
    while "properties" in schema:
        [schema], depth = schema["properties"].values(), depth + 1
    assert (schema, depth) == ({"type": "object", "description": "63"}, 65)
    [loss] = [loss for loss in exported.losses if "nested here" in loss.reason]
    assert loss.what == "dropped"
    assert loss.pointer == "/definition/parameters/$defs/d62/properties/next"
    assert loss.reason == "More than 64 schemas are nested here; deeper ones accept any value."


def test_strict_mode_allows_any_number_of_definitions_that_refer_to_each_other():
    exported = export(spec_with({**properties(d={"$ref": "#/$defs/d0"}), "$defs": circle(700)}), "openai-strict")

    definitions = parameters_in(exported)["$defs"]
    assert list(definitions) == [f"d{n}" for n in range(700)]
    assert definitions["d699"]["properties"]["next"]["anyOf"] == [{"$ref": "#/$defs/d0"}, {"type": "null"}]


@pytest.mark.parametrize("key", FORMATS)
@pytest.mark.parametrize("hop", [lambda inner: inner, lambda inner: {"allOf": [inner]}], ids=["$ref", "allOf"])
def test_chains_of_references_are_exported_to_every_format(key, hop):
    names = {f"d{n}_{m}": hop({"$ref": f"#/$defs/d{n}_{m + 1}"}) for n in range(60) for m in range(14)}
    for n in range(60):
        names[f"d{n}_14"] = properties(next={"$ref": f"#/$defs/d{n + 1}_0"})
    schema = {**properties(d={"$ref": "#/$defs/d0_0"}), "$defs": names | {"d60_0": {"type": "string"}}}

    exported = export(spec_with(schema), key)

    assert exported.document
    assert not [loss for loss in exported.losses if "too deep" in loss.reason]


def test_gemini_gets_the_order_of_members():
    assert gemini(properties(b={"type": "string"}, a={"type": "string"}))["propertyOrdering"] == ["b", "a"]


def test_empty_parameters_are_omitted_for_gemini():
    assert "parameters" not in export(spec_with(properties()), "gemini").document


def test_gemini_gets_the_return_type():
    assert export(make_spec("a", returnType=properties(a={"type": "string"})), "gemini").document["response"] == (
        properties(a={"type": "string"})
    )


def test_the_number_of_written_schemas_is_limited():
    definitions = {"d0": {"type": "string"}}
    for number in range(1, 13):
        inner = {"$ref": f"#/$defs/d{number - 1}"}
        definitions[f"d{number}"] = properties(a=inner, b=inner)

    exported = export(spec_with({**properties(x={"$ref": "#/$defs/d12"}), "$defs": definitions}), "gemini")

    assert exported.obstacles == ("With references expanded, there are more than 5,000 schemas.",)


def hostile():
    """Schemas that the schema policy allows, and that multiply when they are written out."""
    members = {f"p{number}": {"type": "string"} for number in range(450)}
    yield "wide alternatives", {**properties(**members), "anyOf": [properties(**{f"q{n}": {}}) for n in range(450)]}
    yield "one member often", {"allOf": [properties(p={"maxLength": number}) for number in range(450)]}
    yield "many parts", {"allOf": [properties(**{f"p{number}": {}}) for number in range(900)]}
    yield "long lists", properties(**{f"p{n}": {"allOf": [{"enum": list(range(300))}] * 2} for n in range(10)})
    deep = {"type": "string"}
    for _ in range(8):
        deep = {
            "type": "object",
            "properties": {"a": {}},
            "anyOf": [deep, {"required": ["a"], "properties": {"b": {}}}],
        }
    yield "deep alternatives", deep


@pytest.mark.parametrize("schema", [pytest.param(schema, id=name) for name, schema in hostile()])
@pytest.mark.parametrize("key", FORMATS)
def test_hostile_schemas_are_exported_with_bounded_work(key, schema):
    for parameters in (schema, properties(x=schema)):
        spec = spec_with(parameters)

        with at_most(3_000_000):
            dumps(export(spec, key).document)


# -- OpenAPI ----------------------------------------------------------------------------------------------------------


def test_openapi_has_every_part_of_the_spec():
    spec = read_spec(GET_WEATHER.read_bytes())

    exported = export(spec, "openapi")
    operation = exported.document["paths"][f"/tools/{spec.slug}"]["post"]

    assert operation["requestBody"]["content"]["application/json"] == {
        "schema": {"$ref": "#/components/schemas/Parameters"},
        "examples": {"example-1": {"summary": "Get weather of New York", "value": {"location": "New York"}}},
    }
    assert exported.document["components"]["schemas"] == {"Parameters": spec.parameters, "Returns": spec.return_type}
    assert exported.document["x-llm-tool"] == {"name": "Get weather", "configuration": spec.configuration}
    assert [loss.pointer for loss in exported.changes] == ["/definition/name"]


def test_openapi_has_definitions_among_its_components():
    schema = {**properties(a={"$ref": "#/$defs/text"}, self={"$ref": "#"}), "$defs": {"text": {"type": "string"}}}

    assert export(spec_with(schema), "openapi").document["components"]["schemas"] == {
        "Parameters": properties(
            a={"$ref": "#/components/schemas/Parameters.text"}, self={"$ref": "#/components/schemas/Parameters"}
        ),
        "Parameters.text": {"type": "string"},
    }


# -- all formats ------------------------------------------------------------------------------------------------------


def test_every_part_of_a_spec_is_reported():
    spec = read_spec(GET_WEATHER.read_bytes())

    for fit in matrix(spec):
        for part in ("/definition/name", "/definition/description", "/definition/parameters", "/definition/returnType"):
            assert any(loss.pointer.startswith(part) for loss in fit.export.losses), (fit.format.key, part)
        for part in ("/definition/examples", "/configuration"):
            assert any(loss.pointer.startswith(part) for loss in fit.export.losses), (fit.format.key, part)


def test_the_matrix_has_the_verdict_of_every_format():
    spec = spec_with(properties(a={"type": "string", "format": "uri"}))

    assert {fit.format.key: fit.verdict for fit in matrix(spec)} == {
        "mcp": "as it is",
        "mcp-2026-07-28": "as it is",
        "openai": "as it is",
        "openai-strict": "with changes",
        "anthropic": "as it is",
        "gemini": "with changes",
        "langchain": "as it is",
        "openapi": "as it is",
    }
    assert usable_as_it_is(spec) == ("mcp", "mcp-2026-07-28", "openai", "anthropic", "langchain", "openapi")


@pytest.mark.parametrize("key", FORMATS)
def test_an_export_is_the_same_every_time(key):
    schema = {"oneOf": [properties(a={"not": {}}, b={"if": {}}), properties(c={"minLength": 1})], "title": "x"}

    assert dumps(export(spec_with(schema), key).document) == dumps(export(spec_with(schema), key).document)
    assert export(spec_with(schema), key).losses == export(spec_with(schema), key).losses


@pytest.mark.parametrize("key", FORMATS)
def test_rules_have_a_date_and_a_source(key):
    assert FORMATS[key].rules.source.startswith("https://")
    assert FORMATS[key].rules.as_of.year >= 2024


@pytest.mark.parametrize(
    "returns",
    [
        {"type": "string"},
        {"type": "array", "items": {"type": "integer"}},
        {"oneOf": [{"type": "null"}, {"type": "object"}]},
    ],
)
def test_mcp_takes_any_output_schema_since_2026_07_28(returns):
    spec = spec_with(properties(a={"type": "string"}), returnType=returns)

    assert export(spec, "mcp-2026-07-28").document["outputSchema"] == returns
    assert export(spec, "mcp-2026-07-28").document["inputSchema"] == export(spec, "mcp").document["inputSchema"]


@pytest.mark.parametrize(("returns", "output"), [(True, {}), (False, {"not": {}})])
def test_an_output_schema_is_written_as_an_object(returns, output):
    spec = spec_with(properties(a={"type": "string"}), returnType=returns)

    assert export(spec, "mcp-2026-07-28").document["outputSchema"] == output


def test_until_2025_11_25_an_output_schema_of_another_type_is_dropped_with_the_revision_that_takes_it():
    exported = export(spec_with(properties(a={"type": "string"}), returnType={"type": "string"}), "mcp")

    (loss,) = [loss for loss in exported.losses if loss.pointer == "/definition/returnType"]
    assert "outputSchema" not in exported.document
    assert (
        loss.reason
        == "In this version of MCP, only an object can have an output schema; since 2026-07-28, any result can."
    )


def test_openapi_gets_no_default_that_its_schema_refuses():
    parameters = properties(
        a={"type": "string", "default": None}, b={"$ref": "#/$defs/n"}, c={"type": "string", "default": "x"}
    )
    exported = export(spec_with({**parameters, "$defs": {"n": {"type": "integer", "default": "one"}}}), "openapi")

    schemas = exported.document["components"]["schemas"]
    assert schemas["Parameters"]["properties"]["a"] == {"type": "string"}
    assert schemas["Parameters"]["properties"]["c"] == {"type": "string", "default": "x"}
    assert schemas["Parameters.n"] == {"type": "integer"}
    assert exported.verdict == "with changes"
    assert {pointer for pointer, what in changes_of(exported).items() if what == "dropped"} == {
        "/definition/parameters/properties/a/default",
        "/definition/parameters/$defs/n/default",
    }


def test_openapi_keeps_a_default_that_cannot_be_checked():
    slow = {"type": "string", "pattern": "^(a+)+$", "default": "a" * 40 + "!"}
    exported = export(spec_with(properties(a=slow)), "openapi")

    assert "a" in exported.document["components"]["schemas"]["Parameters"]["properties"]
