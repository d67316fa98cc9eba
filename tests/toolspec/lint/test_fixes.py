"""Fixes applied to texts: everything else stays byte for byte the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolspec.lint import Fix, apply_fix
from toolspec.text.patch import Operation, PatchError, apply_patch
from toolspec.text.reader import dumps, parse

TEXT = """\
{
    "name":  "a",   "numbers": [1.0, 2e3,
      -0],
    "inner": {
        "kept": "\\u0041",
        "gone": [ ]
    },
    "empty": {}
}
"""


def fixed(*operations, text=TEXT):
    return apply_fix(text, Fix("", operations))


def test_a_value_is_replaced():
    assert fixed(Operation("replace", "/name", "b")) == TEXT.replace('"a"', '"b"')


def test_a_member_is_removed_with_one_comma():
    assert fixed(Operation("remove", "/name")) == TEXT.replace('"name":  "a",   ', "")


def test_the_last_member_is_removed_with_the_comma_before_it():
    assert fixed(Operation("remove", "/inner/gone")) == TEXT.replace(',\n        "gone": [ ]', "")


def test_removing_the_only_member_leaves_an_empty_object():
    assert fixed(Operation("remove", "/a"), text='{"a": 1}') == "{}"


def test_an_item_is_removed_and_other_numbers_stay_as_written():
    assert fixed(Operation("remove", "/numbers/1")) == TEXT.replace("2e3,\n      ", "")


def test_a_member_is_added_in_the_layout_of_its_neighbours():
    wanted = TEXT.replace('"gone": [ ]', '"gone": [ ],\n        "new": true')

    assert fixed(Operation("add", "/inner/new", value=True)) == wanted


def test_a_member_is_added_to_an_empty_object():
    assert fixed(Operation("add", "/empty/new", 1)) == TEXT.replace(
        '"empty": {}', '"empty": {"new": 1}'
    )


def test_adding_an_existing_member_replaces_it():
    assert fixed(Operation("add", "/name", "b")) == TEXT.replace('"a"', '"b"')


def test_an_item_is_inserted_before_another_or_at_the_end():
    assert fixed(Operation("add", "/0", 0), text="[1, 2]") == "[0, 1, 2]"
    assert fixed(Operation("add", "/-", 3), text="[1, 2]") == "[1, 2, 3]"
    assert fixed(Operation("add", "/2", 3), text="[1,2]") == "[1,2,3]"


def test_a_member_that_is_renamed_keeps_its_position():
    wanted = TEXT.replace('"name":  "a"', '"title":  "a"')

    assert fixed(Operation("move", "/title", source="/name")) == wanted


def test_a_member_that_is_moved_elsewhere_keeps_its_text():
    moved = fixed(Operation("move", "/inner/numbers", source="/numbers"))

    assert '"numbers": [1.0, 2e3,\n      -0]' in moved
    assert list(parse(moved)) == ["name", "inner", "empty"]


def test_a_long_value_is_indented_like_the_text():
    value = {
        "type": "object",
        "properties": {"first": {"type": "string"}, "second": {"type": "string"}},
    }

    added = fixed(Operation("add", "/inner/schema", value))

    assert (
        '        "schema": {\n            "type": "object",\n            "properties": {\n' in added
    )


def test_a_text_on_one_line_stays_on_one_line():
    text = '{"a":{"b":1},"c":2}'

    assert fixed(Operation("add", "/a/d", [1, 2]), text=text) == '{"a":{"b":1,"d":[1, 2]},"c":2}'


def test_operations_are_applied_in_order():
    operations = (
        Operation("add", "/id", "x"),
        Operation("remove", "/name"),
        Operation("replace", "/id", "y"),
    )

    assert parse(fixed(*operations))["id"] == "y"


def test_names_with_slashes_and_quotes_are_found():
    text = '{"a/b": {"~": 1}, "\\"": 2}'

    assert fixed(Operation("replace", "/a~1b/~0", 3), text=text) == '{"a/b": {"~": 3}, "\\"": 2}'
    assert fixed(Operation("remove", '/"'), text=text) == '{"a/b": {"~": 1}}'


@pytest.mark.parametrize(
    "operation",
    [
        Operation("remove", "/missing"),
        Operation("remove", "/numbers/9"),
        Operation("replace", "/missing", 1),
        Operation("replace", "/name/deeper", 1),
        Operation("add", "/missing/deeper", 1),
        Operation("add", "/numbers/9", 1),
        Operation("move", "/name", source="/missing"),
    ],
)
def test_a_fix_for_another_text_is_refused(operation):
    with pytest.raises(PatchError):
        fixed(operation)


def test_a_fix_is_a_json_patch():
    fix = Fix(
        "Rename it to b",
        (
            Operation("move", "/b", source="/a"),
            Operation("remove", "/c"),
            Operation("add", "/d", None),
        ),
    )

    assert fix.as_json() == {
        "key": fix.key,
        "title": "Rename it to b",
        "safe": False,
        "patch": [
            {"op": "move", "from": "/a", "path": "/b"},
            {"op": "remove", "path": "/c"},
            {"op": "add", "path": "/d", "value": None},
        ],
    }


# Any text, any operation.

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from(
    [{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}]
)


def pointers(value, pointer=""):
    """Pointers to everything in `value`, and to positions where a member could be added."""
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, inner in entries:
        child = f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"
        yield child
        yield from pointers(inner, child)
    if isinstance(value, dict | list):
        yield f"{pointer}/-"


@given(st.data(), values.filter(lambda value: isinstance(value, dict | list)), layouts)
def test_a_fixed_text_has_the_patched_value(data, value, layout):
    text = json.dumps(value, ensure_ascii=False, **layout)
    positions = list(pointers(value))
    operation = Operation(
        data.draw(st.sampled_from(["add", "remove", "replace", "move"])),
        data.draw(st.sampled_from(positions)),
        data.draw(values),
        data.draw(st.sampled_from(positions)),
    )
    try:
        wanted = apply_patch(value, [operation])
    except PatchError:
        return

    assert dumps(parse(fixed(operation, text=text)), sort_keys=True) == dumps(
        wanted, sort_keys=True
    )
