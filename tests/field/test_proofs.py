"""What the comparison of two revisions proves, on the page and in the API."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from tests.factories import make_tool, make_user, properties
from toolspec.schema.validation import compile_schema

pytestmark = pytest.mark.django_db

TEXT = {"type": "string"}
BEFORE = properties(city=TEXT, unit=TEXT)
AFTER = {
    **properties(
        city={"type": "string", "maxLength": 3},
        unit={"enum": ["C", "F"]},
        year={"type": "integer"},
        month={"type": "integer"},
    ),
    "required": ["year", "month"],
}
# The smallest repair of each value: after it, the new revision accepts the value.
REPAIRS = {"year": 2026, "month": 1, "city": "Rom", "unit": "C"}


def changes_between(before, after, part="parameters", **members):
    make_tool("weather", **{part: before}, **members)
    make_tool("weather", **{part: after}, **members)
    client = Client()
    client.force_login(make_user())
    answer = client.get("/api/v1/tools/weather/diff?from=1&to=2")
    return answer.json()["changes"]


def test_each_proof_differs_from_an_accepted_value_in_its_own_change_alone():
    changes = changes_between(BEFORE, AFTER)

    before, after = compile_schema(BEFORE), compile_schema(AFTER)
    assert {change["place"] for change in changes} == set(REPAIRS)
    for change in changes:
        place, proof = change["place"], change["proof"]
        assert before.check(proof["value"]).verdict == "conforms"
        assert after.check(proof["value"]).verdict == "violates"
        assert after.check({**proof["value"], place: REPAIRS[place]}).verdict == "conforms"


def test_the_reason_of_a_proof_is_about_its_own_change():
    changes = changes_between(BEFORE, AFTER)

    reasons = {
        change["place"]: (change["proof"]["message"], change["proof"]["pointer"])
        for change in changes
    }
    assert reasons == {
        "year": ('"year" is missing', ""),
        "month": ('"month" is missing', ""),
        "city": ("must have at most 3 characters", "/city"),
        "unit": ('must be "C" or "F"', "/unit"),
    }


def test_an_example_that_breaks_for_two_reasons_proves_neither_but_is_not_forgotten():
    example = {"description": "Rome", "parameters": {"city": "Rome", "unit": "K"}}

    changes = changes_between(BEFORE, AFTER, examples=[example])

    values = {
        change["place"]: change["proof"]["value"]
        for change in changes
        if change["kind"] != "value-refused"
    }
    assert {"year", "month", "city", "unit"} == set(values)
    assert all(value != example["parameters"] for value in values.values())


def test_a_closed_schema_gets_the_right_reason_though_other_changes_reject_the_value_too():
    changes = changes_between({**BEFORE, "additionalProperties": False}, AFTER)

    reasons = {change["place"]: change["proof"]["message"] for change in changes if change["proof"]}
    assert reasons["year"] == '"year" is missing'
    assert reasons["month"] == '"month" is missing'
    assert reasons["city"] == "must have at most 3 characters"


@pytest.mark.parametrize(
    ("part", "before", "after", "sentence"),
    [
        (
            "parameters",
            properties(city=TEXT),
            {**properties(city=TEXT), "required": ["city"]},
            'Proof: revision 1 accepts this, revision 2 rejects it: "city" is missing.',
        ),
        (
            "returnType",
            properties(city=TEXT),
            properties(city={"type": ["string", "null"]}),
            "Proof: revision 2 allows this response, revision 1 does not: must be a string (at /city).",
        ),
    ],
)
def test_the_page_names_the_revision_that_accepts_and_the_one_that_rejects(
    part, before, after, sentence
):
    changes_between(before, after, part)

    page = Client().get("/tools/weather/changes/1..2/").content.decode()

    assert sentence in words_of(page)


def words_of(page: str) -> str:
    return (
        " ".join(LexborHTMLParser(page).body.text().split()).replace(" ,", ",").replace(" .", ".")
    )


def conditions(first):
    """A chain of conditions, which makes a comparison of the whole schema too expensive."""
    names = [f"p{i}" for i in range(20)]
    chain = [
        {
            "if": {"properties": {name: {"const": "x"}}, "required": [name]},
            "then": {"required": [following]},
        }
        for name, following in pairwise(names)
    ]
    return {**properties(first=first, **dict.fromkeys(names, TEXT)), "allOf": chain}


def alternatives(size, **members):
    kinds = [
        {
            **properties(kind={"const": str(i)}, text={"type": "string", "minLength": i}),
            "required": ["kind"],
        }
        for i in range(size)
    ]
    return properties(operation={"oneOf": kinds}, **members)


def test_a_part_that_is_too_complex_hides_no_other_change():
    before, after = alternatives(60, last=TEXT), alternatives(60, last={"type": "integer"})
    after["properties"]["operation"]["oneOf"][30]["properties"]["text"] = {"type": "boolean"}

    changes = changes_between(before, after)

    assert [change["verdict"] for change in changes if change["place"] == "last"] == ["breaking"]
    # How far the comparison comes depends on the machine, but it never says that all is well.
    found = {change["verdict"] for change in changes if change["place"].startswith("operation")}
    assert found & {"unknown", "breaking"}


def test_a_chain_of_conditions_hides_no_change():
    changes = changes_between(conditions(TEXT), conditions({"type": "integer"}))

    assert ("first", "breaking") in [(change["place"], change["verdict"]) for change in changes]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "string", "maxLength": 20_000}, {"type": "string", "maxLength": 15_000}),
        ({"type": "string"}, {"type": "string", "maxLength": 100_000}),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": TEXT, "maxItems": 12_000}),
    ],
)
def test_a_large_bound_that_tightens_breaks_without_a_value(before, after):
    [change] = changes_between(properties(text=before), properties(text=after))

    assert (change["verdict"], change["proof"]) == ("breaking", None)


def test_a_large_bound_beside_other_rules_stays_unknown():
    before = {"type": "string", "pattern": "^[ab]{3}$"}

    [change] = changes_between(
        properties(text=before), properties(text={**before, "maxLength": 15_000})
    ) or [None]

    assert change is None or change["verdict"] != "breaking"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            {"type": "string", "maxLength": 5},
            {"type": "string", "maxLength": 9},
            "`n` may now have at most 9 characters; before, it had to have at most 5 characters.",
        ),
        (
            {"type": "integer", "minimum": 5},
            {"type": "integer", "minimum": 2},
            "`n` may now be at least 2; before, it had to be at least 5.",
        ),
    ],
)
def test_a_loosened_bound_reads_as_loosened(before, after, sentence):
    [change] = changes_between(properties(n=before), properties(n=after))

    assert (change["verdict"], change["message"]) == ("compatible", sentence)
