"""What every format has, and the parts that some formats have: examples, output schemas."""

import pytest

from tests.factories import GET_WEATHER, make_spec, properties
from tests.toolspec.exports.exported import changes_of, spec_with
from toolspec.exports import FORMATS, export, matrix, usable_as_it_is
from toolspec.schema.validation import CompiledSchema
from toolspec.spec import read_spec
from toolspec.text.reader import dumps


def test_mcp_gets_the_return_type_if_it_is_an_object():
    as_object = export(make_spec("a", returnType=properties(a={})), "mcp")
    as_array = export(make_spec("b", returnType={"type": "array"}), "mcp")

    assert as_object.document["outputSchema"] == properties(a={})
    assert "outputSchema" not in as_array.document
    assert changes_of(as_array) == {"/definition/returnType": "dropped"}


def test_anthropic_gets_the_examples_that_match_the_schema():
    schema = {**properties(city={"type": "string"}), "required": ["city"]}
    examples = [{"parameters": {"city": "Rome"}}, {"parameters": {"city": 7}}, {"returnValue": {}}]

    exported = export(spec_with(schema, examples=examples), "anthropic")

    assert exported.document["input_examples"] == [{"city": "Rome"}]
    assert changes_of(exported) == {
        "/definition/examples/1": "dropped",
        "/definition/examples/2": "dropped",
    }


def test_langchain_gets_one_schema_with_the_name_as_its_title():
    exported = export(
        spec_with(properties(a={"type": "string"}), examples=[{"parameters": {"a": "x"}}]),
        "langchain",
    )

    assert exported.document == {
        "title": "tool",
        "description": "Does something.",
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "examples": [{"a": "x"}],
    }


def test_all_examples_of_an_export_are_checked_within_one_budget(monkeypatch):
    budgets, check = [], CompiledSchema.check
    monkeypatch.setattr(
        CompiledSchema,
        "check",
        lambda self, value, *, budget=None: (
            budgets.append(budget) or check(self, value, budget=budget)
        ),
    )

    export(
        spec_with({"type": "object"}, examples=[{"parameters": {"n": n}} for n in range(120)]),
        "anthropic",
    )

    assert len(budgets) == 120
    assert budgets[0] is not None
    assert all(budget is budgets[0] for budget in budgets)


def test_every_part_of_a_spec_is_reported():
    spec = read_spec(GET_WEATHER.read_bytes())

    for fit in matrix(spec):
        for part in (
            "/definition/name",
            "/definition/description",
            "/definition/parameters",
            "/definition/returnType",
        ):
            assert any(loss.pointer.startswith(part) for loss in fit.losses), (
                fit.rules.key,
                part,
            )
        for part in ("/definition/examples", "/configuration"):
            assert any(loss.pointer.startswith(part) for loss in fit.losses), (
                fit.rules.key,
                part,
            )


def test_the_matrix_has_the_verdict_of_every_format():
    spec = spec_with(properties(a={"type": "string", "format": "uri"}))

    assert {fit.rules.key: fit.verdict for fit in matrix(spec)} == {
        "mcp": "as it is",
        "mcp-2026-07-28": "as it is",
        "openai": "as it is",
        "openai-strict": "with changes",
        "anthropic": "as it is",
        "gemini": "with changes",
        "langchain": "as it is",
        "openapi": "as it is",
    }
    assert usable_as_it_is(spec) == (
        "mcp",
        "mcp-2026-07-28",
        "openai",
        "anthropic",
        "langchain",
        "openapi",
    )


@pytest.mark.parametrize("key", FORMATS)
def test_an_export_is_the_same_every_time(key):
    schema = {
        "oneOf": [properties(a={"not": {}}, b={"if": {}}), properties(c={"minLength": 1})],
        "title": "x",
    }

    assert dumps(export(spec_with(schema), key).document) == dumps(
        export(spec_with(schema), key).document
    )
    assert export(spec_with(schema), key).losses == export(spec_with(schema), key).losses


@pytest.mark.parametrize("key", FORMATS)
def test_rules_have_a_date_and_a_source(key):
    assert FORMATS[key].source.startswith("https://")
    assert FORMATS[key].as_of.year >= 2024


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
    assert (
        export(spec, "mcp-2026-07-28").document["inputSchema"]
        == export(spec, "mcp").document["inputSchema"]
    )


@pytest.mark.parametrize(("returns", "output"), [(True, {}), (False, {"not": {}})])
def test_an_output_schema_is_written_as_an_object(returns, output):
    spec = spec_with(properties(a={"type": "string"}), returnType=returns)

    assert export(spec, "mcp-2026-07-28").document["outputSchema"] == output


def test_until_2025_11_25_an_output_schema_of_another_type_is_dropped_with_the_revision_that_takes_it():
    exported = export(
        spec_with(properties(a={"type": "string"}), returnType={"type": "string"}), "mcp"
    )

    (loss,) = [loss for loss in exported.losses if loss.pointer == "/definition/returnType"]
    assert "outputSchema" not in exported.document
    assert (
        loss.reason
        == "In this version of MCP, only an object can have an output schema; since 2026-07-28, any result can."
    )
