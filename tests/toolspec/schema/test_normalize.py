"""Schemas of earlier drafts are rewritten as 2020-12 where the drafts differ, with a report of the losses."""

from tests.factories import properties
from tests.toolspec.exports.exported import DRAFT_07, MIXED_DRAFTS
from toolspec.conversion_report import Report
from toolspec.schema.normalize import is_outdated, normalize

DRAFT_04 = "http://json-schema.org/draft-04/schema#"


def test_a_keyword_of_a_later_draft_is_removed_with_a_loss():
    report = Report()

    root = normalize(MIXED_DRAFTS, pointer="", report=report).root

    assert root == properties(b={"type": "array", "items": {"type": "string"}})
    assert [(loss.pointer, loss.what, loss.reason) for loss in report] == [
        (
            "/properties/b/prefixItems",
            "dropped",
            "Draft 07 does not define `prefixItems`, so it has no effect.",
        )
    ]


def test_a_keyword_of_a_later_draft_gives_a_schema_another_meaning():
    assert is_outdated(MIXED_DRAFTS)
    assert not is_outdated(
        MIXED_DRAFTS | {"properties": {"b": {"deprecated": True, "$defs": {}, "x-other": 1}}}
    )


def test_dependencies_are_not_mixed_with_those_of_a_later_draft():
    schema = {"$schema": DRAFT_07, "dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}}

    assert normalize(schema, pointer="", report=Report()).root == {
        "dependentRequired": {"a": ["b"]}
    }


def test_a_schema_of_draft_07_is_rewritten_where_2020_12_differs():
    schema = {
        "$schema": DRAFT_07,
        **properties(
            pair={"type": "array", "items": [{"type": "string"}], "additionalItems": False}
        ),
        "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
    }

    report = Report()

    assert is_outdated(schema)
    assert normalize(schema, pointer="/here", report=report).root == {
        "type": "object",
        "properties": {
            "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False}
        },
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"c": {"required": ["d"]}},
    }
    assert {loss.pointer for loss in report} == {
        "/here/dependencies",
        "/here/properties/pair/items",
    }


def test_the_boolean_exclusive_bounds_of_draft_04_become_numbers():
    schema = {
        "$schema": DRAFT_04,
        **properties(
            a={"type": "number", "minimum": 0, "exclusiveMinimum": True},
            b={"type": "number", "maximum": 5, "exclusiveMaximum": False},
        ),
    }

    assert normalize(schema, pointer="", report=Report()).root == properties(
        a={"type": "number", "exclusiveMinimum": 0}, b={"type": "number", "maximum": 5}
    )
