"""Which subschemas apply to the members of an object and the items of a list.

They come from every subschema that applies to the container: `properties`, `patternProperties`, else
`additionalProperties`; `prefixItems`, else `items`; and `unevaluated*` where none of those spoke.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.json_schema.regex.match import PatternError, compile_pattern
from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON
from playground.schema_form.branches import Applicable


@dataclass(frozen=True, slots=True)
class Child:
    """What applies to one member or item.

    Attributes:
        places: the subschemas.
        is_declared: whether a schema names it, not just "all others".
        is_allowed: whether no schema forbids that it is there.
    """

    places: tuple[Subschema, ...]
    is_declared: bool = False
    is_allowed: bool = True


def declared_names(found: Applicable) -> list[str]:
    """The names of members that the schemas declare, in their order; required ones too, without more."""
    names: dict[str, None] = {}
    for place in found.places:
        keywords = place.all_keywords
        properties = keywords.get("properties")
        if isinstance(properties, dict):
            names.update(dict.fromkeys(properties))
    names.update(dict.fromkeys(_required(found)))
    return list(names)


def required_names(found: Applicable, present: set[str]) -> dict[str, None]:
    """The names of members that must be there, when those in `present` are; in the schemas' order."""
    names = dict.fromkeys(_required(found))
    for place in found.places:
        for keyword in ("dependentRequired", "dependencies"):
            needs = place.all_keywords.get(keyword)
            if isinstance(needs, dict) and keyword in place.dialect.keywords:
                for name, others in needs.items():
                    if name in present:
                        names.update(dict.fromkeys(_texts(others)))
    return names


def _required(found: Applicable) -> Iterator[str]:
    for place in found.places:
        yield from _texts(place.all_keywords.get("required"))


def _texts(value: JSON) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def member(found: Applicable, name: str) -> Child:
    """What applies to the member called `name`."""
    places: list[Subschema] = []
    is_declared = False
    for place in found.places:
        keywords = place.all_keywords
        here = list(_members_of(place, keywords, name))
        is_declared = is_declared or bool(here)
        if not here and "additionalProperties" in keywords:
            here = [place.sub("additionalProperties")]
        places += here
    if not places:
        places = [
            place.sub("unevaluatedProperties")
            for place in found.places
            if "unevaluatedProperties" in place.all_keywords
        ]
        return Child(tuple(place for place in places if place.schema is not False), is_declared)
    return Child(tuple(places), is_declared, all(place.schema is not False for place in places))


def _members_of(place: Subschema, keywords: dict[str, JSON], name: str) -> Iterator[Subschema]:
    properties = keywords.get("properties")
    if isinstance(properties, dict) and name in properties:
        yield place.sub("properties", name)
    patterns = keywords.get("patternProperties")
    if isinstance(patterns, dict):
        for pattern in patterns:
            if _matches(pattern, name):
                yield place.sub("patternProperties", pattern)


def _matches(pattern: str, name: str) -> bool:
    compiled = compile_pattern(pattern)
    try:
        return not isinstance(compiled, PatternError) and compiled.found_in(name)
    except TimeoutError:
        return False


def takes_more_members(found: Applicable) -> bool:
    """Whether members may be there that no schema declares."""
    return not any(
        keywords.get("additionalProperties") is False and not keywords.get("patternProperties")
        for keywords in (place.all_keywords for place in found.places)
    )


def name_places(found: Applicable) -> list[Subschema]:
    """The subschemas of `propertyNames`."""
    return [
        place.sub("propertyNames")
        for place in found.places
        if isinstance(place.all_keywords.get("propertyNames"), dict)
    ]


def speaks_of_others(found: Applicable) -> bool:
    """Whether a schema speaks of members beside those that it names; or names none."""
    if not declared_names(found):
        return True
    return any(
        isinstance(keywords.get("additionalProperties"), dict) or "patternProperties" in keywords
        for keywords in (place.all_keywords for place in found.places)
    )


def item(found: Applicable, index: int) -> Child:
    """What applies to the item at `index`."""
    places: list[Subschema] = []
    is_declared = False
    for place in found.places:
        tokens = _item_tokens(place, index)
        if tokens:
            is_declared = is_declared or len(tokens) > 1
            places.append(place.sub(*tokens))
    if not places:
        places = [place.sub("unevaluatedItems") for place in found.places if "unevaluatedItems" in place.all_keywords]
        return Child(tuple(place for place in places if place.schema is not False), is_declared)
    return Child(tuple(places), is_declared, all(place.schema is not False for place in places))


def _item_tokens(place: Subschema, index: int) -> tuple[str | int, ...]:
    keywords = place.all_keywords
    prefix_keyword, rest_keyword = ("prefixItems", "items")
    if "prefixItems" not in place.dialect.keywords:
        prefix_keyword, rest_keyword = ("items", "additionalItems")
        if isinstance(keywords.get("items"), dict | bool):
            return ("items",)
    prefix = keywords.get(prefix_keyword)
    length = len(prefix) if isinstance(prefix, list) else 0
    if index < length:
        return (prefix_keyword, index)
    has_rest = rest_keyword in keywords and (length or rest_keyword == "items")
    return (rest_keyword,) if has_rest else ()


def prefix_length(found: Applicable) -> int:
    """How many items have schemas of their own, by position."""
    lengths = [0]
    for place in found.places:
        prefix = place.all_keywords.get("prefixItems" if "prefixItems" in place.dialect.keywords else "items")
        if isinstance(prefix, list):
            lengths.append(len(prefix))
    return max(lengths)
