"""The rules: how two schemas of a value compare in each of their keywords.

A rule lists the differences of one kind of constraint, each with its direction; both sides accept
the same types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolspec.diff.conjunction import Conjunction
from toolspec.diff.differences import Differences
from toolspec.diff.rules_combinators import (
    compare_conditions,
    compare_dependents,
    compare_negations,
    compare_unevaluated,
)
from toolspec.diff.rules_containers import (
    compare_contained_items,
    compare_distinct_items,
    compare_items,
    compare_member_names,
    compare_members,
    compare_other_members,
    compare_required,
)
from toolspec.diff.rules_values import compare_numbers, compare_sizes, compare_strings

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk

Rule = Callable[["Walk", Conjunction, Conjunction], Differences]

# The rules with the simplest messages first.
RULES: Final[tuple[Rule, ...]] = (
    compare_numbers,
    compare_strings,
    compare_sizes,
    compare_required,
    compare_members,
    compare_other_members,
    compare_member_names,
    compare_items,
    compare_distinct_items,
    compare_contained_items,
    compare_negations,
    compare_conditions,
    compare_dependents,
    compare_unevaluated,
)
