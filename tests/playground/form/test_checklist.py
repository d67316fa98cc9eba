"""Every row of the forms' checklist, on a small schema of its own (`tests/data/form_checklist.json`).

Each value comes back unchanged; each valid one can be built from the empty form by fields alone, and each invalid one
has its error at a control.
"""

from pathlib import Path

import pytest

from tests.playground.form.pairs import read, same
from tests.playground.form.use import FormInUse

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


@pytest.mark.parametrize(("row", "value"), VALID, ids=name)
def test_a_valid_value_comes_back_unchanged_and_is_accepted(row, value):
    form = FormInUse(row["schema"], value, stored=value).send()

    assert same(form.value, value)
    assert form.messages == []


@pytest.mark.parametrize(("row", "value"), INVALID, ids=name)
def test_an_invalid_value_comes_back_unchanged_with_an_error_at_a_control(row, value):
    form = FormInUse(row["schema"], value, stored=value).send()

    assert same(form.value, value)
    assert form.messages
    for error in form.submission.form.errors:
        assert form.page.by_id(error.target) is not None
    assert form.page.select("[aria-invalid=true]")


@pytest.mark.parametrize(("row", "value"), VALID, ids=name)
def test_a_valid_value_is_built_from_the_empty_form_by_fields_alone(row, value):
    form = FormInUse(row["schema"])

    person = form.make_person()

    assert same(form.read(person.fill(value)).value, value)
