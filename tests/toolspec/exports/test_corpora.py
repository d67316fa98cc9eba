"""Exports of every real spec, against the providers' own types and schemas, and against real calls."""

import copy
import json
from functools import cache

import pytest
from mcp_types import _v2025_11_25, _v2026_07_28
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types.chat import ChatCompletionFunctionToolParam
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import TypeAdapter

from tests import suite
from tests.corpora import GET_WEATHER, expected, lines
from toolspec.errors import SpecError
from toolspec.exports import FORMATS, export
from toolspec.exports.size_limits import strict_obstacles
from toolspec.imports import import_document
from toolspec.schema.policy import schema_policy_problems
from toolspec.schema.validation import compile_schema
from toolspec.spec import read_spec
from toolspec.text.reader import Number, dumps, loads

pytestmark = pytest.mark.corpora

SPECS = ("specs_mcp", "specs_bfcl", "specs_metatool", "specs_taubench")
STRICT_KEYWORDS = {
    "$defs", "$ref", "$schema", "additionalProperties", "anyOf", "const", "description", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "items", "maxItems", "maximum", "minItems", "minimum", "multipleOf", "pattern",
    "properties", "required", "title", "type",
}  # fmt: skip
GEMINI_KEYWORDS = {
    "anyOf", "default", "description", "enum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
    "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "propertyOrdering",
    "required", "title", "type",
}  # fmt: skip


@cache
def specs():
    texts = [line for name in SPECS for line in lines(name)]
    return [read_spec(text) for text in [*texts, GET_WEATHER.read_text(encoding="utf-8")]]


def plain(document):
    """`document` as a provider's library parses it."""
    return json.loads(dumps(document))


def documents(key):
    for spec in specs():
        exported = export(spec, key)
        assert exported.obstacles == (), spec.tool_id
        yield spec, exported, plain(exported.document)


def subschemas(schema):
    """`schema` and its subschemas in the keywords that both subsets support."""
    if not isinstance(schema, dict):
        return
    yield schema
    for holder in ("properties", "$defs"):
        for inner in schema.get(holder, {}).values():
            yield from subschemas(inner)
    yield from subschemas(schema.get("items"))
    for inner in schema.get("anyOf", ()):
        yield from subschemas(inner)


# -- the providers' libraries -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", [_v2025_11_25, _v2026_07_28], ids=["2025-11-25", "2026-07-28"])
def test_every_mcp_tool_is_valid_by_the_protocols_types(revision):
    for _, _, document in documents("mcp"):
        revision.Tool.model_validate(document, strict=True)


@pytest.mark.parametrize("key", ["openai", "openai-strict"])
def test_every_openai_function_is_valid_by_openais_types(key):
    function = TypeAdapter(ChatCompletionFunctionToolParam)

    for _, _, document in documents(key):
        function.validate_python(document, strict=True, extra="forbid")


def test_openais_library_leaves_strict_schemas_unchanged():
    for spec, _, document in documents("openai-strict"):
        parameters = document["function"]["parameters"]
        stricter = _ensure_strict_json_schema(
            copy.deepcopy(parameters), path=(), root=copy.deepcopy(parameters)
        )
        assert stricter == parameters, spec.tool_id


def test_every_openapi_document_is_valid():
    for spec, _, document in documents("openapi"):
        OpenAPIV31SpecValidator.schema_validator.validate(document)
        assert document["info"]["title"] == spec.name


def test_some_openapi_documents_are_valid_with_all_references_resolved():
    chosen = [spec for spec in specs() if "$ref" in spec.source or spec.examples][:25]

    assert len(chosen) == expected(selection=9, full=25)
    for spec in chosen:
        OpenAPIV31SpecValidator(plain(export(spec, "openapi").document)).validate()


def test_strict_schemas_use_only_supported_keywords():
    for spec, _, document in documents("openai-strict"):
        parameters = document["function"]["parameters"]
        for schema in subschemas(parameters):
            assert schema.keys() <= STRICT_KEYWORDS, spec.tool_id
            assert "$ref" not in schema or schema.keys() == {"$ref"}
            assert {"type", "anyOf", "$ref"} & schema.keys(), spec.tool_id
            if "properties" in schema:
                assert schema["required"] == list(schema["properties"])
                assert schema["additionalProperties"] is False
            if "array" in (schema.get("type") or ()):
                assert "items" in schema, spec.tool_id
        assert strict_obstacles(parameters) == []


def test_gemini_schemas_use_only_supported_keywords():
    for spec, _, document in documents("gemini"):
        for member in ("parameters", "response"):
            for schema in subschemas(document.get(member)):
                assert schema.keys() <= GEMINI_KEYWORDS, spec.tool_id
                assert isinstance(schema.get("type", ""), str)
                assert "enum" not in schema or (schema["type"] == "string" and all(schema["enum"]))
                assert set(schema.get("required", ())) <= set(schema.get("properties", ())), (
                    spec.tool_id
                )
        assert document.get("parameters", {"properties": 1})["properties"], spec.tool_id


