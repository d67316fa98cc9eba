"""Real specs, real schemas and the official suite: the reader and the schema policy refuse nothing legitimate."""

import json

import pytest

from tests import suite
from tests.corpora import GET_WEATHER, expected, lines
from toolspec.errors import SpecError
from toolspec.schema.dialects import DRAFT_07
from toolspec.schema.policy import schema_policy_problems
from toolspec.spec import read_spec
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import Number, dumps

REMOTE = "refers to another document, which is not fetched"
OWN_META_SCHEMA = "uses its own meta-schema, which is in another document"

# The required schemas of the official 2020-12 suite that are refused, with the reason.
REFUSED = {
    "dynamicRef.json: strict-tree schema, guards against misspelled properties": REMOTE,
    "dynamicRef.json: tests for implementation dynamic anchor and reference link": REMOTE,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first": REMOTE,
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first": REMOTE,
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor": REMOTE,
    "refRemote.json: remote ref": REMOTE,
    "refRemote.json: fragment within remote ref": REMOTE,
    "refRemote.json: anchor within remote ref": REMOTE,
    "refRemote.json: ref within remote ref": REMOTE,
    "refRemote.json: base URI change": REMOTE,
    "refRemote.json: base URI change - change folder": REMOTE,
    "refRemote.json: base URI change - change folder in subschema": REMOTE,
    "refRemote.json: root ref in remote ref": REMOTE,
    "refRemote.json: remote ref with ref to defs": REMOTE,
    "refRemote.json: Location-independent identifier in remote ref": REMOTE,
    "refRemote.json: retrieved nested refs resolve relative to their URI not $id": REMOTE,
    "refRemote.json: remote HTTP ref with different $id": REMOTE,
    "refRemote.json: remote HTTP ref with different URN $id": REMOTE,
    "refRemote.json: remote HTTP ref with nested absolute ref": REMOTE,
    "refRemote.json: $ref to $ref finds detached $anchor": REMOTE,
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary": OWN_META_SCHEMA,
    "vocabulary.json: ignore unrecognized optional vocabulary": OWN_META_SCHEMA,
}
REFUSED_OPTIONAL = {
    "optional/cross-draft.json: refs to historic drafts are processed as historic drafts": REMOTE,
    "optional/format-assertion.json: schema that uses custom metaschema with format-assertion: false": OWN_META_SCHEMA,
    "optional/format-assertion.json: schema that uses custom metaschema with format-assertion: true": OWN_META_SCHEMA,
    "optional/refOfUnknownKeyword.json: reference internals of known non-applicator": "refers to a value as a schema",
}
RULES = {REMOTE: "gate.ref-remote", OWN_META_SCHEMA: "gate.dialect"}


def rows_of(name):
    return [json.loads(line, parse_float=Number) for line in lines(name)]


def refusals(texts):
    """The problems of all `texts`."""
    return [problem for text in texts for problem in problems_of(text)]


def problems_of(text):
    try:
        read_spec(text)
    except SpecError as error:
        return error.problems
    return ()


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("specs_mcp", expected(selection=294, full=1394)),
        ("specs_bfcl", 203),
        ("specs_metatool", 199),
        ("specs_taubench", 30),
    ],
)
def test_every_real_spec_is_read(name, count):
    assert refusals(lines(name)) == []
    assert len(lines(name)) == count


def test_the_example_of_the_formats_documentation_is_read():
    assert read_spec(GET_WEATHER.read_bytes()).tool_id == "Get weather"


@pytest.mark.corpora
def test_the_text_of_every_real_spec_is_stored_unchanged():
    for line in lines("specs_mcp"):
        assert read_spec(line).source == line
        assert read_spec(dumps(read_spec(line).document)).document == read_spec(line).document


def test_a_real_spec_is_validated_by_the_draft_that_it_names():
    """It has `items` as an array: valid in draft-07, which it names, and not in 2020-12."""
    [line] = lines("specs_mcp_invalid")
    [(member, path), *_] = {(member, path) for member, path, *_ in json.loads(line)["errors"]}
    in_2020_12 = line.replace(
        "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"
    )

    problems = problems_of(in_2020_12)

    assert problems_of(line) == ()
    assert f"{pointer_join('/definition', member)}/{path}" in {
        problem.pointer for problem in problems
    }
    assert all(problem.line == 1 and problem.column > 1 for problem in problems)


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["toolcall_pairs", "bfcl_pairs", "configurations"])
def test_every_real_schema_passes_the_policy(name):
    schemas = [row["schema"] for row in rows_of(name) if "schema" in row]

    assert [problem for schema in schemas for problem in schema_policy_problems(schema)] == []
    assert schemas


@pytest.mark.corpora
def test_every_form_schema_without_remote_references_passes_the_policy():
    names = {name.split(": ", 1)[1] for name in REFUSED}
    refused = []
    for row in rows_of("form_pairs"):
        schema = row["schema"]
        if row["draft"] == "draft-07" and isinstance(schema, dict):
            schema = {"$schema": f"{DRAFT_07.uri}#"} | schema
        if schema_policy_problems(schema):
            refused.append(row["name"].split(" / ")[1] if " / " in row["name"] else row["name"])

    assert set(refused) <= names


@pytest.fixture(scope="module")
def official():
    return list(suite.cases("draft2020-12", parse_float=Number))


def test_the_official_suite_passes_the_policy_with_the_listed_exceptions(official):
    refused = {
        case.name: schema_policy_problems(case.schema)
        for case in official
        if schema_policy_problems(case.schema)
    }

    assert refused.keys() == REFUSED.keys()
    for name, problems in refused.items():
        assert {problem.rule for problem in problems} == {RULES[REFUSED[name]]}, name


def test_at_most_24_schemas_of_the_official_suite_are_refused(official):
    accepted = [case for case in official if not schema_policy_problems(case.schema)]

    assert len(official) - len(accepted) <= 383 - 359
    assert len(accepted) == 346


def test_the_optional_part_of_the_official_suite_passes_with_the_listed_exceptions():
    cases = suite.cases("draft2020-12", optional=True, parse_float=Number)

    assert {
        case.name for case in cases if schema_policy_problems(case.schema)
    } == REFUSED_OPTIONAL.keys()


@pytest.mark.parametrize(
    ("folder", "uri"),
    [
        ("draft4", "http://json-schema.org/draft-04/schema#"),
        ("draft6", "http://json-schema.org/draft-06/schema#"),
        ("draft7", "http://json-schema.org/draft-07/schema#"),
        ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ],
)
def test_schemas_of_earlier_drafts_are_refused_only_for_references_to_other_documents(folder, uri):
    for case in suite.cases(folder, parse_float=Number):
        schema = {"$schema": uri} | case.schema if isinstance(case.schema, dict) else case.schema
        assert {problem.rule for problem in schema_policy_problems(schema)} <= {
            "gate.ref-remote",
            "gate.dialect",
        }, case.name
