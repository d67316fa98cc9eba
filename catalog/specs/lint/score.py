"""The lint score: how good a spec is, as one number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Protocol

from catalog.specs.lint.findings import Severity

# The cost of a rule's first finding, of each further one, and the limit for all findings of one rule.
COSTS: Final[dict[Severity, tuple[float, float, float]]] = {
    "error": (30, 5, 45),
    "warning": (5, 1.5, 15),
    "info": (1.5, 0.25, 4),
}


class Graded(Protocol):
    """A finding, or the advice that was made from one."""

    @property
    def rule(self) -> str: ...

    @property
    def severity(self) -> Severity: ...


def score(findings: Iterable[Graded]) -> int:
    """0 (hardly usable) to 100 (no findings). Repeated findings of one rule cost less: they are one mistake."""
    counts = Counter((finding.rule, finding.severity) for finding in findings)
    cost = 0.0
    for (_, severity), number in counts.items():
        first, further, most = COSTS[severity]
        cost += min(first + further * (number - 1), most)
    return max(round(100 - cost), 0)
