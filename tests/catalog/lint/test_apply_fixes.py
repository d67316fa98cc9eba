"""Several fixes at once; and that safe ones are."""

import json

import pytest

from tests.corpora import lines
from toolspec.diff import compare
from toolspec.lint import Fix, apply_safe_fixes, lint
from toolspec.spec import read_spec
from toolspec.text.patch import Operation
from toolspec.text.reader import parse


def removal(pointer):
    return Fix("Remove it", (Operation("remove", pointer),))


def test_items_of_one_list_are_removed_together():
    result = apply_safe_fixes(
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", [removal(f"/{index}") for index in (1, 2, 10, 9)]
    )

    assert parse(result.text) == [0, 3, 4, 5, 6, 7, 8, 11]
    assert len(result.applied) == 4


def test_a_part_is_moved_after_the_fixes_inside_it():
    move = Fix("Rename it to b", (Operation("move", "/b", source="/a"),))

    result = apply_safe_fixes('{"a": {"x": 1, "y": 2}}', [move, removal("/a/x")])

    assert parse(result.text) == {"b": {"y": 2}}


def test_a_fix_that_does_not_fit_after_another_is_left():
    outer, inner = removal("/a"), removal("/a/x")

    result = apply_safe_fixes('{"a": {"x": 1}, "c": 3}', [outer, inner, removal("/c/nothing")])

    assert parse(result.text) == {"c": 3}
    assert [fix.operations[0].path for fix in result.left] == ["/c/nothing"]


def test_the_same_fix_named_twice_is_applied_once():
    assert parse(apply_safe_fixes("[0, 1, 2]", [removal("/1"), removal("/1")]).text) == [0, 2]


def test_no_fix_leaves_the_text_as_it_is():
    assert apply_safe_fixes("[ 0 ]", []).text == "[ 0 ]"


def test_many_fixes_of_a_long_text_are_not_all_applied_at_once():
    text = json.dumps(["x" * 1000] * 250)

    result = apply_safe_fixes(text, [removal(f"/{index}") for index in range(100)])

    assert 0 < len(result.applied) < 100
    assert len(result.applied) + len(result.left) == 100


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["specs_mcp", "specs_bfcl"])
def test_all_fixes_of_real_specs_together_resolve_findings_and_safe_ones_change_no_meaning(corpus):
    tried = 0
    for line in lines(corpus)[::7]:
        spec = read_spec(line)
        fixes = [finding.fix for finding in lint(spec) if finding.fix]
        safe = [fix for fix in fixes if fix.safe]
        if not fixes:
            continue
        tried += 1

        fixed = read_spec(apply_safe_fixes(spec.source, fixes).text)
        safely = read_spec(apply_safe_fixes(spec.source, safe).text)

        assert len([one for one in lint(fixed) if one.fix]) < len(fixes)
        changes = compare(spec, safely).changes
        # a default that breaks its own schema goes, and words change: neither makes a value invalid
        assert {change.verdict for change in changes if change.kind != "default-changed"} <= {
            "compatible",
            "wording",
        }
        assert safely.name == spec.name
    assert tried
