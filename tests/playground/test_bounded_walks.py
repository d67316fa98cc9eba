"""Every walk over a value or a schema, given a value of 250,000 items and a chain of 1,000 definitions.

What is counted is calls, of Python's and of C's, in the walk's own thread: a clock would say how busy the machine is.
A walk may make a few for each item. One that gathers schemas for each item, or compares every item with every other,
makes far more, and is stopped.

A new walk gets a line in `WALKS`.
"""

import json
import sys

import pytest

from catalog.index.document import document_of
from catalog.index.schema_fields import find_fields
from playground import form as schema_form
from playground.configurations.compiled_spec import CompiledSpec, value_problems
from playground.configurations.saved import without_unmarked_secrets
from playground.configurations.secret_members import (
    Configuration,
    RunSecrets,
    describe_secrets_in_form,
    mark_secrets,
    redactor_of,
    without_secrets,
)
from playground.form.secret_marks import mentions_secrets, secret_names
from playground.form.secret_search import find_secrets, pointers_of_texts
from playground.history.presenters import annotate
from playground.history.response_table import make_table
from playground.runs.mocks import make_mock
from playground.templatetags.forms import draw_form
from playground.trying.prefill import prefill_from_stored
from toolshelf_core.redaction import MARK, Redactor
from toolshelf_core.rendering.json_highlighting import highlight
from toolshelf_core.rendering.text_diff import compare as compare_texts
from toolshelf_core.templatetags.json_display import json_block, json_inline
from toolshelf_tools.json_encoder import encode
from toolspec.diff import compare as compare_specs
from toolspec.exports import FORMATS, export
from toolspec.lint.linter import lint
from toolspec.schema.documentation import document
from toolspec.schema.normalize import is_outdated
from toolspec.schema.policy import schema_policy_problems
from toolspec.schema.sampling import samples
from toolspec.schema.validation import Budget, compile_schema
from toolspec.schema.validation.equality import equal
from toolspec.spec import stored_spec
from toolspec.text import reader
from toolspec.text.positions import find_spans, locate
from toolspec.value_differences import canonical, compare

pytestmark = pytest.mark.deep

ITEMS, DEFINITIONS = 250_000, 1_000  # more parts than `fast_check` reads
MOST_CALLS = 12 * ITEMS
MOST_CALLS_OF_A_WIDE_SCHEMA = 6_000_000  # by walks over another value or schema than the large one

CHAIN = {
    f"d{n}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/d{n + 1}"}}}
    for n in range(DEFINITIONS)
}
SCHEMA = {
    "type": "object",
    "required": ["rows"],
    "properties": {
        "rows": {"type": "array", "items": {"type": "integer"}},
        "chain": {"$ref": "#/$defs/d0"},
    },
    "$defs": {**CHAIN, f"d{DEFINITIONS}": {"type": "string", "writeOnly": True}},
}
COMPILED = compile_schema(SCHEMA)
ROWS = [number % 10 for number in range(ITEMS)]
VALUE = {"rows": ROWS, "chain": {"next": {}}}
WITH_SECRET = VALUE | {"apiKey": "hunter22"}
OTHER = {"rows": [number + 1 for number in ROWS], "chain": {"next": 1}}
TEXT = json.dumps(VALUE, separators=(",", ":"))
SECRETS = {"apiKey": [number % 9_000 + 1_000 for number in range(ITEMS)]}
SPEC_TEXT = json.dumps(
    {
        "definition": {
            "name": "t",
            "description": "Does something.",
            "parameters": SCHEMA,
            "returnType": SCHEMA,
        },
        "configuration": SCHEMA,
    }
)
SPEC, OTHER_SPEC = stored_spec(SPEC_TEXT), stored_spec(SPEC_TEXT.replace('["rows"]', '["chain"]'))
EXAMPLE_SPEC = stored_spec(
    json.dumps(
        {
            "definition": {
                "name": "t",
                "description": "",
                "examples": [{"parameters": OTHER, "returnValue": {}}],
            }
        }
    )
)
# Schemas that are wide instead of long: what looks at each part for each other part is noticed here.
BRANCHES = {
    "allOf": [
        {"type": "object", "required": [f"k{n}"], "properties": {f"k{n}": {"type": "integer"}}}
        for n in range(650)
    ]
}
PATTERNS = {
    "type": "object",
    "minProperties": 400,
    "patternProperties": {f"^a{n}x": {} for n in range(1_000)},
}
REQUIRED = {
    "type": "object",
    "required": [f"k{n}" for n in range(1_900)],
    "properties": {f"k{n}": {} for n in range(1_900)},
}
LAST = f"/rows/{ITEMS - 1}"
WITH_OTHER_SIZES = {
    "compare texts",
    "make values with many members",
    "draw a form of many members",
    "compare meanings",
}


