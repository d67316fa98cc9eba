"""The cost of finding the secrets of a value, in steps, and the result where it is too high."""

import json

import pytest

from playground.configurations.compiled_spec import CompiledSpec
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import (
    hide_secrets,
    open_configuration,
    save_configuration,
    without_unmarked_secrets,
)
from playground.configurations.secret_members import Configuration, RunSecrets, without_secrets
from playground.form.secret_search import NOT_FOUND, find_secrets
from playground.runs.models import Run
from playground.trying.prefill import prefill_from_stored
from tests.factories import make_spec, make_tool, properties
from toolshelf_core.redaction import WITHHELD
from toolspec.errors import DocumentError
from toolspec.schema.validation import Budget, compile_schema
from toolspec.schema.validation.budget import MAX_STEPS

MANY_PATTERNS = {
    "type": "object",
    "properties": {"secret": {"writeOnly": True}},
    "patternProperties": {f"^a{n}x": {"type": "integer"} for n in range(1_000)},
}
MANY_NAMES = {f"m{n}": n for n in range(1_000)}
HIDDEN = MANY_NAMES | {"secret": "hunter22"}


def searched(schema, value, **more):
    """The pointers that are found, and the steps it took. No clock: only steps bound the search."""
    budget = Budget(seconds=1_000)
    found = find_secrets(compile_schema(schema), value, budget=budget, **more)
    assert found.reason is None
    return [pointer for pointer, _ in found.parts], MAX_STEPS - budget.steps


def test_a_value_is_not_looked_at_where_the_schema_marks_nothing():
    schema = properties(a={"type": "array", "items": {"type": "integer"}})

    assert searched(schema, {"a": [1] * 500_000}, by_name=False) == ([], 0)


def test_items_without_secrets_cost_a_sixteenth_of_a_step_each():
    schema = properties(a={"type": "array", "items": {"type": "integer"}}, pin={"writeOnly": True})

    pointers, steps = searched(schema, {"a": [1] * 500_000, "pin": "1234"})

    assert pointers == ["/pin"]
    assert steps < 32_000


def test_the_branches_of_a_union_are_gathered_once_for_all_items():
    branches = [
        {"required": [f"k{n}"], "properties": {f"k{n}": {"writeOnly": True}}} for n in range(100)
    ]
    schema = properties(a={"type": "array", "items": {"anyOf": branches}})

    pointers, steps = searched(
        schema, {"a": [{"k7": "hunter22"}, *[{"b": 1}] * 5_000]}, by_name=False
    )

    assert pointers == ["/a/0/k7"]
    assert steps < 12_000


def test_names_are_looked_at_once_each_without_a_schema():
    rows = [{"city": "Wien", "apiKey": None}] * 100_000

    pointers, steps = searched(True, {"rows": rows, "apiKey": "k-123"})

    assert pointers == ["/apiKey"]
    assert steps < 120_000


def test_items_with_their_own_schemas_are_distinguished_from_the_rest():
    schema = properties(
        a={
            "prefixItems": [{"type": "string"}, {"writeOnly": True}],
            "items": {"items": {"x-secret": True}},
        }
    )

    assert searched(schema, {"a": ["open", "one", [[], "two"], "open", ["three"]]})[0] == [
        "/a/1", "/a/2/0", "/a/2/1", "/a/4/0",
    ]  # fmt: skip


def test_a_chain_of_references_is_followed_without_recursion():
    links = {f"d{n}": {"properties": {"next": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(1_000)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**links, "d1000": {"writeOnly": True}}}
    value = "hunter22"
    for _ in range(1_000):
        value = {"next": value}

    pointers, steps = searched(schema, value, by_name=False)

    assert pointers == ["/next" * 1_000]
    assert steps < 20_000


@pytest.mark.parametrize("by_name", [True, False])
def test_a_search_that_takes_too_long_calls_the_whole_value_secret(by_name):
    found = find_secrets(compile_schema(MANY_PATTERNS), MANY_NAMES, by_name=by_name)

    assert found.parts == (("", MANY_NAMES),)
    assert found.reason.startswith(f"{NOT_FOUND}: The check takes too ")


def test_a_pattern_that_cannot_be_matched_in_time_calls_the_whole_value_secret():
    schema = compile_schema({"patternProperties": {"^(?:x|xx)*$": {"writeOnly": True}}})
    value = {"x" * 60 + "!": "hunter22"}

    found = find_secrets(schema, value)

    assert found.parts == (("", value),)
    assert "Matching the pattern" in found.reason


def test_a_run_whose_secrets_cannot_be_found_in_time_is_refused_and_stored_without_them(program):
    make_tool("t", parameters=MANY_PATTERNS)

    answer = program.send(
        "POST", "/tools/t/runs", json.dumps({"mode": "mock", "parameters": HIDDEN})
    )

    run = answer.json()
    assert (answer.status_code, run["outcome"]) == (201, "refused")
    [problem] = run["problems"]
    assert (problem["pointer"], problem["rule"]) == ("/parameters", "secrets.search")
    assert problem["message"].startswith(NOT_FOUND)
    assert run["parameters"] == WITHHELD
    assert "hunter22" not in str(vars(Run.objects.get()))


def test_parameters_that_were_withheld_are_not_filled_in_again():
    contract = CompiledSpec(make_spec(parameters=MANY_PATTERNS))

    for parameters in (WITHHELD, HIDDEN):
        assert prefill_from_stored(contract, parameters).emptied == ("",)


def test_a_configuration_whose_secrets_cannot_be_found_in_time_is_not_saved(ada):
    schema = compile_schema(MANY_PATTERNS)

    with pytest.raises(DocumentError) as refused:
        save_configuration(ada, make_tool(), "work", Configuration(MANY_NAMES), schema)

    [problem] = refused.value.problems
    assert problem.pointer == "/configuration"
    assert problem.message.startswith(NOT_FOUND)


def test_a_saved_configuration_whose_secrets_cannot_be_found_in_time_is_not_shown(ada):
    saved = save_configuration(ada, make_tool(), "work", Configuration(HIDDEN), None)

    assert hide_secrets(saved, compile_schema(MANY_PATTERNS)).value is None
    assert without_unmarked_secrets(HIDDEN, compile_schema(MANY_PATTERNS)) is None


def test_stored_parameters_share_the_parts_that_are_not_secret():
    schema = compile_schema(properties(pin={"writeOnly": True}, rows={}))
    parameters = {"rows": [{"a": [1, 2]}], "pin": "hunter22"}

    secrets = RunSecrets.of(schema, parameters, None, None)

    assert without_secrets(parameters, secrets.parameters) == {
        "rows": [{"a": [1, 2]}],
        "pin": "[secret]",
    }


def test_saving_again_retains_secrets_that_cannot_be_found_in_time(ada):
    tool = make_tool()
    saved = save_configuration(ada, tool, "work", Configuration(HIDDEN), None)

    with pytest.raises(DocumentError, match="Remove it and save a smaller one"):
        save_configuration(ada, tool, "work", Configuration({}), compile_schema(MANY_PATTERNS))

    assert open_configuration(SavedConfiguration.objects.get(pk=saved.pk), by=None).value == HIDDEN
