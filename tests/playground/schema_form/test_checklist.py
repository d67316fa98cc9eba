"""Every row of the forms' checklist, on a small schema of its own (`tests/data/form_checklist.json`).

Each value comes back unchanged; each valid one can be built from the empty form by fields alone, and each invalid one
has its error at a control.
"""

from pathlib import Path

import pytest

from catalog.json_schema.validation import compile_schema
from playground import schema_form
from playground.templatetags.forms import draw_form
from tests.playground.schema_form.driver import Page, Person
from tests.playground.schema_form.pairs import read, same
from tests.playground.schema_form.use import FormInUse

ROWS = read(
    (Path(__file__).resolve().parents[2] / "data" / "form_checklist.json").read_text(
        encoding="utf-8"
    )
)
VALID = [(row, value) for row in ROWS for value in row.get("valid", [])]
INVALID = [(row, value) for row in ROWS for value in row.get("invalid", [])]


def name(case):
    return case["row"] if isinstance(case, dict) and "row" in case else None


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_the_first_value_is_drawn_as_it_should_be(row):
    value = (row.get("valid") or row["invalid"])[0]

    assert (
        FormInUse(row["schema"], value, stored=value).node(row.get("at", "")).template
        == row["draws"]
    )


@pytest.mark.parametrize(("row", "value"), [*VALID, *INVALID], ids=name)
def test_a_value_comes_back_unchanged(row, value):
    form = FormInUse(row["schema"], value, stored=value)

    assert same(form.send().value, value)


@pytest.mark.parametrize(("row", "value"), VALID, ids=name)
def test_a_valid_value_is_accepted(row, value):
    assert FormInUse(row["schema"], value, stored=value).send().messages == []


@pytest.mark.parametrize(("row", "value"), INVALID, ids=name)
def test_an_invalid_value_has_an_error_at_a_control(row, value):
    form = FormInUse(row["schema"], value, stored=value).send()

    assert form.messages
    for error in form.submission.form.errors:
        assert form.page.by_id(error.target) is not None
    assert form.page.select("[aria-invalid=true]")


@pytest.mark.parametrize(("row", "value"), VALID, ids=name)
def test_a_valid_value_is_built_from_the_empty_form_by_fields_alone(row, value):
    compiled = compile_schema(row["schema"])
    page = Page(draw_form(schema_form.begin(compiled, name="parameters").form))

    def post(pairs):
        return draw_form(schema_form.submitted(compiled, pairs, name="parameters").form)

    person = Person(page, "parameters", post)

    assert same(schema_form.submitted(compiled, person.fill(value), name="parameters").value, value)
