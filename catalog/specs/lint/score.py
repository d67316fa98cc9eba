"""How good a spec is, as one number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Protocol

from catalog.specs.lint.findings import Severity

# What the first finding of a rule costs, what each further one, and what all of one rule at most.
COSTS: Final[dict[Severity, tuple[float, float, float]]] = {
    "error": (30, 5, 45),
    "warning": (5, 1.5, 15),
    "info": (1.5, 0.25, 4),
}


class Graded(Protocol):
    """What counts: a finding, or an advice that was made of one."""

    @property
    def rule(self) -> str: ...

    @property
    def severity(self) -> Severity: ...


def score(findings: Iterable[Graded]) -> int:
    """0 (hardly usable) to 100 (nothing to say). Many findings of one rule are one mistake, made often."""
    counted = Counter((finding.rule, finding.severity) for finding in findings)
    lost = 0.0
    for (_, severity), number in counted.items():
        first, further, most = COSTS[severity]
        lost += min(first + further * (number - 1), most)
    return max(round(100 - lost), 0)
