"""Which schemas a subschema applies to its value, members and items, whatever the value is.

A diff compares all values at once, so `unevaluated…` is left out where its effect depends on the
value, and a member may have no particular name. `toolspec.schema.children` answers the same question
for one value.

Sources: JSON Schema 2020-12 Core, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final

from toolspec.schema.applicable import always
from toolspec.schema.children import declared_member, tokens_to_item
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.pattern_search import found_in
from toolspec.text.reader import dumps

MAX_SUBSCHEMAS: Final = 400  # of one conjunction
_IN_PLACE: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchemas"})
_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')


def flatten(subschemas: Iterable[Subschema]) -> tuple[tuple[Subschema, ...], bool, bool]:
    """(schemas that apply where these do, whether they accept nothing, whether some are unknown).

    Raises:
        Unchecked: there are more than `MAX_SUBSCHEMAS`.
    """
    applicable: dict[Hashable, Subschema] = {}
    accepts_nothing = has_unknown_parts = False
    open_now: set[Hashable] = set()
    waiting = [(subschema, False) for subschema in reversed(list(subschemas))]
    while waiting:
        subschema, is_leaving = waiting.pop()
        identity = subschema.identity
        if is_leaving:
            open_now.discard(identity)
        elif identity in open_now:
            has_unknown_parts = True
        elif subschema.schema is False:
            applicable[identity] = subschema
            accepts_nothing = True
        elif identity not in applicable:
            applicable[identity] = subschema
            open_now.add(identity)
            has_unknown_parts = has_unknown_parts or subschema.has_dangling_reference
            waiting.append((subschema, True))
            waiting += [(inner, False) for inner in reversed(list(always(subschema)))]
            if len(applicable) > MAX_SUBSCHEMAS:
                raise Unchecked("Too many schemas apply to the same value.")
    return tuple(applicable.values()), accepts_nothing, has_unknown_parts


# Members and items.


def schemas_for_member(
    subschema: Subschema, name: str | None, patterns: frozenset[str]
) -> list[Subschema]:
    """The schemas for the member `name` that matches `patterns`.

    None is the name of no declared member.
    """
    declared = _declared_schemas(subschema, name, patterns)
    if declared:
        return declared
    if "additionalProperties" in subschema.keywords:
        return [subschema.sub("additionalProperties")]

    def evaluates(other: Subschema) -> bool:
        if "additionalProperties" in other.keywords:
            return True
        return bool(_declared_schemas(other, name, patterns))

    return _schemas_of_unevaluated(subschema, "unevaluatedProperties", evaluates)


def _declared_schemas(
    subschema: Subschema, name: str | None, patterns: frozenset[str]
) -> list[Subschema]:
    """The schemas in `properties` and `patternProperties`."""
    keywords = subschema.keywords
    return list(declared_member(subschema, keywords, name, lambda pattern, _: pattern in patterns))


def schemas_for_item(subschema: Subschema, index: int) -> list[Subschema]:
    """The schemas for the item at `index`."""
    tokens = tokens_to_item(subschema, index)
    if tokens:
        return [subschema.sub(*tokens)]

    def evaluates(other: Subschema) -> bool:
        return bool(tokens_to_item(other, index))

    return _schemas_of_unevaluated(subschema, "unevaluatedItems", evaluates)


def _schemas_of_unevaluated(
    subschema: Subschema, keyword: str, evaluates: Callable[[Subschema], bool]
) -> list[Subschema]:
    """The schema of `unevaluated…`, in a list.

    [] if a schema inside `evaluates` the part, or if the effect is not decidable.
    """
    if keyword not in subschema.keywords or is_undecidable(subschema, keyword):
        return []
    for inner in _schemas_inside(subschema):
        if keyword in inner.keywords or evaluates(inner):
            return []
    return [subschema.sub(keyword)]


def _schemas_inside(subschema: Subschema) -> list[Subschema]:
    """The targets of the references and `allOf` of `subschema`."""
    return [each for each in flatten([subschema])[0] if each.identity != subschema.identity]


def is_undecidable(subschema: Subschema, keyword: str) -> bool:
    """Whether the effect of `unevaluated…` depends on the branches that a value matches."""
    for inner in [subschema, *_schemas_inside(subschema)]:
        if inner.keywords.keys() & _IN_PLACE:
            return True
        if keyword == "unevaluatedItems" and "contains" in inner.keywords:
            return True
    return False


def is_match(pattern: str, name: str) -> bool:
    """Whether `pattern` matches somewhere in `name`.

    Raises:
        Unchecked: matching takes too long, or the pattern is not usable.
    """
    with Run(Budget()) as run:
        return found_in(pattern, name, run)


# Equality, by text.


def are_same(one: Subschema, other: Subschema) -> bool:
    """Whether both have the same text in the same draft.

    False if they contain references, whose targets may differ.
    """
    text = text_of(one)
    return one.dialect is other.dialect and text != "" and text == text_of(other)


def text_of(subschema: Subschema) -> str:
    """The JSON text of `subschema`; "" if it contains references."""

    def write() -> str:
        text = dumps(subschema.schema, sort_keys=True)
        return "" if any(word in text for word in _REFERRING) else text

    return subschema.build_once("text", write)