@pytest.mark.parametrize("key", FORMATS)
def test_every_name_is_legal_and_every_schema_passes_the_policy(key):
    for spec, _, document in documents(key):
        if key == "openapi":
            continue
        function = document.get("function", document)
        assert FORMATS[key].name.allows(function.get("name", function.get("title"))), spec.tool_id
        if key in {"mcp", "openai", "anthropic", "langchain"}:
            schema = (
                function.get("inputSchema")
                or function.get("parameters")
                or function.get("input_schema")
            )
            assert schema_policy_problems(schema or function) == [], spec.tool_id


@pytest.mark.parametrize("key", FORMATS)
def test_an_export_without_reported_changes_has_the_same_parameters(key):
    for spec, exported, document in documents(key):
        if (
            exported.verdict != "as it is"
            or spec.parameters is None
            or key in {"langchain", "openapi", "gemini"}
        ):
            continue
        function = document.get("function", document)
        schema = (
            function.get("inputSchema")
            or function.get("parameters")
            or function.get("input_schema")
        )
        added = {"properties": {}} | ({"required": []} if key == "openai-strict" else {})
        assert schema == added | plain(spec.parameters), spec.tool_id


# -- real calls -------------------------------------------------------------------------------------------------------


def real_calls():
    """Specs with arguments that are known to be valid."""
    by_id = {spec.tool_id: spec for spec in specs()}
    rows = map(loads, lines("bfcl_pairs"))
    more = map(loads, lines("toolcall_pairs"))
    for row in [*rows, *(row for row in more if row["valid"])]:
        spec = by_id.get(row["tool"])
        if (
            spec is not None
            and compile_schema(spec.parameters).check(row["instance"]).verdict == "conforms"
        ):
            yield spec, row["instance"]


def with_nulls(value, schema, definitions):
    """`value` as a model sends it in strict mode: null for omitted members."""
    while isinstance(schema, dict) and "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict) and isinstance(schema, dict) and "properties" in schema:
        return {
            name: with_nulls(value.get(name), inner, definitions)
            for name, inner in schema["properties"].items()
        }
    if isinstance(value, list) and isinstance(schema, dict) and "items" in schema:
        return [with_nulls(item, schema["items"], definitions) for item in value]
    return value


def test_real_calls_can_be_made_in_strict_mode():
    made = 0
    for spec, arguments in real_calls():
        exported = export(spec, "openai-strict")
        if any(
            loss.what == "dropped" and loss.pointer.startswith("/definition/parameters")
            for loss in exported.losses
        ):
            continue
        schema = exported.document["function"]["parameters"]
        call = with_nulls(arguments, schema, schema.get("$defs", {}))
        assert compile_schema(schema).check(call).verdict == "conforms", (spec.tool_id, call)
        made += 1
    assert made > expected(selection=100, full=200)


@pytest.mark.parametrize("key", ["mcp", "openai", "anthropic", "gemini", "langchain", "openapi"])
def test_real_calls_match_the_schema_of_an_export_that_is_imported_again(key):
    made = 0
    for spec, arguments in real_calls():
        exported = export(spec, key)
        if exported.renamed or (key == "gemini" and "parameters" not in exported.document):
            continue
        [imported] = import_document(exported.document).specs
        assert imported.problems == (), spec.tool_id
        schema = imported.document["definition"].get("parameters", {})
        assert compile_schema(schema).check(arguments).verdict == "conforms", spec.tool_id
        made += 1
    assert made > expected(selection=100, full=200)


# -- all keywords -----------------------------------------------------------------------------------------------------


def specs_with_every_keyword():
    """A spec for each schema of the official suite and of real forms that the schema policy allows."""
    schemas = [
        case.schema
        for draft in ("draft2020-12", "draft2019-09", "draft7")
        for case in suite.cases(draft, parse_float=Number)
    ]
    schemas += [json.loads(row, parse_float=Number)["schema"] for row in lines("form_pairs")]
    for schema in {json.dumps(schema, default=str): schema for schema in schemas}.values():
        for parameters in (
            schema,
            {"type": "object", "properties": {"a": schema}, "required": ["a"]},
        ):
            if isinstance(parameters, dict) and isinstance(schema, dict) and "$schema" in schema:
                parameters = {"$schema": schema["$schema"], **parameters}  # noqa: PLW2901
            document = {
                "definition": {
                    "name": "f",
                    "description": "",
                    "parameters": parameters,
                    "returnType": schema,
                }
            }
            try:
                yield read_spec(dumps(document))
            except SpecError:
                continue


@pytest.mark.deep
def test_every_schema_is_exported_or_reported_as_not_usable():
    function = TypeAdapter(ChatCompletionFunctionToolParam)
    count = 0
    for spec in specs_with_every_keyword():
        count += 1
        exports = {key: export(spec, key) for key in FORMATS}
        for key, exported in exports.items():
            assert loads(dumps(exported.document)) == exported.document, key
        if exports["openai-strict"].verdict == "not usable":
            continue
        function.validate_python(
            plain(exports["openai-strict"].document), strict=True, extra="forbid"
        )
        parameters = exports["openai-strict"].document["function"]["parameters"]
        for schema in subschemas(parameters):
            assert schema.keys() <= STRICT_KEYWORDS, spec.source
            assert "properties" not in schema or schema["required"] == list(schema["properties"]), (
                spec.source
            )
        for schema in subschemas(exports["gemini"].document.get("parameters")):
            assert schema.keys() <= GEMINI_KEYWORDS, spec.source
        assert schema_policy_problems(parameters) == [], spec.source
    assert count > 1_500
