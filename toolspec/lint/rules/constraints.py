"""Constraints that contradict each other or have no effect: bounds, types, formats, patterns.

Sources: JSON Schema 2020-12 Validation, sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolspec.lint.context import Part, SchemaRule, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.formats import FORMATS
from toolspec.schema.index import Node
from toolspec.schema.types import TYPE_OF_KEYWORD, type_names
from toolspec.text.numbers import is_number
from toolspec.text.patch import Operation
from toolspec.text.reader import dumps

KNOWN_FORMATS: Final = frozenset(FORMATS) | {
    # in OpenAPI's registry or in common use
    "binary", "byte", "color", "decimal", "double", "float", "int32", "int64", "markdown",
    "password", "phone",
}  # fmt: skip
MEANT_FORMATS: Final[Mapping[str, str]] = {
    "datetime": "date-time", "date_time": "date-time", "iso8601": "date-time",
    "timestamp": "date-time", "url": "uri", "link": "uri", "http-url": "uri",
    "uri-ref": "uri-reference", "guid": "uuid", "uuid4": "uuid", "ip": "ipv4",
    "ip-address": "ipv4", "host-name": "hostname", "e-mail": "email", "regexp": "regex",
}  # fmt: skip
# Keywords that are not reported on other types: `format` and the keywords for content also annotate
# them (`int32`); the others are rarely written, and harmless.
_NOT_REPORTED: Final = frozenset({
    "format", "contentEncoding", "contentMediaType", "minContains", "maxContains",
    "additionalItems", "unevaluatedItems", "unevaluatedProperties", "dependentSchemas",
    "dependencies",
})  # fmt: skip
_BOUNDS: Final = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"),
    ("minProperties", "maxProperties"), ("minContains", "maxContains"),
    ("exclusiveMinimum", "exclusiveMaximum"), ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
)  # fmt: skip
_NUMBERS: Final = frozenset({"number", "integer"})
_NOT_PORTABLE: Final = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
}


def check_bounds(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    for low, high in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        if not is_number(least) or not is_number(most):
            continue
        if least > most or (least == most and "exclusive" in f"{low}{high}"):
            message = f"`{low}` is {dumps(least)}, but `{high}` is {dumps(most)};"
            message += " correct one of them."
            yield make_finding("bounds-contradictory", part.pointer_to(node, low), message)


def check_effect(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    types = schema.get("type")
    if types is None or (node.dialect.ref_stands_alone and "$ref" in schema):
        return
    declared = frozenset(type_names(types))
    for keyword in schema:
        constrained = TYPE_OF_KEYWORD.get(keyword)
        if constrained is None or keyword in _NOT_REPORTED or keyword not in node.dialect.keywords:
            continue
        types_with_effect = _NUMBERS if constrained == "number" else {constrained}
        if declared.isdisjoint(types_with_effect):
            pointer = part.pointer_to(node, keyword)
            fix = Fix("Remove it", (Operation("remove", pointer),), safe=True)
            message = f"`{keyword}` has no effect on the type {' or '.join(sorted(declared))}."
            yield make_finding("keyword-without-effect", pointer, message, fix)


def check_format(part: Part, node: Node) -> Iterator[Finding]:
    name = keywords_of(node).get("format")
    if not isinstance(name, str) or name in KNOWN_FORMATS:
        return
    pointer = part.pointer_to(node, "format")
    message = f"`{name[:60]}` is not a format of JSON Schema"
    folded = name.casefold()
    meant = MEANT_FORMATS.get(folded, folded)
    if meant in KNOWN_FORMATS:
        fix = Fix(f"Use {meant}", (Operation("replace", pointer, meant),))
        message += f"; did you mean `{meant}`?"
        yield make_finding("format-unknown", pointer, message, fix)
    else:
        yield make_finding("format-unknown", pointer, f"{message}, so it is not checked.")


def check_pattern(part: Part, node: Node) -> Iterator[Finding]:
    pattern = keywords_of(node).get("pattern")
    if not isinstance(pattern, str) or ("(?" not in pattern and "\\" not in pattern):
        return
    used = dict.fromkeys(name for sign, name in _NOT_PORTABLE.items() if sign in pattern)
    if any(f"\\{digit}" in pattern.replace("\\\\", "") for digit in range(1, 10)):
        used["back-references"] = None
    if used:
        message = f"The pattern uses {' and '.join(used)}, which some regex engines do not support."
        yield make_finding("pattern-not-portable", part.pointer_to(node, "pattern"), message)


OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (
    check_bounds,
    check_effect,
    check_format,
    check_pattern,
)
