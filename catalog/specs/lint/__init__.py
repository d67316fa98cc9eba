"""What could be better in a spec that is allowed. Nothing here knows Django.

findings      values: a finding, its fix
rules         every rule, with the words of its documentation
checking      `lint`: all checks, by naming, describing, declaring, providing, constraining, spelling, valuing,
                  keeping_secrets
subjects      a spec as the checks look at it
scoring       one number for it
judging       a spec at a glance: that number, and which formats take it as it is
fixes         fixes, applied to the text of a spec (`jsontext.text_patch`)
illustrations, sources   what the pages of the rules show
"""

from catalog.specs.lint.advice import Advice, advise
from catalog.specs.lint.findings import SEVERITIES, Finding, Fix, Severity
from catalog.specs.lint.fixes import FixResult, apply_fix, apply_safe_fixes
from catalog.specs.lint.linter import lint
from catalog.specs.lint.registry import RULES, Rule
from catalog.specs.lint.score import score

__all__ = [
    "RULES",
    "SEVERITIES",
    "Advice",
    "Finding",
    "Fix",
    "FixResult",
    "Rule",
    "Severity",
    "advise",
    "apply_fix",
    "apply_safe_fixes",
    "lint",
    "score",
]
