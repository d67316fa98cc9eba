"""Problems as values, and JSON Pointers (RFC 6901)."""

import pytest

from toolspec.errors import Problem
from toolspec.text.pointers import exists_at, pointer_join, resolve_pointer, split_pointer


def test_a_problem_as_json_leaves_out_what_is_not_known():
    assert Problem("/a", "No.", "spec.type", line=3).as_json() == {
        "pointer": "/a",
        "message": "No.",
        "rule": "spec.type",
        "line": 3,
    }


def test_tokens_are_escaped_and_unescaped():
    pointer = pointer_join("", "a/b", "~", 0, "~1", "")

    assert pointer == "/a~1b/~0/0/~01/"
    assert split_pointer(pointer) == ["a/b", "~", "0", "~1", ""]


def test_a_pointer_starts_with_a_slash_or_is_the_whole_document():
    assert split_pointer("") == []
    with pytest.raises(ValueError, match="starts with '/'"):
        split_pointer("a")


@pytest.mark.parametrize(("pointer", "value"), [("/a/1", 20), ("/~1/", 30)])
def test_a_pointer_finds_its_value(pointer, value):
    assert resolve_pointer({"a": [10, 20], "/": {"": 30}}, pointer) == value


@pytest.mark.parametrize(
    "pointer", ["/b", "/a/2", "/a/01", "/a/-", "/a/-1", "/a/x", "/a/" + "9" * 5000, "/s/0", "/a/²"]
)
def test_a_pointer_to_nothing_is_a_lookup_error(pointer):
    with pytest.raises(LookupError):
        resolve_pointer({"a": [10, 20], "s": "text"}, pointer)


@pytest.mark.parametrize(
    ("pointer", "exists"), [("", True), ("/a/0", True), ("/a/1", False), ("a", False)]
)
def test_whether_a_value_exists_at_a_pointer(pointer, exists):
    assert exists_at({"a": [None]}, pointer) is exists
