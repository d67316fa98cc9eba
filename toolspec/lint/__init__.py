"""Lint: suggestions for valid specs.

findings        a finding, and its fix
registry        every rule, with its documentation, which is in rules.toml
linter          runs all rules, which are in rules/: findings with their positions, and the score
context         a spec as the rules see it
assessment      that number, and the formats that accept the spec unchanged
fixes           applies fixes to the text of a spec (`toolspec.text.text_patch`)
reporters       findings as text, JSON and SARIF
rule_examples   the findings in the examples of the rules
"""

from toolspec.lint.findings import SEVERITIES, Finding, Fix, Severity
from toolspec.lint.fixes import FixResult, apply_fix, apply_safe_fixes
from toolspec.lint.linter import LocatedFinding, lint, lint_with_positions, score
from toolspec.lint.registry import RULES, Rule
from toolspec.lint.rules.injection import UNSEARCHED, injected_phrases, unsearched_text

__all__ = [
    "RULES",
    "SEVERITIES",
    "UNSEARCHED",
    "Finding",
    "Fix",
    "FixResult",
    "LocatedFinding",
    "Rule",
    "Severity",
    "apply_fix",
    "apply_safe_fixes",
    "injected_phrases",
    "lint",
    "lint_with_positions",
    "score",
    "unsearched_text",
]
