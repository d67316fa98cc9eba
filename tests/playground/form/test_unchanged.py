"""What is loaded and submitted untouched comes back, valid or not, and visible controls show every part of it."""

import json
from collections import Counter

import pytest

from playground.form.form import MAX_FIELDS
from playground.form.values import literal
from tests.playground.form.driver import values_of
from tests.playground.form.pairs import REAL_CASES, SUITE, pairs_of, same
from tests.playground.form.use import FormInUse
from toolspec.text.reader import Number


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
    """The parts that visible controls hold; a text that is JSON holds its own parts."""
    for control in page.controls:
        tag = control.attributes["name"].split(":")[1] if control.tag != "button" else ""
        if control.attributes.get("type") == "hidden" or tag not in set("stqnbjie"):
            continue
        for text in values_of(control):
            if tag in "jqie" and text:
                yield from leaves(json.loads(text, parse_float=Number, parse_int=Number))
            elif tag in "nb":
                yield text
            elif tag in "st":
                yield literal(text)


def find_complaint(pair):
    form = FormInUse(pair.schema, pair.value)
    html = form.html
    missing = Counter(leaves(pair.value)) - Counter(shown(form.page))
    if missing:
        return f"{missing} is not visible"
    if len(form.page.submit()) > MAX_FIELDS:
        return "there are too many fields"
    form.options["is_checked"] = False
    form.send()
    if not same(form.value, pair.value):
        return f"{form.value!r} is not {pair.value!r}"
    return None if form.html == html else "drawn again, the page differs"


@pytest.mark.parametrize("name", [*REAL_CASES, *SUITE])
def test_every_value_is_visible_and_comes_back_unchanged_and_draws_the_same_page(name):
    complaints = [f"{pair}: {found}" for pair in pairs_of(name) if (found := find_complaint(pair))]

    assert not complaints, f"{len(complaints)}\n" + "\n".join(complaints[:10])
