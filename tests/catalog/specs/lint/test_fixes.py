"""Fixes, applied to texts: what is not to be changed stays as it is written, to the byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.jsontext.patch import Operation, PatchError, apply_patch
from catalog.jsontext.reader import dumps, parse
from catalog.specs.lint import Fix, apply_fix

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


def test_a_value_is_replaced_where_it_stands():
    assert fixed(Operation("replace", "/name", "b")) == TEXT.replace('"a"', '"b"')


def test_a_member_is_taken_out_with_one_comma():
    assert fixed(Operation("remove", "/name")) == TEXT.replace('"name":  "a",   ', "")


def test_the_last_member_is_taken_out_with_the_comma_before():
    assert fixed(Operation("remove", "/inner/gone")) == TEXT.replace(',\n        "gone": [ ]', "")


def test_the_only_member_leaves_an_empty_object():
    assert fixed(Operation("remove", "/a"), text='{"a": 1}') == "{}"


def test_an_item_is_taken_out_and_numbers_stay_as_they_are_written():
    assert fixed(Operation("remove", "/numbers/1")) == TEXT.replace("2e3,\n      ", "")


def test_a_member_is_added_in_the_way_of_its_neighbours():
    wanted = TEXT.replace('"gone": [ ]', '"gone": [ ],\n        "new": true')

    assert fixed(Operation("add", "/inner/new", value=True)) == wanted


def test_a_member_is_added_to_an_empty_object():
    assert fixed(Operation("add", "/empty/new", 1)) == TEXT.replace('"empty": {}', '"empty": {"new": 1}')


def test_a_member_that_is_there_is_replaced_by_an_added_one():
    assert fixed(Operation("add", "/name", "b")) == TEXT.replace('"a"', '"b"')


def test_an_item_is_added_before_another_and_at_the_end():
    assert fixed(Operation("add", "/0", 0), text="[1, 2]") == "[0, 1, 2]"
    assert fixed(Operation("add", "/-", 3), text="[1, 2]") == "[1, 2, 3]"
    assert fixed(Operation("add", "/2", 3), text="[1,2]") == "[1,2,3]"


def test_a_member_that_is_moved_within_its_object_keeps_its_place():
    wanted = TEXT.replace('"name":  "a"', '"title":  "a"')

    assert fixed(Operation("move", "/title", source="/name")) == wanted


def test_a_member_that_is_moved_elsewhere_is_written_as_before():
    moved = fixed(Operation("move", "/inner/numbers", source="/numbers"))

    assert '"numbers": [1.0, 2e3,\n      -0]' in moved
    assert list(parse(moved)) == ["name", "inner", "empty"]


def test_a_long_value_is_laid_out_as_the_text_is():
    value = {"type": "object", "properties": {"first": {"type": "string"}, "second": {"type": "string"}}}

    added = fixed(Operation("add", "/inner/schema", value))

    assert '        "schema": {\n            "type": "object",\n            "properties": {\n' in added


def test_a_text_on_one_line_stays_on_one_line():
    text = '{"a":{"b":1},"c":2}'

    assert fixed(Operation("add", "/a/d", [1, 2]), text=text) == '{"a":{"b":1,"d":[1, 2]},"c":2}'


def test_operations_follow_each_other():
    operations = (Operation("add", "/id", "x"), Operation("remove", "/name"), Operation("replace", "/id", "y"))

    assert parse(fixed(*operations))["id"] == "y"


def test_names_with_slashes_and_quotes_are_met():
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
def test_a_fix_of_another_text_is_refused(operation):
    with pytest.raises(PatchError):
        fixed(operation)


def test_a_fix_is_a_json_patch():
    fix = Fix(
        "Call it b", (Operation("move", "/b", source="/a"), Operation("remove", "/c"), Operation("add", "/d", None))
    )

    assert fix.as_json() == {
        "key": fix.key,
        "title": "Call it b",
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
layouts = st.sampled_from([{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}])


def pointers(value, pointer=""):
    """Where everything in `value` stands, and where a member could be added."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in entries:
        below = f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"
        yield below
        yield from pointers(inner, below)
    if isinstance(value, dict | list):
        yield f"{pointer}/-"


@given(st.data(), values.filter(lambda value: isinstance(value, dict | list)), layouts)
def test_a_text_says_after_a_fix_what_the_patch_says_of_its_value(data, value, layout):
    text = json.dumps(value, ensure_ascii=False, **layout)
    places = list(pointers(value))
    operation = Operation(
        data.draw(st.sampled_from(["add", "remove", "replace", "move"])),
        data.draw(st.sampled_from(places)),
        data.draw(values),
        data.draw(st.sampled_from(places)),
    )
    try:
        wanted = apply_patch(value, [operation])
    except PatchError:
        return

    assert dumps(parse(fixed(operation, text=text)), sort_keys=True) == dumps(wanted, sort_keys=True)
