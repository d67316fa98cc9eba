"""Which schemas apply at a place of a value: through references, `allOf`, branches, conditions, members and items.

Nothing here knows Django. Schemas are never merged: the result is a list. (To draw a form, `applicable.py` follows the
existing value; this module works without one.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from catalog.json_schema.regex.match import matches
from catalog.json_schema.validation import Budget, Subschema
from catalog.json_schema.validation.budget import Run, Unchecked
from catalog.json_schema.validation.pattern_search import found_in
from catalog.jsontext.reader import JSON

MAX_PLACES = 4000  # at one place of a value; real schemas have a handful


class Impossible(Exception):
    """No value can stand here."""


def gather(
    places: Iterable[Subschema], known: Iterable[Subschema] = ()
) -> tuple[list[Subschema], list[list[Subschema]]]:
    """All schemas that surely apply where `places` do (through `$ref` and `allOf`), and the unions among them.

    Raises:
        Impossible: one of them accepts nothing.
    """
    seen = {place.identity for place in known}
    found: list[Subschema] = []
    unions: list[list[Subschema]] = []
    waiting = deque(places)
    while waiting:
        place = waiting.popleft()
        if place.schema is False:
            raise Impossible
        if place.identity in seen:
            continue
        seen.add(place.identity)
        found.append(place)
        waiting += [*place.references(), *place.listed("allOf")]
        unions += [options for keyword in ("anyOf", "oneOf") if (options := place.listed(keyword))]
    return found, unions


def gather_all(places: Iterable[Subschema], run: Run) -> list[Subschema]:
    """Every schema that may apply where `places` do, whichever branches are chosen.

    Raises:
        Unchecked: the budget of `run` is used up, or there are more than `MAX_PLACES`.
    """
    found: dict[object, Subschema] = {}
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place.identity in found:
            continue
        if len(found) == MAX_PLACES:
            raise Unchecked("Too many schemas apply to one part of the value.")
        run.spend()
        found[place.identity] = place
        waiting += place.references()
        waiting += [branch for keyword in ("allOf", "anyOf", "oneOf") for branch in place.listed(keyword)]
        waiting += [place.sub(keyword) for keyword in ("if", "then", "else") if keyword in place.all_keywords]
        waiting += [dependent for _, dependent in _dependents(place)]
    return list(found.values())


def conditions(places: list[Subschema], value: JSON, budget: Budget) -> Iterator[Subschema]:
    """What `if`, `dependentSchemas` and `dependencies` add to `places` for this value."""
    for place in places:
        if "if" in place.all_keywords:
            branch = "then" if place.sub("if").is_valid(value, budget) else "else"
            if branch == "else" and place.all_keywords.get(branch) is False:
                yield place.sub("if")  # it must hold after all
            elif branch in place.all_keywords:
                yield place.sub(branch)
        if isinstance(value, dict):
            yield from (dependent for name, dependent in _dependents(place) if name in value)


def _dependents(place: Subschema) -> Iterator[tuple[str, Subschema]]:
    for keyword in ("dependentSchemas", "dependencies"):
        schemas = place.all_keywords.get(keyword)
        if isinstance(schemas, dict):
            yield from (
                (name, place.sub(keyword, name)) for name, schema in schemas.items() if not isinstance(schema, list)
            )


def child_places(places: Iterable[Subschema], name: str, run: Run | None = None) -> list[Subschema]:
    """The schemas for the member `name` of an object for which `places` apply.

    Raises:
        Unchecked: with a `run`, its budget is used up, or a pattern cannot be matched.
    """
    found = [child for place in places for child in _children(place, name, run)]
    return found or [
        place.sub("unevaluatedProperties") for place in places if "unevaluatedProperties" in place.all_keywords
    ]


def _children(place: Subschema, name: str, run: Run | None) -> Iterator[Subschema]:
    keywords = place.all_keywords
    declared = False
    properties = keywords.get("properties")
    if isinstance(properties, dict) and name in properties:
        declared = True
        yield place.sub("properties", name)
    patterns = keywords.get("patternProperties")
    for pattern in patterns if isinstance(patterns, dict) else ():
        if matches(pattern, name) if run is None else found_in(pattern, name, run):
            declared = True
            yield place.sub("patternProperties", pattern)
    if not declared and "additionalProperties" in keywords:
        yield place.sub("additionalProperties")


def item_places(places: Iterable[Subschema], index: int) -> list[Subschema]:
    """The schemas for the item at `index` of an array for which `places` apply."""
    found = [child for place in places for child in _items(place, index)]
    return found or [place.sub("unevaluatedItems") for place in places if "unevaluatedItems" in place.all_keywords]


def _items(place: Subschema, index: int) -> Iterator[Subschema]:
    keywords = place.all_keywords
    prefix = keywords.get("prefixItems")
    items = keywords.get("items")
    if isinstance(prefix, list) and index < len(prefix):
        yield place.sub("prefixItems", index)
    elif isinstance(items, list):  # up to draft 2019-09
        if index < len(items):
            yield place.sub("items", index)
        elif "additionalItems" in keywords:
            yield place.sub("additionalItems")
    elif "items" in keywords:
        yield place.sub("items")


def prefix_length(places: Iterable[Subschema]) -> int:
    """How many items have their own schemas, by position; the same schemas apply to all items after them."""
    listed = (place.all_keywords.get(keyword) for place in places for keyword in ("prefixItems", "items"))
    return max((len(schemas) for schemas in listed if isinstance(schemas, list)), default=0)
