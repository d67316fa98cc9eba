"""T9 of the forms: what a page costs and how large it gets, for real specs and for schemas made to hurt.

Work is counted in lines of Python, which no machine changes; `bench/forms.py` prints times.
"""

import pytest

from playground import form as schema_form
from playground.form.form import MAX_FIELDS
from playground.templatetags.forms import draw_form
from tests.corpora import lines, share
from tests.playground.form.driver import Page
from tests.playground.form.pairs import same
from tests.playground.form.use import FormInUse
from tests.work import at_most
from toolspec.schema.validation import compile_schema
from toolspec.text import reader

P50_LINES, P99_LINES, MOST_LINES = 30_000, 250_000, 30_000_000


def counted(do):
    with at_most(MOST_LINES) as work:
        result = do()
    return result, work.lines


def open_and_post(schema, value):
    """The value that comes back, lines run for the first page and for the post, and how many fields were sent."""
    compiled = compile_schema(schema)
    page, opened = counted(
        lambda: draw_form(schema_form.begin(compiled, value, name="parameters").form)
    )
    pairs = Page(page).submit()

    def post():
        submission = schema_form.read_submission(compiled, pairs, name="parameters")
        draw_form(submission.form)
        return submission.value

    value, posted = counted(post)
    return value, opened, posted, len(pairs)


@pytest.mark.slow
@pytest.mark.deep
@pytest.mark.corpora
def test_real_specs_are_drawn_and_read_back_with_little_work():
    schemas = [
        reader.loads(line)["definition"].get("parameters", True)
        for line in share(lines("specs_mcp"))[::3]
    ]
    open_and_post(True, {"templates": ["are read once"]})

    lines_run = sorted(max(open_and_post(schema, schema_form.ABSENT)[1:3]) for schema in schemas)

    assert lines_run[len(lines_run) // 2] <= P50_LINES
    assert lines_run[len(lines_run) * 99 // 100] <= P99_LINES


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


RECURSIVE = {
    "$ref": "#/$defs/tree",
    "$defs": {"tree": {"properties": {"a": {"$ref": "#/$defs/tree"}}}},
}
CYCLE = {
    "$ref": "#/$defs/a",
    "$defs": {"a": {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}}},
}
DOUBLING = {
    f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
    for n in range(10)
}

HOSTILE = {
    "many members declared": ({"properties": {f"p{n}": {"type": "string"} for n in range(1_900)}}, {}),
    "many members there": ({}, {f"p{n}": n for n in range(10_000)}),
    "many members, each with members": ({}, {f"p{n}": {"a": {"b": [n, n]}} for n in range(3_000)}),
    "many rows": ({"items": {"type": "integer"}}, list(range(50_000))),
    "many rows of objects": (
        {"items": {"properties": {"a": {"type": "string"}, "b": {"type": "number"}}}},
        [{"a": str(n), "b": n} for n in range(5_000)],
    ),
    "many branches": ({"oneOf": [{"properties": {"k": {"const": n}}} for n in range(900)]}, {"k": 899}),
    "many branches of many rows": (
        {"items": {"oneOf": [{"title": f"branch {n}", "properties": {"k": {"const": n}}} for n in range(300)]}},
        [{"k": n} for n in range(100)],
    ),
    "many choices in many rows": ({"items": {"enum": [f"v{n}" for n in range(2_000)]}}, ["v1"] * 300),
    "a deep value": (RECURSIVE, nested(60)),
    "a reference to itself": ({"$ref": "#"}, {"a": 1}),
    "a cycle of what is required": (CYCLE, {}),
    "a slow pattern": ({"patternProperties": {"^(a+)+$": {"type": "string"}}}, {"a" * 40 + "!": 1}),
    "unions of unions": ({"$defs": {**DOUBLING, "d10": {"type": "string"}}, "$ref": "#/$defs/d0"}, 5),
    "a long text": ({"type": "string"}, "x" * 200_000),
    "a long text of lines": ({"type": "string"}, "x\n" * 100_000),
}  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_schema_or_value_is_bounded_and_comes_back(what):
    schema, value = HOSTILE[what]

    back, _opened, _posted, fields = open_and_post(schema, value)

    assert same(back, value)
    assert fields <= MAX_FIELDS


@pytest.mark.deep
def test_a_new_value_of_a_hostile_schema_is_bounded():
    for schema, _value in HOSTILE.values():
        *_, fields = open_and_post(schema, schema_form.ABSENT)

        assert fields <= MAX_FIELDS


def test_a_form_of_thousands_of_required_members_costs_little_more_than_one_of_hundreds():
    def opened(count):
        names = [f"p{number}" for number in range(count)]
        members = {name: {"type": "string"} for name in names}
        return FormInUse({"type": "object", "properties": members, "required": names})

    hundreds, of_hundreds = counted(lambda: opened(600))
    thousands, of_thousands = counted(lambda: opened(3_000))

    assert len(thousands.html) < 1.2 * len(hundreds.html)
    assert of_thousands < 2 * of_hundreds
