"""T4 of the forms: every part of a value is what some control shows, and none hides in a hidden one."""

import json
from collections import Counter

import pytest

from catalog.json_schema.validation import compile_schema
from catalog.jsontext.reader import Number
from playground import schema_form
from playground.schema_form.values import literal
from playground.templatetags.forms import draw_form
from tests.playground.schema_form.driver import Page, values_of
from tests.playground.schema_form.pairs import REAL_CASES, in_deep_tests, pairs_of

SUITE = tuple(
    map(in_deep_tests, ("draft2020-12", "draft2020-12/optional", "draft2019-09", "draft7"))
)


def leaves(value):
    """The parts of a value that have no parts."""
    if isinstance(value, dict):
        for member in value.values():
            yield from leaves(member)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield literal(value)


def shown(page):
    """The parts that visible controls hold; a text that is JSON tells its own parts."""
    for control in page.controls:
        tag = control.attributes["name"].split(":")[1] if control.tag != "button" else ""
        if control.attributes.get("type") == "hidden" or tag not in set("stqnbjie"):
            continue
        for text in values_of(control):
            if tag in "jqie":
                yield from (
                    leaves(json.loads(text, parse_float=Number, parse_int=Number)) if text else ()
                )
            elif tag in "nb":
                yield text
            else:
                yield literal(text)


def complaint(pair):
    page = Page(
        draw_form(
            schema_form.begin(compile_schema(pair.schema), pair.value, name="parameters").form
        )
    )
    missing = Counter(leaves(pair.value)) - Counter(shown(page))
    return f"{pair}: {missing} is not visible" if missing else None


@pytest.mark.parametrize("name", [*REAL_CASES, *SUITE])
def test_every_part_of_a_value_is_shown_by_a_control(name):
    complaints = [found for pair in pairs_of(name) if (found := complaint(pair))]

    assert not complaints, f"{len(complaints)} of {len(pairs_of(name))}\n" + "\n".join(
        complaints[:10]
    )
