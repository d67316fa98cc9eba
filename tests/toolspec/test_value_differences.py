import pytest

from toolspec.value_differences import Change, compare

pytestmark = pytest.mark.unit


def test_true_is_not_one():
    assert [str(found) for found in compare({"a": 1}, {"a": True})] == ["/a differs"]


def test_differences_reach_into_lists():
    found = compare({"a": [1, {"b": 2}, 3]}, {"a": [1, {"b": 4}]})

    assert [(difference.pointer, difference.kind) for difference in found] == [
        ("/a/1/b", "changed"),
        ("/a/2", "missing"),
    ]


def test_ignored_pointers_are_not_compared():
    expected = {"a": {"b": 1, "c": [1, 2, 3]}, "gone": 1}
    given = {"a": {"b": 2, "c": [0, 0, 0, 0, 0]}, "new": 1}

    found = compare(expected, given, ignored=["/a/b", "/a/c/1", "/a/c/4", "/new"])

    assert [(one.pointer, one.kind) for one in found] == [
        ("/a/c/0", "changed"), ("/a/c/2", "changed"), ("/a/c/3", "added"), ("/gone", "missing"),
    ]  # fmt: skip
    assert compare(expected, given, ignored=[""]) == []


def test_each_value_that_differs_is_a_change():
    assert compare({"unit": "C", "list": [1, 2]}, {"list": [1, 3, 4]}) == [
        Change("/unit", "missing", '"C"'),
        Change("/list/1", "changed", "2"),
        Change("/list/2", "added"),
    ]


def test_a_former_value_that_is_long_or_has_parts_is_left_out():
    assert compare(["x" * 100, {"a": 1}], [1, 2]) == [
        Change("/0", "changed"),
        Change("/1", "changed"),
    ]
