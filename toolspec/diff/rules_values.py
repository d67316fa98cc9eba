"""The rules for scalar values and sizes. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from toolspec.diff import edits
from toolspec.diff.conjunction import LEAST, MOST, Conjunction
from toolspec.diff.differences import NOTHING, Differences, SchemaDifference, effect_if
from toolspec.diff.keywords import NUMBERS, Edge, is_as_tight
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
    before, after = (whole.keywords.numbers("multipleOf") for whole in (old, new))
    steps = [Decimal(value) for value in (*before, *after)]
    tried = edits.numbers_near(edges_of([old, new]), steps)
    for lowest, kind in ((True, "minimum"), (False, "maximum")):
        one, other = old.edge(lowest=lowest), new.edge(lowest=lowest)
        lost = effect_if(not is_as_tight(one, other, lowest=lowest))
        gained = effect_if(not is_as_tight(other, one, lowest=lowest))
        if lost or gained:
            keywords = (kind, f"exclusive{kind.capitalize()}")
            yield SchemaDifference(kind, old, new, lost, gained, keywords=keywords, edits=tried)
    if old.types & NUMBERS == {"integer"}:
        before, after = [*before, 1], [*after, 1]
    lost, gained = effect_if(_adds_step(before, after)), effect_if(_adds_step(after, before))
    if lost or gained:
        yield SchemaDifference(
            "multiple", old, new, lost, gained, keywords=("multipleOf",), edits=tried
        )


def compare_sizes(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The lengths of strings and arrays, and the number of members."""
    for kind in LEAST:
        if kind not in old.types:
            continue
        for keyword in (LEAST[kind], MOST[kind]):
            lost, gained = _size_change(old, new, keyword), _size_change(new, old, keyword)
            if lost or gained:
                near = [*old.counts(keyword), *new.counts(keyword), old.least(kind)]
                yield SchemaDifference(
                    keyword,
                    old,
                    new,
                    effect_if(lost),
                    effect_if(gained),
                    keywords=(keyword,),
                    edits=edits.sizes_near(near, kind),
                )


def compare_strings(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "string" not in old.types:
        return
    for keyword, allowed in (("pattern", _patterns_of), ("format", _formats_of)):
        before, after = allowed(old), allowed(new)
        come = sorted(after - _add_wider_formats(before))
        gone = sorted(before - _add_wider_formats(after))
        if come or gone:
            yield SchemaDifference(
                keyword,
                old,
                new,
                effect_if(bool(come)),
                effect_if(bool(gone)),
                keywords=(keyword,),
                before=gone[0] if gone else NOTHING,
                after=come[0] if come else NOTHING,
                edits=edits.put_each(edits.STRINGS),
            )


def edges_of(schemas: list[Conjunction]) -> list[Edge]:
    """The bounds of numbers."""
    edges = [whole.edge(lowest=lowest) for whole in schemas for lowest in (True, False)]
    return [edge for edge in edges if edge is not None]


def _adds_step(before: Sequence[int | Number], after: Sequence[int | Number]) -> bool:
    """Whether `after` has a divisor that no divisor of `before` implies."""
    return not all(any(is_multiple(mine, each) for mine in before) for each in after)


def _size_change(producer: Conjunction, consumer: Conjunction, keyword: str) -> bool:
    """Whether the producer may accept a size that the consumer refuses by `keyword`."""
    limits = consumer.counts(keyword)
    if not limits:
        return False
    for kind, name in LEAST.items():
        if name == keyword:
            return max(limits) > producer.least(kind)
    [kind] = [kind for kind, name in MOST.items() if name == keyword]
    most = producer.most(kind)
    return most is None or most > min(limits)


def _patterns_of(whole: Conjunction) -> set[str]:
    return set(strings_of(whole.keywords.all("pattern"))) - FREE_PATTERNS


def _formats_of(whole: Conjunction) -> set[str]:
    return FORMATS.keys() & whole.keywords.texts("format")


def _add_wider_formats(names: set[str]) -> set[str]:
    """The patterns or formats, and the wider formats that they imply."""
    return names.union(*(WIDER_FORMATS.get(name, ()) for name in names))
