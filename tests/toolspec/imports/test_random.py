"""Each tool of a random document becomes a spec or is refused with a reason, and no exception escapes."""

import json
from random import Random

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.toolspec.random_documents import Documents
from toolspec.imports import NotKnown, import_document, prefix_for
from toolspec.imports.openapi.schemas import MAX_TOGETHER
from toolspec.text.reader import loads

SEEDS = st.integers(0, 2**32)


def imported(document):
    """The tools in `document`, read as in an upload."""
    document = loads(json.dumps(document), max_bytes=settings.MAX_REQUEST_BYTES)
    try:
        return import_document(document, prefix=prefix_for(document, "file.json")).specs
    except NotKnown:
        return ()


def unexplained(specs):
    """The `specs` that are neither accepted nor refused, or both."""
    return [spec for spec in specs if (spec.spec is None) != bool(spec.problems)]


@given(SEEDS)
@hypothesis_settings(max_examples=60)
def test_each_operation_of_any_api_document_becomes_a_tool_or_is_refused_with_a_reason(seed):
    assert unexplained(imported(Documents(seed).api())) == []


@given(SEEDS)
@hypothesis_settings(max_examples=60)
def test_each_tool_of_any_list_becomes_a_spec_or_is_refused_with_a_reason(seed):
    assert unexplained(imported(Documents(seed).tools())) == []


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(8))
def test_any_api_document_can_be_uploaded(program, seed):
    answer = program.send("POST", "/uploads?dry_run=1", json.dumps(Documents(seed).api()))

    assert answer.status_code in {200, 422}


# -- too many definitions for one spec ---------------------------------------------------------------------------------

A, B, C = ({"$ref": f"#/components/schemas/{name}"} for name in "ABC")


def responding(**schemas):
    """An operation with a response of the schema A, in a document with these schemas."""
    responses = {"200": {"description": "", "content": {"application/json": {"schema": A}}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "description": "d", "responses": responses}}},
        "components": {"schemas": schemas},
    }


def of_members(count, **members):
    texts = {f"m{index}": {"type": "string"} for index in range(count)}
    return {"type": "object", "properties": texts | members}


def test_a_replaced_definition_needs_no_other_definitions():
    [spec] = imported(
        responding(A=of_members(0, b=B), B=of_members(1_505, c=C), C={"type": "string"})
    )

    assert spec.problems == ()
    assert spec.document["definition"]["returnType"] == {
        "type": "object",
        "properties": {"b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": True},
    }
    assert [(loss.pointer, loss.reason) for loss in spec.losses] == [
        ("/components/schemas/B", "This tool has too many schemas; any value is allowed here.")
    ]


@pytest.mark.django_db
def test_a_document_with_a_replaced_definition_is_uploaded(program):
    document = responding(A=of_members(0, b=B), B=of_members(1_505, c=C), C={"type": "string"})

    answer = program.send("POST", "/uploads", json.dumps(document))

    assert (answer.status_code, answer.json()["specs"][0]["outcome"]) == (200, "created")


@pytest.mark.deep
@given(SEEDS)
@hypothesis_settings(max_examples=40)
def test_random_large_definitions_give_a_spec_or_a_reason(seed):
    random = Random(seed)
    names = "ABCDEFGH"
    schemas = {}
    for name in names:
        references = {
            f"r{to}": {"$ref": f"#/components/schemas/{to}"} for to in random.sample(names, 2)
        }
        schemas[name] = of_members(
            random.choice((0, 1, 300, 1_400, 1_497, 1_498, 1_505)), **references
        )
        if random.random() < 0.3:
            schemas[name] = {"$ref": f"#/components/schemas/{random.choice(names)}"}

    specs = imported(responding(**schemas))

    assert len(specs) == 1
    assert unexplained(specs) == []


@pytest.mark.parametrize(
    "members", [MAX_TOGETHER - 3, MAX_TOGETHER - 2, MAX_TOGETHER - 1, MAX_TOGETHER]
)
@pytest.mark.parametrize(
    "last", [{"type": "string"}, A, B, {"$ref": "#/components/schemas/missing"}]
)
def test_definitions_near_the_limit_give_a_valid_spec(members, last):
    [spec] = imported(
        responding(A=of_members(0, b=B, c=C), B=of_members(members, a=A, c=C), C=last)
    )

    assert spec.problems == ()
