"""All rules by which a schema is compared, the plainest first."""

from __future__ import annotations

from typing import Final

from catalog.specs.diff import containment_combinators, containment_containers, containment_scalars
from catalog.specs.diff.attempts import Trial
from catalog.specs.diff.containment import Containment, Rule

RULES: Final[tuple[Rule, ...]] = (
    containment_scalars.choices,
    containment_scalars.numbers,
    containment_scalars.texts,
    containment_scalars.sizes,
    containment_containers.required,
    containment_containers.declared_members,
    containment_containers.other_members,
    containment_containers.member_names,
    containment_containers.items,
    containment_containers.distinct_items,
    containment_containers.contained_items,
    containment_combinators.unions,
    containment_combinators.negations,
    containment_combinators.conditions,
    containment_combinators.dependents,
    containment_combinators.left_over,
)


def containment(trial: Trial) -> Containment:
    """A comparison that has not begun."""
    return Containment(RULES, trial)
