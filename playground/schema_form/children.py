"""The members of an object and the items of a list, as a form draws them.

`catalog.json_schema.children` finds the subschemas for a member or item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from catalog.json_schema import children
from catalog.json_schema.children import Child
from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON
from playground.schema_form.branches import Applicable


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
    return _without_refusal(children.member(found.places, name))


def item(found: Applicable, index: int) -> Child:
    """What applies to the item at `index`."""
    return _without_refusal(children.item(found.places, index))


def _without_refusal(child: Child) -> Child:
    """`child`, allowed if only `unevaluated*` forbids it: a branch that is not chosen yet may allow it."""
    if not child.is_unevaluated or child.is_allowed:
        return child
    return replace(child, subschemas=tuple(place for place in child.subschemas if place.schema is not False))


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


def prefix_length(found: Applicable) -> int:
    """How many items have schemas of their own, by position."""
    return children.prefix_length(found.places)
