"""Every valid spec can be exported, linted, documented, tried, mocked, compared and made into code.

The schemas are random ones of every draft, with keywords of all drafts, odd names, odd numbers and odd references.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from random import Random

import pytest

from catalog.index.document import document_of
from catalog.tools.assessments import try_to_assess
from catalog.tools.page import describe_export
from playground.form import ABSENT
from playground.runs.mocks import NoMock, make_mock
from tests.factories import make_tool
from tests.golden.inputs import spec_with
from tests.playground.form.use import FormInUse
from tests.toolspec.mixed_schemas import MixedSchemas
from tests.toolspec.random_schemas import DRAFTS
from tests.toolspec.random_values import value
from toolspec.code import LANGUAGES, generate_project
from toolspec.conversion_report import Report
from toolspec.diff import compare
from toolspec.errors import GenerationError
from toolspec.exports import FORMATS
from toolspec.imports.repair import repaired_schema
from toolspec.lint.assessment import assess
from toolspec.schema.documentation import document
from toolspec.schema.sampling import samples
from toolspec.schema.validation import compile_schema

SPECS = 40
SPECS_WITH_CODE = 5  # 50 ms each
MANY_SPECS = 120
MANY_SPECS_WITH_CODE = 15


def random_specs(count, *, first=0):
    """Valid specs with random schemas; the same ones each time."""
    seed = first
    while count:
        random = Random(seed)
        schemas = MixedSchemas(random, random.choice(list(DRAFTS)))
        parts = {"parameters": schemas.document(), "returnType": schemas.document()}
        spec = spec_with(f"mixed-{seed}", **parts)
        seed += 1
        if spec is not None:
            count -= 1
            yield spec


def export_to_every_format(spec):
    for key in FORMATS:
        describe_export(spec, key)


def compare_with_itself(spec):
    assert compare(spec, spec, sample=samples).changes == ()


def describe(spec):
    for schema in schemas_of(spec):
        document(schema, anchor="schema", pointer="")


def repair(spec):
    for schema in schemas_of(spec):
        repaired_schema(schema, "", Report())


def fill_in(spec):
    for given in (ABSENT, value(Random(spec.sha256), 3)):
        FormInUse(spec.parameters, given).send()


def make_a_mock(spec):
    with suppress(NoMock):
        make_mock(spec, {}, compile_schema(spec.return_type))


def generate_code(spec):
    for language in LANGUAGES:
        with suppress(GenerationError):
            generate_project(spec, language)


def schemas_of(spec):
    return spec.parameters, spec.return_type


USES = (
    assess,
    document_of,
    export_to_every_format,
    compare_with_itself,
    describe,
    repair,
    fill_in,
    make_a_mock,
)


in_deep_tests = partial(pytest.param, marks=pytest.mark.deep)


@pytest.mark.parametrize(("first", "count"), [(0, SPECS), in_deep_tests(MANY_SPECS, MANY_SPECS)])
def test_every_valid_spec_can_be_used(first, count):
    for spec in random_specs(count, first=first):
        for use in USES:
            use(spec)


@pytest.mark.parametrize(
    ("first", "count"), [(0, SPECS_WITH_CODE), in_deep_tests(MANY_SPECS, MANY_SPECS_WITH_CODE)]
)
def test_code_can_be_generated_for_every_valid_spec(first, count):
    for spec in random_specs(count, first=first):
        generate_code(spec)


IGNORED_BY_DRAFT_07 = {
    "$schema": DRAFTS["07"],
    "type": "object",
    "properties": {
        "b": {
            "type": "array",
            "items": {"type": "string"},
            "prefixItems": [{"type": "object", "properties": {}}],
        },
        "c": {"type": "array", "unevaluatedItems": 5, "prefixItems": ["a"], "dependentSchemas": []},
    },
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["", "formats/", *(f"formats/{key}/" for key in FORMATS), "lint/", "try/"]
)
def test_a_spec_with_keywords_that_its_draft_ignores_has_all_pages(client, path):
    tool = make_tool("mixed", parameters=IGNORED_BY_DRAFT_07, returnType=IGNORED_BY_DRAFT_07)

    assert client.get(f"/tools/{tool.slug}/{path}").status_code == 200


@pytest.mark.django_db
def test_a_spec_with_keywords_that_its_draft_ignores_is_assessed():
    tool = make_tool("mixed", parameters=IGNORED_BY_DRAFT_07, returnType=IGNORED_BY_DRAFT_07)

    assert try_to_assess(tool.current.spec) is not None


def test_a_keyword_of_another_draft_counts_only_if_it_consists_of_schemas():
    well_formed, malformed = (
        compile_schema({"$schema": DRAFTS["07"], "prefixItems": items, "x-secret": True}).root
        for items in ([{"type": "string"}], ["a"])
    )

    assert well_formed.all_keywords.keys() == {"$schema", "prefixItems", "x-secret"}
    assert malformed.all_keywords.keys() == {"$schema", "x-secret"}
