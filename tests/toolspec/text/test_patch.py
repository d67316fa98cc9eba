"""Edits of JSON values at JSON Pointers. `lint/test_fixes.py` tests JSON Patch on values and on text."""

import pytest

from toolspec.text.patch import (
    REMOVED,
    Operation,
    PatchError,
    apply_patch,
    change_all,
    remove_at,
    set_at,
)

VALUE = {"a": [1, {"b/c": 2}, 3], "d": {"e": None}}


def test_a_value_is_set_and_the_rest_is_shared():
    changed = set_at(VALUE, "/a/1/b~1c", "new")

    assert changed == {"a": [1, {"b/c": "new"}, 3], "d": {"e": None}}
    assert changed["d"] is VALUE["d"]
    assert VALUE["a"][1] == {"b/c": 2}
    assert set_at(VALUE, "", 1) == 1
    assert set_at({}, "/a/b", 1) == {"a": {"b": 1}}


@pytest.mark.parametrize("pointer", ["/a/3", "/a/-1", "/a/01", "/d/e/f", "/a/0/x"])
def test_nothing_is_set_beyond_an_array_or_inside_a_scalar(pointer):
    with pytest.raises(LookupError):
        set_at(VALUE, pointer, 1)


def test_members_and_items_are_removed():
    assert remove_at(VALUE, "/d/e") == {"a": VALUE["a"], "d": {}}
    assert remove_at(VALUE, "/a/0") == {"a": [{"b/c": 2}, 3], "d": {"e": None}}


@pytest.mark.parametrize("pointer", ["", "/x", "/a/3", "/a/-", "/d/e/f"])
def test_a_value_that_does_not_exist_is_not_removed(pointer):
    with pytest.raises(LookupError):
        remove_at(VALUE, pointer)


def test_many_values_are_changed_in_one_pass():
    assert change_all(VALUE, ["/a/0", "/a/1/b~1c", "/d"], lambda *_: "x") == {
        "a": ["x", {"b/c": "x"}, 3],
        "d": "x",
    }


def test_removed_items_move_up_the_items_after_them():
    seen = []

    def removed(pointer, is_item):
        seen.append((pointer, is_item))
        return REMOVED

    assert change_all(VALUE, ["/a/0", "/a/1/b~1c", "/d/e"], removed) == {"a": [{}, 3], "d": {}}
    assert seen == [("/a/0", True), ("/a/0/b~1c", False), ("/d/e", False)]


def test_pointers_to_nothing_and_into_a_changed_value_are_ignored():
    assert change_all(VALUE, ["/x", "/a/7", "/a", "/a/0"], lambda *_: 1) == {
        "a": 1,
        "d": {"e": None},
    }
    assert change_all(VALUE, [""], lambda *_: REMOVED) is None


@pytest.mark.parametrize(
    ("operation", "changed"),
    [
        (Operation("add", "/-", 9), [1, 2, 9]),
        (Operation("add", "/0", 9), [9, 1, 2]),
        (Operation("add", "/2", 9), [1, 2, 9]),
        (Operation("add", "", 9), 9),
        (Operation("replace", "/0", 9), [9, 2]),
        (Operation("move", "/1", source="/0"), [2, 1]),
    ],
)
def test_operations_of_a_patch(operation, changed):
    assert apply_patch([1, 2], [operation]) == changed


@pytest.mark.parametrize(
    "operation",
    [
        Operation("add", "/3", 9),
        Operation("add", "/x/y", 9),
        Operation("replace", "/2", 9),
        Operation("remove", "/-"),
        Operation("move", "/0", source="/5"),
        Operation("remove", "no pointer"),
    ],
)
def test_a_patch_for_another_value_is_refused(operation):
    with pytest.raises(PatchError):
        apply_patch([1, 2], [operation])
