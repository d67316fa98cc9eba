"""Quick fixes: each mistake gets the edit that a person would make, and the result is read without that problem."""

from __future__ import annotations

import json

import pytest

from toolspec.errors import DocumentError, Problem
from toolspec.member_names import misnamed_members
from toolspec.quick_fixes import MAX_CHARS, MAX_REWRITTEN_CHARS, QuickFix, quick_fix
from toolspec.spec import read_spec


def problems_in(text: str) -> tuple[Problem, ...]:
    try:
        return misnamed_members(read_spec(text).document)
    except DocumentError as error:
        return error.problems


def edited(text: str, fix: QuickFix) -> str:
    lines = text.split("\n")
    at = sum(len(line) + 1 for line in lines[: fix.line - 1]) + fix.column - 1
    assert text[at:].startswith(fix.old)
    return text[:at] + fix.new + text[at + len(fix.old) :]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Remove the comma", '{"definition": {"name": "a", "description": "x",\n }}'),
        ("Insert a comma", '{"definition": {"name": "é𝄞" "description": "x"}}'),
        ("Insert a comma", '{"definition": {"name": "a"\n "description": "x"}}'),
        ("Use double quotes", "{'definition': {'name': 'it\\'s', \"description\": \"don't\"}}"),
        ("Write true", '{"definition": {"name": "a", "description": "x"}, "x-a": True}'),
        ("Write null", '{"definition": {"name": "a", "description": "x"}, "x-a": None}'),
        ('Write "hello"', '{"definition": {"name": hello, "description": "x"}}'),
        ("Change to “string”", '{"definition": {"name": "a", "description": "",\n"returnType": {"type": "sting"}}}'),
        ("Change to “integer”", '{"definition": {"name": "a", "description": "x", "returnType": {"type": "int"}}}'),
        ("Rename to parameters", '{"definition": {"name": "a", "description": "",\n "paramters": {"type": "object"}}}'),
    ],
)  # fmt: skip
def test_a_mistake_is_fixed_by_one_edit(label, text):
    fixes = [fix for problem in problems_in(text) if (fix := quick_fix(text, problem))]

    assert [fix.label for fix in fixes] == [label]
    assert problems_in(edited(text, fixes[0])) == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"definition": {"name": 5, "description": "x"}}',
        '{"definition": {"name": "a", "description": "x", "returnType": {"type": "zebra"}}}',
        '{"definition": {"name": "a", "description": "x", "returnType": {"type": 7}}}',
        "",
        "{",
        "{'" + "a" * MAX_REWRITTEN_CHARS + "'",
    ],
)
def test_other_problems_have_no_fix(text):
    assert [quick_fix(text, problem) for problem in problems_in(text)] == [None] * len(
        problems_in(text)
    )


def test_a_misspelt_name_that_occurs_twice_is_not_renamed():
    once = json.dumps(
        {"definition": {"name": "a", "description": "x", "paramters": {"type": "object"}}}
    )

    assert [quick_fix(once + once, problem) for problem in problems_in(once)] == [None]


def test_a_long_text_is_not_searched_again_for_each_problem():
    text = '{"type": "strng"}'
    problem = Problem(
        "/type", "There is no such type.", "schema", keyword="type", line=1, column=10
    )

    assert quick_fix(text, problem)
    assert quick_fix(text + " " * MAX_CHARS, problem) is None


def test_an_unclosed_quote_takes_the_rest_of_its_line_so_that_it_is_read_once():
    text = "{'a': 1, \"b: 'c',\n'd': 2}"
    problem = Problem("", "Names need double quotes.", "json.syntax", line=1, column=2)

    fix = quick_fix(text, problem)

    assert fix is not None
    assert fix.new == '{"a": 1, "b: \'c\',\n"d": 2}'
