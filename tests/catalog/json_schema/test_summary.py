"""What several schemas say about one value."""

import pytest

from catalog.json_schema.summary import Summary


@pytest.mark.parametrize(
    ("schemas", "low", "high"),
    [
        ([{}], None, None),
        ([{"minimum": 1}, {"minimum": 3, "maximum": 9}], (3, False), (9, False)),
        ([{"minimum": 3}, {"exclusiveMinimum": 3}], (3, True), None),
        ([{"maximum": 9}, {"exclusiveMaximum": 9}], None, (9, True)),
        ([{"minimum": 1, "exclusiveMinimum": True}], (1, True), None),
        ([{"maximum": 1, "exclusiveMaximum": False}], None, (1, False)),
        ([{"minimum": "1", "maximum": True}], None, None),
    ],
)
def test_the_tightest_bound_counts(schemas, low, high):
    summary = Summary(schemas)

    assert summary.bound(lowest=True) == low
    assert summary.bound(lowest=False) == high


def test_a_required_member_requires_others_in_turn():
    summary = Summary(
        [
            {"required": ["a"]},
            {"dependentRequired": {"a": ["b"], "x": ["y"]}},
            {"dependencies": {"b": ["a", "c"], "y": {"required": ["z"]}}},
        ]
    )

    assert summary.required() == ["a", "b", "c"]
    assert summary.required(["x"]) == ["a", "y", "b", "c"]


def test_malformed_keywords_say_nothing():
    summary = Summary([{"required": "a", "properties": [], "dependentRequired": {"a": "b"}}])

    assert summary.required(["a"]) == []
    assert summary.names("properties") == []
