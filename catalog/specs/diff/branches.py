"""Which alternatives of a union are the same ones in two revisions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import dumps
from catalog.specs.diff import children
from catalog.specs.diff.conjunction import Conjunction, conjoin
from catalog.specs.diff.keywords import annotations_of, choices_of

Labels = frozenset[tuple[str, ...]]


def labels(whole: Conjunction) -> Labels:
    """The labels that identify an alternative: its constant or its constant members, its titles and its references."""
    return constants(whole) | names(whole)


def constants(whole: Conjunction) -> Labels:
    """The constant, and the members with a constant."""
    found: set[tuple[str, ...]] = {("const", text) for text in _constants_of(whole)}
    for name in children.names(whole):
        found |= {("member", name, text) for text in _constants_of(children.member(whole, name))}
    return frozenset(found)


def _constants_of(whole: Conjunction) -> Iterator[str]:
    for subschema in whole.subschemas:
        yield from (dumps(choices[0]) for choices in choices_of(subschema) if len(choices) == 1)


def names(whole: Conjunction) -> Labels:
    """The titles and references."""
    found: set[tuple[str, ...]] = set()
    for subschema in whole.subschemas:
        annotations = annotations_of(subschema)
        found |= {
            (keyword, dumps(annotations[keyword]))
            for keyword in ("title", "$ref")
            if keyword in annotations
        }
    return frozenset(found)


# Keys that identify an alternative, the most certain first.
_KEYS: Final[tuple[Callable[[Conjunction], Hashable], ...]] = (
    constants,
    names,
    lambda whole: dumps(whole.subschemas[0].schema) if whole.subschemas else "",
    lambda whole: frozenset(children.names(whole)),
    lambda whole: whole.types if len(whole.types) == 1 else "",
)


def paired(old: list[Subschema], new: list[Subschema]) -> Iterator[tuple[Conjunction, Conjunction]]:
    """Pairs of an alternative before and the same one now.

    They have the same constants, else the same names, text, members or type, which no other alternative has. If one
    alternative is left on each side, they are a pair.
    """
    before, after = list(map(conjoin, old)), list(map(conjoin, new))
    for key_of in _KEYS:
        some, others = _by_key(before, key_of), _by_key(after, key_of)
        for key in [key for key in some if key in others]:
            yield some[key], others[key]
            before.remove(some[key])
            after.remove(others[key])
    if len(before) == len(after) == 1:
        yield before[0], after[0]


def _by_key(
    wholes: list[Conjunction], key_of: Callable[[Conjunction], Hashable]
) -> dict[Hashable, Conjunction]:
    """The alternatives by their key, without those that have none or share it."""
    found: dict[Hashable, list[Conjunction]] = {}
    for whole in wholes:
        found.setdefault(key_of(whole), []).append(whole)
    return {key: some[0] for key, some in found.items() if key and len(some) == 1}
