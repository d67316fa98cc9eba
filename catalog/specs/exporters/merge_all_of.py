"""A schema without `$ref` and `allOf`: the schemas that they name are merged into one list of keywords.

Export formats without composition get their schemas from here. If two parts use the same keyword, the merged value
asks for both where one value can; otherwise the outer one stays, and the report names the other.

It follows `$ref` and `allOf` itself (others: `catalog.json_schema.applicable`), since its input is a normalized schema
that the exporter rewrites as it goes, and the report needs the pointer of each keyword.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.conversion_report import Report
from catalog.json_schema.normalize import ANNOTATIONS, Normalized, Schema, definition_of
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON, Number, dumps

MAX_MERGED: Final = 300_000  # keywords and members that are put together for one export


class TooLarge(ValueError):
    """Written out, the schema is more than a provider would take."""


@dataclass(slots=True)
class Flat:
    """Keywords without `$ref` and `allOf`.

    Attributes:
        pointer: of the schema that it started from.
        members: the keywords.
        places: where each keyword stood.
        passed: the names of the definitions that were merged in; "" is the whole schema.
    """

    pointer: str
    members: Schema = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()

    def place(self, keyword: str) -> str:
        return self.places.get(keyword, self.pointer)

    def take(self, keyword: str) -> JSON:
        """The value of `keyword`, which is then gone; None where it is absent."""
        return self.members.pop(keyword, None)


class Flattener:
    def __init__(self, modern: Normalized, report: Report) -> None:
        self._modern = modern
        self._report = report
        self._room = MAX_MERGED
        self._made = modern.origins.made

    def flat(self, schema: Schema) -> Flat:
        """`schema` with all that it refers to. It ends because no reference leads back to itself in place."""
        result = Flat(self._modern.origins.of(schema))
        self._add(schema, result)
        return result

    def target(self, name: str) -> JSON:
        return self._modern.definitions[name] if name else self._modern.root

    def alike(self, first: Schema, second: Schema) -> Schema:
        """`second`, which was made from `first` and so stood where that did."""
        return self._modern.origins.put(second, self._modern.origins.of(first))

    def both(self, first: Schema, second: JSON) -> Schema:
        """A schema that asks for what both do."""
        parts = first["allOf"] if id(first) in self._made else [first]
        made = self.alike(first, {"allOf": [*(parts if isinstance(parts, list) else ()), second]})
        self._made.add(id(made))
        return made

    def _add(self, schema: Schema, result: Flat) -> None:
        """Merge `schema` and all that it refers to into `result`, the outermost first."""
        waiting: list[tuple[JSON, str]] = [(schema, "")]
        while waiting:
            part, place = waiting.pop()
            if isinstance(part, dict):
                waiting.extend(reversed(self._add_one(part, result)))
            elif part is False:
                self._report.dropped(place, "Nothing at all is allowed here, which cannot be said in one schema.")

    def _add_one(self, schema: Schema, result: Flat) -> list[tuple[JSON, str]]:
        """Merge the keywords of `schema` itself; returns the schemas that it refers to, each with its pointer."""
        self._spend(1)
        origin = self._modern.origins.of(schema)
        for keyword, value in schema.items():
            if keyword not in {"$ref", "allOf"}:
                self._merge(keyword, value, pointer_join(origin, keyword), result)
        inner: list[tuple[JSON, str]] = []
        name = definition_of(schema.get("$ref"))
        if name is not None:
            result.passed |= {name}
            self._report.rewritten(pointer_join(origin, "$ref"), "What the reference names was written out here.")
            inner.append((self.target(name), pointer_join(origin, "$ref")))
        parts = schema.get("allOf")
        if isinstance(parts, list) and id(schema) not in self._made:
            self._report.rewritten(pointer_join(origin, "allOf"), "What `allOf` lists was merged into one schema.")
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            inner.append((part, pointer_join(origin, "allOf", index)))
        return inner

    def _spend(self, keywords: int) -> None:
        self._room -= keywords
        if self._room < 0:
            raise TooLarge(f"Put together, the schema has more than {MAX_MERGED:,} keywords.")

    def _merge(self, keyword: str, value: JSON, place: str, result: Flat) -> None:
        self._spend(1 + (len(value) if isinstance(value, dict | list) else 0))
        if keyword not in result.members:
            result.members[keyword] = value
            result.places[keyword] = place
            return
        have = result.members[keyword]
        if keyword in ANNOTATIONS or (keyword not in _HOLDING and _same(have, value)):
            return
        merged = _MERGED.get(keyword, _unmergeable)(self, have, value)
        if merged is None:
            self._report.dropped(place, f"Two parts of the schema say `{keyword}`; only the outer one is kept.")
        else:
            result.members[keyword] = merged

    def same_place(self, first: JSON, second: JSON) -> JSON:
        """What two schemas for the same value ask for together."""
        if first is False or second is False:
            return False
        if not isinstance(first, dict):
            return second
        return first if not isinstance(second, dict) else self.both(first, second)


def _same(first: JSON, second: JSON) -> bool:
    return dumps(first, sort_keys=True) == dumps(second, sort_keys=True)


Merge = Callable[[Flattener, JSON, JSON], JSON]
"""What two values of a keyword mean together; None where no one value can say it."""


def _unmergeable(_: Flattener, __: JSON, ___: JSON) -> JSON:
    return None


def _properties(flattener: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return None
    merged = dict(first)
    for name, schema in second.items():
        merged[name] = flattener.same_place(merged[name], schema) if name in merged else schema
    return merged


def _schemas(flattener: Flattener, first: JSON, second: JSON) -> JSON:
    return flattener.same_place(first, second)


def _names(_: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, list) or not isinstance(second, list):
        return None
    return [*first, *(name for name in second if name not in first)]


def _types(_: Flattener, first: JSON, second: JSON) -> JSON:
    common: list[JSON] = []
    for name in type_names(first):
        if name in type_names(second) or (name == "integer" and "number" in type_names(second)):
            common.append(name)
        elif name == "number" and "integer" in type_names(second):
            common.append("integer")
    return (common[0] if len(common) == 1 else common) if common else None


def _values(_: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, list) or not isinstance(second, list):
        return None
    wanted = {dumps(value, sort_keys=True) for value in second}
    return [value for value in first if dumps(value, sort_keys=True) in wanted] or None


def _larger(_: Flattener, first: JSON, second: JSON) -> JSON:
    return max(first, second) if is_number(first) and is_number(second) else None  # type: ignore[type-var]


def _smaller(_: Flattener, first: JSON, second: JSON) -> JSON:
    return min(first, second) if is_number(first) and is_number(second) else None  # type: ignore[type-var]


def _either(_: Flattener, first: JSON, second: JSON) -> JSON:
    return bool(first or second)


_HOLDING: Final = frozenset({"properties", "items", "additionalProperties", "propertyNames", "contains"})
_MERGED: Final[Mapping[str, Merge]] = {
    "properties": _properties,
    "required": _names,
    "type": _types,
    "enum": _values,
    "uniqueItems": _either,
    **dict.fromkeys(_HOLDING - {"properties"}, _schemas),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _larger),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _smaller),
}


def type_names(value: JSON) -> list[str]:
    """The names in the value of `type`."""
    if isinstance(value, str):
        return [value]
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def is_number(value: JSON) -> bool:
    return isinstance(value, int | Number) and not isinstance(value, bool)
