"""What several schemas say about one value."""

from toolspec.schema.summary import Summary


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
