"""Hand-made changes, with the expected verdict for values that are sent and for values that are read."""

import json
from functools import cache
from pathlib import Path

import pytest

from toolspec.diff import Difference
from toolspec.diff.schema_diff import Comparison
from toolspec.schema.validation import compile_schema
from toolspec.text.pointers import resolve_pointer
from toolspec.text.reader import loads

CASES = [json.loads(line) for line in Path("tests/data/diff_cases.jsonl").read_text().splitlines()]


def changes(case, part):
    return changes_between(json.dumps(case["old"]), json.dumps(case["new"]), part)


@cache
def changes_between(old, new, part):
    return Comparison(part, loads(old), loads(new), known=(), sample=None).list_changes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["change"])
@pytest.mark.parametrize(("part", "side"), [("parameters", "sent"), ("returnType", "read")])
def test_a_change_gets_its_expected_verdict(case, part, side):
    found = changes(case, part)

    assert Difference(tuple(found)).verdict == case[side]
    assert Difference(tuple(found)).strict.verdict == case.get(f"{side}_strictly", case[side])
    assert case.get("kind") in {None, *(change.kind for change in found)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["change"])
@pytest.mark.parametrize("part", ["parameters", "returnType"])
def test_a_breaking_change_is_proved_by_a_value_that_one_schema_accepts_and_the_other_refuses(
    case, part
):
    before, after = (compile_schema(loads(json.dumps(case[side]))) for side in ("old", "new"))
    accepts, refuses = (after, before) if part == "returnType" else (before, after)

    for change in changes(case, part):
        assert change.verdict != "breaking" or change.proof is not None
        if change.proof is not None:
            assert accepts.check(change.proof.value).verdict == "conforms"
            assert refuses.check(change.proof.value).verdict == "violates"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["change"])
def test_a_change_is_one_sentence_with_pointers_that_exist(case):
    for change in changes(case, "parameters"):
        assert change.message.endswith(".")
        assert change.message[0].isupper() or change.message[0] == "`"
        for side, pointer in (("old", change.before), ("new", change.after)):
            where = pointer and pointer.removeprefix("/definition/parameters")
            if where is not None:
                resolve_pointer(case[side], where)  # raises where nothing stands


def test_there_are_enough_cases():
    assert len(CASES) >= 150
