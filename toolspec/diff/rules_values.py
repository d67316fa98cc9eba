"""The rules for scalar values and sizes. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by
their own keywords.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from toolspec.diff import edits
from toolspec.diff.conjunction import Conjunction
from toolspec.diff.differences import NOTHING, Differences, SchemaDifference, effect_if
from toolspec.diff.keywords import NUMBERS, is_as_tight
from toolspec.diff.limits import (
    LEAST,
    MOST,
    counts_of,
    edge_of,
    edges_of,
    greatest_size,
    least_size,
)
from toolspec.schema.formats import FORMATS
from toolspec.schema.validation.equality import is_multiple
from toolspec.text.containers import strings_of
from toolspec.text.reader import Number

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk

FREE_PATTERNS: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$"})  # every string matches them
# Every string of the format on the left also has the formats on the right.
WIDER_FORMATS: Final = {
    "email": {"idn-email"},
    "iri": {"iri-reference"},
    "uri": {"iri", "iri-reference", "uri-reference"},
    "uri-reference": {"iri-reference"},
}


def compare_numbers(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if not old.types & NUMBERS:
        return
    old_steps = old.keywords.numbers("multipleOf")
    new_steps = new.keywords.numbers("multipleOf")
    tried = edits.put_numbers_near(edges_of([old, new]), map(Decimal, [*old_steps, *new_steps]))
    for kind, lowest in (("minimum", True), ("maximum", False)):
        before, after = edge_of(old, lowest=lowest), edge_of(new, lowest=lowest)
        lost = effect_if(not is_as_tight(before, after, lowest=lowest))
        gained = effect_if(not is_as_tight(after, before, lowest=lowest))
        if lost or gained:
            keywords = (kind, f"exclusive{kind.capitalize()}")
            yield SchemaDifference(kind, old, new, lost, gained, keywords=keywords, edits=tried)
    if old.types & NUMBERS == {"integer"}:
        old_steps.append(1)
        new_steps.append(1)
    lost = effect_if(_adds_step(old_steps, new_steps))
    gained = effect_if(_adds_step(new_steps, old_steps))
    if lost or gained:
        yield SchemaDifference(
            "multiple", old, new, lost, gained, keywords=("multipleOf",), edits=tried
        )


def compare_sizes(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The lengths of strings and arrays, and the number of members."""
    for kind in LEAST:
        if kind in old.types:
            yield from _compare_sizes_of(kind, old, new)


def _compare_sizes_of(kind: str, old: Conjunction, new: Conjunction) -> Differences:
    for keyword in (LEAST[kind], MOST[kind]):
        lost = effect_if(_refuses_size(old, new, kind, keyword))
        gained = effect_if(_refuses_size(new, old, kind, keyword))
        if lost or gained:
            counts = [*counts_of(old, keyword), *counts_of(new, keyword), least_size(old, kind)]
            tried = edits.resize_near(counts, kind)
            yield SchemaDifference(
                keyword, old, new, lost, gained, keywords=(keyword,), edits=tried
            )


def _refuses_size(producer: Conjunction, consumer: Conjunction, kind: str, keyword: str) -> bool:
    """Whether the producer may accept a size that the consumer refuses by `keyword`."""
    limits = counts_of(consumer, keyword)
    if not limits:
        return False
    if keyword == LEAST[kind]:
        return max(limits) > least_size(producer, kind)
    greatest = greatest_size(producer, kind)
    return greatest is None or greatest > min(limits)


def compare_strings(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "string" not in old.types:
        return
    for keyword, allowed_by in (("pattern", _patterns_of), ("format", _formats_of)):
        before, after = allowed_by(old), allowed_by(new)
        added = sorted(after - _add_wider_formats(before))
        removed = sorted(before - _add_wider_formats(after))
        if added or removed:
            yield SchemaDifference(
                keyword,
                old,
                new,
                effect_if(bool(added)),
                effect_if(bool(removed)),
                keywords=(keyword,),
                before=removed[0] if removed else NOTHING,
                after=added[0] if added else NOTHING,
                edits=edits.put_each(edits.STRINGS),
            )


def _adds_step(before: Sequence[int | Number], after: Sequence[int | Number]) -> bool:
    """Whether `after` has a divisor that no divisor of `before` implies."""
    for divisor in after:
        if not any(is_multiple(known, divisor) for known in before):
            return True
    return False


def _patterns_of(conjunction: Conjunction) -> set[str]:
    return set(strings_of(conjunction.keywords.all("pattern"))) - FREE_PATTERNS


def _formats_of(conjunction: Conjunction) -> set[str]:
    return FORMATS.keys() & conjunction.keywords.texts("format")


def _add_wider_formats(names: set[str]) -> set[str]:
    """The patterns or formats, and the wider formats that they imply."""
    return names.union(*(WIDER_FORMATS.get(name, ()) for name in names))
