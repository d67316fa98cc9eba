"""Lint: the findings, fixes and score of every spec of the corpora."""

from __future__ import annotations

import pytest

from tests.golden.expected import Case, check, computed_once, digest, short
from tests.golden.inputs import random_pairs, spec_with, specs
from toolspec.lint import apply_fix, lint, score


def inputs():
    yield from specs().items()
    for number, (schema, _) in enumerate(random_pairs(150)):
        spec = spec_with("f", parameters=schema, returnType=schema)
        if spec is not None:
            yield f"random {number}", spec


@computed_once
def linted():
    for name, spec in inputs():
        findings = lint(spec)
        fixes = [finding.fix for finding in findings if finding.fix]
        patches = [[fix.safe, fix.as_json()["patch"]] for fix in fixes]
        facts = {"score": score(findings), "findings": short(list(map(facts_of, findings)), 400)}
        if fixes:
            facts["patches"] = short(patches)
            facts["keys"] = digest([fix.key for fix in fixes])
            facts["fixed"] = digest([apply_fix(spec.source, fix) for fix in fixes])
        yield Case(
            name,
            facts,
            [[finding.message, finding.fix and finding.fix.title] for finding in findings],
        )


def facts_of(finding):
    return f"{finding.severity} {finding.rule} {finding.pointer}{' fix' if finding.fix else ''}"


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_the_findings_of_a_spec_are_as_before(field):
    check("lint", field, linted())
