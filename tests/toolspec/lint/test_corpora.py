"""Lint over real specs: its cost is bounded, its fixes leave valid specs, and good specs score well."""

import json
from statistics import mean, median

import pytest

from tests.corpora import lines
from tests.work import at_most
from toolspec.errors import SpecError
from toolspec.lint import RULES, apply_fix, lint, score
from toolspec.spec import read_spec
from toolspec.text.reader import dumps, parse

CORPORA = ["specs_mcp", "specs_bfcl", "specs_taubench", "specs_metatool"]

pytestmark = pytest.mark.corpora


def specs(corpus, every=1):
    return [read_spec(line) for line in lines(corpus)[::every]]


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_real_spec_has_findings_of_known_rules_and_a_score(corpus):
    for spec in specs(corpus):
        findings = lint(spec)

        assert {finding.rule for finding in findings} <= set(RULES)
        assert 0 <= score(findings) <= 100


def test_a_typical_real_spec_scores_well_and_the_worst_does_not():
    scores = sorted(score(lint(spec)) for spec in specs("specs_mcp"))

    assert median(scores) >= 90
    assert scores[0] < 70


def test_a_typical_spec_takes_little_work():
    read = specs("specs_mcp", every=5)

    with at_most(3_000_000) as work:
        for spec in read:
            lint(spec)

    assert work.lines / len(read) < 8_000


def test_every_fix_of_a_real_spec_gives_a_valid_spec_without_the_finding():
    for spec in specs("specs_mcp", every=3) + specs("specs_bfcl", every=3):
        for finding in lint(spec):
            if finding.fix is None:
                continue
            text = json.dumps(json.loads(spec.source), indent=2, ensure_ascii=False)
            fixed = read_spec(apply_fix(text, finding.fix))

            assert finding not in lint(fixed)


def test_a_fix_of_a_real_spec_changes_few_lines():
    changed = []
    for spec in specs("specs_mcp", every=7):
        text = dumps(parse(spec.source), indent=4)
        for finding in lint(spec):
            if finding.fix is not None and finding.rule in {"default-invalid", "schema-draft"}:
                before, after = text.splitlines(), apply_fix(text, finding.fix).splitlines()
                changed.append(len(set(before) ^ set(after)))

    assert mean(changed) < 3


def test_real_configuration_schemas_are_linted():
    for line in lines("configurations"):
        server = json.loads(line)
        if server.get("schema") is None:
            continue
        document = {
            "definition": {"name": server["server"], "description": "A server."},
            "configuration": server["schema"],
        }
        try:
            spec = read_spec(json.dumps(document))
        except SpecError:
            continue

        assert {finding.rule for finding in lint(spec)} <= set(RULES)
