"""The official JSON-Schema-Test-Suite, run as data; every case with a different answer is named, with the reason."""

from functools import cache
from json import dumps

import pytest

from tests.suite import cases, read_number
from toolspec.schema.validation import compile_schema

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

AT_LEAST = {"draft4": 590, "draft6": 800, "draft7": 880, "draft2019-09": 1190, "draft2020-12": 1210}

# Nothing is ever fetched: a schema that needs a document from elsewhere leaves its values unchecked.
NEEDS_REMOTE_DOCUMENTS = {
    "refRemote.json: *",
    "dynamicRef.json: strict-tree schema, guards against misspelled properties",
    "dynamicRef.json: tests for implementation dynamic anchor and reference link",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first",
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor",
    "optional/cross-draft.json: refs to future drafts are processed as future drafts",
    "optional/cross-draft.json: refs to historic drafts are processed as historic drafts",
}

# Tests that the suite itself calls optional, and we do not pass: (draft or "*", file) -> reason.
OPTIONAL_NOT_DONE = {
    (
        "*",
        "optional/dependencies-compatibility.json",
    ): "a keyword of earlier drafts; 2019-09 replaced it",
    (
        "draft7",
        "optional/content.json",
    ): "contentEncoding and contentMediaType describe, they do not assert",
}

# Single cases, with the reason.
OTHERWISE = {
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary": (
        "a meta-schema of one's own is not fetched; the keywords count as those of the draft"
    ),
}


def in_its_draft(case):
    """The schema, with its draft in `$schema`."""
    if not isinstance(case.schema, dict) or "$schema" in case.schema:
        return case.schema
    return {"$schema": DRAFTS[case.draft], **case.schema}


def needs_remote_documents(case):
    return bool({case.name, f"{case.file}: *"} & NEEDS_REMOTE_DOCUMENTS)


@cache
def wrong_verdicts(draft, *, optional):
    """(case, the descriptions and verdicts of its tests that differ from the suite), for each case."""
    every = cases(draft, optional=optional, parse_float=read_number)
    return [(case, wrong_verdicts_of(case)) for case in every]


def wrong_verdicts_of(case):
    asserts_formats = case.file.startswith(
        "optional/format"
    )  # the required cases take formats as annotations
    compiled = compile_schema(in_its_draft(case), asserts_formats=asserts_formats)
    wrong = []
    for test in case.tests:
        verdict = compiled.check(test.data).verdict
        is_right = verdict == ("conforms" if test.valid else "violates")
        if not is_right or compiled.root.is_valid(test.data) is not test.valid:
            wrong.append((test.description, verdict))
    return wrong


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_required_case_that_needs_no_other_document_is_correct(draft):
    wrong, ran = {}, 0
    for case, found in wrong_verdicts(draft, optional=False):
        if needs_remote_documents(case) or case.name in OTHERWISE:
            continue
        ran += len(case.tests)
        if found:
            wrong[case.name] = found

    assert wrong == {}
    assert ran >= AT_LEAST[draft]


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_optional_case_is_correct_or_a_named_exception(draft):
    wrong = {}
    for case, found in wrong_verdicts(draft, optional=True):
        is_exception = {("*", case.file), (draft, case.file)} & OPTIONAL_NOT_DONE.keys()
        if found and not is_exception and not needs_remote_documents(case):
            wrong[case.name] = found

    assert wrong == {}


@pytest.mark.deep
@pytest.mark.parametrize("draft", DRAFTS)
def test_a_long_list_is_valid_if_each_of_its_items_is(draft):
    """Large values take another way than small ones."""
    wrong, ran = {}, 0
    for case in cases(draft, parse_float=read_number):
        schema = in_its_draft(case)
        text = dumps(schema, default=str)
        if not isinstance(schema, dict) or "$ref" in text or 'Ref"' in text:
            continue
        items = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
        compiled = compile_schema(
            {"$schema": schema["$schema"], "items": items}, asserts_formats=False
        )
        for test in case.tests:
            alone = compile_schema(schema, asserts_formats=False).check(test.data)
            many = compiled.check([test.data] * 40)
            ran += 1
            if many.verdict != alone.verdict:
                wrong[case.name] = (test.description, alone.verdict, many.verdict)

    assert wrong == {}
    assert ran > 400


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_case_that_needs_another_document_is_unchecked_or_correct(draft):
    for optional in (False, True):
        for case, found in wrong_verdicts(draft, optional=optional):
            if needs_remote_documents(case):
                assert {verdict for _, verdict in found} <= {"unchecked"}, case.name


def test_every_exception_is_still_needed():
    seen, needed = set(), set()
    for draft in DRAFTS:
        for optional in (False, True):
            for case, found in wrong_verdicts(draft, optional=optional):
                if not found:
                    continue
                seen |= {case.name, f"{case.file}: *"}
                needed |= {("*", case.file), (draft, case.file)}

    assert seen >= NEEDS_REMOTE_DOCUMENTS
    assert seen >= OTHERWISE.keys()
    assert needed >= OPTIONAL_NOT_DONE.keys()
