"""A schema without `$ref` and `allOf`: the schemas that they refer to are merged into one.

For export formats without composition. If two of the merged schemas use the same keyword, the
merged value demands both if one value can; otherwise the outer one remains, and the report names
the other.

It follows `$ref` and `allOf` itself instead of using `toolspec.schema.applicable`: its input is a
normalized schema that the exporter rewrites meanwhile, and the report needs the pointer of each
keyword.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolspec.conversion_report import Report
from toolspec.schema.normalize import ANNOTATIONS, Normalized, Schema, definition_of
from toolspec.schema.types import type_names
from toolspec.schema.validation.equality import equal
from toolspec.text.containers import items_of
from toolspec.text.numbers import is_number
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

MAX_MERGED: Final = 300_000  # keywords and members of one export


class TooLarge(ValueError):
    """With its references written out, the schema is larger than a provider would accept."""


@dataclass(slots=True)
class Flat:
    """Keywords without `$ref` and `allOf`.

    Attributes:
        pointer: of the outermost merged schema.
        members: the keywords.
        pointers: of each keyword.
        expanded: the names of the definitions that were merged in; "" is the whole schema.
    """

    pointer: str
    members: Schema = field(default_factory=dict)
    pointers: dict[str, str] = field(default_factory=dict)
    expanded: frozenset[str] = frozenset()

    def pointer_to(self, keyword: str) -> str:
        return self.pointers.get(keyword, self.pointer)


class Flattener:
    def __init__(self, modern: Normalized, report: Report) -> None:
        self._modern = modern
        self._report = report
        self._remaining = MAX_MERGED
        self._made = modern.origins.made

    def flat(self, schema: Schema) -> Flat:
        """`schema` merged with all that it refers to.

        It terminates: the schema policy allows no in-place loops.
        """
        result = Flat(self._modern.origins.of(schema))
        self._add(schema, result)
        return result

    def target(self, name: str) -> JSON:
        return self._modern.definitions[name] if name else self._modern.root

    def with_origin_of(self, first: Schema, second: Schema) -> Schema:
        """`second`, recorded at the pointer of `first`, from which it was made."""
        return self._modern.origins.put(second, self._modern.origins.of(first))

    def both(self, first: Schema, second: JSON) -> Schema:
        """A schema that demands both."""
        parts = items_of(first["allOf"]) if id(first) in self._made else [first]
        made = self.with_origin_of(first, {"allOf": [*parts, second]})
        self._made.add(id(made))
        return made

    def _add(self, schema: Schema, result: Flat) -> None:
        """Merge `schema` and all that it refers to into `result`, the outermost first."""
        waiting: list[tuple[JSON, str]] = [(schema, "")]
        while waiting:
            part, pointer = waiting.pop()
            if isinstance(part, dict):
                waiting.extend(reversed(self._add_one(part, result)))
            elif part is False:
                reason = "`false` allows no value, which one merged schema cannot express."
                self._report.dropped(pointer, reason)

    def _add_one(self, schema: Schema, result: Flat) -> list[tuple[JSON, str]]:
        """Merge the keywords of `schema` itself.

        Returns:
            The schemas that it refers to, each with its pointer.
        """
        self._spend(1)
        origin = self._modern.origins.of(schema)
        for keyword, value in schema.items():
            if keyword not in {"$ref", "allOf"}:
                self._merge(keyword, value, pointer_join(origin, keyword), result)
        inner: list[tuple[JSON, str]] = []
        name = definition_of(schema.get("$ref"))
        if name is not None:
            result.expanded |= {name}
            pointer = pointer_join(origin, "$ref")
            reason = "The reference was replaced by the schema it names."
            self._report.rewritten(pointer, reason)
            inner.append((self.target(name), pointer))
        parts = schema.get("allOf")
        is_made = id(schema) in self._made  # and the spec has no such `allOf`
        if isinstance(parts, list) and not is_made:
            reason = "The schemas of `allOf` were merged into one."
            self._report.rewritten(pointer_join(origin, "allOf"), reason)
        for index, part in enumerate(items_of(parts)):
            inner.append((part, origin if is_made else pointer_join(origin, "allOf", index)))
        return inner

    def _spend(self, keywords: int) -> None:
        self._remaining -= keywords
        if self._remaining < 0:
            raise TooLarge(f"The merged schema has more than {MAX_MERGED:,} keywords.")

    def _merge(self, keyword: str, value: JSON, pointer: str, result: Flat) -> None:
        self._spend(1)
        if isinstance(value, dict | list):
            self._spend(len(value))
        if keyword not in result.members:
            result.members[keyword] = value
            result.pointers[keyword] = pointer
            return
        outer = result.members[keyword]
        if keyword in ANNOTATIONS or (keyword not in _WITH_SCHEMAS and equal(outer, value)):
            return
        merge = _MERGED.get(keyword)
        merged = merge(self, outer, value) if merge else None
        if merged is None:
            reason = f"The merged schemas have different values of `{keyword}`;"
            reason += " only the outer one is used."
            self._report.dropped(pointer, reason)
        else:
            result.members[keyword] = merged

    def intersection(self, first: JSON, second: JSON) -> JSON:
        """A schema for the values that match both."""
        if first is False or second is False:
            return False
        if not isinstance(first, dict):
            return second
        if not isinstance(second, dict):
            return first
        return self.both(first, second)


Merge = Callable[[Flattener, JSON, JSON], JSON]
"""Merges two values of a keyword into one that demands both; None if there is no such value."""


def _merge_properties(flattener: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return None
    merged = dict(first)
    for name, schema in second.items():
        merged[name] = flattener.intersection(merged[name], schema) if name in merged else schema
    return merged


def _unite_names(_: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, list) or not isinstance(second, list):
        return None
    return [*first, *(name for name in second if name not in first)]


def _intersect_types(_: Flattener, first: JSON, second: JSON) -> JSON:
    common: list[JSON] = []
    names = type_names(second)
    for name in type_names(first):
        if name in names or (name == "integer" and "number" in names):
            common.append(name)
        elif name == "number" and "integer" in names:
            common.append("integer")
    if len(common) == 1:
        return common[0]
    return common or None


def _intersect_values(_: Flattener, first: JSON, second: JSON) -> JSON:
    if not isinstance(first, list) or not isinstance(second, list):
        return None
    texts = {dumps(value, sort_keys=True) for value in second}
    return [value for value in first if dumps(value, sort_keys=True) in texts] or None


def _larger(_: Flattener, first: JSON, second: JSON) -> JSON:
    return max(first, second) if is_number(first) and is_number(second) else None


def _smaller(_: Flattener, first: JSON, second: JSON) -> JSON:
    return min(first, second) if is_number(first) and is_number(second) else None


def _either(_: Flattener, first: JSON, second: JSON) -> JSON:
    return bool(first or second)


_WITH_SCHEMAS: Final = frozenset(
    {"properties", "items", "additionalProperties", "propertyNames", "contains"}
)
_LOWER_BOUNDS: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER_BOUNDS: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_MERGED: Final[Mapping[str, Merge]] = {
    "properties": _merge_properties,
    "required": _unite_names,
    "type": _intersect_types,
    "enum": _intersect_values,
    "uniqueItems": _either,
    **dict.fromkeys(_WITH_SCHEMAS - {"properties"}, Flattener.intersection),
    **dict.fromkeys(_LOWER_BOUNDS, _larger),
    **dict.fromkeys(_UPPER_BOUNDS, _smaller),
}
