"""The violations of a response as a page shows them."""

from playground.history.presenters import join_missing
from toolspec.errors import Problem
from toolspec.schema.validation import compile_schema


def messages(value, schema):
    result = compile_schema(schema).check(value)
    return [(one.pointer, one.message) for one in join_missing(result.problems)]


def test_the_missing_members_of_an_object_are_one_line():
    members = {"a": {"type": "string"}}
    item = {"type": "object", "required": ["a", "b and c", "d"], "properties": members}
    value = [{}, {"a": 1, "d": 2}, {"a": "", "b and c": 1, "d": 2}]

    assert messages(value, {"type": "array", "items": item}) == [
        ("/0", '"a", "b and c" and "d" are missing'),
        ("/1", '"b and c" is missing'),
        ("/1/a", "must be a string"),
    ]


def test_each_rule_that_misses_members_has_its_own_line():
    first, second = {"required": ["a", "b"]}, {"required": ["c"]}

    assert messages({}, {"allOf": [first, second]}) == [
        ("", '"a" and "b" are missing'),
        ("", '"c" is missing'),
    ]


def test_another_rule_that_misses_a_member_keeps_its_own_line():
    depends = Problem(
        "", '"b" is missing; it is required if "a" is given', "r", "dependentRequired"
    )
    required = Problem("", '"c" is missing', "r", "required")

    assert join_missing([depends, required, required]) == [
        depends,
        Problem("", '"c" and "c" are missing', "r", "required"),
    ]
