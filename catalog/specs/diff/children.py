"""What holds for the members of an object and the items of an array, by all the schemas that hold for the whole.

Sources: JSON Schema 2020-12 Core, sections 10.3 (members and items) and 11 (what is left unevaluated).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from catalog.json_schema.children import declared_member, prefix_length, tokens_to_item
from catalog.json_schema.regex.match import PatternError, compile_pattern
from catalog.json_schema.validation import Subschema
from catalog.specs.diff import keywords
from catalog.specs.diff.conjunction import Together, TooMuch, flattened, together
from catalog.specs.diff.keywords import members

_IN_PLACE: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchemas"})  # what they evaluate depends on the value
_UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")

# Members.


def names(whole: Together) -> list[str]:
    """The members that are declared by name."""
    return list(dict.fromkeys(name for place in whole.places for name in members(place, "properties")))


def patterns(whole: Together) -> frozenset[str]:
    """The patterns that declare members."""
    return frozenset(pattern for place in whole.places for pattern in members(place, "patternProperties"))


def member(whole: Together, name: str) -> Together:
    """What holds for the member `name`; nothing is accepted where it may not be there.

    Raises:
        TooMuch: a pattern takes too long.
    """
    if any(names.is_valid(name) is False for names in whole.subs("propertyNames")) or _is_ruled_out(whole, name):
        return Together((), nothing=True)
    matched = frozenset(pattern for pattern in patterns(whole) if is_match(pattern, name))
    return together(*(found for place in whole.places for found in _for_member(place, name, matched)))


def closed_names(whole: Together) -> list[str] | None:
    """Every name that a member may have; None where they cannot be listed."""
    if 0 in whole.counts("maxProperties") or any(together(names).nothing for names in whole.subs("propertyNames")):
        return []
    lists = [choices for names in whole.subs("propertyNames") for choices in keywords.choices_of(names)]
    if lists:
        allowed = [name for name in min(lists, key=len) if isinstance(name, str)]
    elif not patterns(whole) and undeclared(whole, frozenset()).nothing:
        allowed = names(whole)
    else:
        return None
    return [name for name in allowed if not member(whole, name).nothing]


def undeclared(whole: Together, matched: frozenset[str]) -> Together:
    """What holds for a member that is not declared by name, and whose name matches just these patterns."""
    return together(*(found for place in whole.places for found in _for_member(place, None, matched)))


def _for_member(place: Subschema, name: str | None, matched: frozenset[str]) -> Iterator[Subschema]:
    declared = list(_declared(place, name, matched))
    if declared:
        yield from declared
    elif "additionalProperties" in place.keywords:
        yield place.sub("additionalProperties")
    elif "unevaluatedProperties" in place.keywords and not is_undecidable(place, "unevaluatedProperties"):
        others = [inner for inner in _in_place(place) if inner.identity != place.identity]
        ends = {"additionalProperties", "unevaluatedProperties"}
        if not any(inner.keywords.keys() & ends or [*_declared(inner, name, matched)] for inner in others):
            yield place.sub("unevaluatedProperties")


def _declared(place: Subschema, name: str | None, matched: frozenset[str]) -> Iterator[Subschema]:
    """The schemas of `properties` and `patternProperties` for a member whose name matches just these patterns."""
    return declared_member(place, place.keywords, name, lambda pattern, _: pattern in matched)


def _is_ruled_out(whole: Together, name: str) -> bool:
    """Whether a `not` says that the member may not be there beside those that have to be."""
    together_denied = (set(keywords.required_of(d)) for d in whole.subs("not") if keywords.asked(d) == {"required"})
    return any(name in names and names - {name} <= whole.required for names in together_denied)


def is_match(pattern: str, name: str) -> bool:
    """Whether `pattern` is found in `name`.

    Raises:
        TooMuch: that takes too long, or the pattern cannot be used.
    """
    compiled = compile_pattern(pattern)
    if isinstance(compiled, PatternError):
        raise TooMuch
    try:
        return compiled.found_in(name)
    except TimeoutError:
        raise TooMuch from None


# Items.


def first_items(whole: Together) -> int:
    """How many items at the start have a schema of their own."""
    return prefix_length(whole.places)


def item(whole: Together, index: int) -> Together:
    """What holds for the item at `index`; at `first_items` for all from there on."""
    return together(*(found for place in whole.places for found in _for_item(place, index)))


def _for_item(place: Subschema, index: int) -> Iterator[Subschema]:
    tokens = tokens_to_item(place, index)
    if tokens:
        yield place.sub(*tokens)
    elif "unevaluatedItems" in place.keywords and not is_undecidable(place, "unevaluatedItems"):
        inside = [inner for inner in _in_place(place) if inner.identity != place.identity]
        if not any(_covers_item(inner, index) for inner in inside):
            yield place.sub("unevaluatedItems")


def _covers_item(place: Subschema, index: int) -> bool:
    return "unevaluatedItems" in place.keywords or bool(tokens_to_item(place, index))


# What is left unevaluated.


def undecidable(whole: Together) -> Iterator[tuple[Subschema, str]]:
    """The places whose `unevaluatedProperties` or `unevaluatedItems` depends on which branches a value takes."""
    for place in whole.places:
        for keyword in _UNEVALUATED:
            if keyword in place.keywords and is_undecidable(place, keyword):
                yield place, keyword


def is_undecidable(place: Subschema, keyword: str) -> bool:
    inside = _in_place(place)
    if any(inner.keywords.keys() & _IN_PLACE for inner in inside):
        return True
    return keyword == "unevaluatedItems" and any("contains" in inner.keywords for inner in inside)


def _in_place(place: Subschema) -> Iterable[Subschema]:
    """`place` and what its references and `allOf` lead to."""
    return place.built("in place", lambda: flattened([place])[0])
