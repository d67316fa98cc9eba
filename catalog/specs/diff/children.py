"""The schemas that apply to the members of an object and the items of an array, given all schemas for the whole.

`json_schema.children.member` and `item` answer the same for one value. A diff compares all values at once, so it
differs in two ways: `unevaluated…` is left out where its effect depends on the value (`is_undecidable`) and where the
draft does not define it, and a member may have no particular name, but match certain patterns (`undeclared`).

Sources: JSON Schema 2020-12 Core, sections 10.3 (members and items) and 11 (unevaluated ones).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from catalog.json_schema.children import declared_member, prefix_length, tokens_to_item
from catalog.json_schema.describe import strings_in
from catalog.json_schema.regex.match import PatternError, compile_pattern
from catalog.json_schema.validation import Subschema
from catalog.specs.diff import keywords
from catalog.specs.diff.conjunction import Conjunction, TooMuch, conjoin, flattened
from catalog.specs.diff.keywords import members

_IN_PLACE: Final = frozenset(
    {"anyOf", "oneOf", "if", "dependentSchemas"}
)  # the children that they evaluate depend on the value
_UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")

# Members.


def names(whole: Conjunction) -> list[str]:
    """The members declared by name."""
    return whole.built("names", lambda: _names(whole))


def _names(whole: Conjunction) -> list[str]:
    return list(
        dict.fromkeys(
            name for subschema in whole.subschemas for name in members(subschema, "properties")
        )
    )


def is_mentioned(whole: Conjunction, name: str) -> bool:
    """Whether any schema that may apply to the object names the member `name`, be it under a condition.

    Raises:
        TooMuch: that takes too much work to find out.
    """
    names, patterns = whole.mentioned
    return name in names or any(is_match(pattern, name) for pattern in patterns)


def patterns(whole: Conjunction) -> frozenset[str]:
    """The patterns of `patternProperties`."""
    return frozenset(
        pattern
        for subschema in whole.subschemas
        for pattern in members(subschema, "patternProperties")
    )


def member(whole: Conjunction, name: str) -> Conjunction:
    """The schemas for the member `name`; they accept nothing if the member is not allowed.

    Raises:
        TooMuch: matching a pattern takes too long.
    """
    return whole.built(("member", name), lambda: _member(whole, name))


def _member(whole: Conjunction, name: str) -> Conjunction:
    if any(names.is_valid(name) is False for names in whole.subs("propertyNames")) or _is_ruled_out(
        whole, name
    ):
        return Conjunction((), accepts_nothing=True)
    matched = frozenset(pattern for pattern in patterns(whole) if is_match(pattern, name))
    return conjoin(
        *(
            found
            for subschema in whole.subschemas
            for found in _for_member(subschema, name, matched)
        )
    )


def closed_names(whole: Conjunction) -> list[str] | None:
    """All names that members may have; None if they cannot be listed."""
    return whole.built("closed names", lambda: _closed_names(whole))


def _closed_names(whole: Conjunction) -> list[str] | None:
    if 0 in whole.counts("maxProperties") or any(
        conjoin(names).accepts_nothing for names in whole.subs("propertyNames")
    ):
        return []
    lists = [
        choices for names in whole.subs("propertyNames") for choices in keywords.choices_of(names)
    ]
    if lists:
        allowed = [name for name in min(lists, key=len) if isinstance(name, str)]
    elif not patterns(whole) and undeclared(whole, frozenset()).accepts_nothing:
        allowed = names(whole)
    else:
        return None
    return [name for name in allowed if not member(whole, name).accepts_nothing]


def undeclared(whole: Conjunction, matched: frozenset[str]) -> Conjunction:
    """The schemas for an undeclared member whose name matches exactly the patterns `matched`."""
    return conjoin(
        *(
            found
            for subschema in whole.subschemas
            for found in _for_member(subschema, None, matched)
        )
    )


def _for_member(
    subschema: Subschema, name: str | None, matched: frozenset[str]
) -> Iterator[Subschema]:
    declared = list(_declared(subschema, name, matched))
    if declared:
        yield from declared
    elif "additionalProperties" in subschema.keywords:
        yield subschema.sub("additionalProperties")
    elif "unevaluatedProperties" in subschema.keywords and not is_undecidable(
        subschema, "unevaluatedProperties"
    ):
        others = [inner for inner in _in_place(subschema) if inner.identity != subschema.identity]
        ends = {"additionalProperties", "unevaluatedProperties"}
        if not any(
            inner.keywords.keys() & ends or [*_declared(inner, name, matched)] for inner in others
        ):
            yield subschema.sub("unevaluatedProperties")


def _declared(
    subschema: Subschema, name: str | None, matched: frozenset[str]
) -> Iterator[Subschema]:
    """The schemas in `properties` and `patternProperties` for a member whose name matches exactly these patterns."""
    return declared_member(
        subschema, subschema.keywords, name, lambda pattern, _: pattern in matched
    )


def _is_ruled_out(whole: Conjunction, name: str) -> bool:
    """Whether a `not` forbids the member in addition to the required ones."""
    together_denied = (
        set(strings_in(d.keywords["required"]))
        for d in whole.subs("not")
        if keywords.assertions_of(d) == {"required"}
    )
    return any(name in names and names - {name} <= whole.required for names in together_denied)


def is_match(pattern: str, name: str) -> bool:
    """Whether `pattern` matches somewhere in `name`.

    Raises:
        TooMuch: matching takes too long, or the pattern is not usable.
    """
    compiled = compile_pattern(pattern)
    if isinstance(compiled, PatternError):
        raise TooMuch
    try:
        return compiled.found_in(name)
    except TimeoutError:
        raise TooMuch from None


# Items.


def first_items(whole: Conjunction) -> int:
    """How many items at the start have their own schema."""
    return prefix_length(whole.subschemas)


def item(whole: Conjunction, index: int) -> Conjunction:
    """The schemas for the item at `index`; the index `first_items` stands for all later items too."""
    return conjoin(
        *(found for subschema in whole.subschemas for found in _for_item(subschema, index))
    )


def _for_item(subschema: Subschema, index: int) -> Iterator[Subschema]:
    tokens = tokens_to_item(subschema, index)
    if tokens:
        yield subschema.sub(*tokens)
    elif "unevaluatedItems" in subschema.keywords and not is_undecidable(
        subschema, "unevaluatedItems"
    ):
        inside = [inner for inner in _in_place(subschema) if inner.identity != subschema.identity]
        if not any(_covers_item(inner, index) for inner in inside):
            yield subschema.sub("unevaluatedItems")


def _covers_item(subschema: Subschema, index: int) -> bool:
    return "unevaluatedItems" in subschema.keywords or bool(tokens_to_item(subschema, index))


# Unevaluated members and items.


def undecidable(whole: Conjunction) -> Iterator[tuple[Subschema, str]]:
    """(subschema, keyword) of each `unevaluated…` whose effect depends on the branches that a value matches."""
    for subschema in whole.subschemas:
        for keyword in _UNEVALUATED:
            if keyword in subschema.keywords and is_undecidable(subschema, keyword):
                yield subschema, keyword


def is_undecidable(subschema: Subschema, keyword: str) -> bool:
    inside = _in_place(subschema)
    if any(inner.keywords.keys() & _IN_PLACE for inner in inside):
        return True
    return keyword == "unevaluatedItems" and any("contains" in inner.keywords for inner in inside)


def _in_place(subschema: Subschema) -> Iterable[Subschema]:
    """`subschema` and the targets of its references and `allOf`."""
    return subschema.built("in place", lambda: flattened([subschema])[0])
