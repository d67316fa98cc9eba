"""T1, T1b, T2 of the forms: what is loaded and submitted untouched comes back, valid or not, and the page with it."""

import pytest

from catalog.json_schema.validation import compile_schema
from playground.schema_form.build import build
from playground.schema_form.draft import draft_of
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.parse import decode
from playground.schema_form.to_value import read
from playground.templatetags.forms import draw_form
from tests.playground.schema_form.driver import Page
from tests.playground.schema_form.pairs import REAL_CASES, Pair, in_deep_tests, pairs_of, same

SUITE = tuple(
    map(
        in_deep_tests,
        ("draft2020-12", "draft2020-12/optional", "draft2019-09", "draft7", "draft6", "draft4"),
    )
)


def draw(schema, draft):
    return draw_form(
        build(
            [compile_schema(schema).root],
            draft,
            name="parameters",
            label="Parameters",
            lookups=SchemaLookups(),
        )
    )


def complaint(pair: Pair) -> str | None:
    page = draw(pair.schema, draft_of(pair.value))
    decoded = decode(Page(page).submit(), name="parameters")
    reading = read(decoded.draft)
    if reading.faults:
        return f"{pair}: {reading.faults}"
    if not same(reading.value, pair.value):
        return f"{pair}: {reading.value!r} is not {pair.value!r}"
    return (
        None
        if draw(pair.schema, decoded.draft) == page
        else f"{pair}: drawn again, the page differs"
    )


@pytest.mark.parametrize("name", [*REAL_CASES, *SUITE])
def test_every_value_comes_back_unchanged_and_draws_the_same_page(name):
    complaints = [found for pair in pairs_of(name) if (found := complaint(pair))]

    assert not complaints, f"{len(complaints)} of {len(pairs_of(name))}\n" + "\n".join(
        complaints[:10]
    )
