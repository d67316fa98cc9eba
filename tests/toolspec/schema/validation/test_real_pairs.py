"""Real schemas and values: every verdict is as expected by the data, or named with its reason."""

from json import loads

import pytest

from tests.corpora import expected, lines
from tests.suite import read_number
from toolspec.schema.validation import compile_schema

NEEDS_REMOTE_DOCUMENTS = (
    "refRemote / ",
    "dynamicRef / strict-tree schema",
    "dynamicRef / tests for implementation dynamic anchor and reference link",
    "dynamicRef / $ref and $dynamicAnchor are independent of order",
    "dynamicRef / $ref to $dynamicRef finds detached $dynamicAnchor",
)
FORMAT_IS_ONLY_AN_ANNOTATION = (
    "string is only an annotation by default"  # formats are asserted here
)
CUSTOM_METASCHEMA = (
    "vocabulary / schema that uses custom metaschema with with no validation vocabulary / no "
    "validation: "
)


def pairs(name):
    return [loads(line, parse_float=read_number) for line in lines(name)]


def schema_of(pair):
    """The schema; if it names no draft, with the draft that the data names."""
    schema, draft = pair["schema"], pair.get("draft", "2020-12")
    if draft == "draft-07" and isinstance(schema, dict) and "$schema" not in schema:
        return {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    return schema


def verdicts_of(pair):
    name = pair.get("name") or ""
    if name.startswith(NEEDS_REMOTE_DOCUMENTS):
        return {"unchecked"} if not pair["valid"] else {"unchecked", "conforms"}
    if FORMAT_IS_ONLY_AN_ANNOTATION in name:
        return {"violates"}
    if name == CUSTOM_METASCHEMA + "invalid number, but it still validates":
        return {"violates"}
    return {"conforms" if pair.get("valid", True) else "violates"}


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("form_pairs", expected(selection=288, full=1322)),
        ("toolcall_pairs", expected(selection=59, full=236)),
        ("bfcl_pairs", expected(selection=84, full=168)),
    ],
)
def test_every_pair_has_its_expected_verdict(name, count):
    wrong, found = [], pairs(name)
    for pair in found:
        compiled = compile_schema(schema_of(pair))
        result = compiled.check(pair["instance"])
        if result.verdict not in verdicts_of(pair):
            wrong.append((pair.get("name") or pair.get("tool"), result))
        is_valid = {"conforms": True, "violates": False, "unchecked": None}[result.verdict]
        assert compiled.root.is_valid(pair["instance"]) is is_valid

    assert wrong == []
    assert len(found) == count
