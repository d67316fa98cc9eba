"""T1b of the forms with random values: whatever the schema, any JSON comes back unchanged."""

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.json_schema.validation import compile_schema
from catalog.jsontext.reader import Number
from playground import schema_form
from playground.templatetags.forms import draw_form
from tests.playground.schema_form.driver import Page
from tests.playground.schema_form.pairs import REAL, pairs_of, same

NAMES = st.text(max_size=8) | st.sampled_from(
    ["", "a/b", "a.b", "a~b", "$id", "__proto__", '"<b', "%2F", "@0", "a\nb"]
)
LEXEMES = st.from_regex(
    r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?", fullmatch=True
)
NUMBERS = st.integers() | LEXEMES.map(
    lambda text: int(text) if text.lstrip("-").isdigit() and text != "-0" else Number(text)
)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["", "\n", "\n\n", "\r", "a\r\nb", "\x00", "\ufeff", "\ud800", " a ", "null", "{}"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@cache
def schemas():
    """Every tenth schema of the corpora."""
    return [pair.schema for name in (*REAL, "draft2020-12") for pair in pairs_of(name)][::10]


@st.composite
def pairs(draw):
    """A schema of the corpora, and any value; half of the time with members that the schema may know."""
    schema = draw(st.sampled_from(schemas()))
    value = draw(VALUES)
    known = list(schema.get("properties", ())) if isinstance(schema, dict) else []
    if known and draw(st.booleans()):
        value = {
            name: draw(VALUES)
            for name in draw(st.lists(st.sampled_from(known), unique=True, max_size=4))
        }
    return schema, value


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.deep
@settings(
    max_examples=600,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
@given(pairs())
def test_any_value_under_any_schema_comes_back_unchanged(pair):
    schema, value = pair
    compiled = compile_schema(schema)
    page = draw_form(schema_form.begin(compiled, value, name="parameters").form)

    again = schema_form.submitted(
        compiled, Page(page).submit(), name="parameters", is_checked=False
    )

    assert same(again.value, value)
    assert draw_form(again.form) == page
