"""All rules by which a schema is compared, the plainest first."""

from __future__ import annotations

from typing import Final

from catalog.diff import combining, containers, scalars
from catalog.diff.containing import Containment, Rule
from catalog.diff.trying import Trial

RULES: Final[tuple[Rule, ...]] = (
    scalars.choices,
    scalars.numbers,
    scalars.texts,
    scalars.sizes,
    containers.required,
    containers.declared_members,
    containers.other_members,
    containers.member_names,
    containers.items,
    containers.distinct_items,
    containers.contained_items,
    combining.unions,
    combining.negations,
    combining.conditions,
    combining.dependents,
    combining.left_over,
)


def containment(trial: Trial) -> Containment:
    """A comparison that has not begun."""
    return Containment(RULES, trial)
