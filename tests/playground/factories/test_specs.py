"""The specs that factories have themselves, beside the catalog's."""

import json
from pathlib import Path

import pytest

from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.factories.factory_settings import FactorySettings
from playground.factories.registry import FactoryRegistry, registry
from playground.factories.specs import compare_factories, compare_factory, merged
from tests.playground.runners import TOOLS, soon
from toolspec.spec import read_spec

KEY = "pk-live-8c1f0d2e"
SPECS = Path(__file__).resolve().parents[3] / "playground"
PRICED = {
    "definition": {
        "name": "priced",
        "description": "What an order costs.",
        "parameters": {
            "type": "object",
            "properties": {"item": {"type": "string"}, "count": {"type": "integer", "default": 1}},
            "required": ["item"],
        },
        "returnType": {
            "type": "object",
            "properties": {"cents": {"type": "integer"}},
            "required": ["cents"],
        },
    }
}


def make_registry(*names, **options):
    return FactoryRegistry(
        [f"own_specs:{name}" for name in names], search_path=[str(TOOLS)], **options
    )


@pytest.fixture(scope="module")
def infos():
    names = ["Priced", "Plain", "Invalid", "Undescribed", "Failing"]
    found = make_registry(*(f"{name}Factory" for name in names))
    found.wait(30) if found.all() else None
    return {info.tool_id: info for info in found.all()}


def publish_spec(document):
    return Tool.objects.with_current().get(
        pk=publish(read_spec(json.dumps(document)), by=None).tool.pk
    )


def stored(**members):
    return {"definition": PRICED["definition"] | members}


# -- written by the worker --------------------------------------------------------------------------------------------


def test_a_spec_is_written_from_the_types(infos):
    assert json.loads(infos["priced"].spec) == PRICED


def test_a_factory_without_a_description_has_no_spec_but_works(infos):
    info = infos["undescribed"]

    assert (info.state, info.spec) == ("ok", None)
    assert "has no description" in info.spec_error


def test_a_tool_that_cannot_be_created_here_leaves_its_factory_working(infos):
    assert (infos["failing"].state, infos["failing"].spec) == ("ok", None)
    assert infos["failing"].spec_error.startswith("OSError: no connection")


@pytest.mark.deep
@pytest.mark.alone
def test_a_tool_whose_creation_never_ends_is_known_before_its_spec_is_given_up():
    found = make_registry("SlowFactory", import_limit_s=4)

    assert found.for_tool("slow", timeout_s=3).state == "ok"

    assert soon(
        lambda: "did not end within 4 s" in (found.for_tool("slow").spec_error or ""), within_s=30
    )
    assert found.for_tool("slow").state == "ok"


def with_key(**options):
    settings = FactorySettings(
        {"OWN_SPECS_KEY": KEY, "PATH": "/usr/bin:/bin"},
        variables_by_id={
            "OWN_SPECS_LEAKYFACTORY": {"OWN_SPECS_KEY": "OWN_SPECS_KEY"},
            "OWN_SPECS_FAILINGFACTORY": {"OWN_SPECS_KEY": "OWN_SPECS_KEY"},
        },
    )
    return make_registry("LeakyFactory", "FailingFactory", factory_settings=settings, **options)


def test_values_of_environment_variables_are_removed_from_a_spec_and_its_error_and_from_the_cache_file(
    tmp_path,
):
    found = with_key(cache_file=tmp_path / "factories.json")

    leaky, failing = found.all()

    assert json.loads(leaky.spec)["definition"]["description"] == "It uses the key [secret]."
    assert failing.spec_error.startswith("OSError: no connection with [secret]")
    assert KEY not in (tmp_path / "factories.json").read_text()


def test_specs_are_cached_for_the_next_start(tmp_path):
    cache = tmp_path / "factories.json"
    first = make_registry("PricedFactory", cache_file=cache).all()

    assert make_registry("PricedFactory", cache_file=cache, timeout_s=0).all() == first
    assert json.loads(first[0].spec) == PRICED


# -- beside the catalog's ---------------------------------------------------------------------------------------------


def test_what_the_code_does_not_state_stays_as_the_catalog_has_it(infos, db):
    document = {
        "definition": PRICED["definition"]
        | {
            "id": "priced",
            "name": "Price of an order",
            "x-team": "sales",
            "examples": [{"description": "One."}],
        },
        "configuration": {"type": "object"},
        "x-note": 1,
    }
    document["definition"]["description"] = "Old words."

    comparison = compare_factory(infos["priced"], publish_spec(document))

    expected = json.loads(json.dumps(document))
    expected["definition"]["description"] = "What an order costs."
    assert json.loads(comparison.text) == expected
    assert comparison.verdict == "wording"


def test_a_schema_that_only_says_object_replaces_no_other(infos, db):
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tool = publish_spec(
        {"definition": {"name": "plain", "description": "Takes anything.", "parameters": schema}}
    )

    assert (
        merged(json.loads(infos["plain"].spec), tool.current.spec.document)["definition"][
            "parameters"
        ]
        == schema
    )


def test_a_spec_that_is_not_valid_has_its_problems_with_lines(infos, db):
    comparison = compare_factory(infos["invalid"], None)

    assert (comparison.state, comparison.can_be_published) == ("invalid", False)
    assert comparison.problems[0].pointer == "/definition/parameters/type"
    assert comparison.problems[0].line


def test_a_list_is_compared_with_two_queries_and_computed_once(
    infos, db, django_assert_num_queries, monkeypatch
):
    publish_spec(stored(description="Old words."))
    first = compare_factories(infos.values(), None)
    monkeypatch.setattr("playground.factories.specs._compare", None)

    with django_assert_num_queries(2):
        again = compare_factories(infos.values(), None)

    assert [each.state for each in again] == [each.state for each in first]
    assert again[0].difference is first[0].difference


def test_every_built_in_factory_agrees_with_the_spec_that_it_is_shipped_with(db):
    registry().wait(60)
    own = [info for info in registry().all() if info.distribution == "toolshelf"]
    for file in (*SPECS.glob("builtin/specs/*.json"), *SPECS.glob("samples/**/*.json")):
        publish(read_spec(file.read_bytes()), by=None)

    assert {
        comparison.factory.tool_id: comparison.state for comparison in compare_factories(own, None)
    } == {info.tool_id: "same" for info in own}