def budget():
    """Only the number of steps bounds the work."""
    return Budget(seconds=1_000)


def spec_of(schema):
    return stored_spec(
        json.dumps({"definition": {"name": "t", "description": "", "parameters": schema}})
    )


def form_as_json():
    """The form of the value as one JSON text, as it is submitted."""
    return [("parameters:e:", TEXT)]


WALKS = {
    # A value by itself.
    "read": lambda: reader.parse(TEXT),
    "write": lambda: reader.dumps(VALUE),
    "write on many lines": lambda: reader.dumps(VALUE, indent=2),
    "find lines": lambda: locate(TEXT, [LAST, "/rows/x", "/none"]),
    "write a response": lambda: encode(VALUE, max_bytes=len(TEXT)),
    "canonical": lambda: canonical(VALUE),
    "fingerprint": lambda: Configuration(VALUE).fingerprint(b"key"),
    "equal": lambda: equal(VALUE, reader.parse(TEXT)),
    "compare": lambda: compare(VALUE, OTHER),
    "compare with an example": lambda: compare(VALUE, OTHER, ignored=[LAST, "/chain"]),
    "table": lambda: make_table([{"a": 1}] * (ITEMS // 8)),
    "show": lambda: json_block(
        value=VALUE, annotations=[{"pointer": LAST, "message": "wrong"}], tree=True
    ),
    "show on one line": lambda: json_inline(VALUE),
    "compare texts": lambda: compare_texts(TEXT[:200_000], json.dumps(OTHER)[:200_000]).stretches,
    # Secrets in a value.
    "find marked secrets": lambda: find_secrets(COMPILED, VALUE, by_name=False, budget=budget()),
    "find secrets": lambda: find_secrets(COMPILED, VALUE, budget=budget()),
    "find secrets without a schema": lambda: find_secrets(None, VALUE, budget=budget()),
    "find texts": lambda: pointers_of_texts({"texts": ["open"] * ITEMS}, lambda text: MARK in text),
    "bound secrets": lambda: find_secrets(None, SECRETS, budget=budget()).problems(
        "/configuration"
    ),
    "secrets of a run": lambda: RunSecrets.of(
        COMPILED, VALUE, COMPILED, Configuration(VALUE)
    ).redactor(),
    "store parameters": lambda: without_secrets(
        WITH_SECRET, find_secrets(None, WITH_SECRET, budget=budget())
    ),
    "redact a value": lambda: Redactor(["hunter22"]).value(VALUE),
    "redact numbers of a value": lambda: Redactor(["90125"]).value(VALUE),
    "redact a text": lambda: Redactor(["hunter22"]).text(TEXT),
    "redact a cut text": lambda: Redactor(["hunter22"]).cut_text(TEXT),
    "redact with too many": lambda: redactor_of(find_secrets(None, SECRETS)).value(VALUE),
    "hide unmarked secrets": lambda: without_unmarked_secrets(VALUE, COMPILED),
    "fill in again": lambda: prefill_from_stored(CompiledSpec(SPEC), VALUE),
    # A value and its schema.
    "check": lambda: COMPILED.check({"rows": ROWS[:20_000]}, budget=budget()),
    "problems": lambda: value_problems(
        COMPILED, OTHER | {"rows": []}, "parameters", budget=budget()
    ),
    "problems of a form": lambda: describe_secrets_in_form(
        COMPILED.check({"chain": 1}), COMPILED, VALUE
    ),
    "mock from examples": lambda: make_mock(EXAMPLE_SPEC, VALUE, None),
    "mock from a schema": lambda: make_mock(SPEC, VALUE, COMPILED),
    "make values": lambda: samples(COMPILED, "seed"),
    "open a form": lambda: schema_form.begin(COMPILED, VALUE, name="parameters"),
    "draw a form": lambda: draw_form(schema_form.begin(COMPILED, VALUE, name="parameters").form),
    "draw an empty form": lambda: draw_form(schema_form.begin(COMPILED, name="parameters").form),
    "submit a form": lambda: schema_form.read_submission(
        COMPILED, form_as_json(), name="parameters", is_checked=False
    ),
    "preview a form": lambda: (
        schema_form.read_submission(
            COMPILED, form_as_json(), name="parameters", is_checked=False
        ).preview
    ),
    # A schema.
    "mark secrets by name": lambda: mark_secrets(SCHEMA),
    "mention secrets": lambda: mentions_secrets(SCHEMA),
    "names of secrets": lambda: secret_names(SCHEMA),
    "gate": lambda: schema_policy_problems(SCHEMA),
    "lint": lambda: lint(SPEC),
    "lint many branches": lambda: lint(spec_of(BRANCHES)),
    "mark names of many branches": lambda: secret_names(BRANCHES),
    "make values for many patterns": lambda: samples(compile_schema(PATTERNS), "seed"),
    "make values with many members": lambda: samples(compile_schema(REQUIRED), "seed"),
    "draw a form of many members": lambda: draw_form(
        schema_form.begin(compile_schema(REQUIRED), name="parameters").form
    ),
    "document": lambda: document(SCHEMA, anchor="a", pointer="/definition/parameters"),
    "fields": lambda: list(find_fields(SCHEMA)),
    "search document": lambda: document_of(SPEC),
    "draft": lambda: is_outdated(SCHEMA),
    "spans": lambda: find_spans(
        SPEC_TEXT, [f"/configuration/$defs/d{DEFINITIONS}/type"], siblings=True
    ),
    "highlight": lambda: highlight(json.dumps(SCHEMA, indent=2)),
    "links to rules": lambda: annotate([], SCHEMA),
    "compare meanings": lambda: compare_specs(SPEC, OTHER_SPEC, sample=samples),
    **{f"export {key}": (lambda key=key: export(SPEC, key)) for key in FORMATS},
}


class TooManyCalls(Exception):
    pass


def calls_of(work, most):
    """How many calls `work` makes.

    Raises:
        TooManyCalls: more than `most`; it is stopped then.
    """
    count = 0

    def counting(_frame, event, _argument):
        nonlocal count
        if event in {"call", "c_call"}:
            count += 1
            if count > most:
                raise TooManyCalls

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(scope="module")
def warm():
    """Objects that a process creates only once, such as templates, do not count."""
    COMPILED.check({})
    draw_form(schema_form.begin(COMPILED, {"rows": [1]}, name="parameters").form)


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_makes_a_few_calls_for_each_item(name):
    most = MOST_CALLS_OF_A_WIDE_SCHEMA if name in WITH_OTHER_SIZES else MOST_CALLS

    assert calls_of(WALKS[name], most) <= most


def test_a_walk_that_is_not_linear_is_noticed():
    with pytest.raises(TooManyCalls):
        calls_of(
            lambda: [find_secrets(COMPILED, {"rows": ROWS[:2]}) for _ in range(10_000)], 100_000
        )
